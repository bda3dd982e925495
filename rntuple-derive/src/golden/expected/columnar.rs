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
    pub struct __MuonWriter<__W0, __W1> {
        pt: __W0,
        charges: __W1,
        time: <millis::Stored as __rntuple::WriteField>::Writer,
        quality: <u8 as __rntuple::WriteField>::Writer,
        id: <__rntuple::Itself<Uuid> as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__W0: __rntuple::Commit, __W1: __rntuple::Commit> __rntuple::Commit
    for __MuonWriter<__W0, __W1> {
        fn commit(
            &mut self,
            __cluster: &mut __rntuple::Gathered,
        ) -> __rntuple::Result<()> {
            __rntuple::Commit::commit(&mut self.pt, __cluster)?;
            __rntuple::Commit::commit(&mut self.charges, __cluster)?;
            __rntuple::Commit::commit(&mut self.time, __cluster)?;
            __rntuple::Commit::commit(&mut self.quality, __cluster)?;
            __rntuple::Commit::commit(&mut self.id, __cluster)?;
            __rntuple::Ok(())
        }
    }
    #[automatically_derived]
    impl<
        'a,
        T,
        __W0: __rntuple::FieldWriter<T>,
        __W1: __rntuple::FieldWriter<&'a [i8]>,
    > __rntuple::FieldWriter<Muon<'a, T>> for __MuonWriter<__W0, __W1> {
        #[inline]
        fn append(&mut self, __value: &Muon<'a, T>) -> __rntuple::usize {
            let mut __length = 0;
            __length += __rntuple::FieldWriter::append(&mut self.pt, &__value.pt);
            __length
                += __rntuple::FieldWriter::append(&mut self.charges, &__value.charges);
            __length
                += __rntuple::FieldWriter::<
                    millis::Stored,
                >::append(&mut self.time, &millis::store(&__value.time));
            __length
                += __rntuple::FieldWriter::append(&mut self.quality, &__value.quality);
            __length += __rntuple::FieldWriter::append(&mut self.id, &__value.id);
            __length
        }
        #[inline]
        fn append_each<'__each, __I>(&mut self, __values: __I) -> __rntuple::usize
        where
            Muon<'a, T>: '__each,
            __I: __rntuple::ExactSizeIterator<Item = &'__each Muon<'a, T>>
                + __rntuple::Clone,
        {
            let mut __length = 0;
            __length
                += __rntuple::FieldWriter::<
                    T,
                >::append_each(
                    &mut self.pt,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.pt,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    &'a [i8],
                >::append_each(
                    &mut self.charges,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.charges,
                    ),
                );
            __length
                += __rntuple::append_converted::<
                    millis::Stored,
                    _,
                >(
                    &mut self.time,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| millis::store(&__value.time),
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    u8,
                >::append_each(
                    &mut self.quality,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.quality,
                    ),
                );
            __length
                += __rntuple::FieldWriter::<
                    Uuid,
                >::append_each(
                    &mut self.id,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.id,
                    ),
                );
            __length
        }
    }
    use __rntuple::WriteField as __WriteField;
    #[automatically_derived]
    impl<'a, T> __WriteField for Muon<'a, T>
    where
        T: __rntuple::WriteField,
    {
        type Writer = __MuonWriter<
            <T as __rntuple::WriteField>::Writer,
            <&'a [i8] as __rntuple::WriteField>::Writer,
        >;
        fn type_name() -> __rntuple::TypeName {
            __rntuple::TypeName::untyped(
                __rntuple::TypeName::spelling(
                    &__rntuple::TypeName::template(
                        "Muon",
                        [&<T as __rntuple::WriteField>::type_name()],
                    ),
                ),
            )
        }
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            __rntuple::FieldBuilder::record(
                __field,
                &<Self as __rntuple::WriteField>::type_name(),
            );
            __MuonWriter {
                pt: <T as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::description(
                        __rntuple::FieldBuilder::subfield(__field, "pt"),
                        "Transverse momentum.",
                    ),
                ),
                charges: <&'a [i8] as __rntuple::WriteField>::declare_member(
                    __field,
                    "charges",
                ),
                time: <millis::Stored as __rntuple::WriteField>::declare_member(
                    __field,
                    "time",
                ),
                quality: <u8 as __rntuple::WriteField>::declare_member(
                    __field,
                    "quality",
                ),
                id: <__rntuple::Itself<
                    Uuid,
                > as __rntuple::WriteField>::declare_member(__field, "id"),
                __rntuple_end: (),
            }
        }
    }
    pub struct __MuonReader<__R0, __R1> {
        pt: __R0,
        charges: __R1,
        time: __rntuple::PlacedReader<<millis::Stored as __rntuple::ReadField>::Reader>,
        quality: __rntuple::DefaultReader<<u8 as __rntuple::ReadField>::Reader>,
        id: <__rntuple::Written<Uuid> as __rntuple::ReadField>::Reader,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__R0: __rntuple::Attach, __R1: __rntuple::Attach> __rntuple::Attach
    for __MuonReader<__R0, __R1> {
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.pt, __to)?;
            __rntuple::Attach::seek(&mut self.charges, __to)?;
            __rntuple::Attach::seek(&mut self.time, __to)?;
            __rntuple::Attach::seek(&mut self.quality, __to)?;
            __rntuple::Attach::seek(&mut self.id, __to)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(&self.pt) {
                return __rntuple::Some(__count);
            }
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(
                &self.charges,
            ) {
                return __rntuple::Some(__count);
            }
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(&self.time) {
                return __rntuple::Some(__count);
            }
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(
                &self.quality,
            ) {
                return __rntuple::Some(__count);
            }
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(&self.id) {
                return __rntuple::Some(__count);
            }
            __rntuple::None
        }
    }
    #[automatically_derived]
    impl<
        'a,
        T,
        __R0: __rntuple::FieldReader<T>,
        __R1: __rntuple::FieldReader<&'a [i8]>,
    > __rntuple::FieldReader<Muon<'a, T>> for __MuonReader<__R0, __R1> {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Muon<'a, T>> {
            let __m_pt = __rntuple::FieldReader::<T>::read(&mut self.pt)?;
            let __m_charges = __rntuple::FieldReader::<
                &'a [i8],
            >::read(&mut self.charges)?;
            let __m_time = {
                let __placed = &mut self.time;
                let __stored = __rntuple::FieldReader::<
                    millis::Stored,
                >::read(__rntuple::PlacedReader::reader(__placed))?;
                __rntuple::PlacedReader::accept(__placed, millis::load(__stored))?
            };
            let __m_quality = match __rntuple::DefaultReader::next(&mut self.quality)? {
                __rntuple::Some(__reader) => {
                    __rntuple::FieldReader::<u8>::read(__reader)?
                }
                __rntuple::None => __rntuple::Default::default(),
            };
            let __m_id = __rntuple::FieldReader::<Uuid>::read(&mut self.id)?;
            __rntuple::Ok(Muon {
                pt: __m_pt,
                charges: __m_charges,
                time: __m_time,
                quality: __m_quality,
                id: __m_id,
                cache: __rntuple::Default::default(),
            })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Muon<'a, T>) -> __rntuple::Result<()> {
            __rntuple::FieldReader::read_into(&mut self.pt, &mut __slot.pt)?;
            __rntuple::FieldReader::read_into(&mut self.charges, &mut __slot.charges)?;
            __slot.time = {
                let __placed = &mut self.time;
                let __stored = __rntuple::FieldReader::<
                    millis::Stored,
                >::read(__rntuple::PlacedReader::reader(__placed))?;
                __rntuple::PlacedReader::accept(__placed, millis::load(__stored))?
            };
            match __rntuple::DefaultReader::next(&mut self.quality)? {
                __rntuple::Some(__reader) => {
                    __rntuple::FieldReader::read_into(__reader, &mut __slot.quality)?
                }
                __rntuple::None => __slot.quality = __rntuple::Default::default(),
            }
            __rntuple::FieldReader::read_into(&mut self.id, &mut __slot.id)?;
            __slot.cache = __rntuple::Default::default();
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Muon<'a, T>) {
            __rntuple::FieldReader::reclaim(&mut self.pt, &mut __slot.pt);
            __rntuple::FieldReader::reclaim(&mut self.charges, &mut __slot.charges);
            __rntuple::FieldReader::reclaim(&mut self.id, &mut __slot.id);
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl<'a, T> __ReadField for Muon<'a, T>
    where
        T: __rntuple::ReadField,
        for<'__any> &'__any [i8]: __rntuple::ReadLent<Muon<'a, T>>,
    {
        type Reader = __MuonReader<
            <T as __rntuple::ReadField>::Reader,
            <&'a [i8] as __rntuple::ReadField>::Reader,
        >;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
        ) -> __rntuple::Result<Self::Reader> {
            let __record = __rntuple::FieldNode::expect(
                __field,
                __rntuple::Role::Record,
                "a record",
            )?;
            let (__tried, __error) = '__told: {
                let __m_pt = match <T as __rntuple::ReadField>::connect_member(
                    __record,
                    "pt",
                    "T",
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (1, __error),
                };
                let __m_charges = match <&'a [i8] as __rntuple::ReadField>::connect_member(
                    __record,
                    "charges",
                    "&'a [i8]",
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (2, __error),
                };
                let __m_time = match match __rntuple::FieldNode::subfield(
                    __record,
                    "time",
                    "Duration",
                ) {
                    __rntuple::Ok(__member) => {
                        __rntuple::PlacedReader::connect(
                            __member,
                            <millis::Stored as __rntuple::ReadField>::connect,
                        )
                    }
                    __rntuple::Err(__error) => __rntuple::Err(__error),
                } {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (3, __error),
                };
                let __m_quality = match __rntuple::DefaultReader::connect(
                    __record,
                    __rntuple::Lack {
                        names: &["quality"],
                        wanted: "u8",
                        has_default: true,
                        is_option: <u8 as __rntuple::ReadField>::IS_OPTION,
                    },
                    |__member| <u8 as __rntuple::ReadField>::connect(__member),
                ) {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (4, __error),
                };
                let __m_id = match <__rntuple::Written<
                    Uuid,
                > as __rntuple::ReadField>::connect_member(__record, "id", "Uuid") {
                    __rntuple::Ok(__columns) => __columns,
                    __rntuple::Err(__error) => break '__told (5, __error),
                };
                return __rntuple::Ok(__MuonReader {
                    pt: __m_pt,
                    charges: __m_charges,
                    time: __m_time,
                    quality: __m_quality,
                    id: __m_id,
                    __rntuple_end: (),
                });
            };
            let __rest: &[__rntuple::Teller] = &[
                (
                    "",
                    "",
                    |__record: __rntuple::FieldNode<'_>, _: &_, _: &_| {
                        let __also = <&'a [i8] as __rntuple::ReadField>::connect_member(
                            __record,
                            "charges",
                            "&'a [i8]",
                        );
                    },
                ),
                (
                    "",
                    "",
                    |__record: __rntuple::FieldNode<'_>, _: &_, _: &_| {
                        let __also = match __rntuple::FieldNode::subfield(
                            __record,
                            "time",
                            "Duration",
                        ) {
                            __rntuple::Ok(__member) => {
                                __rntuple::PlacedReader::connect(
                                    __member,
                                    <millis::Stored as __rntuple::ReadField>::connect,
                                )
                            }
                            __rntuple::Err(__error) => __rntuple::Err(__error),
                        };
                    },
                ),
                (
                    "",
                    "",
                    |__record: __rntuple::FieldNode<'_>, _: &_, _: &_| {
                        let __also = __rntuple::DefaultReader::connect(
                            __record,
                            __rntuple::Lack {
                                names: &["quality"],
                                wanted: "u8",
                                has_default: true,
                                is_option: <u8 as __rntuple::ReadField>::IS_OPTION,
                            },
                            |__member| <u8 as __rntuple::ReadField>::connect(__member),
                        );
                    },
                ),
                (
                    "id",
                    "Uuid",
                    <__rntuple::Written<Uuid> as __rntuple::ReadField>::tell_member,
                ),
            ];
            __rntuple::FieldNode::tell(__record, __rest, __tried);
            __rntuple::Err(__error)
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::Entry for Muon<'a, T> {
        const MEMBERS: __rntuple::Members = __rntuple::Members {
            own: &["pt", "charges", "time", "quality", "id"],
            flattened: &[],
        };
    }
    #[automatically_derived]
    impl<T> __rntuple::Default for MuonColumns<T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn default() -> Self {
            Self {
                pt: __rntuple::Default::default(),
                charges: __rntuple::Default::default(),
                time: __rntuple::Default::default(),
                quality: __rntuple::Default::default(),
                id: __rntuple::Default::default(),
                __of: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::Clone for MuonColumns<T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn clone(&self) -> Self {
            Self {
                pt: __rntuple::Clone::clone(&self.pt),
                charges: __rntuple::Clone::clone(&self.charges),
                time: __rntuple::Clone::clone(&self.time),
                quality: __rntuple::Clone::clone(&self.quality),
                id: __rntuple::Clone::clone(&self.id),
                __of: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::fmt::Debug for MuonColumns<T>
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
    impl<T> __rntuple::Columns for MuonColumns<T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        type Slice<'a> = MuonSlice<'a, T>;
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
            MuonSlice {
                pt: __rntuple::Columns::as_slice(&self.pt),
                charges: __rntuple::Columns::as_slice(&self.charges),
                time: __rntuple::Columns::as_slice(&self.time),
                quality: __rntuple::Columns::as_slice(&self.quality),
                id: __rntuple::Columns::as_slice(&self.id),
                __of: __rntuple::PhantomData,
            }
        }
        fn clear(&mut self) {
            __rntuple::Columns::clear(&mut self.pt);
            __rntuple::Columns::clear(&mut self.charges);
            __rntuple::Columns::clear(&mut self.time);
            __rntuple::Columns::clear(&mut self.quality);
            __rntuple::Columns::clear(&mut self.id);
        }
    }
    #[allow(dead_code)]
    impl<T> MuonColumns<T>
    where
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
        pub fn push<'a>(&mut self, value: &Muon<'a, T>) {
            __rntuple::Columnar::push_to(value, self);
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::Copy for MuonSlice<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {}
    #[automatically_derived]
    impl<'a, T> __rntuple::Clone for MuonSlice<'a, T>
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
    impl<'a, T> __rntuple::Copy for MuonRef<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {}
    #[automatically_derived]
    impl<'a, T> __rntuple::Clone for MuonRef<'a, T>
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
    impl<'a, T> __rntuple::fmt::Debug for MuonSlice<'a, T>
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
    impl<'a, T> __rntuple::fmt::Debug for MuonRef<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            let mut __debug = __rntuple::fmt::Formatter::debug_struct(__f, "MuonRef");
            __rntuple::fmt::DebugStruct::field(&mut __debug, "pt", &self.pt);
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
    impl<'a, T> __rntuple::Slice for MuonSlice<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        type One = MuonRef<'a, T>;
        type Array<const __N: __rntuple::usize> = Self;
        #[inline]
        fn len(self) -> __rntuple::usize {
            __rntuple::Slice::len(self.quality)
        }
        #[inline]
        fn get(self, __index: __rntuple::usize) -> __rntuple::Option<Self::One> {
            __rntuple::Some(MuonRef {
                pt: __rntuple::Slice::get(self.pt, __index)?,
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
            __rntuple::check_member("charges", self.charges, __count)?;
            __rntuple::check_member("time", self.time, __count)?;
            __rntuple::check_member("quality", self.quality, __count)?;
            __rntuple::check_member("id", self.id, __count)?;
            __rntuple::Ok(())
        }
    }
    #[allow(dead_code)]
    impl<'a, T> MuonSlice<'a, T>
    where
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
        pub fn get(self, index: __rntuple::usize) -> __rntuple::Option<MuonRef<'a, T>> {
            __rntuple::Slice::get(self, index)
        }
        /// Iterates over the values in order.
        #[inline]
        pub fn iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::IntoIterator for MuonSlice<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        type Item = MuonRef<'a, T>;
        type IntoIter = __rntuple::Iter<Self>;
        #[inline]
        fn into_iter(self) -> __rntuple::Iter<Self> {
            __rntuple::Iter::new(self)
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::Columnar for Muon<'a, T>
    where
        T: __rntuple::Columnar,
        T: 'static,
    {
        type Columns = MuonColumns<T>;
        #[inline]
        fn push_to(&self, __columns: &mut Self::Columns) {
            <T as __rntuple::Columnar>::push_to(&self.pt, &mut __columns.pt);
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
    impl<'a, T> __rntuple::WriteColumnar for Muon<'a, T>
    where
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
///Many [`Muon`], column by column.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
pub struct MuonColumns<T>
where
    T: ::rntuple::__private_0_1::Columnar,
    T: 'static,
{
    ///Transverse momentum.
    pub pt: ::rntuple::__private_0_1::ColumnsOf<T>,
    ///`charges` of [`Muon`].
    charges: ::rntuple::__private_0_1::ColumnsOf<&'static [i8]>,
    ///`time` of [`Muon`].
    time: ::rntuple::__private_0_1::RowsOf<Duration>,
    ///`id` of [`Muon`].
    id: ::rntuple::__private_0_1::RowsOf<Uuid>,
    ///`quality` of [`Muon`].
    quality: ::rntuple::__private_0_1::ColumnsOf<u8>,
    #[doc(hidden)]
    pub __of: ::rntuple::__private_0_1::PhantomData<fn() -> (T,)>,
}
///Many [`Muon`], column by column, lent.
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
pub struct MuonSlice<'a, T>
where
    T: ::rntuple::__private_0_1::Columnar,
    T: 'static,
{
    ///Transverse momentum.
    pub pt: ::rntuple::__private_0_1::SliceOf<'a, T>,
    ///`charges` of [`Muon`].
    charges: ::rntuple::__private_0_1::SliceOf<'a, &'static [i8]>,
    ///`time` of [`Muon`].
    time: ::rntuple::__private_0_1::RowSliceOf<'a, Duration>,
    ///`id` of [`Muon`].
    id: ::rntuple::__private_0_1::RowSliceOf<'a, Uuid>,
    ///`quality` of [`Muon`].
    quality: ::rntuple::__private_0_1::SliceOf<'a, u8>,
    #[doc(hidden)]
    pub __of: ::rntuple::__private_0_1::PhantomData<fn() -> (T,)>,
}
///One [`Muon`] of those in a [`MuonSlice`].
#[allow(
    dead_code,
    non_snake_case,
    single_use_lifetimes,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
pub struct MuonRef<'a, T>
where
    T: ::rntuple::__private_0_1::Columnar,
    T: 'static,
{
    ///Transverse momentum.
    pub pt: ::rntuple::__private_0_1::RefOf<'a, T>,
    ///`charges` of [`Muon`].
    charges: ::rntuple::__private_0_1::RefOf<'a, &'static [i8]>,
    ///`time` of [`Muon`].
    time: &'a Duration,
    ///`id` of [`Muon`].
    id: &'a Uuid,
    ///`quality` of [`Muon`].
    quality: ::rntuple::__private_0_1::RefOf<'a, u8>,
    #[doc(hidden)]
    pub __of: ::rntuple::__private_0_1::PhantomData<fn() -> (T,)>,
}
