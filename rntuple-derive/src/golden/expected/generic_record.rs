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
    struct __TrackWriter<__W0, __W1> {
        name: __W0,
        points: __W1,
        charge: <i8 as ::rntuple::__private::WriteField>::Writer,
        __end: (),
    }
    #[automatically_derived]
    impl<
        __W0: ::rntuple::__private::Commit,
        __W1: ::rntuple::__private::Commit,
    > ::rntuple::__private::Commit for __TrackWriter<__W0, __W1> {
        fn commit(
            &mut self,
            __cluster: &mut ::rntuple::__private::Gathered,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::Commit::commit(&mut self.name, __cluster)?;
            ::rntuple::__private::Commit::commit(&mut self.points, __cluster)?;
            ::rntuple::__private::Commit::commit(&mut self.charge, __cluster)?;
            ::rntuple::__private::Ok(())
        }
    }
    #[automatically_derived]
    impl<
        'a,
        T: Copy,
        const N: usize,
        __W0: ::rntuple::__private::FieldWriter<&'a str>,
        __W1: ::rntuple::__private::FieldWriter<Vec<[T; N]>>,
    > ::rntuple::__private::FieldWriter<Track<'a, T, N>> for __TrackWriter<__W0, __W1>
    where
        T: PartialOrd,
    {
        #[inline]
        fn append(&mut self, __value: &Track<'a, T, N>) -> ::rntuple::__private::usize {
            let mut __length = 0;
            __length
                += ::rntuple::__private::FieldWriter::append(
                    &mut self.name,
                    &__value.name,
                );
            __length
                += ::rntuple::__private::FieldWriter::append(
                    &mut self.points,
                    &__value.points,
                );
            __length
                += ::rntuple::__private::FieldWriter::append(
                    &mut self.charge,
                    &__value.charge,
                );
            __length
        }
        #[inline]
        fn append_each<'__each, __I>(
            &mut self,
            __values: __I,
        ) -> ::rntuple::__private::usize
        where
            Track<'a, T, N>: '__each,
            __I: ::rntuple::__private::ExactSizeIterator<Item = &'__each Track<'a, T, N>>
                + ::rntuple::__private::Clone,
        {
            let mut __length = 0;
            __length
                += ::rntuple::__private::FieldWriter::<
                    &'a str,
                >::append_each(
                    &mut self.name,
                    ::rntuple::__private::Iterator::map(
                        ::rntuple::__private::Clone::clone(&__values),
                        |__value| &__value.name,
                    ),
                );
            __length
                += ::rntuple::__private::FieldWriter::<
                    Vec<[T; N]>,
                >::append_each(
                    &mut self.points,
                    ::rntuple::__private::Iterator::map(
                        ::rntuple::__private::Clone::clone(&__values),
                        |__value| &__value.points,
                    ),
                );
            __length
                += ::rntuple::__private::FieldWriter::<
                    i8,
                >::append_each(
                    &mut self.charge,
                    ::rntuple::__private::Iterator::map(
                        ::rntuple::__private::Clone::clone(&__values),
                        |__value| &__value.charge,
                    ),
                );
            __length
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> ::rntuple::__private::WriteField
    for Track<'a, T, N>
    where
        T: PartialOrd,
        T: ::rntuple::__private::WriteField,
    {
        type Writer = __TrackWriter<
            <&'a str as ::rntuple::__private::WriteField>::Writer,
            <Vec<[T; N]> as ::rntuple::__private::WriteField>::Writer,
        >;
        fn type_name() -> ::rntuple::__private::TypeName {
            ::rntuple::__private::TypeName::untyped(
                ::rntuple::__private::TypeName::spelling(
                    &::rntuple::__private::TypeName::template(
                        "Track",
                        [
                            &<T as ::rntuple::__private::WriteField>::type_name(),
                            &::rntuple::__private::TypeName::typed(
                                ::rntuple::__private::ToString::to_string(&N),
                            ),
                        ],
                    ),
                ),
            )
        }
        fn declare(
            __field: &mut ::rntuple::__private::FieldBuilder<'_>,
        ) -> Self::Writer {
            ::rntuple::__private::FieldBuilder::record(
                __field,
                &<Self as ::rntuple::__private::WriteField>::type_name(),
            );
            __TrackWriter {
                name: <&'a str as ::rntuple::__private::WriteField>::declare_member(
                    __field,
                    "name",
                ),
                points: <Vec<
                    [T; N],
                > as ::rntuple::__private::WriteField>::declare_member(
                    __field,
                    "points",
                ),
                charge: <i8 as ::rntuple::__private::WriteField>::declare_member(
                    __field,
                    "charge",
                ),
                __end: (),
            }
        }
    }
    struct __TrackReader<__R0, __R1> {
        name: __R0,
        points: __R1,
        charge: <i8 as ::rntuple::__private::ReadField>::Reader,
        __end: (),
    }
    #[automatically_derived]
    impl<
        __R0: ::rntuple::__private::Attach,
        __R1: ::rntuple::__private::Attach,
    > ::rntuple::__private::Attach for __TrackReader<__R0, __R1> {
        fn attach(
            &mut self,
            __cluster: &::rntuple::__private::Cluster,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::Attach::attach(&mut self.name, __cluster)?;
            ::rntuple::__private::Attach::attach(&mut self.points, __cluster)?;
            ::rntuple::__private::Attach::attach(&mut self.charge, __cluster)?;
            ::rntuple::__private::Ok(())
        }
        fn seek(
            &mut self,
            __position: ::rntuple::__private::u64,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::Attach::seek(&mut self.name, __position)?;
            ::rntuple::__private::Attach::seek(&mut self.points, __position)?;
            ::rntuple::__private::Attach::seek(&mut self.charge, __position)?;
            ::rntuple::__private::Ok(())
        }
        #[inline]
        fn remaining(&self) -> ::rntuple::__private::Option<::rntuple::__private::u64> {
            if let ::rntuple::__private::Some(__count) = ::rntuple::__private::Attach::remaining(
                &self.name,
            ) {
                return ::rntuple::__private::Some(__count);
            }
            ::rntuple::__private::Attach::remaining(&self.points)
        }
    }
    #[automatically_derived]
    impl<
        'a,
        T: Copy,
        const N: usize,
        __R0: ::rntuple::__private::FieldReader<&'a str>,
        __R1: ::rntuple::__private::FieldReader<Vec<[T; N]>>,
    > ::rntuple::__private::FieldReader<Track<'a, T, N>> for __TrackReader<__R0, __R1>
    where
        T: PartialOrd,
        PhantomData<T>: ::rntuple::__private::Default,
    {
        #[inline]
        fn read(&mut self) -> ::rntuple::__private::Result<Track<'a, T, N>> {
            let __name = ::rntuple::__private::FieldReader::<
                &'a str,
            >::read(&mut self.name)?;
            let __points = ::rntuple::__private::FieldReader::<
                Vec<[T; N]>,
            >::read(&mut self.points)?;
            let __charge = ::rntuple::__private::FieldReader::<
                i8,
            >::read(&mut self.charge)?;
            ::rntuple::__private::Ok(Track {
                name: __name,
                points: __points,
                charge: __charge,
                marker: ::rntuple::__private::Default::default(),
            })
        }
        #[inline]
        fn read_into(
            &mut self,
            __slot: &mut Track<'a, T, N>,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::FieldReader::read_into(
                &mut self.name,
                &mut __slot.name,
            )?;
            ::rntuple::__private::FieldReader::read_into(
                &mut self.points,
                &mut __slot.points,
            )?;
            ::rntuple::__private::FieldReader::read_into(
                &mut self.charge,
                &mut __slot.charge,
            )?;
            __slot.marker = ::rntuple::__private::Default::default();
            ::rntuple::__private::Ok(())
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> ::rntuple::__private::ReadField for Track<'a, T, N>
    where
        T: PartialOrd,
        for<'__any> &'__any str: ::rntuple::__private::ReadField,
        T: ::rntuple::__private::ReadField,
        PhantomData<T>: ::rntuple::__private::Default,
    {
        type Reader = __TrackReader<
            <&'a str as ::rntuple::__private::ReadField>::Reader,
            <Vec<[T; N]> as ::rntuple::__private::ReadField>::Reader,
        >;
        fn connect(
            __field: ::rntuple::__private::FieldNode<'_>,
        ) -> ::rntuple::__private::Result<Self::Reader> {
            let __record = ::rntuple::__private::FieldNode::expect(
                __field,
                ::rntuple::__private::Role::Record,
                "a record",
            )?;
            let (__tried, __error) = '__told: {
                let __name = match <&'a str as ::rntuple::__private::ReadField>::connect_member(
                    __record,
                    "name",
                    "&'a str",
                ) {
                    ::rntuple::__private::Ok(__columns) => __columns,
                    ::rntuple::__private::Err(__error) => break '__told (1, __error),
                };
                let __points = match <Vec<
                    [T; N],
                > as ::rntuple::__private::ReadField>::connect_member(
                    __record,
                    "points",
                    "Vec<[T; N]>",
                ) {
                    ::rntuple::__private::Ok(__columns) => __columns,
                    ::rntuple::__private::Err(__error) => break '__told (2, __error),
                };
                let __charge = match <i8 as ::rntuple::__private::ReadField>::connect_member(
                    __record,
                    "charge",
                    "i8",
                ) {
                    ::rntuple::__private::Ok(__columns) => __columns,
                    ::rntuple::__private::Err(__error) => break '__told (3, __error),
                };
                return ::rntuple::__private::Ok(__TrackReader {
                    name: __name,
                    points: __points,
                    charge: __charge,
                    __end: (),
                });
            };
            let __rest: &[::rntuple::__private::Teller] = &[
                (
                    "",
                    "",
                    |__record: ::rntuple::__private::FieldNode<'_>, _: &_, _: &_| {
                        let __also = <Vec<
                            [T; N],
                        > as ::rntuple::__private::ReadField>::connect_member(
                            __record,
                            "points",
                            "Vec<[T; N]>",
                        );
                    },
                ),
                ("charge", "i8", <i8 as ::rntuple::__private::ReadField>::tell_member),
            ];
            ::rntuple::__private::FieldNode::tell(__record, __rest, __tried);
            ::rntuple::__private::Err(__error)
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> ::rntuple::__private::RNTuple for Track<'a, T, N>
    where
        T: PartialOrd,
    {
        const MEMBERS: ::rntuple::__private::Members = ::rntuple::__private::Members {
            own: &["name", "points", "charge"],
            flattened: &[],
        };
    }
};
