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
    struct __ShapeWriter<__W0> {
        __switch: ::physics::rntuple::__private::VariantWriter<
            [::physics::rntuple::__private::u64; 4usize],
        >,
        _0_radius: __W0,
        _1_0: <Vec<(f32, f32)> as ::physics::rntuple::__private::WriteField>::Writer,
        _2_0: <u8 as ::physics::rntuple::__private::WriteField>::Writer,
        _2_1: <u8 as ::physics::rntuple::__private::WriteField>::Writer,
        __end: (),
    }
    #[automatically_derived]
    impl<
        __W0: ::physics::rntuple::__private::Commit,
    > ::physics::rntuple::__private::Commit for __ShapeWriter<__W0> {
        fn commit(
            &mut self,
            __cluster: &mut ::physics::rntuple::__private::Gathered,
        ) -> ::physics::rntuple::__private::Result<()> {
            ::physics::rntuple::__private::VariantWriter::commit(
                &mut self.__switch,
                __cluster,
            )?;
            ::physics::rntuple::__private::Commit::commit(
                &mut self._0_radius,
                __cluster,
            )?;
            ::physics::rntuple::__private::Commit::commit(&mut self._1_0, __cluster)?;
            ::physics::rntuple::__private::Commit::commit(&mut self._2_0, __cluster)?;
            ::physics::rntuple::__private::Commit::commit(&mut self._2_1, __cluster)?;
            ::physics::rntuple::__private::Ok(())
        }
    }
    #[automatically_derived]
    impl<
        T,
        __W0: ::physics::rntuple::__private::FieldWriter<T>,
    > ::physics::rntuple::__private::FieldWriter<Shape<T>> for __ShapeWriter<__W0> {
        #[inline]
        #[allow(unused_mut)]
        fn append(
            &mut self,
            __value: &Shape<T>,
        ) -> ::physics::rntuple::__private::usize {
            match __value {
                Shape::Circle { radius: ___0_radius, .. } => {
                    let mut __length = ::physics::rntuple::__private::VariantWriter::append(
                        &mut self.__switch,
                        0,
                    );
                    __length
                        += ::physics::rntuple::__private::FieldWriter::append(
                            &mut self._0_radius,
                            ___0_radius,
                        );
                    __length
                }
                Shape::Polygon { 0: ___1_0, .. } => {
                    let mut __length = ::physics::rntuple::__private::VariantWriter::append(
                        &mut self.__switch,
                        1,
                    );
                    __length
                        += ::physics::rntuple::__private::FieldWriter::append(
                            &mut self._1_0,
                            ___1_0,
                        );
                    __length
                }
                Shape::Pair { 0: ___2_0, 1: ___2_1, .. } => {
                    let mut __length = ::physics::rntuple::__private::VariantWriter::append(
                        &mut self.__switch,
                        2,
                    );
                    __length
                        += ::physics::rntuple::__private::FieldWriter::append(
                            &mut self._2_0,
                            ___2_0,
                        );
                    __length
                        += ::physics::rntuple::__private::FieldWriter::append(
                            &mut self._2_1,
                            ___2_1,
                        );
                    __length
                }
                Shape::Nothing { .. } => {
                    let mut __length = ::physics::rntuple::__private::VariantWriter::append(
                        &mut self.__switch,
                        3,
                    );
                    __length
                }
            }
        }
    }
    #[automatically_derived]
    impl<T> ::physics::rntuple::__private::WriteField for Shape<T>
    where
        T: ::physics::rntuple::__private::WriteField,
    {
        type Writer = __ShapeWriter<
            <T as ::physics::rntuple::__private::WriteField>::Writer,
        >;
        fn type_name() -> ::physics::rntuple::__private::TypeName {
            ::physics::rntuple::__private::TypeName::template(
                "std::variant",
                [
                    &::physics::rntuple::__private::TypeName::typed(
                        <[_]>::concat(
                            &[
                                ::physics::rntuple::__private::TypeName::spelling(
                                    &::physics::rntuple::__private::TypeName::template(
                                        "Shape",
                                        [
                                            &<T as ::physics::rntuple::__private::WriteField>::type_name(),
                                        ],
                                    ),
                                ),
                                "::Circle",
                            ],
                        ),
                    ),
                    &<Vec<
                        (f32, f32),
                    > as ::physics::rntuple::__private::WriteField>::type_name(),
                    &::physics::rntuple::__private::TypeName::typed(
                        <[_]>::concat(
                            &[
                                ::physics::rntuple::__private::TypeName::spelling(
                                    &::physics::rntuple::__private::TypeName::template(
                                        "Shape",
                                        [
                                            &<T as ::physics::rntuple::__private::WriteField>::type_name(),
                                        ],
                                    ),
                                ),
                                "::Pair",
                            ],
                        ),
                    ),
                    &::physics::rntuple::__private::TypeName::typed("geo::Nothing"),
                ],
            )
        }
        fn declare(
            __field: &mut ::physics::rntuple::__private::FieldBuilder<'_>,
        ) -> Self::Writer {
            let __switch = ::physics::rntuple::__private::VariantWriter::declare(
                __field,
                &<Self as ::physics::rntuple::__private::WriteField>::type_name(),
            );
            let (___0_radius,) = {
                let mut __alternative = ::physics::rntuple::__private::FieldBuilder::description(
                    ::physics::rntuple::__private::FieldBuilder::subfield(__field, "_0"),
                    "Circle",
                );
                ::physics::rntuple::__private::FieldBuilder::record(
                    &mut __alternative,
                    &::physics::rntuple::__private::TypeName::typed(
                        <[_]>::concat(
                            &[
                                ::physics::rntuple::__private::TypeName::spelling(
                                    &::physics::rntuple::__private::TypeName::template(
                                        "Shape",
                                        [
                                            &<T as ::physics::rntuple::__private::WriteField>::type_name(),
                                        ],
                                    ),
                                ),
                                "::Circle",
                            ],
                        ),
                    ),
                );
                (
                    <T as ::physics::rntuple::__private::WriteField>::declare_member(
                        &mut __alternative,
                        "radius",
                    ),
                )
            };
            let (___1_0,) = (
                <Vec<
                    (f32, f32),
                > as ::physics::rntuple::__private::WriteField>::declare(
                    &mut ::physics::rntuple::__private::FieldBuilder::description(
                        ::physics::rntuple::__private::FieldBuilder::subfield(
                            __field,
                            "_1",
                        ),
                        "Polygon",
                    ),
                ),
            );
            let (___2_0, ___2_1) = {
                let mut __alternative = ::physics::rntuple::__private::FieldBuilder::description(
                    ::physics::rntuple::__private::FieldBuilder::subfield(__field, "_2"),
                    "Pair",
                );
                ::physics::rntuple::__private::FieldBuilder::record(
                    &mut __alternative,
                    &::physics::rntuple::__private::TypeName::typed(
                        <[_]>::concat(
                            &[
                                ::physics::rntuple::__private::TypeName::spelling(
                                    &::physics::rntuple::__private::TypeName::template(
                                        "Shape",
                                        [
                                            &<T as ::physics::rntuple::__private::WriteField>::type_name(),
                                        ],
                                    ),
                                ),
                                "::Pair",
                            ],
                        ),
                    ),
                );
                (
                    <u8 as ::physics::rntuple::__private::WriteField>::declare_member(
                        &mut __alternative,
                        "_0",
                    ),
                    <u8 as ::physics::rntuple::__private::WriteField>::declare_member(
                        &mut __alternative,
                        "_1",
                    ),
                )
            };
            let () = {
                let mut __alternative = ::physics::rntuple::__private::FieldBuilder::description(
                    ::physics::rntuple::__private::FieldBuilder::subfield(__field, "_3"),
                    "Nothing",
                );
                ::physics::rntuple::__private::FieldBuilder::record(
                    &mut __alternative,
                    &::physics::rntuple::__private::TypeName::typed("geo::Nothing"),
                );
                ()
            };
            __ShapeWriter {
                __switch,
                _0_radius: ___0_radius,
                _1_0: ___1_0,
                _2_0: ___2_0,
                _2_1: ___2_1,
                __end: (),
            }
        }
    }
    struct __ShapeReader<__R0> {
        __switch: ::physics::rntuple::__private::VariantReader<
            [::physics::rntuple::__private::u64; 4usize],
        >,
        _0_radius: ::physics::rntuple::__private::DefaultReader<__R0>,
        _1_0: ::physics::rntuple::__private::DefaultReader<
            <Vec<(f32, f32)> as ::physics::rntuple::__private::ReadField>::Reader,
        >,
        _2_0: ::physics::rntuple::__private::DefaultReader<
            <u8 as ::physics::rntuple::__private::ReadField>::Reader,
        >,
        _2_1: ::physics::rntuple::__private::DefaultReader<
            <u8 as ::physics::rntuple::__private::ReadField>::Reader,
        >,
        __end: (),
    }
    #[automatically_derived]
    impl<
        __R0: ::physics::rntuple::__private::Attach,
    > ::physics::rntuple::__private::Attach for __ShapeReader<__R0> {
        fn attach(
            &mut self,
            __cluster: &::physics::rntuple::__private::Cluster,
        ) -> ::physics::rntuple::__private::Result<()> {
            ::physics::rntuple::__private::VariantReader::attach(
                &mut self.__switch,
                __cluster,
            )?;
            ::physics::rntuple::__private::Attach::attach(
                &mut self._0_radius,
                __cluster,
            )?;
            ::physics::rntuple::__private::Attach::attach(&mut self._1_0, __cluster)?;
            ::physics::rntuple::__private::Attach::attach(&mut self._2_0, __cluster)?;
            ::physics::rntuple::__private::Attach::attach(&mut self._2_1, __cluster)?;
            ::physics::rntuple::__private::Ok(())
        }
        fn seek(
            &mut self,
            __position: ::physics::rntuple::__private::u64,
        ) -> ::physics::rntuple::__private::Result<()> {
            ::physics::rntuple::__private::VariantReader::seek(
                &mut self.__switch,
                __position,
            )
        }
        #[inline]
        fn remaining(
            &self,
        ) -> ::physics::rntuple::__private::Option<::physics::rntuple::__private::u64> {
            ::physics::rntuple::__private::VariantReader::remaining(&self.__switch)
        }
    }
    #[automatically_derived]
    impl<
        T,
        __R0: ::physics::rntuple::__private::FieldReader<T>,
    > ::physics::rntuple::__private::FieldReader<Shape<T>> for __ShapeReader<__R0> {
        #[inline]
        fn read(&mut self) -> ::physics::rntuple::__private::Result<Shape<T>> {
            let __active = ::physics::rntuple::__private::VariantReader::next(
                &mut self.__switch,
            )?;
            match __active.number {
                0 => {
                    if let ::physics::rntuple::__private::Some(__position) = __active
                        .jump
                    {
                        ::physics::rntuple::__private::Attach::seek(
                            &mut self._0_radius,
                            __position,
                        )?;
                    }
                    let ___0_radius = match ::physics::rntuple::__private::DefaultReader::next(
                        &mut self._0_radius,
                    )? {
                        ::physics::rntuple::__private::Some(__reader) => {
                            ::physics::rntuple::__private::FieldReader::<
                                T,
                            >::read(__reader)?
                        }
                        ::physics::rntuple::__private::None => {
                            return ::physics::rntuple::__private::Err(
                                ::physics::rntuple::__private::DefaultReader::missing(
                                    &self._0_radius,
                                ),
                            );
                        }
                    };
                    ::physics::rntuple::__private::Ok(Shape::Circle {
                        radius: ___0_radius,
                        area: ::physics::rntuple::__private::Default::default(),
                    })
                }
                1 => {
                    if let ::physics::rntuple::__private::Some(__position) = __active
                        .jump
                    {
                        ::physics::rntuple::__private::Attach::seek(
                            &mut self._1_0,
                            __position,
                        )?;
                    }
                    let ___1_0 = match ::physics::rntuple::__private::DefaultReader::next(
                        &mut self._1_0,
                    )? {
                        ::physics::rntuple::__private::Some(__reader) => {
                            ::physics::rntuple::__private::FieldReader::<
                                Vec<(f32, f32)>,
                            >::read(__reader)?
                        }
                        ::physics::rntuple::__private::None => {
                            return ::physics::rntuple::__private::Err(
                                ::physics::rntuple::__private::DefaultReader::missing(
                                    &self._1_0,
                                ),
                            );
                        }
                    };
                    ::physics::rntuple::__private::Ok(Shape::Polygon { 0: ___1_0 })
                }
                2 => {
                    if let ::physics::rntuple::__private::Some(__position) = __active
                        .jump
                    {
                        ::physics::rntuple::__private::Attach::seek(
                            &mut self._2_0,
                            __position,
                        )?;
                        ::physics::rntuple::__private::Attach::seek(
                            &mut self._2_1,
                            __position,
                        )?;
                    }
                    let ___2_0 = match ::physics::rntuple::__private::DefaultReader::next(
                        &mut self._2_0,
                    )? {
                        ::physics::rntuple::__private::Some(__reader) => {
                            ::physics::rntuple::__private::FieldReader::<
                                u8,
                            >::read(__reader)?
                        }
                        ::physics::rntuple::__private::None => {
                            return ::physics::rntuple::__private::Err(
                                ::physics::rntuple::__private::DefaultReader::missing(
                                    &self._2_0,
                                ),
                            );
                        }
                    };
                    let ___2_1 = match ::physics::rntuple::__private::DefaultReader::next(
                        &mut self._2_1,
                    )? {
                        ::physics::rntuple::__private::Some(__reader) => {
                            ::physics::rntuple::__private::FieldReader::<
                                u8,
                            >::read(__reader)?
                        }
                        ::physics::rntuple::__private::None => {
                            return ::physics::rntuple::__private::Err(
                                ::physics::rntuple::__private::DefaultReader::missing(
                                    &self._2_1,
                                ),
                            );
                        }
                    };
                    ::physics::rntuple::__private::Ok(Shape::Pair {
                        0: ___2_0,
                        1: ___2_1,
                    })
                }
                _ => ::physics::rntuple::__private::Ok(Shape::Nothing {}),
            }
        }
    }
    #[automatically_derived]
    impl<T> ::physics::rntuple::__private::ReadField for Shape<T>
    where
        T: ::physics::rntuple::__private::ReadField,
    {
        type Reader = __ShapeReader<
            <T as ::physics::rntuple::__private::ReadField>::Reader,
        >;
        fn connect(
            __field: ::physics::rntuple::__private::FieldNode<'_>,
        ) -> ::physics::rntuple::__private::Result<Self::Reader> {
            let __switch = ::physics::rntuple::__private::VariantReader::connect(
                __field,
                "a variant",
                false,
            )?;
            let __alternative_0 = || ::physics::rntuple::__private::Result::and_then(
                ::physics::rntuple::__private::FieldNode::expect(
                    ::physics::rntuple::__private::FieldNode::alternative(__field, "_0"),
                    ::physics::rntuple::__private::Role::Record,
                    "the record `Shape::Circle`",
                ),
                |__record| {
                    let ___0_radius = ::physics::rntuple::__private::DefaultReader::connect(
                        __record,
                        ::physics::rntuple::__private::Lack {
                            names: &["radius"],
                            wanted: "T",
                            has_default: false,
                            is_option: false,
                        },
                        |__member| <T as ::physics::rntuple::__private::ReadField>::connect(
                            __member,
                        ),
                    )?;
                    ::physics::rntuple::__private::Ok((___0_radius,))
                },
            );
            let __alternative_1 = || {
                let __place = ::physics::rntuple::__private::FieldNode::place_of(
                    __field,
                    "_1",
                );
                ::physics::rntuple::__private::Result::map(
                    ::physics::rntuple::__private::DefaultReader::connect(
                        __place,
                        ::physics::rntuple::__private::Lack {
                            names: &["_1"],
                            wanted: "Vec<(f32, f32)>",
                            has_default: false,
                            is_option: false,
                        },
                        |__member| <Vec<
                            (f32, f32),
                        > as ::physics::rntuple::__private::ReadField>::connect(__member),
                    ),
                    |__columns| (__columns,),
                )
            };
            let __alternative_2 = || ::physics::rntuple::__private::Result::and_then(
                ::physics::rntuple::__private::FieldNode::expect(
                    ::physics::rntuple::__private::FieldNode::alternative(__field, "_2"),
                    ::physics::rntuple::__private::Role::Record,
                    "the record `Shape::Pair`",
                ),
                |__record| {
                    let (__tried, __error) = '__told: {
                        let ___2_0 = match ::physics::rntuple::__private::DefaultReader::connect(
                            __record,
                            ::physics::rntuple::__private::Lack {
                                names: &["_0"],
                                wanted: "u8",
                                has_default: false,
                                is_option: false,
                            },
                            |__member| <u8 as ::physics::rntuple::__private::ReadField>::connect(
                                __member,
                            ),
                        ) {
                            ::physics::rntuple::__private::Ok(__columns) => __columns,
                            ::physics::rntuple::__private::Err(__error) => {
                                break '__told (1, __error);
                            }
                        };
                        let ___2_1 = match ::physics::rntuple::__private::DefaultReader::connect(
                            __record,
                            ::physics::rntuple::__private::Lack {
                                names: &["_1"],
                                wanted: "u8",
                                has_default: false,
                                is_option: false,
                            },
                            |__member| <u8 as ::physics::rntuple::__private::ReadField>::connect(
                                __member,
                            ),
                        ) {
                            ::physics::rntuple::__private::Ok(__columns) => __columns,
                            ::physics::rntuple::__private::Err(__error) => {
                                break '__told (2, __error);
                            }
                        };
                        return ::physics::rntuple::__private::Ok((___2_0, ___2_1));
                    };
                    let __rest: &[::physics::rntuple::__private::Teller] = &[
                        (
                            "",
                            "",
                            |
                                __record: ::physics::rntuple::__private::FieldNode<'_>,
                                _: &_,
                                _: &_|
                            {
                                let __also = ::physics::rntuple::__private::DefaultReader::connect(
                                    __record,
                                    ::physics::rntuple::__private::Lack {
                                        names: &["_1"],
                                        wanted: "u8",
                                        has_default: false,
                                        is_option: false,
                                    },
                                    |__member| <u8 as ::physics::rntuple::__private::ReadField>::connect(
                                        __member,
                                    ),
                                );
                            },
                        ),
                    ];
                    ::physics::rntuple::__private::FieldNode::tell(
                        __record,
                        __rest,
                        __tried,
                    );
                    ::physics::rntuple::__private::Err(__error)
                },
            );
            let __alternative_3 = || ::physics::rntuple::__private::Result::and_then(
                ::physics::rntuple::__private::FieldNode::expect(
                    ::physics::rntuple::__private::FieldNode::alternative(__field, "_3"),
                    ::physics::rntuple::__private::Role::Record,
                    "the record `Shape::Nothing`",
                ),
                |__record| { ::physics::rntuple::__private::Ok(()) },
            );
            let (__tried, __error) = '__told: {
                let (___0_radius,) = match __alternative_0() {
                    ::physics::rntuple::__private::Ok(__columns) => __columns,
                    ::physics::rntuple::__private::Err(__error) => {
                        break '__told (1, __error);
                    }
                };
                let (___1_0,) = match __alternative_1() {
                    ::physics::rntuple::__private::Ok(__columns) => __columns,
                    ::physics::rntuple::__private::Err(__error) => {
                        break '__told (2, __error);
                    }
                };
                let (___2_0, ___2_1) = match __alternative_2() {
                    ::physics::rntuple::__private::Ok(__columns) => __columns,
                    ::physics::rntuple::__private::Err(__error) => {
                        break '__told (3, __error);
                    }
                };
                let () = match __alternative_3() {
                    ::physics::rntuple::__private::Ok(__columns) => __columns,
                    ::physics::rntuple::__private::Err(__error) => {
                        break '__told (4, __error);
                    }
                };
                return ::physics::rntuple::__private::Ok(__ShapeReader {
                    __switch,
                    _0_radius: ___0_radius,
                    _1_0: ___1_0,
                    _2_0: ___2_0,
                    _2_1: ___2_1,
                    __end: (),
                });
            };
            if __tried < 2 {
                let __also = __alternative_1();
            }
            if __tried < 3 {
                let __also = __alternative_2();
            }
            if __tried < 4 {
                let __also = __alternative_3();
            }
            ::physics::rntuple::__private::Err(__error)
        }
    }
};
