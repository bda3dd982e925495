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
    pub struct __MuonWriter {
        pt: <f32 as ::rntuple::__private::WriteField>::Writer,
        eta: <f32 as ::rntuple::__private::WriteField>::Writer,
        r#kind: <u8 as ::rntuple::__private::WriteField>::Writer,
        hits: <Vec<f32> as ::rntuple::__private::WriteField>::Writer,
        __end: (),
    }
    #[automatically_derived]
    impl ::rntuple::__private::Commit for __MuonWriter {
        fn commit(
            &mut self,
            __cluster: &mut ::rntuple::__private::Gathered,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::Commit::commit(&mut self.pt, __cluster)?;
            ::rntuple::__private::Commit::commit(&mut self.eta, __cluster)?;
            ::rntuple::__private::Commit::commit(&mut self.r#kind, __cluster)?;
            ::rntuple::__private::Commit::commit(&mut self.hits, __cluster)?;
            ::rntuple::__private::Ok(())
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::FieldWriter<Muon> for __MuonWriter {
        #[inline]
        fn append(&mut self, __value: &Muon) -> ::rntuple::__private::usize {
            let mut __length = 0;
            __length
                += ::rntuple::__private::FieldWriter::append(&mut self.pt, &__value.pt);
            __length
                += ::rntuple::__private::FieldWriter::append(
                    &mut self.eta,
                    &__value.eta,
                );
            __length
                += ::rntuple::__private::FieldWriter::append(
                    &mut self.r#kind,
                    &__value.r#kind,
                );
            __length
                += ::rntuple::__private::FieldWriter::append(
                    &mut self.hits,
                    &__value.hits,
                );
            __length
        }
        #[inline]
        fn append_each<'__each, __I>(
            &mut self,
            __values: __I,
        ) -> ::rntuple::__private::usize
        where
            Muon: '__each,
            __I: ::rntuple::__private::ExactSizeIterator<Item = &'__each Muon>
                + ::rntuple::__private::Clone,
        {
            let mut __length = 0;
            __length
                += ::rntuple::__private::FieldWriter::<
                    f32,
                >::append_each(
                    &mut self.pt,
                    ::rntuple::__private::Iterator::map(
                        ::rntuple::__private::Clone::clone(&__values),
                        |__value| &__value.pt,
                    ),
                );
            __length
                += ::rntuple::__private::FieldWriter::<
                    f32,
                >::append_each(
                    &mut self.eta,
                    ::rntuple::__private::Iterator::map(
                        ::rntuple::__private::Clone::clone(&__values),
                        |__value| &__value.eta,
                    ),
                );
            __length
                += ::rntuple::__private::FieldWriter::<
                    u8,
                >::append_each(
                    &mut self.r#kind,
                    ::rntuple::__private::Iterator::map(
                        ::rntuple::__private::Clone::clone(&__values),
                        |__value| &__value.r#kind,
                    ),
                );
            __length
                += ::rntuple::__private::FieldWriter::<
                    Vec<f32>,
                >::append_each(
                    &mut self.hits,
                    ::rntuple::__private::Iterator::map(
                        ::rntuple::__private::Clone::clone(&__values),
                        |__value| &__value.hits,
                    ),
                );
            __length
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::WriteField for Muon {
        type Writer = __MuonWriter;
        fn type_name() -> ::rntuple::__private::TypeName {
            ::rntuple::__private::TypeName::untyped("Muon")
        }
        fn declare(
            __field: &mut ::rntuple::__private::FieldBuilder<'_>,
        ) -> Self::Writer {
            ::rntuple::__private::FieldBuilder::record(
                __field,
                &<Self as ::rntuple::__private::WriteField>::type_name(),
            );
            __MuonWriter {
                pt: <f32 as ::rntuple::__private::WriteField>::declare(
                    &mut ::rntuple::__private::FieldBuilder::encoding(
                        ::rntuple::__private::FieldBuilder::description(
                            ::rntuple::__private::FieldBuilder::subfield(__field, "pt"),
                            "Transverse momentum\nin GeV.",
                        ),
                        ::rntuple::__private::Packing::truncated(18),
                    ),
                ),
                eta: <f32 as ::rntuple::__private::WriteField>::declare(
                    &mut ::rntuple::__private::FieldBuilder::encoding(
                        ::rntuple::__private::FieldBuilder::description(
                            ::rntuple::__private::FieldBuilder::subfield(__field, "eta"),
                            "pseudorapidity",
                        ),
                        ::rntuple::__private::Packing::quantized(12, -5.0, 5.0),
                    ),
                ),
                r#kind: <u8 as ::rntuple::__private::WriteField>::declare_member(
                    __field,
                    "type",
                ),
                hits: <Vec<
                    f32,
                > as ::rntuple::__private::WriteField>::declare(
                    &mut ::rntuple::__private::FieldBuilder::encoding(
                        ::rntuple::__private::FieldBuilder::encoding(
                            ::rntuple::__private::FieldBuilder::subfield(
                                __field,
                                "hits",
                            ),
                            ::rntuple::__private::Ok(
                                ::rntuple::__private::Packing::of(
                                    ::rntuple::__private::ColumnType::Real16,
                                ),
                            ),
                        ),
                        ::rntuple::__private::Ok(
                            ::rntuple::__private::Packing::of(
                                ::rntuple::__private::ColumnType::Index32,
                            ),
                        ),
                    ),
                ),
                __end: (),
            }
        }
    }
    pub struct __MuonReader {
        pt: <f32 as ::rntuple::__private::ReadField>::Reader,
        eta: <f32 as ::rntuple::__private::ReadField>::Reader,
        r#kind: <u8 as ::rntuple::__private::ReadField>::Reader,
        hits: <Vec<f32> as ::rntuple::__private::ReadField>::Reader,
        __end: (),
    }
    #[automatically_derived]
    impl ::rntuple::__private::Attach for __MuonReader {
        fn attach(
            &mut self,
            __cluster: &::rntuple::__private::Cluster,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::Attach::attach(&mut self.pt, __cluster)?;
            ::rntuple::__private::Attach::attach(&mut self.eta, __cluster)?;
            ::rntuple::__private::Attach::attach(&mut self.r#kind, __cluster)?;
            ::rntuple::__private::Attach::attach(&mut self.hits, __cluster)?;
            ::rntuple::__private::Ok(())
        }
        fn seek(
            &mut self,
            __position: ::rntuple::__private::u64,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::Attach::seek(&mut self.pt, __position)?;
            ::rntuple::__private::Attach::seek(&mut self.eta, __position)?;
            ::rntuple::__private::Attach::seek(&mut self.r#kind, __position)?;
            ::rntuple::__private::Attach::seek(&mut self.hits, __position)?;
            ::rntuple::__private::Ok(())
        }
        #[inline]
        fn remaining(&self) -> ::rntuple::__private::Option<::rntuple::__private::u64> {
            ::rntuple::__private::Attach::remaining(&self.pt)
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::FieldReader<Muon> for __MuonReader {
        #[inline]
        fn read(&mut self) -> ::rntuple::__private::Result<Muon> {
            let __pt = ::rntuple::__private::FieldReader::<f32>::read(&mut self.pt)?;
            let __eta = ::rntuple::__private::FieldReader::<f32>::read(&mut self.eta)?;
            let __kind = ::rntuple::__private::FieldReader::<
                u8,
            >::read(&mut self.r#kind)?;
            let __hits = ::rntuple::__private::FieldReader::<
                Vec<f32>,
            >::read(&mut self.hits)?;
            ::rntuple::__private::Ok(Muon {
                pt: __pt,
                eta: __eta,
                r#kind: __kind,
                hits: __hits,
                cache: ::rntuple::__private::Default::default(),
            })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Muon) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::FieldReader::read_into(&mut self.pt, &mut __slot.pt)?;
            ::rntuple::__private::FieldReader::read_into(
                &mut self.eta,
                &mut __slot.eta,
            )?;
            ::rntuple::__private::FieldReader::read_into(
                &mut self.r#kind,
                &mut __slot.r#kind,
            )?;
            ::rntuple::__private::FieldReader::read_into(
                &mut self.hits,
                &mut __slot.hits,
            )?;
            __slot.cache = ::rntuple::__private::Default::default();
            ::rntuple::__private::Ok(())
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::ReadField for Muon {
        type Reader = __MuonReader;
        fn connect(
            __field: ::rntuple::__private::FieldNode<'_>,
        ) -> ::rntuple::__private::Result<Self::Reader> {
            let __record = ::rntuple::__private::FieldNode::expect(
                __field,
                ::rntuple::__private::Role::Record,
                "a record",
            )?;
            let (__tried, __error) = '__told: {
                let __pt = match <f32 as ::rntuple::__private::ReadField>::connect_member(
                    __record,
                    "pt",
                    "f32",
                ) {
                    ::rntuple::__private::Ok(__columns) => __columns,
                    ::rntuple::__private::Err(__error) => break '__told (1, __error),
                };
                let __eta = match <f32 as ::rntuple::__private::ReadField>::connect_member(
                    __record,
                    "eta",
                    "f32",
                ) {
                    ::rntuple::__private::Ok(__columns) => __columns,
                    ::rntuple::__private::Err(__error) => break '__told (2, __error),
                };
                let __kind = match <u8 as ::rntuple::__private::ReadField>::connect_member(
                    __record,
                    "type",
                    "u8",
                ) {
                    ::rntuple::__private::Ok(__columns) => __columns,
                    ::rntuple::__private::Err(__error) => break '__told (3, __error),
                };
                let __hits = match <Vec<
                    f32,
                > as ::rntuple::__private::ReadField>::connect_member(
                    __record,
                    "hits",
                    "Vec<f32>",
                ) {
                    ::rntuple::__private::Ok(__columns) => __columns,
                    ::rntuple::__private::Err(__error) => break '__told (4, __error),
                };
                return ::rntuple::__private::Ok(__MuonReader {
                    pt: __pt,
                    eta: __eta,
                    r#kind: __kind,
                    hits: __hits,
                    __end: (),
                });
            };
            let __rest: &[::rntuple::__private::Teller] = &[
                ("eta", "f32", <f32 as ::rntuple::__private::ReadField>::tell_member),
                ("type", "u8", <u8 as ::rntuple::__private::ReadField>::tell_member),
                (
                    "",
                    "",
                    |__record: ::rntuple::__private::FieldNode<'_>, _: &_, _: &_| {
                        let __also = <Vec<
                            f32,
                        > as ::rntuple::__private::ReadField>::connect_member(
                            __record,
                            "hits",
                            "Vec<f32>",
                        );
                    },
                ),
            ];
            ::rntuple::__private::FieldNode::tell(__record, __rest, __tried);
            ::rntuple::__private::Err(__error)
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::RNTuple for Muon {
        const MEMBERS: ::rntuple::__private::Members = ::rntuple::__private::Members {
            own: &["pt", "eta", "type", "hits"],
            flattened: &[],
        };
    }
};
