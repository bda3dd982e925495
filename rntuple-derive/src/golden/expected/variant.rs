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
    use ::physics::rntuple::__private_0_1 as __rntuple;
    struct __ShapeWriter<__W0> {
        __switch: __rntuple::VariantWriter<[__rntuple::u64; 4usize]>,
        _0_radius: __W0,
        _1_0: <packed::Stored as __rntuple::WriteField>::Writer,
        _2_0: <u8 as __rntuple::WriteField>::Writer,
        _2_1: <f64 as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__W0: __rntuple::Commit> __rntuple::Commit for __ShapeWriter<__W0> {
        fn commit(&mut self, __cluster: &mut __rntuple::Gathered<'_>) {
            __rntuple::VariantWriter::commit(&mut self.__switch, __cluster);
            __rntuple::Commit::commit(&mut self._0_radius, __cluster);
            __rntuple::Commit::commit(&mut self._1_0, __cluster);
            __rntuple::Commit::commit(&mut self._2_0, __cluster);
            __rntuple::Commit::commit(&mut self._2_1, __cluster);
        }
    }
    #[automatically_derived]
    impl<T, __W0: __rntuple::FieldWriter<T>> __rntuple::FieldWriter<Shape<T>>
    for __ShapeWriter<__W0> {
        #[inline]
        #[allow(unused_mut)]
        fn append(&mut self, __value: &Shape<T>) -> __rntuple::usize {
            match __value {
                Shape::Circle { radius: __m__0_radius, .. } => {
                    let mut __length = __rntuple::VariantWriter::append(
                        &mut self.__switch,
                        0,
                    );
                    __length
                        += __rntuple::FieldWriter::append(
                            &mut self._0_radius,
                            __m__0_radius,
                        );
                    __length
                }
                Shape::Polygon { 0: __m__1_0, .. } => {
                    let mut __length = __rntuple::VariantWriter::append(
                        &mut self.__switch,
                        1,
                    );
                    __length
                        += __rntuple::FieldWriter::<
                            packed::Stored,
                        >::append(&mut self._1_0, &packed::store(__m__1_0));
                    __length
                }
                Shape::Pair { 0: __m__2_0, 1: __m__2_1, .. } => {
                    let mut __length = __rntuple::VariantWriter::append(
                        &mut self.__switch,
                        2,
                    );
                    __length += __rntuple::FieldWriter::append(&mut self._2_0, __m__2_0);
                    __length += __rntuple::FieldWriter::append(&mut self._2_1, __m__2_1);
                    __length
                }
                Shape::Nothing { .. } => {
                    let mut __length = __rntuple::VariantWriter::append(
                        &mut self.__switch,
                        3,
                    );
                    __length
                }
                Shape::Unknown { .. } => {
                    __rntuple::VariantWriter::append_none(&mut self.__switch)
                }
            }
        }
    }
    use __rntuple::WriteField as __WriteField;
    #[automatically_derived]
    impl<T> __WriteField for Shape<T>
    where
        T: __rntuple::WriteField,
    {
        type Writer = __ShapeWriter<<T as __rntuple::WriteField>::Writer>;
        fn type_name() -> __rntuple::TypeName {
            __rntuple::TypeName::template(
                "std::variant",
                [
                    &__rntuple::TypeName::typed(
                        <[_]>::concat(
                            &[
                                __rntuple::TypeName::spelling(
                                    &__rntuple::TypeName::template(
                                        "Shape",
                                        [&<T as __rntuple::WriteField>::type_name()],
                                    ),
                                ),
                                "::Circle",
                            ],
                        ),
                    ),
                    &<packed::Stored as __rntuple::WriteField>::type_name(),
                    &__rntuple::TypeName::typed(
                        <[_]>::concat(
                            &[
                                __rntuple::TypeName::spelling(
                                    &__rntuple::TypeName::template(
                                        "Shape",
                                        [&<T as __rntuple::WriteField>::type_name()],
                                    ),
                                ),
                                "::Pair",
                            ],
                        ),
                    ),
                    &__rntuple::TypeName::typed("geo::Nothing"),
                ],
            )
        }
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            let __switch = __rntuple::VariantWriter::declare(
                __field,
                &<Self as __rntuple::WriteField>::type_name(),
            );
            let (__m__0_radius,) = {
                let mut __alternative = __rntuple::FieldBuilder::description(
                    __rntuple::FieldBuilder::subfield(__field, "_0"),
                    "Circle",
                );
                __rntuple::FieldBuilder::record(
                    &mut __alternative,
                    &__rntuple::TypeName::typed(
                        <[_]>::concat(
                            &[
                                __rntuple::TypeName::spelling(
                                    &__rntuple::TypeName::template(
                                        "Shape",
                                        [&<T as __rntuple::WriteField>::type_name()],
                                    ),
                                ),
                                "::Circle",
                            ],
                        ),
                    ),
                );
                (
                    <T as __rntuple::WriteField>::declare_member(
                        &mut __alternative,
                        "radius",
                    ),
                )
            };
            let (__m__1_0,) = (
                <packed::Stored as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::description(
                        __rntuple::FieldBuilder::subfield(__field, "_1"),
                        "Polygon",
                    ),
                ),
            );
            let (__m__2_0, __m__2_1) = {
                let mut __alternative = __rntuple::FieldBuilder::description(
                    __rntuple::FieldBuilder::subfield(__field, "_2"),
                    "Pair",
                );
                __rntuple::FieldBuilder::record(
                    &mut __alternative,
                    &__rntuple::TypeName::typed(
                        <[_]>::concat(
                            &[
                                __rntuple::TypeName::spelling(
                                    &__rntuple::TypeName::template(
                                        "Shape",
                                        [&<T as __rntuple::WriteField>::type_name()],
                                    ),
                                ),
                                "::Pair",
                            ],
                        ),
                    ),
                );
                (
                    <u8 as __rntuple::WriteField>::declare_member(
                        &mut __alternative,
                        "_0",
                    ),
                    <f64 as __rntuple::WriteField>::declare_member(
                        &mut __alternative,
                        "_1",
                    ),
                )
            };
            let () = {
                let mut __alternative = __rntuple::FieldBuilder::description(
                    __rntuple::FieldBuilder::subfield(__field, "_3"),
                    "Nothing",
                );
                __rntuple::FieldBuilder::record(
                    &mut __alternative,
                    &__rntuple::TypeName::typed("geo::Nothing"),
                );
                ()
            };
            __ShapeWriter {
                __switch,
                _0_radius: __m__0_radius,
                _1_0: __m__1_0,
                _2_0: __m__2_0,
                _2_1: __m__2_1,
                __rntuple_end: (),
            }
        }
    }
    struct __ShapeReader<__R0> {
        __switch: __rntuple::VariantReader<[__rntuple::u64; 4usize]>,
        _0_radius: __rntuple::DefaultReader<__R0>,
        _1_0: __rntuple::DefaultReader<
            __rntuple::PlacedReader<<packed::Stored as __rntuple::ReadField>::Reader>,
        >,
        _2_0: __rntuple::DefaultReader<<u8 as __rntuple::ReadField>::Reader>,
        _2_1: __rntuple::DefaultReader<<f64 as __rntuple::ReadField>::Reader>,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__R0: __rntuple::Attach> __rntuple::Attach for __ShapeReader<__R0> {
        const DETACHED: Self = Self {
            __switch: __rntuple::VariantReader::DETACHED,
            _0_radius: __rntuple::Attach::DETACHED,
            _1_0: __rntuple::Attach::DETACHED,
            _2_0: __rntuple::Attach::DETACHED,
            _2_1: __rntuple::Attach::DETACHED,
            __rntuple_end: (),
        };
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            let __rntuple::Some(__to) = __rntuple::VariantReader::seek(
                &mut self.__switch,
                __to,
            )? else {
                return __rntuple::Ok(());
            };
            __rntuple::Attach::seek(&mut self._0_radius, __to)?;
            __rntuple::Attach::seek(&mut self._1_0, __to)?;
            __rntuple::Attach::seek(&mut self._2_0, __to)?;
            __rntuple::Attach::seek(&mut self._2_1, __to)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            __rntuple::VariantReader::remaining(&self.__switch)
        }
    }
    #[automatically_derived]
    impl<T, __R0: __rntuple::FieldReader<T>> __rntuple::FieldReader<Shape<T>>
    for __ShapeReader<__R0> {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Shape<T>> {
            let __active = __rntuple::VariantReader::next_or_other(&mut self.__switch)?;
            match __active.number {
                0 => {
                    if let __rntuple::Some(__position) = __active.jump {
                        let __to = __rntuple::Position::at(__position);
                        __rntuple::Attach::seek(&mut self._0_radius, __to)?;
                    }
                    let __m__0_radius = match __rntuple::DefaultReader::next(
                        &mut self._0_radius,
                    )? {
                        __rntuple::Some(__reader) => {
                            __rntuple::FieldReader::<T>::read(__reader)?
                        }
                        __rntuple::None => {
                            return __rntuple::Err(
                                __rntuple::DefaultReader::missing(&self._0_radius),
                            );
                        }
                    };
                    __rntuple::Ok(Shape::Circle {
                        radius: __m__0_radius,
                        area: __rntuple::Default::default(),
                    })
                }
                1 => {
                    if let __rntuple::Some(__position) = __active.jump {
                        let __to = __rntuple::Position::at(__position);
                        __rntuple::Attach::seek(&mut self._1_0, __to)?;
                    }
                    let __m__1_0 = match __rntuple::DefaultReader::next(
                        &mut self._1_0,
                    )? {
                        __rntuple::Some(__reader) => {
                            let __placed = __reader;
                            let __stored = __rntuple::FieldReader::<
                                packed::Stored,
                            >::read(__rntuple::PlacedReader::reader(__placed))?;
                            __rntuple::PlacedReader::accept(
                                __placed,
                                packed::load(__stored),
                            )?
                        }
                        __rntuple::None => {
                            return __rntuple::Err(
                                __rntuple::DefaultReader::missing(&self._1_0),
                            );
                        }
                    };
                    __rntuple::Ok(Shape::Polygon { 0: __m__1_0 })
                }
                2 => {
                    if let __rntuple::Some(__position) = __active.jump {
                        let __to = __rntuple::Position::at(__position);
                        __rntuple::Attach::seek(&mut self._2_0, __to)?;
                        __rntuple::Attach::seek(&mut self._2_1, __to)?;
                    }
                    let __m__2_0 = match __rntuple::DefaultReader::next(
                        &mut self._2_0,
                    )? {
                        __rntuple::Some(__reader) => {
                            __rntuple::FieldReader::<u8>::read(__reader)?
                        }
                        __rntuple::None => {
                            return __rntuple::Err(
                                __rntuple::DefaultReader::missing(&self._2_0),
                            );
                        }
                    };
                    let __m__2_1 = match __rntuple::DefaultReader::next(
                        &mut self._2_1,
                    )? {
                        __rntuple::Some(__reader) => {
                            __rntuple::FieldReader::<f64>::read(__reader)?
                        }
                        __rntuple::None => {
                            return __rntuple::Err(
                                __rntuple::DefaultReader::missing(&self._2_1),
                            );
                        }
                    };
                    __rntuple::Ok(Shape::Pair {
                        0: __m__2_0,
                        1: __m__2_1,
                    })
                }
                3 => __rntuple::Ok(Shape::Nothing {}),
                _ => __rntuple::Ok(Shape::Unknown {}),
            }
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl<T> __ReadField for Shape<T>
    where
        T: __rntuple::ReadField,
    {
        type Reader = __ShapeReader<<T as __rntuple::ReadField>::Reader>;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
            __reader: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            let __field = __rntuple::FieldNode::expect(
                __field,
                __rntuple::Role::Variant,
                "a variant",
            )?;
            let mut __members = __rntuple::FieldNode::members(__field);
            __rntuple::Connecting::keep(
                &mut __members,
                __rntuple::VariantReader::connect(
                    &mut __reader.__switch,
                    __field,
                    ["Circle", "Polygon", "Pair", "Nothing"],
                    true,
                ),
            );
            __rntuple::Connecting::keep(
                &mut __members,
                __rntuple::Result::and_then(
                    __rntuple::FieldNode::expect(
                        __rntuple::FieldNode::alternative(__field, "_0"),
                        __rntuple::Role::Record,
                        "the record `Shape::Circle`",
                    ),
                    |__record| {
                        let mut __members = __rntuple::FieldNode::members(__record);
                        __rntuple::Connecting::keep(
                            &mut __members,
                            __rntuple::DefaultReader::connect(
                                &mut __reader._0_radius,
                                __record,
                                __rntuple::Lack {
                                    names: &["radius"],
                                    wanted: "T",
                                    has_default: false,
                                    is_option: <T as __rntuple::ReadField>::IS_OPTION,
                                },
                                |__member, __reader| <T as __rntuple::ReadField>::connect(
                                    __member,
                                    __reader,
                                ),
                            ),
                        );
                        __rntuple::Connecting::finish(__members)
                    },
                ),
            );
            __rntuple::Connecting::keep(
                &mut __members,
                {
                    let __place = __rntuple::FieldNode::place_of(__field, "_1");
                    __rntuple::DefaultReader::connect(
                        &mut __reader._1_0,
                        __place,
                        __rntuple::Lack {
                            names: &["_1"],
                            wanted: "Vec<(f32, f32)>",
                            has_default: false,
                            is_option: <packed::Stored as __rntuple::ReadField>::IS_OPTION,
                        },
                        |__member, __reader| __rntuple::PlacedReader::connect(
                            __reader,
                            __member,
                            <packed::Stored as __rntuple::ReadField>::connect,
                        ),
                    )
                },
            );
            __rntuple::Connecting::keep(
                &mut __members,
                __rntuple::Result::and_then(
                    __rntuple::FieldNode::expect(
                        __rntuple::FieldNode::alternative(__field, "_2"),
                        __rntuple::Role::Record,
                        "the record `Shape::Pair`",
                    ),
                    |__record| {
                        let mut __members = __rntuple::FieldNode::members(__record);
                        __rntuple::Connecting::keep(
                            &mut __members,
                            __rntuple::DefaultReader::connect(
                                &mut __reader._2_0,
                                __record,
                                __rntuple::Lack {
                                    names: &["_0"],
                                    wanted: "u8",
                                    has_default: false,
                                    is_option: <u8 as __rntuple::ReadField>::IS_OPTION,
                                },
                                |__member, __reader| <u8 as __rntuple::ReadField>::connect(
                                    __member,
                                    __reader,
                                ),
                            ),
                        );
                        __rntuple::Connecting::keep(
                            &mut __members,
                            __rntuple::DefaultReader::connect(
                                &mut __reader._2_1,
                                __record,
                                __rntuple::Lack {
                                    names: &["_1"],
                                    wanted: "f64",
                                    has_default: false,
                                    is_option: <f64 as __rntuple::ReadField>::IS_OPTION,
                                },
                                |__member, __reader| <f64 as __rntuple::ReadField>::connect(
                                    __member,
                                    __reader,
                                ),
                            ),
                        );
                        __rntuple::Connecting::finish(__members)
                    },
                ),
            );
            __rntuple::Connecting::keep(
                &mut __members,
                __rntuple::Result::and_then(
                    __rntuple::FieldNode::expect(
                        __rntuple::FieldNode::alternative(__field, "_3"),
                        __rntuple::Role::Record,
                        "the record `Shape::Nothing`",
                    ),
                    |__record| { __rntuple::Ok(()) },
                ),
            );
            __rntuple::Connecting::finish(__members)
        }
    }
};
