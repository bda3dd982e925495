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
    struct __ShapeWriter {
        __switch: __rntuple::VariantWriter<[__rntuple::u64; 4usize]>,
        _0_radius: <f32 as __rntuple::WriteField>::Writer,
        _1_0: <packed::Stored as __rntuple::WriteField>::Writer,
        _2_0: <u8 as __rntuple::WriteField>::Writer,
        _2_1: <f64 as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Commit for __ShapeWriter {
        fn commit(
            &mut self,
            __cluster: &mut __rntuple::Gathered,
        ) -> __rntuple::Result<()> {
            __rntuple::VariantWriter::commit(&mut self.__switch, __cluster)?;
            __rntuple::Commit::commit(&mut self._0_radius, __cluster)?;
            __rntuple::Commit::commit(&mut self._1_0, __cluster)?;
            __rntuple::Commit::commit(&mut self._2_0, __cluster)?;
            __rntuple::Commit::commit(&mut self._2_1, __cluster)?;
            __rntuple::Ok(())
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldWriter<Shape> for __ShapeWriter {
        #[inline]
        #[allow(unused_mut)]
        fn append(&mut self, __value: &Shape) -> __rntuple::usize {
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
    impl __WriteField for Shape {
        type Writer = __ShapeWriter;
        fn type_name() -> __rntuple::TypeName {
            __rntuple::TypeName::template(
                "std::variant",
                [
                    &__rntuple::TypeName::typed("Shape::Circle"),
                    &<packed::Stored as __rntuple::WriteField>::type_name(),
                    &__rntuple::TypeName::typed("Shape::Pair"),
                    &__rntuple::TypeName::typed("Shape::Nothing"),
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
                    &__rntuple::TypeName::typed("Shape::Circle"),
                );
                (
                    <f32 as __rntuple::WriteField>::declare_member(
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
                    &__rntuple::TypeName::typed("Shape::Pair"),
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
                    &__rntuple::TypeName::typed("Shape::Nothing"),
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
    struct __ShapeReader {
        __switch: __rntuple::VariantReader<[__rntuple::u64; 4usize]>,
        _0_radius: __rntuple::DefaultReader<<f32 as __rntuple::ReadField>::Reader>,
        _1_0: __rntuple::DefaultReader<
            __rntuple::PlacedReader<<packed::Stored as __rntuple::ReadField>::Reader>,
        >,
        _2_0: __rntuple::DefaultReader<<u8 as __rntuple::ReadField>::Reader>,
        _2_1: __rntuple::DefaultReader<<f64 as __rntuple::ReadField>::Reader>,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Attach for __ShapeReader {
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
    impl __rntuple::FieldReader<Shape> for __ShapeReader {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Shape> {
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
                            __rntuple::FieldReader::<f32>::read(__reader)?
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
    impl __ReadField for Shape {
        type Reader = __ShapeReader;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
        ) -> __rntuple::Result<Self::Reader> {
            let __field = __rntuple::FieldNode::expect(
                __field,
                __rntuple::Role::Variant,
                "a variant",
            )?;
            let __alternative_0 = || __rntuple::Result::and_then(
                __rntuple::FieldNode::expect(
                    __rntuple::FieldNode::alternative(__field, "_0"),
                    __rntuple::Role::Record,
                    "the record `Shape::Circle`",
                ),
                |__record| {
                    let __m__0_radius = __rntuple::DefaultReader::connect(
                        __record,
                        __rntuple::Lack {
                            names: &["radius"],
                            wanted: "f32",
                            has_default: false,
                            is_option: <f32 as __rntuple::ReadField>::IS_OPTION,
                        },
                        |__member| <f32 as __rntuple::ReadField>::connect(__member),
                    )?;
                    __rntuple::Ok((__m__0_radius,))
                },
            );
            let __alternative_1 = || {
                let __place = __rntuple::FieldNode::place_of(__field, "_1");
                __rntuple::Result::map(
                    __rntuple::DefaultReader::connect(
                        __place,
                        __rntuple::Lack {
                            names: &["_1"],
                            wanted: "Vec<(f32, f32)>",
                            has_default: false,
                            is_option: <packed::Stored as __rntuple::ReadField>::IS_OPTION,
                        },
                        |__member| __rntuple::PlacedReader::connect(
                            __member,
                            <packed::Stored as __rntuple::ReadField>::connect,
                        ),
                    ),
                    |__columns| (__columns,),
                )
            };
            let __alternative_2 = || __rntuple::Result::and_then(
                __rntuple::FieldNode::expect(
                    __rntuple::FieldNode::alternative(__field, "_2"),
                    __rntuple::Role::Record,
                    "the record `Shape::Pair`",
                ),
                |__record| {
                    let (__tried, __error) = '__told: {
                        let __m__2_0 = match __rntuple::DefaultReader::connect(
                            __record,
                            __rntuple::Lack {
                                names: &["_0"],
                                wanted: "u8",
                                has_default: false,
                                is_option: <u8 as __rntuple::ReadField>::IS_OPTION,
                            },
                            |__member| <u8 as __rntuple::ReadField>::connect(__member),
                        ) {
                            __rntuple::Ok(__columns) => __columns,
                            __rntuple::Err(__error) => break '__told (1, __error),
                        };
                        let __m__2_1 = match __rntuple::DefaultReader::connect(
                            __record,
                            __rntuple::Lack {
                                names: &["_1"],
                                wanted: "f64",
                                has_default: false,
                                is_option: <f64 as __rntuple::ReadField>::IS_OPTION,
                            },
                            |__member| <f64 as __rntuple::ReadField>::connect(__member),
                        ) {
                            __rntuple::Ok(__columns) => __columns,
                            __rntuple::Err(__error) => break '__told (2, __error),
                        };
                        return __rntuple::Ok((__m__2_0, __m__2_1));
                    };
                    let __rest: &[__rntuple::Teller] = &[
                        (
                            "",
                            "",
                            |__record: __rntuple::FieldNode<'_>, _: &_, _: &_| {
                                let __also = __rntuple::DefaultReader::connect(
                                    __record,
                                    __rntuple::Lack {
                                        names: &["_1"],
                                        wanted: "f64",
                                        has_default: false,
                                        is_option: <f64 as __rntuple::ReadField>::IS_OPTION,
                                    },
                                    |__member| <f64 as __rntuple::ReadField>::connect(__member),
                                );
                            },
                        ),
                    ];
                    __rntuple::FieldNode::tell(__record, __rest, __tried);
                    __rntuple::Err(__error)
                },
            );
            let __alternative_3 = || __rntuple::Result::and_then(
                __rntuple::FieldNode::expect(
                    __rntuple::FieldNode::alternative(__field, "_3"),
                    __rntuple::Role::Record,
                    "the record `Shape::Nothing`",
                ),
                |__record| { __rntuple::Ok(()) },
            );
            let (__tried, __error) = '__told: {
                let __switch = match __rntuple::VariantReader::connect(
                    __field,
                    ["Circle", "Polygon", "Pair", "Nothing"],
                    true,
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (1, __error),
                };
                let (__m__0_radius,) = match __alternative_0() {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (2, __error),
                };
                let (__m__1_0,) = match __alternative_1() {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (3, __error),
                };
                let (__m__2_0, __m__2_1) = match __alternative_2() {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (4, __error),
                };
                let () = match __alternative_3() {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (5, __error),
                };
                return __rntuple::Ok(__ShapeReader {
                    __switch,
                    _0_radius: __m__0_radius,
                    _1_0: __m__1_0,
                    _2_0: __m__2_0,
                    _2_1: __m__2_1,
                    __rntuple_end: (),
                });
            };
            if __tried < 2 {
                let __also = __alternative_0();
            }
            if __tried < 3 {
                let __also = __alternative_1();
            }
            if __tried < 4 {
                let __also = __alternative_2();
            }
            if __tried < 5 {
                let __also = __alternative_3();
            }
            __rntuple::Err(__error)
        }
    }
    #[automatically_derived]
    impl __rntuple::Default for Shapes {
        fn default() -> Self {
            Self {
                switches: __rntuple::Default::default(),
                circle_radius: __rntuple::Default::default(),
                polygon: __rntuple::Default::default(),
                pair_0: __rntuple::Default::default(),
                pair_1: __rntuple::Default::default(),
            }
        }
    }
    #[automatically_derived]
    impl __rntuple::Clone for Shapes {
        fn clone(&self) -> Self {
            Self {
                switches: __rntuple::Clone::clone(&self.switches),
                circle_radius: __rntuple::Clone::clone(&self.circle_radius),
                polygon: __rntuple::Clone::clone(&self.polygon),
                pair_0: __rntuple::Clone::clone(&self.pair_0),
                pair_1: __rntuple::Clone::clone(&self.pair_1),
            }
        }
    }
    #[automatically_derived]
    impl __rntuple::fmt::Debug for Shapes {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            __rntuple::fmt_slice(__rntuple::Columns::as_slice(self), __f)
        }
    }
    #[automatically_derived]
    impl __rntuple::Columns for Shapes {
        type Slice<'a> = LentShapes<'a>;
        const UNCOUNTED: __rntuple::usize = {
            let mut __sum = 0;
            __sum
                += <__rntuple::RowsOf<Vec<(f32, f32)>> as __rntuple::Columns>::UNCOUNTED;
            __sum
        };
        fn as_slice(&self) -> Self::Slice<'_> {
            LentShapes {
                switches: __rntuple::Switches::as_slice(&self.switches),
                circle_radius: __rntuple::Columns::as_slice(&self.circle_radius),
                polygon: __rntuple::Columns::as_slice(&self.polygon),
                pair_0: __rntuple::Columns::as_slice(&self.pair_0),
                pair_1: __rntuple::Columns::as_slice(&self.pair_1),
            }
        }
        fn clear(&mut self) {
            __rntuple::Switches::clear(&mut self.switches);
            __rntuple::Columns::clear(&mut self.circle_radius);
            __rntuple::Columns::clear(&mut self.polygon);
            __rntuple::Columns::clear(&mut self.pair_0);
            __rntuple::Columns::clear(&mut self.pair_1);
        }
    }
    #[allow(dead_code)]
    impl Shapes {
        /// Lends all values.
        fn as_slice(&self) -> <Self as __rntuple::Columns>::Slice<'_> {
            __rntuple::Columns::as_slice(self)
        }
        /// Returns the number of values.
        fn len(&self) -> __rntuple::usize {
            __rntuple::Columns::len(self)
        }
        /// Returns whether there are no values.
        fn is_empty(&self) -> __rntuple::bool {
            __rntuple::Columns::is_empty(self)
        }
        /// Removes all values and keeps the memory.
        fn clear(&mut self) {
            __rntuple::Columns::clear(self);
        }
        /// Appends a value.
        fn push(&mut self, value: &Shape) {
            __rntuple::Columnar::push_to(value, self);
        }
    }
    #[automatically_derived]
    impl<'a> __rntuple::Copy for LentShapes<'a> {}
    #[automatically_derived]
    impl<'a> __rntuple::Clone for LentShapes<'a> {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<'a> __rntuple::Copy for LentShape<'a> {}
    #[automatically_derived]
    impl<'a> __rntuple::Clone for LentShape<'a> {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<'a> __rntuple::fmt::Debug for LentShapes<'a> {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            __rntuple::fmt_slice(*self, __f)
        }
    }
    #[automatically_derived]
    impl<'a> __rntuple::fmt::Debug for LentShape<'a> {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            match self {
                LentShape::Unknown { .. } => {
                    let mut __debug = __rntuple::fmt::Formatter::debug_tuple(
                        __f,
                        "Unknown",
                    );
                    __debug.finish()
                }
                LentShape::Circle { radius: __m_radius, .. } => {
                    let mut __debug = __rntuple::fmt::Formatter::debug_struct(
                        __f,
                        "Circle",
                    );
                    __debug.field("radius", __m_radius);
                    __debug.finish()
                }
                LentShape::Polygon { 0: __m_0, .. } => {
                    let mut __debug = __rntuple::fmt::Formatter::debug_tuple(
                        __f,
                        "Polygon",
                    );
                    __debug.field(__m_0);
                    __debug.finish()
                }
                LentShape::Pair { 0: __m_0, 1: __m_1, .. } => {
                    let mut __debug = __rntuple::fmt::Formatter::debug_tuple(
                        __f,
                        "Pair",
                    );
                    __debug.field(__m_0);
                    __debug.field(__m_1);
                    __debug.finish()
                }
                LentShape::Nothing { .. } => {
                    let mut __debug = __rntuple::fmt::Formatter::debug_tuple(
                        __f,
                        "Nothing",
                    );
                    __debug.finish()
                }
            }
        }
    }
    #[automatically_derived]
    impl<'a> __rntuple::Slice for LentShapes<'a> {
        type One = LentShape<'a>;
        type Array<const __N: __rntuple::usize> = Self;
        #[inline]
        fn len(self) -> __rntuple::usize {
            __rntuple::SwitchSlice::len(self.switches)
        }
        #[inline]
        fn get(self, __index: __rntuple::usize) -> __rntuple::Option<Self::One> {
            let (__number, __position) = __rntuple::SwitchSlice::get(
                self.switches,
                __index,
            )?;
            match __number {
                0 => {
                    __rntuple::Some(LentShape::Circle {
                        radius: __rntuple::Slice::get(self.circle_radius, __position)?,
                    })
                }
                1 => {
                    __rntuple::Some(LentShape::Polygon {
                        0: __rntuple::Slice::get(self.polygon, __position)?,
                    })
                }
                2 => {
                    __rntuple::Some(LentShape::Pair {
                        0: __rntuple::Slice::get(self.pair_0, __position)?,
                        1: __rntuple::Slice::get(self.pair_1, __position)?,
                    })
                }
                3 => __rntuple::Some(LentShape::Nothing {}),
                _ => __rntuple::Some(LentShape::Unknown {}),
            }
        }
        #[inline]
        fn part(
            self,
            __range: __rntuple::Range<__rntuple::usize>,
        ) -> __rntuple::Option<Self> {
            let switches = __rntuple::SwitchSlice::part(self.switches, __range)?;
            __rntuple::Some(Self {
                switches,
                circle_radius: self.circle_radius,
                polygon: self.polygon,
                pair_0: self.pair_0,
                pair_1: self.pair_1,
            })
        }
        #[inline]
        fn array<const __N: __rntuple::usize>(self) -> __rntuple::Option<Self> {
            if __rntuple::Slice::len(self) == __N {
                __rntuple::Some(self)
            } else {
                __rntuple::None
            }
        }
        fn check(self) -> __rntuple::Result<()> {
            __rntuple::SwitchSlice::check(
                self.switches,
                "circle_radius",
                0,
                self.circle_radius,
            )?;
            __rntuple::SwitchSlice::check(self.switches, "polygon", 1, self.polygon)?;
            __rntuple::SwitchSlice::check(self.switches, "pair_0", 2, self.pair_0)?;
            __rntuple::SwitchSlice::check(self.switches, "pair_1", 2, self.pair_1)?;
            __rntuple::Ok(())
        }
    }
    #[allow(dead_code)]
    impl<'a> LentShapes<'a> {
        /// Returns the number of values.
        #[inline]
        fn len(self) -> __rntuple::usize {
            __rntuple::Slice::len(self)
        }
        /// Returns whether there are no values.
        #[inline]
        fn is_empty(self) -> __rntuple::bool {
            __rntuple::Slice::is_empty(self)
        }
        /// Returns value `index`; `None` after the last one.
        #[inline]
        fn get(self, index: __rntuple::usize) -> __rntuple::Option<LentShape<'a>> {
            __rntuple::Slice::get(self, index)
        }
        /// Iterates over the values in order.
        #[inline]
        fn iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    #[automatically_derived]
    impl<'a> __rntuple::IntoIterator for LentShapes<'a> {
        type Item = LentShape<'a>;
        type IntoIter = __rntuple::Iter<Self>;
        #[inline]
        fn into_iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    #[automatically_derived]
    impl __rntuple::Columnar for Shape {
        type Columns = Shapes;
        #[inline]
        fn push_to(&self, __columns: &mut Self::Columns) {
            let __number = match self {
                Shape::Circle { radius: __m__0_radius, .. } => {
                    <f32 as __rntuple::Columnar>::push_to(
                        __m__0_radius,
                        &mut __columns.circle_radius,
                    );
                    0
                }
                Shape::Polygon { 0: __m__1_0, .. } => {
                    __rntuple::Rows::push(&mut __columns.polygon, __m__1_0);
                    1
                }
                Shape::Pair { 0: __m__2_0, 1: __m__2_1, .. } => {
                    <u8 as __rntuple::Columnar>::push_to(
                        __m__2_0,
                        &mut __columns.pair_0,
                    );
                    <f64 as __rntuple::Columnar>::push_to(
                        __m__2_1,
                        &mut __columns.pair_1,
                    );
                    2
                }
                Shape::Nothing { .. } => 3,
                Shape::Unknown { .. } => __rntuple::usize::MAX,
            };
            __rntuple::Switches::push(&mut __columns.switches, __number);
        }
    }
    #[automatically_derived]
    impl __rntuple::ReadColumnar for Shape {
        fn read_columns(
            __reader: &mut <Self as __rntuple::ReadField>::Reader,
            __count: __rntuple::usize,
            __out: &mut Self::Columns,
        ) -> __rntuple::Result<()> {
            let mut __left = __count;
            while __left > 0 {
                let __run = __rntuple::VariantReader::next_run(
                    &mut __reader.__switch,
                    __left,
                    true,
                    &mut __out.switches,
                )?;
                let __count = __run.counts[0];
                if __count > 0 {
                    if let __rntuple::Some(__position) = __run.jumps[0] {
                        let __to = __rntuple::Position::at(__position);
                        __rntuple::Attach::seek(&mut __reader._0_radius, __to)?;
                    }
                    __rntuple::DefaultReader::read_alternative::<
                        f32,
                    >(&mut __reader._0_radius, __count, &mut __out.circle_radius)?;
                }
                let __count = __run.counts[1];
                if __count > 0 {
                    if let __rntuple::Some(__position) = __run.jumps[1] {
                        let __to = __rntuple::Position::at(__position);
                        __rntuple::Attach::seek(&mut __reader._1_0, __to)?;
                    }
                    for _ in 0..__count {
                        let __value: Vec<(f32, f32)> = match __rntuple::DefaultReader::next(
                            &mut __reader._1_0,
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
                                    __rntuple::DefaultReader::missing(&__reader._1_0),
                                );
                            }
                        };
                        __out.polygon.0.push(__value);
                    }
                }
                let __count = __run.counts[2];
                if __count > 0 {
                    if let __rntuple::Some(__position) = __run.jumps[2] {
                        let __to = __rntuple::Position::at(__position);
                        __rntuple::Attach::seek(&mut __reader._2_0, __to)?;
                        __rntuple::Attach::seek(&mut __reader._2_1, __to)?;
                    }
                    __rntuple::DefaultReader::read_alternative::<
                        u8,
                    >(&mut __reader._2_0, __count, &mut __out.pair_0)?;
                    __rntuple::DefaultReader::read_alternative::<
                        f64,
                    >(&mut __reader._2_1, __count, &mut __out.pair_1)?;
                }
                __left -= __run.count;
            }
            __rntuple::Ok(())
        }
        fn lend<'__lent>(
            __reader: &'__lent mut <Self as __rntuple::ReadField>::Reader,
            __count: __rntuple::usize,
            __spare: &'__lent mut Self::Columns,
        ) -> __rntuple::Result<__rntuple::SliceOf<'__lent, Self>> {
            let __rntuple::Some(__run) = __rntuple::VariantReader::whole_run(
                &mut __reader.__switch,
                __count,
                true,
            )? else {
                __rntuple::Columns::clear(__spare);
                let __out = &mut *__spare;
                let mut __left = __count;
                while __left > 0 {
                    let __run = __rntuple::VariantReader::next_run(
                        &mut __reader.__switch,
                        __left,
                        true,
                        &mut __out.switches,
                    )?;
                    let __count = __run.counts[0];
                    if __count > 0 {
                        if let __rntuple::Some(__position) = __run.jumps[0] {
                            let __to = __rntuple::Position::at(__position);
                            __rntuple::Attach::seek(&mut __reader._0_radius, __to)?;
                        }
                        __rntuple::DefaultReader::read_alternative::<
                            f32,
                        >(&mut __reader._0_radius, __count, &mut __out.circle_radius)?;
                    }
                    let __count = __run.counts[1];
                    if __count > 0 {
                        if let __rntuple::Some(__position) = __run.jumps[1] {
                            let __to = __rntuple::Position::at(__position);
                            __rntuple::Attach::seek(&mut __reader._1_0, __to)?;
                        }
                        for _ in 0..__count {
                            let __value: Vec<(f32, f32)> = match __rntuple::DefaultReader::next(
                                &mut __reader._1_0,
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
                                        __rntuple::DefaultReader::missing(&__reader._1_0),
                                    );
                                }
                            };
                            __out.polygon.0.push(__value);
                        }
                    }
                    let __count = __run.counts[2];
                    if __count > 0 {
                        if let __rntuple::Some(__position) = __run.jumps[2] {
                            let __to = __rntuple::Position::at(__position);
                            __rntuple::Attach::seek(&mut __reader._2_0, __to)?;
                            __rntuple::Attach::seek(&mut __reader._2_1, __to)?;
                        }
                        __rntuple::DefaultReader::read_alternative::<
                            u8,
                        >(&mut __reader._2_0, __count, &mut __out.pair_0)?;
                        __rntuple::DefaultReader::read_alternative::<
                            f64,
                        >(&mut __reader._2_1, __count, &mut __out.pair_1)?;
                    }
                    __left -= __run.count;
                }
                return __rntuple::Ok(__rntuple::Columns::as_slice(__spare));
            };
            if let __rntuple::Some(__position) = __run.jumps[0] {
                let __to = __rntuple::Position::at(__position);
                __rntuple::Attach::seek(&mut __reader._0_radius, __to)?;
            }
            if let __rntuple::Some(__position) = __run.jumps[1] {
                let __to = __rntuple::Position::at(__position);
                __rntuple::Attach::seek(&mut __reader._1_0, __to)?;
            }
            if let __rntuple::Some(__position) = __run.jumps[2] {
                let __to = __rntuple::Position::at(__position);
                __rntuple::Attach::seek(&mut __reader._2_0, __to)?;
                __rntuple::Attach::seek(&mut __reader._2_1, __to)?;
            }
            __rntuple::Ok(LentShapes {
                switches: __rntuple::VariantReader::passed(&__reader.__switch, &__run),
                circle_radius: __rntuple::DefaultReader::lend_alternative::<
                    f32,
                >(&mut __reader._0_radius, __run.counts[0], &mut __spare.circle_radius)?,
                polygon: {
                    __rntuple::Columns::clear(&mut __spare.polygon);
                    for _ in 0..__run.counts[1] {
                        let __value: Vec<(f32, f32)> = match __rntuple::DefaultReader::next(
                            &mut __reader._1_0,
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
                                    __rntuple::DefaultReader::missing(&__reader._1_0),
                                );
                            }
                        };
                        __spare.polygon.0.push(__value);
                    }
                    __rntuple::Columns::as_slice(&__spare.polygon)
                },
                pair_0: __rntuple::DefaultReader::lend_alternative::<
                    u8,
                >(&mut __reader._2_0, __run.counts[2], &mut __spare.pair_0)?,
                pair_1: __rntuple::DefaultReader::lend_alternative::<
                    f64,
                >(&mut __reader._2_1, __run.counts[2], &mut __spare.pair_1)?,
            })
        }
    }
    #[automatically_derived]
    impl __rntuple::WriteColumnar for Shape {
        fn append_columns(
            __writer: &mut <Self as __rntuple::WriteField>::Writer,
            __values: __rntuple::SliceOf<'_, Self>,
        ) -> __rntuple::usize {
            let mut __switched = 0;
            let __ranges = __rntuple::SwitchSlice::append(
                __values.switches,
                &mut __writer.__switch,
                &mut __switched,
            );
            __switched
                + {
                    let mut __length = 0;
                    __length
                        += <f32 as __rntuple::WriteColumnar>::append_columns(
                            &mut __writer._0_radius,
                            __rntuple::cut(__values.circle_radius, &__ranges[0]),
                        );
                    __length
                        += __rntuple::append_converted::<
                            packed::Stored,
                            _,
                        >(
                            &mut __writer._1_0,
                            __rntuple::Iterator::map(
                                __rntuple::cut(__values.polygon, &__ranges[1]).0.iter(),
                                |__value| packed::store(__value),
                            ),
                        );
                    __length
                        += <u8 as __rntuple::WriteColumnar>::append_columns(
                            &mut __writer._2_0,
                            __rntuple::cut(__values.pair_0, &__ranges[2]),
                        );
                    __length
                        += <f64 as __rntuple::WriteColumnar>::append_columns(
                            &mut __writer._2_1,
                            __rntuple::cut(__values.pair_1, &__ranges[2]),
                        );
                    __length
                }
        }
    }
};
///Many [`Shape`], column by column.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
struct Shapes {
    /// Which alternatives the values have.
    pub switches: ::rntuple::__private_0_1::Switches<4usize>,
    ///`radius` of [`Shape`].
    circle_radius: ::rntuple::__private_0_1::ColumnsOf<f32>,
    ///`_0` of [`Shape`].
    polygon: ::rntuple::__private_0_1::RowsOf<Vec<(f32, f32)>>,
    ///`_0` of [`Shape`].
    pair_0: ::rntuple::__private_0_1::ColumnsOf<u8>,
    ///`_1` of [`Shape`].
    pair_1: ::rntuple::__private_0_1::ColumnsOf<f64>,
}
///Many [`Shape`], column by column, lent.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
struct LentShapes<'a> {
    /// Which alternatives the values have.
    pub switches: ::rntuple::__private_0_1::SwitchSlice<'a, 4usize>,
    ///`radius` of [`Shape`].
    circle_radius: ::rntuple::__private_0_1::SliceOf<'a, f32>,
    ///`_0` of [`Shape`].
    polygon: ::rntuple::__private_0_1::RowSliceOf<'a, Vec<(f32, f32)>>,
    ///`_0` of [`Shape`].
    pair_0: ::rntuple::__private_0_1::SliceOf<'a, u8>,
    ///`_1` of [`Shape`].
    pair_1: ::rntuple::__private_0_1::SliceOf<'a, f64>,
}
///One [`Shape`] of those in a [`LentShapes`].
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
enum LentShape<'a> {
    ///`Shape::Unknown`
    Unknown,
    ///`Shape::Circle`
    Circle {
        ///`radius` of [`Shape`].
        radius: ::rntuple::__private_0_1::RefOf<'a, f32>,
    },
    ///`Shape::Polygon`
    Polygon(&'a Vec<(f32, f32)>),
    ///`Shape::Pair`
    Pair(
        ::rntuple::__private_0_1::RefOf<'a, u8>,
        ::rntuple::__private_0_1::RefOf<'a, f64>,
    ),
    ///`Shape::Nothing`
    Nothing,
}
