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
    struct __TrackWriter<__W0, __W1> {
        name: __W0,
        points: __W1,
        charge: <i8 as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__W0: __rntuple::Commit, __W1: __rntuple::Commit> __rntuple::Commit
    for __TrackWriter<__W0, __W1> {
        fn commit(
            &mut self,
            __cluster: &mut __rntuple::Gathered,
        ) -> __rntuple::Result<()> {
            __rntuple::Commit::commit(&mut self.name, __cluster)?;
            __rntuple::Commit::commit(&mut self.points, __cluster)?;
            __rntuple::Commit::commit(&mut self.charge, __cluster)?;
            __rntuple::Ok(())
        }
    }
    #[automatically_derived]
    impl<
        'a,
        T: Copy,
        const N: usize,
        __W0: __rntuple::FieldWriter<&'a str>,
        __W1: __rntuple::FieldWriter<Vec<[T; N]>>,
    > __rntuple::FieldWriter<Track<'a, T, N>> for __TrackWriter<__W0, __W1>
    where
        T: PartialOrd,
    {
        #[inline]
        fn append(&mut self, __value: &Track<'a, T, N>) -> __rntuple::usize {
            let mut __length = 0;
            __length += __rntuple::FieldWriter::append(&mut self.name, &__value.name);
            __length
                += __rntuple::FieldWriter::append(&mut self.points, &__value.points);
            __length
                += __rntuple::FieldWriter::append(&mut self.charge, &__value.charge);
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
                    &'a str,
                >::append_each(
                    &mut self.name,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.name,
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
                    i8,
                >::append_each(
                    &mut self.charge,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.charge,
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
            <&'a str as __rntuple::WriteField>::Writer,
            <Vec<[T; N]> as __rntuple::WriteField>::Writer,
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
            __rntuple::FieldBuilder::record(
                __field,
                &<Self as __rntuple::WriteField>::type_name(),
            );
            __TrackWriter {
                name: <&'a str as __rntuple::WriteField>::declare_member(
                    __field,
                    "name",
                ),
                points: <Vec<
                    [T; N],
                > as __rntuple::WriteField>::declare_member(__field, "points"),
                charge: <i8 as __rntuple::WriteField>::declare_member(__field, "charge"),
                __rntuple_end: (),
            }
        }
    }
    struct __TrackReader<__R0, __R1> {
        name: __R0,
        points: __R1,
        charge: <i8 as __rntuple::ReadField>::Reader,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__R0: __rntuple::Attach, __R1: __rntuple::Attach> __rntuple::Attach
    for __TrackReader<__R0, __R1> {
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.name, __to)?;
            __rntuple::Attach::seek(&mut self.points, __to)?;
            __rntuple::Attach::seek(&mut self.charge, __to)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(&self.name) {
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
        __R0: __rntuple::FieldReader<&'a str>,
        __R1: __rntuple::FieldReader<Vec<[T; N]>>,
    > __rntuple::FieldReader<Track<'a, T, N>> for __TrackReader<__R0, __R1>
    where
        T: PartialOrd,
        PhantomData<T>: __rntuple::Default,
    {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Track<'a, T, N>> {
            let __m_name = __rntuple::FieldReader::<&'a str>::read(&mut self.name)?;
            let __m_points = __rntuple::FieldReader::<
                Vec<[T; N]>,
            >::read(&mut self.points)?;
            let __m_charge = __rntuple::FieldReader::<i8>::read(&mut self.charge)?;
            __rntuple::Ok(Track {
                name: __m_name,
                points: __m_points,
                charge: __m_charge,
                marker: __rntuple::Default::default(),
            })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Track<'a, T, N>) -> __rntuple::Result<()> {
            __rntuple::FieldReader::read_into(&mut self.name, &mut __slot.name)?;
            __rntuple::FieldReader::read_into(&mut self.points, &mut __slot.points)?;
            __rntuple::FieldReader::read_into(&mut self.charge, &mut __slot.charge)?;
            __slot.marker = __rntuple::Default::default();
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Track<'a, T, N>) {
            __rntuple::FieldReader::reclaim(&mut self.name, &mut __slot.name);
            __rntuple::FieldReader::reclaim(&mut self.points, &mut __slot.points);
            __rntuple::FieldReader::reclaim(&mut self.charge, &mut __slot.charge);
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __ReadField for Track<'a, T, N>
    where
        T: PartialOrd,
        for<'__any> &'__any str: __rntuple::ReadLent<Track<'a, T, N>>,
        T: __rntuple::ReadField,
        PhantomData<T>: __rntuple::Default,
    {
        type Reader = __TrackReader<
            <&'a str as __rntuple::ReadField>::Reader,
            <Vec<[T; N]> as __rntuple::ReadField>::Reader,
        >;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
        ) -> __rntuple::Result<Self::Reader> {
            let __record = __rntuple::FieldNode::expect(
                __field,
                __rntuple::Role::Record,
                "a record",
            )?;
            let (__tried, __error) = '__told: {
                let __m_name = match <&'a str as __rntuple::ReadField>::connect_member(
                    __record,
                    "name",
                    "&'a str",
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (1, __error),
                };
                let __m_points = match <Vec<
                    [T; N],
                > as __rntuple::ReadField>::connect_member(
                    __record,
                    "points",
                    "Vec<[T; N]>",
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (2, __error),
                };
                let __m_charge = match <i8 as __rntuple::ReadField>::connect_member(
                    __record,
                    "charge",
                    "i8",
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (3, __error),
                };
                return __rntuple::Ok(__TrackReader {
                    name: __m_name,
                    points: __m_points,
                    charge: __m_charge,
                    __rntuple_end: (),
                });
            };
            let __rest: &[__rntuple::Teller] = &[
                (
                    "",
                    "",
                    |__record: __rntuple::FieldNode<'_>, _: &_, _: &_| {
                        let __also = <Vec<
                            [T; N],
                        > as __rntuple::ReadField>::connect_member(
                            __record,
                            "points",
                            "Vec<[T; N]>",
                        );
                    },
                ),
                ("charge", "i8", <i8 as __rntuple::ReadField>::tell_member),
            ];
            __rntuple::FieldNode::tell(__record, __rest, __tried);
            __rntuple::Err(__error)
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::Entry for Track<'a, T, N>
    where
        T: PartialOrd,
    {
        const MEMBERS: __rntuple::Members = __rntuple::Members {
            own: &["name", "points", "charge"],
            flattened: &[],
        };
    }
};
