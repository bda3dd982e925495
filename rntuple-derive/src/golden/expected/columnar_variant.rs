// What `variant.rs` does not have.
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
    #[automatically_derived]
    impl<T> __rntuple::Default for Shapes<T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn default() -> Self {
            Self {
                switches: __rntuple::Default::default(),
                circle_radius: __rntuple::Default::default(),
                polygon: __rntuple::Default::default(),
                pair_0: __rntuple::Default::default(),
                pair_1: __rntuple::Default::default(),
                __of: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::Clone for Shapes<T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn clone(&self) -> Self {
            Self {
                switches: __rntuple::Clone::clone(&self.switches),
                circle_radius: __rntuple::Clone::clone(&self.circle_radius),
                polygon: __rntuple::Clone::clone(&self.polygon),
                pair_0: __rntuple::Clone::clone(&self.pair_0),
                pair_1: __rntuple::Clone::clone(&self.pair_1),
                __of: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::fmt::Debug for Shapes<T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            __rntuple::fmt_slice(__rntuple::Columns::as_slice(self), __f)
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::Columns for Shapes<T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        type Slice<'a> = LentShapes<'a, T>;
        const UNCOUNTED: __rntuple::usize = {
            let mut __sum = 0;
            __sum += <__rntuple::ColumnsOf<T> as __rntuple::Columns>::UNCOUNTED;
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
                __of: __rntuple::PhantomData,
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
    impl<T> Shapes<T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
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
        fn push(&mut self, value: &Shape<T>) {
            __rntuple::Columnar::push_to(value, self);
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::Copy for LentShapes<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {}
    #[automatically_derived]
    impl<'a, T> __rntuple::Clone for LentShapes<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::Copy for LentShape<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {}
    #[automatically_derived]
    impl<'a, T> __rntuple::Clone for LentShape<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::fmt::Debug for LentShapes<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            __rntuple::fmt_slice(*self, __f)
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::fmt::Debug for LentShape<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
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
    impl<'a, T> __rntuple::Slice for LentShapes<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        type One = LentShape<'a, T>;
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
                __of: __rntuple::PhantomData,
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
    impl<'a, T> LentShapes<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
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
        fn get(self, index: __rntuple::usize) -> __rntuple::Option<LentShape<'a, T>> {
            __rntuple::Slice::get(self, index)
        }
        /// Iterates over the values in order.
        #[inline]
        fn iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::IntoIterator for LentShapes<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        type Item = LentShape<'a, T>;
        type IntoIter = __rntuple::Iter<Self>;
        #[inline]
        fn into_iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::Columnar for Shape<T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        type Columns = Shapes<T>;
        #[inline]
        fn push_to(&self, __columns: &mut Self::Columns) {
            let __number = match self {
                Shape::Circle { radius: __m__0_radius, .. } => {
                    <T as __rntuple::Columnar>::push_to(
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
    impl<T> __rntuple::ReadColumnar for Shape<T>
    where
        T: __rntuple::ReadField,
        T: __rntuple::ReadColumnar,
        T: 'static,
    {
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
                        T,
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
                            T,
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
                    T,
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
                __of: __rntuple::PhantomData,
            })
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::WriteColumnar for Shape<T>
    where
        T: __rntuple::WriteField,
        T: __rntuple::WriteColumnar,
        T: 'static,
    {
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
                        += <T as __rntuple::WriteColumnar>::append_columns(
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
struct Shapes<T>
where
    T: ::physics::rntuple::__private_0_1::Columnar,
    T: 'static,
{
    /// Which alternatives the values have.
    pub switches: ::physics::rntuple::__private_0_1::Switches<4usize>,
    ///`radius` of [`Shape`].
    circle_radius: ::physics::rntuple::__private_0_1::ColumnsOf<T>,
    ///`_0` of [`Shape`].
    polygon: ::physics::rntuple::__private_0_1::RowsOf<Vec<(f32, f32)>>,
    ///`_0` of [`Shape`].
    pair_0: ::physics::rntuple::__private_0_1::ColumnsOf<u8>,
    ///`_1` of [`Shape`].
    pair_1: ::physics::rntuple::__private_0_1::ColumnsOf<f64>,
    #[doc(hidden)]
    pub __of: ::physics::rntuple::__private_0_1::PhantomData<fn() -> (T,)>,
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
struct LentShapes<'a, T>
where
    T: ::physics::rntuple::__private_0_1::Columnar,
    T: 'static,
{
    /// Which alternatives the values have.
    pub switches: ::physics::rntuple::__private_0_1::SwitchSlice<'a, 4usize>,
    ///`radius` of [`Shape`].
    circle_radius: ::physics::rntuple::__private_0_1::SliceOf<'a, T>,
    ///`_0` of [`Shape`].
    polygon: ::physics::rntuple::__private_0_1::RowSliceOf<'a, Vec<(f32, f32)>>,
    ///`_0` of [`Shape`].
    pair_0: ::physics::rntuple::__private_0_1::SliceOf<'a, u8>,
    ///`_1` of [`Shape`].
    pair_1: ::physics::rntuple::__private_0_1::SliceOf<'a, f64>,
    #[doc(hidden)]
    pub __of: ::physics::rntuple::__private_0_1::PhantomData<fn() -> (T,)>,
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
enum LentShape<'a, T>
where
    T: ::physics::rntuple::__private_0_1::Columnar,
    T: 'static,
{
    ///`Shape::Unknown`
    Unknown,
    ///`Shape::Circle`
    Circle {
        ///`radius` of [`Shape`].
        radius: ::physics::rntuple::__private_0_1::RefOf<'a, T>,
    },
    ///`Shape::Polygon`
    Polygon(&'a Vec<(f32, f32)>),
    ///`Shape::Pair`
    Pair(
        ::physics::rntuple::__private_0_1::RefOf<'a, u8>,
        ::physics::rntuple::__private_0_1::RefOf<'a, f64>,
    ),
    ///`Shape::Nothing`
    Nothing,
}
