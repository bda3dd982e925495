///One [`Shape`], lent from decoded pages.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
enum Lent<'a, T>
where
    T: ::rntuple::__private::Borrowed,
    T: 'static,
{
    ///`Shape::Unknown`
    Unknown,
    ///`Shape::Circle`
    Circle {
        ///`radius` of [`Shape`]
        radius: <T as ::rntuple::__private::Borrowed>::Ref<'a>,
    },
    ///`Shape::Polygon`
    Polygon(&'a Vec<(f32, f32)>),
    ///`Shape::Nothing`
    Nothing,
}
///Many [`Shape`], lent from decoded pages.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
struct Lents<'a, T>
where
    T: ::rntuple::__private::Borrowed,
    T: 'static,
{
    __switches: ::rntuple::__private::LentSwitches<'a, 3>,
    _0_radius: <T as ::rntuple::__private::Borrowed>::Slice<'a>,
    _1_0: &'a [Vec<(f32, f32)>],
    __of: ::rntuple::__private::PhantomData<&'a fn() -> Shape<T>>,
}
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
    use ::rntuple::__private as __rntuple;
    struct __ShapeWriter<__W0> {
        __switch: __rntuple::VariantWriter<[__rntuple::u64; 3usize]>,
        _0_radius: __W0,
        _1_0: <packed::Stored as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__W0: __rntuple::Commit> __rntuple::Commit for __ShapeWriter<__W0> {
        fn commit(
            &mut self,
            __cluster: &mut __rntuple::Gathered,
        ) -> __rntuple::Result<()> {
            __rntuple::VariantWriter::commit(&mut self.__switch, __cluster)?;
            __rntuple::Commit::commit(&mut self._0_radius, __cluster)?;
            __rntuple::Commit::commit(&mut self._1_0, __cluster)?;
            __rntuple::Ok(())
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
                Shape::Nothing { .. } => {
                    let mut __length = __rntuple::VariantWriter::append(
                        &mut self.__switch,
                        2,
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
                                "::Nothing",
                            ],
                        ),
                    ),
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
            let () = {
                let mut __alternative = __rntuple::FieldBuilder::description(
                    __rntuple::FieldBuilder::subfield(__field, "_2"),
                    "Nothing",
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
                                "::Nothing",
                            ],
                        ),
                    ),
                );
                ()
            };
            __ShapeWriter {
                __switch,
                _0_radius: __m__0_radius,
                _1_0: __m__1_0,
                __rntuple_end: (),
            }
        }
    }
    struct __ShapeReader<__R0, __Rows> {
        __switch: __rntuple::VariantReader<[__rntuple::u64; 3usize]>,
        _0_radius: __rntuple::DefaultReader<__R0>,
        _1_0: __rntuple::DefaultReader<
            __rntuple::PlacedReader<<packed::Stored as __rntuple::ReadField>::Reader>,
        >,
        __rows: __Rows,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__R0: __rntuple::Attach, __Rows> __rntuple::Attach
    for __ShapeReader<__R0, __Rows> {
        fn attach(&mut self, __cluster: &__rntuple::Cluster) -> __rntuple::Result<()> {
            __rntuple::VariantReader::attach(&mut self.__switch, __cluster)?;
            __rntuple::Attach::attach(&mut self._0_radius, __cluster)?;
            __rntuple::Attach::attach(&mut self._1_0, __cluster)?;
            __rntuple::Ok(())
        }
        fn seek(&mut self, __position: __rntuple::u64) -> __rntuple::Result<()> {
            __rntuple::VariantReader::seek(&mut self.__switch, __position)
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            __rntuple::VariantReader::remaining(&self.__switch)
        }
    }
    #[automatically_derived]
    impl<T, __R0: __rntuple::FieldReader<T>, __Rows> __rntuple::FieldReader<Shape<T>>
    for __ShapeReader<__R0, __Rows> {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Shape<T>> {
            let __active = __rntuple::VariantReader::next_or_other(&mut self.__switch)?;
            match __active.number {
                0 => {
                    if let __rntuple::Some(__position) = __active.jump {
                        __rntuple::Attach::seek(&mut self._0_radius, __position)?;
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
                        __rntuple::Attach::seek(&mut self._1_0, __position)?;
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
                2 => __rntuple::Ok(Shape::Nothing {}),
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
        type Reader = __ShapeReader<
            <T as __rntuple::ReadField>::Reader,
            (__rntuple::LentRows<Vec<(f32, f32)>>,),
        >;
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
                            wanted: "T",
                            has_default: false,
                            is_option: <T as __rntuple::ReadField>::IS_OPTION,
                        },
                        |__member| <T as __rntuple::ReadField>::connect(__member),
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
                    "the record `Shape::Nothing`",
                ),
                |__record| { __rntuple::Ok(()) },
            );
            let (__tried, __error) = '__told: {
                let __switch = match __rntuple::VariantReader::connect(
                    __field,
                    ["Circle", "Polygon", "Nothing"],
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
                let () = match __alternative_2() {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (4, __error),
                };
                return __rntuple::Ok(__ShapeReader {
                    __switch,
                    _0_radius: __m__0_radius,
                    _1_0: __m__1_0,
                    __rows: (__rntuple::LentRows::new(),),
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
            __rntuple::Err(__error)
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::Copy for Lent<'a, T>
    where
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {}
    #[automatically_derived]
    impl<'a, T> __rntuple::Clone for Lent<'a, T>
    where
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::Copy for Lents<'a, T>
    where
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {}
    #[automatically_derived]
    impl<'a, T> __rntuple::Clone for Lents<'a, T>
    where
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<'a, T> __rntuple::fmt::Debug for Lent<'a, T>
    where
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            match self {
                Lent::Unknown {} => {
                    let mut __debug = __rntuple::fmt::Formatter::debug_struct(
                        __f,
                        "Unknown",
                    );
                    let __debug = &mut __debug;
                    __debug.finish()
                }
                Lent::Circle { radius: __m_radius } => {
                    let mut __debug = __rntuple::fmt::Formatter::debug_struct(
                        __f,
                        "Circle",
                    );
                    let __debug = &mut __debug;
                    let __debug = __debug.field("radius", __m_radius);
                    __debug.finish()
                }
                Lent::Polygon { 0: _ } => {
                    let mut __debug = __rntuple::fmt::Formatter::debug_tuple(
                        __f,
                        "Polygon",
                    );
                    let __debug = &mut __debug;
                    __debug.finish_non_exhaustive()
                }
                Lent::Nothing {} => {
                    let mut __debug = __rntuple::fmt::Formatter::debug_struct(
                        __f,
                        "Nothing",
                    );
                    let __debug = &mut __debug;
                    __debug.finish()
                }
            }
        }
    }
    impl<'a, T> __rntuple::Many for Lents<'a, T>
    where
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {
        type One = Lent<'a, T>;
        type Array<const __N: __rntuple::usize> = Self;
        #[inline]
        fn empty() -> Self {
            Self {
                __switches: __rntuple::LentSwitches::empty(),
                _0_radius: __rntuple::Many::empty(),
                _1_0: &[],
                __of: __rntuple::PhantomData,
            }
        }
        #[inline]
        fn len(self) -> __rntuple::usize {
            __rntuple::LentSwitches::count(self.__switches)
        }
        #[inline]
        fn get(self, __index: __rntuple::usize) -> __rntuple::Option<Self::One> {
            let (__number, __index) = __rntuple::LentSwitches::at(
                self.__switches,
                __index,
            )?;
            match __number {
                0 => {
                    __rntuple::Some(Lent::Circle {
                        radius: __rntuple::Many::get(self._0_radius, __index)?,
                    })
                }
                1 => {
                    __rntuple::Some(Lent::Polygon {
                        0: <[_]>::get(self._1_0, __index)?,
                    })
                }
                2 => __rntuple::Some(Lent::Nothing {}),
                _ => __rntuple::Some(Lent::Unknown {}),
            }
        }
        #[inline]
        fn part(
            self,
            __range: __rntuple::Range<__rntuple::usize>,
        ) -> __rntuple::Option<Self> {
            let __switches = __rntuple::LentSwitches::part(self.__switches, __range)?;
            __rntuple::Some(Self {
                __switches,
                _0_radius: self._0_radius,
                _1_0: self._1_0,
                __of: __rntuple::PhantomData,
            })
        }
        #[inline]
        fn array<const __N: __rntuple::usize>(self) -> __rntuple::Option<Self> {
            if __rntuple::Many::len(self) == __N {
                __rntuple::Some(self)
            } else {
                __rntuple::None
            }
        }
    }
    #[allow(dead_code)]
    impl<'a, T> Lents<'a, T>
    where
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {
        /// The number of values.
        #[inline]
        fn len(self) -> __rntuple::usize {
            __rntuple::Many::len(self)
        }
        /// Whether there are none.
        #[inline]
        fn is_empty(self) -> __rntuple::bool {
            __rntuple::Many::is_empty(self)
        }
        /// Value `index`; `None` beyond the last.
        #[inline]
        fn get(self, index: __rntuple::usize) -> __rntuple::Option<Lent<'a, T>> {
            __rntuple::Many::get(self, index)
        }
        /// The values in order.
        #[inline]
        fn iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    impl<'a, T> __rntuple::IntoIterator for Lents<'a, T>
    where
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {
        type Item = Lent<'a, T>;
        type IntoIter = __rntuple::Iter<Self>;
        #[inline]
        fn into_iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    impl<'a, T> __rntuple::fmt::Debug for Lents<'a, T>
    where
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            __rntuple::fmt_many(*self, __f)
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::Borrowed for Shape<T>
    where
        T: __rntuple::ReadField,
        T: ::rntuple::__private::Borrowed,
        T: 'static,
    {
        type Ref<'a> = Lent<'a, T>;
        type Slice<'a> = Lents<'a, T>;
        #[inline]
        #[allow(unused_variables)]
        fn borrow(
            __columns: &mut <Self as __rntuple::ReadField>::Reader,
        ) -> __rntuple::Result<Self::Ref<'_>> {
            let __active = __rntuple::VariantReader::next_or_other(
                &mut __columns.__switch,
            )?;
            match __active.number {
                0 => {
                    if let __rntuple::Some(__position) = __active.jump {
                        __rntuple::Attach::seek(&mut __columns._0_radius, __position)?;
                    }
                    let __m__0_radius = <T as __rntuple::Borrowed>::borrow(
                        __rntuple::DefaultReader::present(&mut __columns._0_radius)?,
                    )?;
                    __rntuple::Ok(Lent::Circle {
                        radius: __m__0_radius,
                    })
                }
                1 => {
                    if let __rntuple::Some(__position) = __active.jump {
                        __rntuple::Attach::seek(&mut __columns._1_0, __position)?;
                    }
                    let __m__1_0 = {
                        let __value: Vec<(f32, f32)> = match __rntuple::DefaultReader::next(
                            &mut __columns._1_0,
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
                                    __rntuple::DefaultReader::missing(&__columns._1_0),
                                );
                            }
                        };
                        __rntuple::LentRows::keep(&mut __columns.__rows.0, __value)
                    };
                    __rntuple::Ok(Lent::Polygon { 0: __m__1_0 })
                }
                2 => __rntuple::Ok(Lent::Nothing {}),
                _ => __rntuple::Ok(Lent::Unknown {}),
            }
        }
        #[inline]
        #[allow(unused_variables)]
        fn borrow_many(
            __columns: &mut <Self as __rntuple::ReadField>::Reader,
            __count: __rntuple::usize,
        ) -> __rntuple::Result<Self::Slice<'_>> {
            let (__switches, [__span_0, __span_1, __span_2]) = __rntuple::VariantReader::next_many(
                &mut __columns.__switch,
                __count,
                true,
            )?;
            if let __rntuple::Some(__position) = __span_0.jump {
                __rntuple::Attach::seek(&mut __columns._0_radius, __position)?;
            }
            let __m__0_radius = match __span_0.count {
                0 => __rntuple::Many::empty(),
                __count => {
                    <T as __rntuple::Borrowed>::borrow_many(
                        __rntuple::DefaultReader::spanned(
                            &mut __columns._0_radius,
                            &__span_0,
                        )?,
                        __count,
                    )?
                }
            };
            if let __rntuple::Some(__position) = __span_1.jump {
                __rntuple::Attach::seek(&mut __columns._1_0, __position)?;
            }
            let __m__1_0 = match __span_1.count {
                0 => &[][..],
                __count => {
                    let _ = __rntuple::DefaultReader::spanned(
                        &mut __columns._1_0,
                        &__span_1,
                    )?;
                    {
                        __rntuple::LentRows::clear(&mut __columns.__rows.0);
                        let mut __left: __rntuple::usize = __count;
                        while __left > 0 {
                            let __value: Vec<(f32, f32)> = match __rntuple::DefaultReader::next(
                                &mut __columns._1_0,
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
                                        __rntuple::DefaultReader::missing(&__columns._1_0),
                                    );
                                }
                            };
                            __rntuple::LentRows::push(&mut __columns.__rows.0, __value);
                            __left -= 1;
                        }
                        __rntuple::LentRows::list(&__columns.__rows.0)
                    }
                }
            };
            __rntuple::Ok(Lents {
                __switches,
                _0_radius: __m__0_radius,
                _1_0: __m__1_0,
                __of: __rntuple::PhantomData,
            })
        }
    }
};
