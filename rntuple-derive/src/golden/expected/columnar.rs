// What `generic_record.rs` does not have.
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
    impl<T: Copy, const N: usize> __rntuple::Default for TrackColumns<T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn default() -> Self {
            Self {
                pt: __rntuple::Default::default(),
                points: __rntuple::Default::default(),
                charges: __rntuple::Default::default(),
                time: __rntuple::Default::default(),
                quality: __rntuple::Default::default(),
                id: __rntuple::Default::default(),
                __of: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl<T: Copy, const N: usize> __rntuple::Clone for TrackColumns<T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn clone(&self) -> Self {
            Self {
                pt: __rntuple::Clone::clone(&self.pt),
                points: __rntuple::Clone::clone(&self.points),
                charges: __rntuple::Clone::clone(&self.charges),
                time: __rntuple::Clone::clone(&self.time),
                quality: __rntuple::Clone::clone(&self.quality),
                id: __rntuple::Clone::clone(&self.id),
                __of: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl<T: Copy, const N: usize> __rntuple::fmt::Debug for TrackColumns<T, N>
    where
        T: PartialOrd,
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
    impl<T: Copy, const N: usize> __rntuple::Columns for TrackColumns<T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        type Slice<'a> = TrackSlice<'a, T, N>;
        const UNCOUNTED: __rntuple::usize = {
            let mut __sum = 0;
            __sum += <__rntuple::ColumnsOf<T> as __rntuple::Columns>::UNCOUNTED;
            __sum
                += <__rntuple::ColumnsOf<
                    &'static [i8],
                > as __rntuple::Columns>::UNCOUNTED;
            __sum += <__rntuple::RowsOf<Duration> as __rntuple::Columns>::UNCOUNTED;
            __sum += <__rntuple::RowsOf<Uuid> as __rntuple::Columns>::UNCOUNTED;
            __sum
        };
        fn as_slice(&self) -> Self::Slice<'_> {
            TrackSlice {
                pt: __rntuple::Columns::as_slice(&self.pt),
                points: __rntuple::Columns::as_slice(&self.points),
                charges: __rntuple::Columns::as_slice(&self.charges),
                time: __rntuple::Columns::as_slice(&self.time),
                quality: __rntuple::Columns::as_slice(&self.quality),
                id: __rntuple::Columns::as_slice(&self.id),
                __of: __rntuple::PhantomData,
            }
        }
        fn clear(&mut self) {
            __rntuple::Columns::clear(&mut self.pt);
            __rntuple::Columns::clear(&mut self.points);
            __rntuple::Columns::clear(&mut self.charges);
            __rntuple::Columns::clear(&mut self.time);
            __rntuple::Columns::clear(&mut self.quality);
            __rntuple::Columns::clear(&mut self.id);
        }
    }
    #[allow(dead_code)]
    impl<T: Copy, const N: usize> TrackColumns<T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        /// Lends all values.
        pub fn as_slice(&self) -> <Self as __rntuple::Columns>::Slice<'_> {
            __rntuple::Columns::as_slice(self)
        }
        /// Returns the number of values.
        pub fn len(&self) -> __rntuple::usize {
            __rntuple::Columns::len(self)
        }
        /// Returns whether there are no values.
        pub fn is_empty(&self) -> __rntuple::bool {
            __rntuple::Columns::is_empty(self)
        }
        /// Removes all values and keeps the memory.
        pub fn clear(&mut self) {
            __rntuple::Columns::clear(self);
        }
        /// Appends a value.
        pub fn push<'a>(&mut self, value: &Track<'a, T, N>) {
            __rntuple::Columnar::push_to(value, self);
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::Copy for TrackSlice<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {}
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::Clone for TrackSlice<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::Copy for TrackRef<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {}
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::Clone for TrackRef<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::fmt::Debug for TrackSlice<'a, T, N>
    where
        T: PartialOrd,
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
    impl<'a, T: Copy, const N: usize> __rntuple::fmt::Debug for TrackRef<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            let mut __debug = __rntuple::fmt::Formatter::debug_struct(__f, "TrackRef");
            __rntuple::fmt::DebugStruct::field(&mut __debug, "pt", &self.pt);
            __rntuple::fmt::DebugStruct::field(&mut __debug, "points", &self.points);
            __rntuple::fmt::DebugStruct::field(&mut __debug, "charges", &self.charges);
            __rntuple::fmt::DebugStruct::field(
                &mut __debug,
                "time",
                __rntuple::shown(self.time),
            );
            __rntuple::fmt::DebugStruct::field(&mut __debug, "quality", &self.quality);
            __rntuple::fmt::DebugStruct::field(
                &mut __debug,
                "id",
                __rntuple::shown(self.id),
            );
            __rntuple::fmt::DebugStruct::finish(&mut __debug)
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::Slice for TrackSlice<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        type One = TrackRef<'a, T, N>;
        type Array<const __N: __rntuple::usize> = Self;
        #[inline]
        fn len(self) -> __rntuple::usize {
            __rntuple::Slice::len(self.quality)
        }
        #[inline]
        fn get(self, __index: __rntuple::usize) -> __rntuple::Option<Self::One> {
            __rntuple::Some(TrackRef {
                pt: __rntuple::Slice::get(self.pt, __index)?,
                points: __rntuple::Slice::get(self.points, __index)?,
                charges: __rntuple::Slice::get(self.charges, __index)?,
                time: __rntuple::Slice::get(self.time, __index)?,
                quality: __rntuple::Slice::get(self.quality, __index)?,
                id: __rntuple::Slice::get(self.id, __index)?,
                __of: __rntuple::PhantomData,
            })
        }
        #[inline]
        fn part(
            self,
            __range: __rntuple::Range<__rntuple::usize>,
        ) -> __rntuple::Option<Self> {
            __rntuple::Some(Self {
                pt: __rntuple::Slice::part(self.pt, __rntuple::Clone::clone(&__range))?,
                points: __rntuple::Slice::part(
                    self.points,
                    __rntuple::Clone::clone(&__range),
                )?,
                charges: __rntuple::Slice::part(
                    self.charges,
                    __rntuple::Clone::clone(&__range),
                )?,
                time: __rntuple::Slice::part(
                    self.time,
                    __rntuple::Clone::clone(&__range),
                )?,
                quality: __rntuple::Slice::part(
                    self.quality,
                    __rntuple::Clone::clone(&__range),
                )?,
                id: __rntuple::Slice::part(self.id, __rntuple::Clone::clone(&__range))?,
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
            let __count = __rntuple::Slice::len(self);
            __rntuple::check_member("pt", self.pt, __count)?;
            __rntuple::check_member("points", self.points, __count)?;
            __rntuple::check_member("charges", self.charges, __count)?;
            __rntuple::check_member("time", self.time, __count)?;
            __rntuple::check_member("quality", self.quality, __count)?;
            __rntuple::check_member("id", self.id, __count)?;
            __rntuple::Ok(())
        }
    }
    #[allow(dead_code)]
    impl<'a, T: Copy, const N: usize> TrackSlice<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        /// Returns the number of values.
        #[inline]
        pub fn len(self) -> __rntuple::usize {
            __rntuple::Slice::len(self)
        }
        /// Returns whether there are no values.
        #[inline]
        pub fn is_empty(self) -> __rntuple::bool {
            __rntuple::Slice::is_empty(self)
        }
        /// Returns value `index`; `None` after the last one.
        #[inline]
        pub fn get(
            self,
            index: __rntuple::usize,
        ) -> __rntuple::Option<TrackRef<'a, T, N>> {
            __rntuple::Slice::get(self, index)
        }
        /// Iterates over the values in order.
        #[inline]
        pub fn iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::IntoIterator for TrackSlice<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        type Item = TrackRef<'a, T, N>;
        type IntoIter = __rntuple::Iter<Self>;
        #[inline]
        fn into_iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::Columnar for Track<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::Columnar,
        T: 'static,
    {
        type Columns = TrackColumns<T, N>;
        #[inline]
        fn push_to(&self, __columns: &mut Self::Columns) {
            <T as __rntuple::Columnar>::push_to(&self.pt, &mut __columns.pt);
            <Vec<
                [T; N],
            > as __rntuple::Columnar>::push_to(&self.points, &mut __columns.points);
            <&'a [i8] as __rntuple::Columnar>::push_to(
                &self.charges,
                &mut __columns.charges,
            );
            __rntuple::Rows::push(&mut __columns.time, &self.time);
            <u8 as __rntuple::Columnar>::push_to(&self.quality, &mut __columns.quality);
            __rntuple::Rows::push(&mut __columns.id, &self.id);
        }
    }
    #[automatically_derived]
    impl<'a, T: Copy, const N: usize> __rntuple::WriteColumnar for Track<'a, T, N>
    where
        T: PartialOrd,
        T: __rntuple::WriteField,
        T: __rntuple::WriteColumnar,
        T: 'static,
    {
        fn append_columns(
            __writer: &mut <Self as __rntuple::WriteField>::Writer,
            __values: __rntuple::SliceOf<'_, Self>,
        ) -> __rntuple::usize {
            let mut __length = 0;
            __length
                += <T as __rntuple::WriteColumnar>::append_columns(
                    &mut __writer.pt,
                    __values.pt,
                );
            __length
                += <Vec<
                    [T; N],
                > as __rntuple::WriteColumnar>::append_columns(
                    &mut __writer.points,
                    __values.points,
                );
            __length
                += <&'a [i8] as __rntuple::WriteColumnar>::append_columns(
                    &mut __writer.charges,
                    __values.charges,
                );
            __length
                += __rntuple::append_converted::<
                    millis::Stored,
                    _,
                >(
                    &mut __writer.time,
                    __rntuple::Iterator::map(
                        __values.time.0.iter(),
                        |__value| millis::store(__value),
                    ),
                );
            __length
                += <u8 as __rntuple::WriteColumnar>::append_columns(
                    &mut __writer.quality,
                    __values.quality,
                );
            __length
                += __rntuple::FieldWriter::<
                    Uuid,
                >::append_slice(&mut __writer.id, __values.id.0);
            __length
        }
    }
};
///Many [`Track`], column by column.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
pub struct TrackColumns<T: Copy, const N: usize>
where
    T: PartialOrd,
    T: ::rntuple::__private_0_1::Columnar,
    T: 'static,
{
    ///Transverse momentum.
    pub pt: ::rntuple::__private_0_1::ColumnsOf<T>,
    ///`points` of [`Track`].
    points: ::rntuple::__private_0_1::ColumnsOf<Vec<[T; N]>>,
    ///`charges` of [`Track`].
    charges: ::rntuple::__private_0_1::ColumnsOf<&'static [i8]>,
    ///`time` of [`Track`].
    time: ::rntuple::__private_0_1::RowsOf<Duration>,
    ///`id` of [`Track`].
    id: ::rntuple::__private_0_1::RowsOf<Uuid>,
    ///`quality` of [`Track`].
    quality: ::rntuple::__private_0_1::ColumnsOf<u8>,
    #[doc(hidden)]
    pub __of: ::rntuple::__private_0_1::PhantomData<fn() -> (T,)>,
}
///Many [`Track`], column by column, lent.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
pub struct TrackSlice<'a, T: Copy, const N: usize>
where
    T: PartialOrd,
    T: ::rntuple::__private_0_1::Columnar,
    T: 'static,
{
    ///Transverse momentum.
    pub pt: ::rntuple::__private_0_1::SliceOf<'a, T>,
    ///`points` of [`Track`].
    points: ::rntuple::__private_0_1::SliceOf<'a, Vec<[T; N]>>,
    ///`charges` of [`Track`].
    charges: ::rntuple::__private_0_1::SliceOf<'a, &'static [i8]>,
    ///`time` of [`Track`].
    time: ::rntuple::__private_0_1::RowSliceOf<'a, Duration>,
    ///`id` of [`Track`].
    id: ::rntuple::__private_0_1::RowSliceOf<'a, Uuid>,
    ///`quality` of [`Track`].
    quality: ::rntuple::__private_0_1::SliceOf<'a, u8>,
    #[doc(hidden)]
    pub __of: ::rntuple::__private_0_1::PhantomData<fn() -> (T,)>,
}
///One [`Track`] of those in a [`TrackSlice`].
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
pub struct TrackRef<'a, T: Copy, const N: usize>
where
    T: PartialOrd,
    T: ::rntuple::__private_0_1::Columnar,
    T: 'static,
{
    ///Transverse momentum.
    pub pt: ::rntuple::__private_0_1::RefOf<'a, T>,
    ///`points` of [`Track`].
    points: ::rntuple::__private_0_1::RefOf<'a, Vec<[T; N]>>,
    ///`charges` of [`Track`].
    charges: ::rntuple::__private_0_1::RefOf<'a, &'static [i8]>,
    ///`time` of [`Track`].
    time: &'a Duration,
    ///`id` of [`Track`].
    id: &'a Uuid,
    ///`quality` of [`Track`].
    quality: ::rntuple::__private_0_1::RefOf<'a, u8>,
    #[doc(hidden)]
    pub __of: ::rntuple::__private_0_1::PhantomData<fn() -> (T,)>,
}
