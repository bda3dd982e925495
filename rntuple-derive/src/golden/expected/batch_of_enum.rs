///Many values of [`Shape::Rectangle`].
struct ShapesRectangle {
    width: <f64 as ::rntuple::__private::Batched>::Batch,
    height: <f64 as ::rntuple::__private::Batched>::Batch,
    /// The number of values.
    __rntuple_len: ::rntuple::__private::usize,
    __rntuple_end: ::rntuple::__private::PhantomData<fn() -> ()>,
}
///Many values of [`Shape`], those of each alternative by themselves.
struct Shapes {
    __rntuple_switch: ::rntuple::__private::Switches<3usize>,
    _1: <f32 as ::rntuple::__private::Batched>::Batch,
    _2: ShapesRectangle,
    __rntuple_end: ::rntuple::__private::PhantomData<fn() -> ()>,
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
    struct __ShapeReader {
        __switch: __rntuple::VariantReader<[__rntuple::u64; 3usize]>,
        _1_0: __rntuple::DefaultReader<<f32 as __rntuple::ReadField>::Reader>,
        _2_width: __rntuple::DefaultReader<<f64 as __rntuple::ReadField>::Reader>,
        _2_height: __rntuple::DefaultReader<<f64 as __rntuple::ReadField>::Reader>,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Attach for __ShapeReader {
        fn attach(&mut self, __cluster: &__rntuple::Cluster) -> __rntuple::Result<()> {
            __rntuple::VariantReader::attach(&mut self.__switch, __cluster)?;
            __rntuple::Attach::attach(&mut self._1_0, __cluster)?;
            __rntuple::Attach::attach(&mut self._2_width, __cluster)?;
            __rntuple::Attach::attach(&mut self._2_height, __cluster)?;
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
    impl __rntuple::FieldReader<Shape> for __ShapeReader {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Shape> {
            let __active = __rntuple::VariantReader::next(&mut self.__switch)?;
            match __active.number {
                0 => __rntuple::Ok(Shape::Point {}),
                1 => {
                    if let __rntuple::Some(__position) = __active.jump {
                        __rntuple::Attach::seek(&mut self._1_0, __position)?;
                    }
                    let __m__1_0 = match __rntuple::DefaultReader::next(
                        &mut self._1_0,
                    )? {
                        __rntuple::Some(__reader) => {
                            __rntuple::FieldReader::<f32>::read(__reader)?
                        }
                        __rntuple::None => {
                            return __rntuple::Err(
                                __rntuple::DefaultReader::missing(&self._1_0),
                            );
                        }
                    };
                    __rntuple::Ok(Shape::Circle { 0: __m__1_0 })
                }
                _ => {
                    if let __rntuple::Some(__position) = __active.jump {
                        __rntuple::Attach::seek(&mut self._2_width, __position)?;
                        __rntuple::Attach::seek(&mut self._2_height, __position)?;
                    }
                    let __m__2_width = match __rntuple::DefaultReader::next(
                        &mut self._2_width,
                    )? {
                        __rntuple::Some(__reader) => {
                            __rntuple::FieldReader::<f64>::read(__reader)?
                        }
                        __rntuple::None => {
                            return __rntuple::Err(
                                __rntuple::DefaultReader::missing(&self._2_width),
                            );
                        }
                    };
                    let __m__2_height = match __rntuple::DefaultReader::next(
                        &mut self._2_height,
                    )? {
                        __rntuple::Some(__reader) => {
                            __rntuple::FieldReader::<f64>::read(__reader)?
                        }
                        __rntuple::None => {
                            return __rntuple::Err(
                                __rntuple::DefaultReader::missing(&self._2_height),
                            );
                        }
                    };
                    __rntuple::Ok(Shape::Rectangle {
                        width: __m__2_width,
                        height: __m__2_height,
                    })
                }
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
                    "the record `Shape::Point`",
                ),
                |__record| { __rntuple::Ok(()) },
            );
            let __alternative_1 = || {
                let __place = __rntuple::FieldNode::place_of(__field, "_1");
                __rntuple::Result::map(
                    __rntuple::DefaultReader::connect(
                        __place,
                        __rntuple::Lack {
                            names: &["_1"],
                            wanted: "f32",
                            has_default: false,
                            is_option: <f32 as __rntuple::ReadField>::IS_OPTION,
                        },
                        |__member| <f32 as __rntuple::ReadField>::connect(__member),
                    ),
                    |__columns| (__columns,),
                )
            };
            let __alternative_2 = || __rntuple::Result::and_then(
                __rntuple::FieldNode::expect(
                    __rntuple::FieldNode::alternative(__field, "_2"),
                    __rntuple::Role::Record,
                    "the record `Shape::Rectangle`",
                ),
                |__record| {
                    let (__tried, __error) = '__told: {
                        let __m__2_width = match __rntuple::DefaultReader::connect(
                            __record,
                            __rntuple::Lack {
                                names: &["width"],
                                wanted: "f64",
                                has_default: false,
                                is_option: <f64 as __rntuple::ReadField>::IS_OPTION,
                            },
                            |__member| <f64 as __rntuple::ReadField>::connect(__member),
                        ) {
                            __rntuple::Ok(__columns) => __columns,
                            __rntuple::Err(__error) => break '__told (1, __error),
                        };
                        let __m__2_height = match __rntuple::DefaultReader::connect(
                            __record,
                            __rntuple::Lack {
                                names: &["height"],
                                wanted: "f64",
                                has_default: false,
                                is_option: <f64 as __rntuple::ReadField>::IS_OPTION,
                            },
                            |__member| <f64 as __rntuple::ReadField>::connect(__member),
                        ) {
                            __rntuple::Ok(__columns) => __columns,
                            __rntuple::Err(__error) => break '__told (2, __error),
                        };
                        return __rntuple::Ok((__m__2_width, __m__2_height));
                    };
                    let __rest: &[__rntuple::Teller] = &[
                        (
                            "",
                            "",
                            |__record: __rntuple::FieldNode<'_>, _: &_, _: &_| {
                                let __also = __rntuple::DefaultReader::connect(
                                    __record,
                                    __rntuple::Lack {
                                        names: &["height"],
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
            let (__tried, __error) = '__told: {
                let __switch = match __rntuple::VariantReader::connect(
                    __field,
                    ["Point", "Circle", "Rectangle"],
                    false,
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (1, __error),
                };
                let () = match __alternative_0() {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (2, __error),
                };
                let (__m__1_0,) = match __alternative_1() {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (3, __error),
                };
                let (__m__2_width, __m__2_height) = match __alternative_2() {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (4, __error),
                };
                return __rntuple::Ok(__ShapeReader {
                    __switch,
                    _1_0: __m__1_0,
                    _2_width: __m__2_width,
                    _2_height: __m__2_height,
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
    impl __rntuple::Default for ShapesRectangle {
        fn default() -> Self {
            Self {
                width: __rntuple::Default::default(),
                height: __rntuple::Default::default(),
                __rntuple_len: 0,
                __rntuple_end: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl __rntuple::Clone for ShapesRectangle
    where
        for<'__any> <f64 as __rntuple::Batched>::Batch: __rntuple::Clone,
        for<'__any> <f64 as __rntuple::Batched>::Batch: __rntuple::Clone,
    {
        fn clone(&self) -> Self {
            Self {
                width: __rntuple::Clone::clone(&self.width),
                height: __rntuple::Clone::clone(&self.height),
                __rntuple_len: self.__rntuple_len,
                __rntuple_end: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl __rntuple::PartialEq for ShapesRectangle
    where
        for<'__any> <f64 as __rntuple::Batched>::Batch: __rntuple::PartialEq,
        for<'__any> <f64 as __rntuple::Batched>::Batch: __rntuple::PartialEq,
    {
        fn eq(&self, __other: &Self) -> __rntuple::bool {
            self.__rntuple_len == __other.__rntuple_len
                && __rntuple::PartialEq::eq(&self.width, &__other.width)
                && __rntuple::PartialEq::eq(&self.height, &__other.height)
        }
    }
    #[automatically_derived]
    impl __rntuple::fmt::Debug for ShapesRectangle
    where
        for<'__any> <f64 as __rntuple::Batched>::Batch: __rntuple::fmt::Debug,
        for<'__any> <f64 as __rntuple::Batched>::Batch: __rntuple::fmt::Debug,
    {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            let mut __f = __rntuple::fmt::Formatter::debug_struct(
                __f,
                "ShapesRectangle",
            );
            __rntuple::fmt::DebugStruct::field(&mut __f, "width", &self.width);
            __rntuple::fmt::DebugStruct::field(&mut __f, "height", &self.height);
            __rntuple::fmt::DebugStruct::finish(&mut __f)
        }
    }
    #[allow(dead_code)]
    impl ShapesRectangle {
        ///`width` of all values.
        #[inline]
        fn width(
            &self,
        ) -> <<f64 as __rntuple::Batched>::Batch as __rntuple::Batch>::View<'_> {
            __rntuple::Batch::view(&self.width)
        }
        ///`height` of all values.
        #[inline]
        fn height(
            &self,
        ) -> <<f64 as __rntuple::Batched>::Batch as __rntuple::Batch>::View<'_> {
            __rntuple::Batch::view(&self.height)
        }
    }
    #[automatically_derived]
    impl __rntuple::Batch for ShapesRectangle {
        type View<'__view> = &'__view Self where Self: '__view;
        fn len(&self) -> __rntuple::usize {
            self.__rntuple_len
        }
        fn clear(&mut self) {
            self.__rntuple_len = 0;
            __rntuple::Batch::clear(&mut self.width);
            __rntuple::Batch::clear(&mut self.height);
        }
        fn view(&self) -> Self::View<'_> {
            self
        }
    }
    #[automatically_derived]
    impl __rntuple::Default for Shapes {
        fn default() -> Self {
            Self {
                __rntuple_switch: __rntuple::Default::default(),
                _1: __rntuple::Default::default(),
                _2: __rntuple::Default::default(),
                __rntuple_end: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl __rntuple::Clone for Shapes
    where
        for<'__any> <f32 as __rntuple::Batched>::Batch: __rntuple::Clone,
        for<'__any> ShapesRectangle: __rntuple::Clone,
    {
        fn clone(&self) -> Self {
            Self {
                __rntuple_switch: __rntuple::Clone::clone(&self.__rntuple_switch),
                _1: __rntuple::Clone::clone(&self._1),
                _2: __rntuple::Clone::clone(&self._2),
                __rntuple_end: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl __rntuple::PartialEq for Shapes
    where
        for<'__any> <f32 as __rntuple::Batched>::Batch: __rntuple::PartialEq,
        for<'__any> ShapesRectangle: __rntuple::PartialEq,
    {
        fn eq(&self, __other: &Self) -> __rntuple::bool {
            __rntuple::PartialEq::eq(&self.__rntuple_switch, &__other.__rntuple_switch)
                && __rntuple::PartialEq::eq(&self._1, &__other._1)
                && __rntuple::PartialEq::eq(&self._2, &__other._2)
        }
    }
    #[automatically_derived]
    impl __rntuple::fmt::Debug for Shapes
    where
        for<'__any> <f32 as __rntuple::Batched>::Batch: __rntuple::fmt::Debug,
        for<'__any> ShapesRectangle: __rntuple::fmt::Debug,
    {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            let mut __f = __rntuple::fmt::Formatter::debug_struct(__f, "Shapes");
            __rntuple::fmt::DebugStruct::field(
                &mut __f,
                "tags",
                &__rntuple::Switches::tags(&self.__rntuple_switch),
            );
            __rntuple::fmt::DebugStruct::field(&mut __f, "circle", &self._1);
            __rntuple::fmt::DebugStruct::field(&mut __f, "rectangle", &self._2);
            __rntuple::fmt::DebugStruct::finish(&mut __f)
        }
    }
    #[allow(dead_code)]
    impl Shapes {
        /// The number of values.
        #[inline]
        fn len(&self) -> __rntuple::usize {
            __rntuple::Batch::len(self)
        }
        /// Whether there are no values.
        #[inline]
        fn is_empty(&self) -> __rntuple::bool {
            __rntuple::Batch::len(self) == 0
        }
        /// Takes all values out; the memory stays for those to come.
        fn clear(&mut self) {
            __rntuple::Batch::clear(self);
        }
        /// Adds a value.
        fn push(&mut self, __value: &Shape) {
            __rntuple::Batched::push_to(__value, self);
        }
    }
    #[allow(dead_code)]
    impl Shapes {
        /// The number of each value's alternative.
        #[inline]
        fn tags(&self) -> &[__rntuple::u8] {
            __rntuple::Switches::tags(&self.__rntuple_switch)
        }
        /// The position of each value among those of its alternative.
        #[inline]
        fn positions(&self) -> &[__rntuple::u64] {
            __rntuple::Switches::positions(&self.__rntuple_switch)
        }
        ///The values of alternative 1, `Circle`.
        #[inline]
        fn circle(
            &self,
        ) -> <<f32 as __rntuple::Batched>::Batch as __rntuple::Batch>::View<'_> {
            __rntuple::Batch::view(&self._1)
        }
        ///The values of alternative 2, `Rectangle`.
        #[inline]
        fn rectangle(&self) -> <ShapesRectangle as __rntuple::Batch>::View<'_> {
            __rntuple::Batch::view(&self._2)
        }
    }
    #[automatically_derived]
    impl __rntuple::Batch for Shapes {
        type View<'__view> = &'__view Self where Self: '__view;
        fn len(&self) -> __rntuple::usize {
            __rntuple::Switches::len(&self.__rntuple_switch)
        }
        fn clear(&mut self) {
            __rntuple::Switches::clear(&mut self.__rntuple_switch);
            __rntuple::Batch::clear(&mut self._1);
            __rntuple::Batch::clear(&mut self._2);
        }
        fn view(&self) -> Self::View<'_> {
            self
        }
    }
    #[automatically_derived]
    impl __rntuple::Batched for Shape {
        type Batch = Shapes;
        #[inline]
        fn push_to(&self, __batch: &mut Self::Batch) {
            let __number = match self {
                Shape::Point { .. } => 0,
                Shape::Circle { 0: __m__1_0, .. } => {
                    <f32 as __rntuple::Batched>::push_to(__m__1_0, &mut __batch._1);
                    1
                }
                Shape::Rectangle { width: __m__2_width, height: __m__2_height, .. } => {
                    <f64 as __rntuple::Batched>::push_to(
                        __m__2_width,
                        &mut __batch._2.width,
                    );
                    <f64 as __rntuple::Batched>::push_to(
                        __m__2_height,
                        &mut __batch._2.height,
                    );
                    __batch._2.__rntuple_len += 1;
                    2
                }
            };
            __rntuple::Switches::push(&mut __batch.__rntuple_switch, __number);
        }
    }
    #[automatically_derived]
    impl __rntuple::ReadBatch<Shapes> for __ShapeReader {
        #[allow(unused_variables)]
        fn read_batch(
            &mut self,
            __count: __rntuple::usize,
            __batch: &mut Shapes,
        ) -> __rntuple::Result<()> {
            let mut __runs = __rntuple::Runs::new(__count);
            while __rntuple::Runs::next(
                &mut __runs,
                &mut self.__switch,
                false,
                &mut __batch.__rntuple_switch,
            )? {
                let __count = __runs.counts[1];
                if __count > 0 {
                    if let __rntuple::Some(__position) = __runs.jumps[1] {
                        __rntuple::Attach::seek(&mut self._1_0, __position)?;
                    }
                    __rntuple::DefaultReader::read_batch_of_alternative(
                        &mut self._1_0,
                        __count,
                        &mut __batch._1,
                    )?;
                }
                let __count = __runs.counts[2];
                if __count > 0 {
                    if let __rntuple::Some(__position) = __runs.jumps[2] {
                        __rntuple::Attach::seek(&mut self._2_width, __position)?;
                        __rntuple::Attach::seek(&mut self._2_height, __position)?;
                    }
                    __rntuple::DefaultReader::read_batch_of_alternative(
                        &mut self._2_width,
                        __count,
                        &mut __batch._2.width,
                    )?;
                    __rntuple::DefaultReader::read_batch_of_alternative(
                        &mut self._2_height,
                        __count,
                        &mut __batch._2.height,
                    )?;
                    __batch._2.__rntuple_len += __count;
                }
            }
            __rntuple::Ok(())
        }
    }
};
