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
        header: <__rntuple::Itself<Header> as __rntuple::WriteField>::Writer,
        start_time: <millis::Stored as __rntuple::WriteField>::Writer,
        temperature: <f32 as __rntuple::WriteField>::Writer,
        vertex: <__rntuple::Itself<Vertex> as __rntuple::WriteField>::Writer,
        energies: <Vec<f64> as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Commit for __EventWriter {
        fn commit(&mut self, __cluster: &mut __rntuple::Gathered<'_>) {
            __rntuple::Commit::commit(&mut self.header, __cluster);
            __rntuple::Commit::commit(&mut self.start_time, __cluster);
            __rntuple::Commit::commit(&mut self.temperature, __cluster);
            __rntuple::Commit::commit(&mut self.vertex, __cluster);
            __rntuple::Commit::commit(&mut self.energies, __cluster);
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldWriter<Event> for __EventWriter {
        #[inline]
        fn append(&mut self, __value: &Event) -> __rntuple::usize {
            let mut __length = 0;
            __length
                += __rntuple::FieldWriter::append(&mut self.header, &__value.header);
            __length
                += __rntuple::FieldWriter::<
                    millis::Stored,
                >::append(&mut self.start_time, &millis::store(&__value.start_time));
            __length
                += __rntuple::FieldWriter::<
                    f32,
                >::append(
                    &mut self.temperature,
                    &<Celsius as __rntuple::Into<
                        f32,
                    >>::into(__rntuple::Clone::clone(&__value.temperature)),
                );
            __length
                += __rntuple::FieldWriter::append(&mut self.vertex, &__value.vertex);
            __length
                += __rntuple::FieldWriter::append(&mut self.energies, &__value.energies);
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
                    Header,
                >::append_each(
                    &mut self.header,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.header,
                    ),
                );
            __length
                += __rntuple::append_converted::<
                    millis::Stored,
                    _,
                >(
                    &mut self.start_time,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| millis::store(&__value.start_time),
                    ),
                );
            __length
                += __rntuple::append_converted::<
                    f32,
                    _,
                >(
                    &mut self.temperature,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| <Celsius as __rntuple::Into<
                            f32,
                        >>::into(__rntuple::Clone::clone(&__value.temperature)),
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    Vertex,
                >::append_each(
                    &mut self.vertex,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.vertex,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    Vec<f64>,
                >::append_each(
                    &mut self.energies,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.energies,
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
            __rntuple::TypeName::version(__rntuple::TypeName::known("det::Event"), 3)
        }
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            __rntuple::FieldBuilder::record_of(
                __field,
                <Self as __rntuple::WriteField>::type_name,
            );
            __EventWriter {
                header: <__rntuple::Itself<
                    Header,
                > as __rntuple::WriteField>::declare_member(__field, ":_0"),
                start_time: <millis::Stored as __rntuple::WriteField>::declare_member(
                    __field,
                    "startTime",
                ),
                temperature: <f32 as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::unit(
                        __rntuple::FieldBuilder::subfield(__field, "temperature"),
                        "K",
                    ),
                ),
                vertex: __rntuple::declare_flattened::<
                    __rntuple::Itself<Vertex>,
                >(&mut __rntuple::FieldBuilder::flattened(__field, "vtx_")),
                energies: <Vec<
                    f64,
                > as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::compression(
                        __rntuple::FieldBuilder::double32(
                            __rntuple::FieldBuilder::encoding(
                                __rntuple::FieldBuilder::subfield(__field, "energies"),
                                __rntuple::Ok(
                                    __rntuple::ColumnEncoding::of(
                                        __rntuple::ColumnType::SplitReal32,
                                    ),
                                ),
                            ),
                        ),
                        __rntuple::Compression::lz4(4),
                    ),
                ),
                __rntuple_end: (),
            }
        }
    }
    struct __EventReader {
        header: <__rntuple::Written<Header> as __rntuple::ReadField>::Reader,
        start_time: __rntuple::PlacedReader<
            <millis::Stored as __rntuple::ReadField>::Reader,
        >,
        temperature: __rntuple::DefaultReader<
            __rntuple::PlacedReader<<f32 as __rntuple::ReadField>::Reader>,
        >,
        vertex: <__rntuple::Written<Vertex> as __rntuple::ReadField>::Reader,
        weight: <f32 as __rntuple::ReadField>::Reader,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Attach for __EventReader {
        const DETACHED: Self = Self {
            header: __rntuple::Attach::DETACHED,
            start_time: __rntuple::Attach::DETACHED,
            temperature: __rntuple::Attach::DETACHED,
            vertex: __rntuple::Attach::DETACHED,
            weight: __rntuple::Attach::DETACHED,
            __rntuple_end: (),
        };
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.header, __to)?;
            __rntuple::Attach::seek(&mut self.start_time, __to)?;
            __rntuple::Attach::seek(&mut self.temperature, __to)?;
            __rntuple::Attach::seek(&mut self.vertex, __to)?;
            __rntuple::Attach::seek(&mut self.weight, __to)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(
                &self.header,
            ) {
                return __rntuple::Some(__count);
            }
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(
                &self.start_time,
            ) {
                return __rntuple::Some(__count);
            }
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(
                &self.temperature,
            ) {
                return __rntuple::Some(__count);
            }
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(
                &self.vertex,
            ) {
                return __rntuple::Some(__count);
            }
            __rntuple::Attach::remaining(&self.weight)
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldReader<Event> for __EventReader {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Event> {
            let __m_header = __rntuple::FieldReader::<Header>::read(&mut self.header)?;
            let __m_start_time = {
                let __placed = &mut self.start_time;
                let __stored = __rntuple::FieldReader::<
                    millis::Stored,
                >::read(__rntuple::PlacedReader::reader(__placed))?;
                __rntuple::PlacedReader::accept(__placed, millis::load(__stored))?
            };
            let __m_temperature = match __rntuple::DefaultReader::next(
                &mut self.temperature,
            )? {
                __rntuple::Some(__reader) => {
                    let __placed = __reader;
                    let __stored = __rntuple::FieldReader::<
                        f32,
                    >::read(__rntuple::PlacedReader::reader(__placed))?;
                    __rntuple::PlacedReader::accept(
                        __placed,
                        <Celsius as __rntuple::TryFrom<f32>>::try_from(__stored),
                    )?
                }
                __rntuple::None => room(),
            };
            let __m_vertex = __rntuple::FieldReader::<Vertex>::read(&mut self.vertex)?;
            let __m_weight = __rntuple::FieldReader::<f32>::read(&mut self.weight)?;
            __rntuple::Ok(Event {
                header: __m_header,
                start_time: __m_start_time,
                temperature: __m_temperature,
                vertex: __m_vertex,
                weight: __m_weight,
                energies: __rntuple::Default::default(),
            })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Event) -> __rntuple::Result<()> {
            __rntuple::FieldReader::read_into(&mut self.header, &mut __slot.header)?;
            __slot.start_time = {
                let __placed = &mut self.start_time;
                let __stored = __rntuple::FieldReader::<
                    millis::Stored,
                >::read(__rntuple::PlacedReader::reader(__placed))?;
                __rntuple::PlacedReader::accept(__placed, millis::load(__stored))?
            };
            __slot.temperature = match __rntuple::DefaultReader::next(
                &mut self.temperature,
            )? {
                __rntuple::Some(__reader) => {
                    let __placed = __reader;
                    let __stored = __rntuple::FieldReader::<
                        f32,
                    >::read(__rntuple::PlacedReader::reader(__placed))?;
                    __rntuple::PlacedReader::accept(
                        __placed,
                        <Celsius as __rntuple::TryFrom<f32>>::try_from(__stored),
                    )?
                }
                __rntuple::None => room(),
            };
            __rntuple::FieldReader::read_into(&mut self.vertex, &mut __slot.vertex)?;
            __rntuple::FieldReader::read_into(&mut self.weight, &mut __slot.weight)?;
            __slot.energies = __rntuple::Default::default();
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Event) {
            __rntuple::FieldReader::reclaim(&mut self.header, &mut __slot.header);
            __rntuple::FieldReader::reclaim(&mut self.vertex, &mut __slot.vertex);
            __rntuple::FieldReader::reclaim(&mut self.weight, &mut __slot.weight);
        }
    }
    struct __EventVersions {
        __versions: __rntuple::VersionReader<
            __EventReader,
            __rntuple::VersionReader<
                <EventV2 as __rntuple::ReadField>::Reader,
                __rntuple::PlacedReader<<EventV1 as __rntuple::ReadField>::Reader>,
            >,
        >,
    }
    #[automatically_derived]
    impl __rntuple::Attach for __EventVersions {
        const DETACHED: Self = Self {
            __versions: __rntuple::Attach::DETACHED,
        };
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.__versions, __to)
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            __rntuple::Attach::remaining(&self.__versions)
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl __ReadField for Event {
        type Reader = __EventVersions;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
            __reader: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            let __current = |
                __field: __rntuple::FieldNode<'_>,
                __reader: &mut __EventReader,
            | -> __rntuple::Result<()> {
                let __record = __rntuple::FieldNode::expect(
                    __field,
                    __rntuple::Role::Record,
                    "a record",
                )?;
                let mut __members = __rntuple::FieldNode::members(__record);
                <__rntuple::Written<
                    Header,
                > as __rntuple::ReadField>::connect_member(
                    &mut __members,
                    &(":_0", "Header"),
                    &mut __reader.header,
                );
                __rntuple::Connecting::keep(
                    &mut __members,
                    match __rntuple::FieldNode::subfield_of(
                        __record,
                        &["startTime", "t0"],
                        "Duration",
                    ) {
                        __rntuple::Ok(__member) => {
                            __rntuple::PlacedReader::connect(
                                &mut __reader.start_time,
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
                        &mut __reader.temperature,
                        __record,
                        __rntuple::Lack {
                            names: &["temperature"],
                            wanted: "Celsius",
                            has_default: true,
                            is_option: <f32 as __rntuple::ReadField>::IS_OPTION,
                        },
                        |__member, __reader| __rntuple::PlacedReader::connect(
                            __reader,
                            __rntuple::FieldNode::in_unit(__member, "K"),
                            <f32 as __rntuple::ReadField>::connect,
                        ),
                    ),
                );
                __rntuple::Connecting::keep(
                    &mut __members,
                    __rntuple::connect_flattened::<
                        __rntuple::Written<Vertex>,
                    >(
                        __rntuple::FieldNode::flattened(__record, "vtx_"),
                        &mut __reader.vertex,
                    ),
                );
                __rntuple::Connecting::keep(
                    &mut __members,
                    match __rntuple::FieldNode::subfield(__record, "weight", "f32") {
                        __rntuple::Ok(__member) => {
                            <f32 as __rntuple::ReadField>::connect(
                                __rntuple::FieldNode::lossy(__member),
                                &mut __reader.weight,
                            )
                        }
                        __rntuple::Err(__error) => __rntuple::Err(__error),
                    },
                );
                __rntuple::Connecting::finish(__members)
            };
            let __versions: &mut __rntuple::VersionReader<
                __EventReader,
                __rntuple::VersionReader<
                    <EventV2 as __rntuple::ReadField>::Reader,
                    __rntuple::PlacedReader<<EventV1 as __rntuple::ReadField>::Reader>,
                >,
            > = &mut __reader.__versions;
            match __rntuple::FieldNode::first_that_holds(
                __field,
                &[__rntuple::When::Version(2, 2), __rntuple::When::Lacks("vtx_x")],
            )? {
                __rntuple::Some(0) => {
                    let mut __columns = <_ as __rntuple::Attach>::DETACHED;
                    <EventV2 as __rntuple::ReadField>::connect(__field, &mut __columns)?;
                    *__versions = __rntuple::VersionReader::Older(
                        __rntuple::VersionReader::Current(__columns),
                    );
                }
                __rntuple::Some(1) => {
                    let mut __columns = <_ as __rntuple::Attach>::DETACHED;
                    (|__field, __reader: &mut _| __rntuple::PlacedReader::connect(
                        __reader,
                        __field,
                        <EventV1 as __rntuple::ReadField>::connect,
                    ))(__field, &mut __columns)?;
                    *__versions = __rntuple::VersionReader::Older(
                        __rntuple::VersionReader::Older(__columns),
                    );
                }
                _ => {
                    let mut __columns = <_ as __rntuple::Attach>::DETACHED;
                    __current(__field, &mut __columns)?;
                    *__versions = __rntuple::VersionReader::Current(__columns);
                }
            }
            __rntuple::Ok(())
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldReader<Event> for __EventVersions {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Event> {
            match &mut self.__versions {
                __rntuple::VersionReader::Current(__columns) => {
                    __rntuple::FieldReader::<Event>::read(__columns)
                }
                __rntuple::VersionReader::Older(
                    __rntuple::VersionReader::Current(__columns),
                ) => {
                    __rntuple::Ok(
                        upgrade(__rntuple::FieldReader::<EventV2>::read(__columns)?),
                    )
                }
                __rntuple::VersionReader::Older(
                    __rntuple::VersionReader::Older(__columns),
                ) => {
                    let __value = __rntuple::FieldReader::<
                        EventV1,
                    >::read(__rntuple::PlacedReader::reader(__columns))?;
                    __rntuple::PlacedReader::accept(__columns, revise(__value))
                }
            }
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Event) -> __rntuple::Result<()> {
            if let __rntuple::VersionReader::Current(__columns) = &mut self.__versions {
                return __rntuple::FieldReader::<Event>::read_into(__columns, __slot);
            }
            *__slot = __rntuple::FieldReader::<Event>::read(self)?;
            __rntuple::Ok(())
        }
    }
    #[automatically_derived]
    impl __rntuple::Entry for Event {
        const MEMBERS: __rntuple::Members = __rntuple::Members {
            own: &[":_0", "startTime", "t0", "temperature", "weight", "energies"],
            flattened: &[
                ("vtx_", <__rntuple::Written<Vertex> as __rntuple::Entry>::MEMBERS),
            ],
        };
    }
    const _: () = __rntuple::Members::assert_distinct(
        &<Event as __rntuple::Entry>::MEMBERS,
    );
};
