///One [`Event`], lent from decoded pages.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
pub struct EventRef<'a> {
    ///Missing transverse energy.
    pub met: <f32 as ::rntuple::__private::Borrowed>::Ref<'a>,
    ///`muons` of [`Event`]
    pub muons: <Vec<Muon> as ::rntuple::__private::Borrowed>::Ref<'a>,
    ///`counts` of [`Event`]
    counts: &'a BTreeMap<u32, u32>,
}
///Many [`Event`], lent from decoded pages.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
pub struct EventSlice<'a> {
    ///Missing transverse energy.
    pub met: <f32 as ::rntuple::__private::Borrowed>::Slice<'a>,
    ///`muons` of [`Event`]
    pub muons: <Vec<Muon> as ::rntuple::__private::Borrowed>::Slice<'a>,
    ///`counts` of [`Event`]
    counts: &'a [BTreeMap<u32, u32>],
    __length: ::rntuple::__private::usize,
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
    pub struct __EventWriter {
        met: <f32 as __rntuple::WriteField>::Writer,
        muons: <Vec<__rntuple::Written<Muon>> as __rntuple::WriteField>::Writer,
        counts: <BTreeMap<u32, u32> as __rntuple::WriteField>::Writer,
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
            __rntuple::Commit::commit(&mut self.counts, __cluster)?;
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
                += __rntuple::FieldWriter::append(&mut self.counts, &__value.counts);
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
                += __rntuple::FieldWriter::<
                    BTreeMap<u32, u32>,
                >::append_each(
                    &mut self.counts,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.counts,
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
            __EventWriter {
                met: <f32 as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::description(
                        __rntuple::FieldBuilder::subfield(__field, "met"),
                        "Missing transverse energy.",
                    ),
                ),
                muons: <Vec<
                    __rntuple::Written<Muon>,
                > as __rntuple::WriteField>::declare_member(__field, "muons"),
                counts: <BTreeMap<
                    u32,
                    u32,
                > as __rntuple::WriteField>::declare_member(__field, "counts"),
                __rntuple_end: (),
            }
        }
    }
    pub struct __EventReader {
        met: <f32 as __rntuple::ReadField>::Reader,
        muons: <Vec<__rntuple::Written<Muon>> as __rntuple::ReadField>::Reader,
        counts: <BTreeMap<u32, u32> as __rntuple::ReadField>::Reader,
        __rows: (__rntuple::LentRows<BTreeMap<u32, u32>>,),
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Attach for __EventReader {
        fn attach(&mut self, __cluster: &__rntuple::Cluster) -> __rntuple::Result<()> {
            __rntuple::Attach::attach(&mut self.met, __cluster)?;
            __rntuple::Attach::attach(&mut self.muons, __cluster)?;
            __rntuple::Attach::attach(&mut self.counts, __cluster)?;
            __rntuple::Ok(())
        }
        fn seek(&mut self, __position: __rntuple::u64) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.met, __position)?;
            __rntuple::Attach::seek(&mut self.muons, __position)?;
            __rntuple::Attach::seek(&mut self.counts, __position)?;
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
            let __m_counts = __rntuple::FieldReader::<
                BTreeMap<u32, u32>,
            >::read(&mut self.counts)?;
            __rntuple::Ok(Event {
                met: __m_met,
                muons: __m_muons,
                counts: __m_counts,
                cache: __rntuple::Default::default(),
            })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Event) -> __rntuple::Result<()> {
            __rntuple::FieldReader::read_into(&mut self.met, &mut __slot.met)?;
            __rntuple::FieldReader::read_into(&mut self.muons, &mut __slot.muons)?;
            __rntuple::FieldReader::read_into(&mut self.counts, &mut __slot.counts)?;
            __slot.cache = __rntuple::Default::default();
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Event) {
            __rntuple::FieldReader::reclaim(&mut self.met, &mut __slot.met);
            __rntuple::FieldReader::reclaim(&mut self.muons, &mut __slot.muons);
            __rntuple::FieldReader::reclaim(&mut self.counts, &mut __slot.counts);
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
                let __m_counts = match <BTreeMap<
                    u32,
                    u32,
                > as __rntuple::ReadField>::connect_member(
                    __record,
                    "counts",
                    "BTreeMap<u32, u32>",
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (3, __error),
                };
                return __rntuple::Ok(__EventReader {
                    met: __m_met,
                    muons: __m_muons,
                    counts: __m_counts,
                    __rows: (__rntuple::LentRows::new(),),
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
                (
                    "",
                    "",
                    |__record: __rntuple::FieldNode<'_>, _: &_, _: &_| {
                        let __also = <BTreeMap<
                            u32,
                            u32,
                        > as __rntuple::ReadField>::connect_member(
                            __record,
                            "counts",
                            "BTreeMap<u32, u32>",
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
            own: &["met", "muons", "counts"],
            flattened: &[],
        };
    }
    #[automatically_derived]
    impl<'a> __rntuple::Copy for EventRef<'a> {}
    #[automatically_derived]
    impl<'a> __rntuple::Clone for EventRef<'a> {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    #[automatically_derived]
    impl<'a> __rntuple::Copy for EventSlice<'a> {}
    #[automatically_derived]
    impl<'a> __rntuple::Clone for EventSlice<'a> {
        #[inline]
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<'a> __rntuple::fmt::Debug for EventRef<'a> {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            let mut __debug = __rntuple::fmt::Formatter::debug_struct(__f, "EventRef");
            let __debug = &mut __debug;
            let __debug = __debug.field("met", &self.met);
            let __debug = __debug.field("muons", &self.muons);
            __debug.finish_non_exhaustive()
        }
    }
    impl<'a> __rntuple::Many for EventSlice<'a> {
        type One = EventRef<'a>;
        type Array<const __N: __rntuple::usize> = Self;
        #[inline]
        fn empty() -> Self {
            Self {
                met: __rntuple::Many::empty(),
                muons: __rntuple::Many::empty(),
                counts: &[],
                __length: 0,
            }
        }
        #[inline]
        fn len(self) -> __rntuple::usize {
            self.__length
        }
        #[inline]
        fn get(self, __index: __rntuple::usize) -> __rntuple::Option<Self::One> {
            __rntuple::Some(EventRef {
                met: __rntuple::Many::get(self.met, __index)?,
                muons: __rntuple::Many::get(self.muons, __index)?,
                counts: <[_]>::get(self.counts, __index)?,
            })
        }
        #[inline]
        fn part(
            self,
            __range: __rntuple::Range<__rntuple::usize>,
        ) -> __rntuple::Option<Self> {
            let __length = __rntuple::part_length(self.__length, &__range)?;
            __rntuple::Some(Self {
                met: __rntuple::Many::part(self.met, __rntuple::Clone::clone(&__range))?,
                muons: __rntuple::Many::part(
                    self.muons,
                    __rntuple::Clone::clone(&__range),
                )?,
                counts: <[_]>::get(self.counts, __rntuple::Clone::clone(&__range))?,
                __length: __length,
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
    impl<'a> EventSlice<'a> {
        /// The number of values.
        #[inline]
        pub fn len(self) -> __rntuple::usize {
            __rntuple::Many::len(self)
        }
        /// Whether there are none.
        #[inline]
        pub fn is_empty(self) -> __rntuple::bool {
            __rntuple::Many::is_empty(self)
        }
        /// Value `index`; `None` beyond the last.
        #[inline]
        pub fn get(self, index: __rntuple::usize) -> __rntuple::Option<EventRef<'a>> {
            __rntuple::Many::get(self, index)
        }
        /// The values in order.
        #[inline]
        pub fn iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    impl<'a> __rntuple::IntoIterator for EventSlice<'a> {
        type Item = EventRef<'a>;
        type IntoIter = __rntuple::Iter<Self>;
        #[inline]
        fn into_iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    impl<'a> __rntuple::fmt::Debug for EventSlice<'a> {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            __rntuple::fmt_many(*self, __f)
        }
    }
    #[automatically_derived]
    impl __rntuple::Borrowed for Event {
        type Ref<'a> = EventRef<'a>;
        type Slice<'a> = EventSlice<'a>;
        #[inline]
        #[allow(unused_variables)]
        fn borrow(
            __columns: &mut <Self as __rntuple::ReadField>::Reader,
        ) -> __rntuple::Result<Self::Ref<'_>> {
            let __m_met = <f32 as __rntuple::Borrowed>::borrow(&mut __columns.met)?;
            let __m_muons = <Vec<
                Muon,
            > as __rntuple::Borrowed>::borrow(&mut __columns.muons)?;
            let __m_counts = __rntuple::LentRows::read(
                &mut __columns.__rows.0,
                &mut __columns.counts,
            )?;
            __rntuple::Ok(EventRef {
                met: __m_met,
                muons: __m_muons,
                counts: __m_counts,
            })
        }
        #[inline]
        #[allow(unused_variables)]
        fn borrow_many(
            __columns: &mut <Self as __rntuple::ReadField>::Reader,
            __count: __rntuple::usize,
        ) -> __rntuple::Result<Self::Slice<'_>> {
            let __m_met = <f32 as __rntuple::Borrowed>::borrow_many(
                &mut __columns.met,
                __count,
            )?;
            let __m_muons = <Vec<
                Muon,
            > as __rntuple::Borrowed>::borrow_many(&mut __columns.muons, __count)?;
            let __m_counts = __rntuple::LentRows::read_many(
                &mut __columns.__rows.0,
                &mut __columns.counts,
                __count,
            )?;
            __rntuple::Ok(EventSlice {
                met: __m_met,
                muons: __m_muons,
                counts: __m_counts,
                __length: __count,
            })
        }
    }
};
