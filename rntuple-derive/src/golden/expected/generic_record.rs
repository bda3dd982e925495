#[doc(hidden)]
#[allow(
    deprecated,
    missing_debug_implementations,
    non_snake_case,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
const _: () = {
    use ::rntuple::__private_0_1 as __rntuple;
    pub struct __TrackWriter<__W0, __W1, __W2> {
        pt: __W0,
        points: __W1,
        charges: __W2,
        time: <millis::Stored as __rntuple::WriteField>::Writer,
        quality: <u8 as __rntuple::WriteField>::Writer,
        id: <__rntuple::Itself<Uuid> as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<
        __W0: __rntuple::Commit,
        __W1: __rntuple::Commit,
        __W2: __rntuple::Commit,
    > __rntuple::Commit for __TrackWriter<__W0, __W1, __W2> {
        fn commit(&mut self, __cluster: &mut __rntuple::Gathered<'_>) {
            __rntuple::Commit::commit(&mut self.pt, __cluster);
            __rntuple::Commit::commit(&mut self.points, __cluster);
            __rntuple::Commit::commit(&mut self.charges, __cluster);
            __rntuple::Commit::commit(&mut self.time, __cluster);
            __rntuple::Commit::commit(&mut self.quality, __cluster);
            __rntuple::Commit::commit(&mut self.id, __cluster);
        }
    }
    #[automatically_derived]
    impl<
        'a,
        T: Copy,
        const N: usize,
        __W0: __rntuple::FieldWriter<T>,
        __W1: __rntuple::FieldWriter<Vec<[T; N]>>,
        __W2: __rntuple::FieldWriter<&'a [i8]>,
    > __rntuple::FieldWriter<Track<'a, T, N>> for __TrackWriter<__W0, __W1, __W2>
    where
        T: PartialOrd,
    {
        #[inline]
        fn append(&mut self, __value: &Track<'a, T, N>) -> __rntuple::usize {
            let mut __length = 0;
            __length += __rntuple::FieldWriter::append(&mut self.pt, &__value.pt);
            __length
                += __rntuple::FieldWriter::append(&mut self.points, &__value.points);
            __length
                += __rntuple::FieldWriter::append(&mut self.charges, &__value.charges);
            __length
                += __rntuple::FieldWriter::<
                    millis::Stored,
                >::append(&mut self.time, &millis::store(&__value.time));
            __length
                += __rntuple::FieldWriter::append(&mut self.quality, &__value.quality);
            __length += __rntuple::FieldWriter::append(&mut self.id, &__value.id);
            __length
        }
        #[inline]
        fn append_each<'__each, __I>(&mut self, __values: __I) -> __rntuple::usize
        where
            Track<'a, T, N>: '__each,
            __I: __rntuple::ExactSizeIterator<Item = &'__each Track<'a, T, N>>
                + __rntuple::Clone,
        {
            let mut __length = 0;
            __length
                += __rntuple::FieldWriter::<
                    T,
                >::append_each(
                    &mut self.pt,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.pt,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    Vec<[T; N]>,
                >::append_each(
                    &mut self.points,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.points,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    &'a [i8],
                >::append_each(
                    &mut self.charges,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.charges,
                    ),
                );
            __length
                += __rntuple::append_converted::<
                    millis::Stored,
                    _,
                >(
                    &mut self.time,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| millis::store(&__value.time),
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    u8,
                >::append_each(
                    &mut self.quality,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.quality,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    Uuid,
                >::append_each(
                    &mut self.id,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.id,
                    ),
                );
            __length
        }
    }
    use __rntuple::WriteField as __WriteField;
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __WriteField for Track<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::WriteField,
    {
        type Writer = __TrackWriter<
            <T as __rntuple::WriteField>::Writer,
            <Vec<[T; N]> as __rntuple::WriteField>::Writer,
            <&'a [i8] as __rntuple::WriteField>::Writer,
        >;
        fn type_name() -> __rntuple::TypeName {
            __rntuple::TypeName::untyped(
                __rntuple::TypeName::spelling(
                    &__rntuple::TypeName::template(
                        "Track",
                        [
                            &<T as __rntuple::WriteField>::type_name(),
                            &__rntuple::TypeName::typed(
                                __rntuple::ToString::to_string(&N),
                            ),
                        ],
                    ),
                ),
            )
        }
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            __rntuple::FieldBuilder::record_of(
                __field,
                <Self as __rntuple::WriteField>::type_name,
            );
            __TrackWriter {
                pt: <T as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::description(
                        __rntuple::FieldBuilder::subfield(__field, "pt"),
                        "Transverse momentum.",
                    ),
                ),
                points: <Vec<
                    [T; N],
                > as __rntuple::WriteField>::declare_member(__field, "points"),
                charges: <&'a [i8] as __rntuple::WriteField>::declare_member(
                    __field,
                    "charges",
                ),
                time: <millis::Stored as __rntuple::WriteField>::declare_member(
                    __field,
                    "time",
                ),
                quality: <u8 as __rntuple::WriteField>::declare_member(
                    __field,
                    "quality",
                ),
                id: <__rntuple::Itself<
                    Uuid,
                > as __rntuple::WriteField>::declare_member(__field, "id"),
                __rntuple_end: (),
            }
        }
    }
    pub struct __TrackReader<__R0, __R1, __R2> {
        pt: __R0,
        points: __R1,
        charges: __R2,
        time: __rntuple::PlacedReader<<millis::Stored as __rntuple::ReadField>::Reader>,
        quality: __rntuple::DefaultReader<<u8 as __rntuple::ReadField>::Reader>,
        id: <__rntuple::Written<Uuid> as __rntuple::ReadField>::Reader,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<
        __R0: __rntuple::Attach,
        __R1: __rntuple::Attach,
        __R2: __rntuple::Attach,
    > __rntuple::Attach for __TrackReader<__R0, __R1, __R2> {
        const DETACHED: Self = Self {
            pt: __rntuple::Attach::DETACHED,
            points: __rntuple::Attach::DETACHED,
            charges: __rntuple::Attach::DETACHED,
            time: __rntuple::Attach::DETACHED,
            quality: __rntuple::Attach::DETACHED,
            id: __rntuple::Attach::DETACHED,
            __rntuple_end: (),
        };
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.pt, __to)?;
            __rntuple::Attach::seek(&mut self.points, __to)?;
            __rntuple::Attach::seek(&mut self.charges, __to)?;
            __rntuple::Attach::seek(&mut self.time, __to)?;
            __rntuple::Attach::seek(&mut self.quality, __to)?;
            __rntuple::Attach::seek(&mut self.id, __to)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(&self.pt) {
                return __rntuple::Some(__count);
            }
            __rntuple::Attach::remaining(&self.points)
        }
    }
    #[automatically_derived]
    impl<
        'a,
        T: Copy,
        const N: usize,
        __R0: __rntuple::FieldReader<T>,
        __R1: __rntuple::FieldReader<Vec<[T; N]>>,
        __R2: __rntuple::FieldReader<&'a [i8]>,
    > __rntuple::FieldReader<Track<'a, T, N>> for __TrackReader<__R0, __R1, __R2>
    where
        T: PartialOrd,
        PhantomData<T>: __rntuple::Default,
    {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Track<'a, T, N>> {
            let __m_pt = __rntuple::FieldReader::<T>::read(&mut self.pt)?;
            let __m_points = __rntuple::FieldReader::<
                Vec<[T; N]>,
            >::read(&mut self.points)?;
            let __m_charges = __rntuple::FieldReader::<
                &'a [i8],
            >::read(&mut self.charges)?;
            let __m_time = {
                let __placed = &mut self.time;
                let __stored = __rntuple::FieldReader::<
                    millis::Stored,
                >::read(__rntuple::PlacedReader::reader(__placed))?;
                __rntuple::PlacedReader::accept(__placed, millis::load(__stored))?
            };
            let __m_quality = match __rntuple::DefaultReader::next(&mut self.quality)? {
                __rntuple::Some(__reader) => {
                    __rntuple::FieldReader::<u8>::read(__reader)?
                }
                __rntuple::None => __rntuple::Default::default(),
            };
            let __m_id = __rntuple::FieldReader::<Uuid>::read(&mut self.id)?;
            __rntuple::Ok(Track {
                pt: __m_pt,
                points: __m_points,
                charges: __m_charges,
                time: __m_time,
                quality: __m_quality,
                id: __m_id,
                marker: __rntuple::Default::default(),
            })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Track<'a, T, N>) -> __rntuple::Result<()> {
            __rntuple::FieldReader::read_into(&mut self.pt, &mut __slot.pt)?;
            __rntuple::FieldReader::read_into(&mut self.points, &mut __slot.points)?;
            __rntuple::FieldReader::read_into(&mut self.charges, &mut __slot.charges)?;
            __slot.time = {
                let __placed = &mut self.time;
                let __stored = __rntuple::FieldReader::<
                    millis::Stored,
                >::read(__rntuple::PlacedReader::reader(__placed))?;
                __rntuple::PlacedReader::accept(__placed, millis::load(__stored))?
            };
            match __rntuple::DefaultReader::next(&mut self.quality)? {
                __rntuple::Some(__reader) => {
                    __rntuple::FieldReader::read_into(__reader, &mut __slot.quality)?
                }
                __rntuple::None => __slot.quality = __rntuple::Default::default(),
            }
            __rntuple::FieldReader::read_into(&mut self.id, &mut __slot.id)?;
            __slot.marker = __rntuple::Default::default();
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Track<'a, T, N>) {
            __rntuple::FieldReader::reclaim(&mut self.pt, &mut __slot.pt);
            __rntuple::FieldReader::reclaim(&mut self.points, &mut __slot.points);
            __rntuple::FieldReader::reclaim(&mut self.charges, &mut __slot.charges);
            __rntuple::FieldReader::reclaim(&mut self.id, &mut __slot.id);
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __ReadField for Track<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::ReadField,
        for<'__any> &'__any [i8]: __rntuple::ReadLent<Track<'a, T, N>>,
        PhantomData<T>: __rntuple::Default,
    {
        type Reader = __TrackReader<
            <T as __rntuple::ReadField>::Reader,
            <Vec<[T; N]> as __rntuple::ReadField>::Reader,
            <&'a [i8] as __rntuple::ReadField>::Reader,
        >;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
            __reader: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            let __record = __rntuple::FieldNode::expect(
                __field,
                __rntuple::Role::Record,
                "a record",
            )?;
            let mut __members = __rntuple::FieldNode::members(__record);
            <T as __rntuple::ReadField>::connect_member(
                &mut __members,
                &("pt", "T"),
                &mut __reader.pt,
            );
            <Vec<
                [T; N],
            > as __rntuple::ReadField>::connect_member(
                &mut __members,
                &("points", "Vec<[T; N]>"),
                &mut __reader.points,
            );
            <&'a [i8] as __rntuple::ReadField>::connect_member(
                &mut __members,
                &("charges", "&'a [i8]"),
                &mut __reader.charges,
            );
            __rntuple::Connecting::keep(
                &mut __members,
                match __rntuple::FieldNode::subfield(__record, "time", "Duration") {
                    __rntuple::Ok(__member) => {
                        __rntuple::PlacedReader::connect(
                            &mut __reader.time,
                            __member,
                            <millis::Stored as __rntuple::ReadField>::connect,
                        )
                    }
                    __rntuple::Err(__error) => __rntuple::Err(__error),
                },
            );
            __rntuple::Connecting::keep(
                &mut __members,
                __rntuple::DefaultReader::connect(
                    &mut __reader.quality,
                    __record,
                    __rntuple::Lack {
                        names: &["quality"],
                        wanted: "u8",
                        has_default: true,
                        is_option: <u8 as __rntuple::ReadField>::IS_OPTION,
                    },
                    |__member, __reader| <u8 as __rntuple::ReadField>::connect(
                        __member,
                        __reader,
                    ),
                ),
            );
            <__rntuple::Written<
                Uuid,
            > as __rntuple::ReadField>::connect_member(
                &mut __members,
                &("id", "Uuid"),
                &mut __reader.id,
            );
            __rntuple::Connecting::finish(__members)
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::Entry for Track<'a, T, N>
    where
        T: PartialOrd,
    {
        const MEMBERS: __rntuple::Members = __rntuple::Members {
            own: &["pt", "points", "charges", "time", "quality", "id"],
            flattened: &[],
        };
    }
};
