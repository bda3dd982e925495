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
    struct __EventWriter {
        met: <f32 as __rntuple::WriteField>::Writer,
        muons: <Vec<__rntuple::Written<Muon>> as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Commit for __EventWriter {
        fn commit(
            &mut self,
            __cluster: &mut __rntuple::Gathered,
        ) -> __rntuple::Result<()> {
            __rntuple::Commit::commit(&mut self.met, __cluster)?;
            __rntuple::Commit::commit(&mut self.muons, __cluster)?;
            __rntuple::Ok(())
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldWriter<Event> for __EventWriter {
        #[inline]
        fn append(&mut self, __value: &Event) -> __rntuple::usize {
            let mut __length = 0;
            __length += __rntuple::FieldWriter::append(&mut self.met, &__value.met);
            __length += __rntuple::FieldWriter::append(&mut self.muons, &__value.muons);
            __length
        }
        #[inline]
        fn append_each<'__each, __I>(&mut self, __values: __I) -> __rntuple::usize
        where
            Event: '__each,
            __I: __rntuple::ExactSizeIterator<Item = &'__each Event> + __rntuple::Clone,
        {
            let mut __length = 0;
            __length
                += __rntuple::FieldWriter::<
                    f32,
                >::append_each(
                    &mut self.met,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.met,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    Vec<Muon>,
                >::append_each(
                    &mut self.muons,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.muons,
                    ),
                );
            __length
        }
    }
    use __rntuple::WriteField as __WriteField;
    #[automatically_derived]
    impl __WriteField for Event {
        type Writer = __EventWriter;
        fn type_name() -> __rntuple::TypeName {
            __rntuple::TypeName::untyped("Event")
        }
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            __rntuple::FieldBuilder::record(
                __field,
                &<Self as __rntuple::WriteField>::type_name(),
            );
            __rntuple::FieldBuilder::project::<
                Cardinality,
            >(__field, "nMuons", "Cardinality", "muons");
            __rntuple::FieldBuilder::project::<
                Vec<f32>,
            >(__field, "muon-pt", "Vec<f32>", "muons.pt");
            __EventWriter {
                met: <f32 as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::representations(
                        __rntuple::FieldBuilder::subfield(__field, "met"),
                        [
                            __rntuple::Ok(
                                __rntuple::ColumnEncoding::of(
                                    __rntuple::ColumnType::SplitReal32,
                                ),
                            ),
                            __rntuple::Ok(
                                __rntuple::ColumnEncoding::of(__rntuple::ColumnType::Real16),
                            ),
                            __rntuple::ColumnEncoding::truncated(18),
                        ],
                    ),
                ),
                muons: <Vec<
                    __rntuple::Written<Muon>,
                > as __rntuple::WriteField>::declare_member(__field, "muons"),
                __rntuple_end: (),
            }
        }
    }
    struct __EventReader {
        met: <f32 as __rntuple::ReadField>::Reader,
        muons: <Vec<__rntuple::Written<Muon>> as __rntuple::ReadField>::Reader,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Attach for __EventReader {
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.met, __to)?;
            __rntuple::Attach::seek(&mut self.muons, __to)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            __rntuple::Attach::remaining(&self.met)
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldReader<Event> for __EventReader {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Event> {
            let __m_met = __rntuple::FieldReader::<f32>::read(&mut self.met)?;
            let __m_muons = __rntuple::FieldReader::<Vec<Muon>>::read(&mut self.muons)?;
            __rntuple::Ok(Event {
                met: __m_met,
                muons: __m_muons,
            })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Event) -> __rntuple::Result<()> {
            __rntuple::FieldReader::read_into(&mut self.met, &mut __slot.met)?;
            __rntuple::FieldReader::read_into(&mut self.muons, &mut __slot.muons)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Event) {
            __rntuple::FieldReader::reclaim(&mut self.met, &mut __slot.met);
            __rntuple::FieldReader::reclaim(&mut self.muons, &mut __slot.muons);
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl __ReadField for Event {
        type Reader = __EventReader;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
        ) -> __rntuple::Result<Self::Reader> {
            let __record = __rntuple::FieldNode::expect(
                __field,
                __rntuple::Role::Record,
                "a record",
            )?;
            let (__tried, __error) = '__told: {
                let __m_met = match <f32 as __rntuple::ReadField>::connect_member(
                    __record,
                    "met",
                    "f32",
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (1, __error),
                };
                let __m_muons = match <Vec<
                    __rntuple::Written<Muon>,
                > as __rntuple::ReadField>::connect_member(
                    __record,
                    "muons",
                    "Vec<Muon>",
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (2, __error),
                };
                return __rntuple::Ok(__EventReader {
                    met: __m_met,
                    muons: __m_muons,
                    __rntuple_end: (),
                });
            };
            let __rest: &[__rntuple::Teller] = &[
                (
                    "",
                    "",
                    |__record: __rntuple::FieldNode<'_>, _: &_, _: &_| {
                        let __also = <Vec<
                            __rntuple::Written<Muon>,
                        > as __rntuple::ReadField>::connect_member(
                            __record,
                            "muons",
                            "Vec<Muon>",
                        );
                    },
                ),
            ];
            __rntuple::FieldNode::tell(__record, __rest, __tried);
            __rntuple::Err(__error)
        }
    }
    #[automatically_derived]
    impl __rntuple::Entry for Event {
        const MEMBERS: __rntuple::Members = __rntuple::Members {
            own: &["met", "muons"],
            flattened: &[],
        };
    }
};
