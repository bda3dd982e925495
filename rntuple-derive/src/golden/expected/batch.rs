///Many values of [`Muon`], each member of all of them in one piece of memory.
pub struct MuonBatch<T>
where
    T: ::rntuple::__private::Batched,
{
    pt: <T as ::rntuple::__private::Batched>::Batch,
    charges: <&'static [i8] as ::rntuple::__private::Batched>::Batch,
    time: ::rntuple::__private::Rows<Duration>,
    quality: <u8 as ::rntuple::__private::Batched>::Batch,
    /// The number of values.
    __rntuple_len: ::rntuple::__private::usize,
    __rntuple_end: ::rntuple::__private::PhantomData<fn() -> (T,)>,
}
///The members of a [`MuonBatch`], from which one is made if they are equally long.
#[allow(dead_code, missing_debug_implementations)]
pub struct MuonBatchColumns<T>
where
    T: ::rntuple::__private::Batched,
{
    ///`pt` of all values.
    pub pt: <T as ::rntuple::__private::Batched>::Batch,
    ///`charges` of all values.
    charges: <&'static [i8] as ::rntuple::__private::Batched>::Batch,
    ///`time` of all values.
    time: ::rntuple::__private::Rows<Duration>,
    ///`quality` of all values.
    quality: <u8 as ::rntuple::__private::Batched>::Batch,
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
    pub struct __MuonWriter<__W0, __W1> {
        pt: __W0,
        charges: __W1,
        time: <millis::Stored as __rntuple::WriteField>::Writer,
        quality: <u8 as __rntuple::WriteField>::Writer,
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
                pt: <T as __rntuple::WriteField>::declare_member(__field, "pt"),
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
                __rntuple_end: (),
            }
        }
    }
    pub struct __MuonReader<__R0, __R1> {
        pt: __R0,
        charges: __R1,
        time: __rntuple::PlacedReader<<millis::Stored as __rntuple::ReadField>::Reader>,
        quality: __rntuple::DefaultReader<<u8 as __rntuple::ReadField>::Reader>,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__R0: __rntuple::Attach, __R1: __rntuple::Attach> __rntuple::Attach
    for __MuonReader<__R0, __R1> {
        fn attach(&mut self, __cluster: &__rntuple::Cluster) -> __rntuple::Result<()> {
            __rntuple::Attach::attach(&mut self.pt, __cluster)?;
            __rntuple::Attach::attach(&mut self.charges, __cluster)?;
            __rntuple::Attach::attach(&mut self.time, __cluster)?;
            __rntuple::Attach::attach(&mut self.quality, __cluster)?;
            __rntuple::Ok(())
        }
        fn seek(&mut self, __position: __rntuple::u64) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.pt, __position)?;
            __rntuple::Attach::seek(&mut self.charges, __position)?;
            __rntuple::Attach::seek(&mut self.time, __position)?;
            __rntuple::Attach::seek(&mut self.quality, __position)?;
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
            __rntuple::Ok(Muon {
                pt: __m_pt,
                charges: __m_charges,
                time: __m_time,
                quality: __m_quality,
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
            __slot.cache = __rntuple::Default::default();
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Muon<'a, T>) {
            __rntuple::FieldReader::reclaim(&mut self.pt, &mut __slot.pt);
            __rntuple::FieldReader::reclaim(&mut self.charges, &mut __slot.charges);
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
                return __rntuple::Ok(__MuonReader {
                    pt: __m_pt,
                    charges: __m_charges,
                    time: __m_time,
                    quality: __m_quality,
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
            ];
            __rntuple::FieldNode::tell(__record, __rest, __tried);
            __rntuple::Err(__error)
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::Entry for Muon<'a, T> {
        const MEMBERS: __rntuple::Members = __rntuple::Members {
            own: &["pt", "charges", "time", "quality"],
            flattened: &[],
        };
    }
    #[automatically_derived]
    impl<T> __rntuple::Default for MuonBatch<T>
    where
        T: __rntuple::Batched,
    {
        fn default() -> Self {
            Self {
                pt: __rntuple::Default::default(),
                charges: __rntuple::Default::default(),
                time: __rntuple::Default::default(),
                quality: __rntuple::Default::default(),
                __rntuple_len: 0,
                __rntuple_end: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::Clone for MuonBatch<T>
    where
        T: __rntuple::Batched,
        for<'__any> <T as __rntuple::Batched>::Batch: __rntuple::Clone,
        for<'__any> <&'static [i8] as __rntuple::Batched>::Batch: __rntuple::Clone,
        for<'__any> __rntuple::Rows<Duration>: __rntuple::Clone,
        for<'__any> <u8 as __rntuple::Batched>::Batch: __rntuple::Clone,
    {
        fn clone(&self) -> Self {
            Self {
                pt: __rntuple::Clone::clone(&self.pt),
                charges: __rntuple::Clone::clone(&self.charges),
                time: __rntuple::Clone::clone(&self.time),
                quality: __rntuple::Clone::clone(&self.quality),
                __rntuple_len: self.__rntuple_len,
                __rntuple_end: __rntuple::PhantomData,
            }
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::PartialEq for MuonBatch<T>
    where
        T: __rntuple::Batched,
        for<'__any> <T as __rntuple::Batched>::Batch: __rntuple::PartialEq,
        for<'__any> <&'static [i8] as __rntuple::Batched>::Batch: __rntuple::PartialEq,
        for<'__any> __rntuple::Rows<Duration>: __rntuple::PartialEq,
        for<'__any> <u8 as __rntuple::Batched>::Batch: __rntuple::PartialEq,
    {
        fn eq(&self, __other: &Self) -> __rntuple::bool {
            self.__rntuple_len == __other.__rntuple_len
                && __rntuple::PartialEq::eq(&self.pt, &__other.pt)
                && __rntuple::PartialEq::eq(&self.charges, &__other.charges)
                && __rntuple::PartialEq::eq(&self.time, &__other.time)
                && __rntuple::PartialEq::eq(&self.quality, &__other.quality)
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::fmt::Debug for MuonBatch<T>
    where
        T: __rntuple::Batched,
        for<'__any> <T as __rntuple::Batched>::Batch: __rntuple::fmt::Debug,
        for<'__any> <&'static [i8] as __rntuple::Batched>::Batch: __rntuple::fmt::Debug,
        for<'__any> __rntuple::Rows<Duration>: __rntuple::fmt::Debug,
        for<'__any> <u8 as __rntuple::Batched>::Batch: __rntuple::fmt::Debug,
    {
        fn fmt(
            &self,
            __f: &mut __rntuple::fmt::Formatter<'_>,
        ) -> __rntuple::fmt::Result {
            let mut __f = __rntuple::fmt::Formatter::debug_struct(__f, "MuonBatch");
            __rntuple::fmt::DebugStruct::field(&mut __f, "pt", &self.pt);
            __rntuple::fmt::DebugStruct::field(&mut __f, "charges", &self.charges);
            __rntuple::fmt::DebugStruct::field(&mut __f, "time", &self.time);
            __rntuple::fmt::DebugStruct::field(&mut __f, "quality", &self.quality);
            __rntuple::fmt::DebugStruct::finish(&mut __f)
        }
    }
    #[allow(dead_code)]
    impl<T> MuonBatch<T>
    where
        T: __rntuple::Batched,
    {
        ///`pt` of all values.
        #[inline]
        pub fn pt(
            &self,
        ) -> <<T as __rntuple::Batched>::Batch as __rntuple::Batch>::View<'_> {
            __rntuple::Batch::view(&self.pt)
        }
        ///`charges` of all values.
        #[inline]
        fn charges(
            &self,
        ) -> <<&'static [i8] as __rntuple::Batched>::Batch as __rntuple::Batch>::View<
            '_,
        > {
            __rntuple::Batch::view(&self.charges)
        }
        ///`time` of all values.
        #[inline]
        fn time(&self) -> <__rntuple::Rows<Duration> as __rntuple::Batch>::View<'_> {
            __rntuple::Batch::view(&self.time)
        }
        ///`quality` of all values.
        #[inline]
        fn quality(
            &self,
        ) -> <<u8 as __rntuple::Batched>::Batch as __rntuple::Batch>::View<'_> {
            __rntuple::Batch::view(&self.quality)
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::Batch for MuonBatch<T>
    where
        T: __rntuple::Batched,
    {
        type View<'__view> = &'__view Self where Self: '__view;
        fn len(&self) -> __rntuple::usize {
            self.__rntuple_len
        }
        fn clear(&mut self) {
            self.__rntuple_len = 0;
            __rntuple::Batch::clear(&mut self.pt);
            __rntuple::Batch::clear(&mut self.charges);
            __rntuple::Batch::clear(&mut self.time);
            __rntuple::Batch::clear(&mut self.quality);
        }
        fn view(&self) -> Self::View<'_> {
            self
        }
    }
    #[allow(dead_code)]
    impl<T> MuonBatch<T>
    where
        T: __rntuple::Batched,
    {
        /// The number of values.
        #[inline]
        pub fn len(&self) -> __rntuple::usize {
            __rntuple::Batch::len(self)
        }
        /// Whether there are no values.
        #[inline]
        pub fn is_empty(&self) -> __rntuple::bool {
            __rntuple::Batch::len(self) == 0
        }
        /// Takes all values out; the memory stays for those to come.
        pub fn clear(&mut self) {
            __rntuple::Batch::clear(self);
        }
        /// Adds a value.
        pub fn push<'a>(&mut self, __value: &Muon<'a, T>) {
            __rntuple::Batched::push_to(__value, self);
        }
    }
    #[automatically_derived]
    impl<T> __rntuple::TryFrom<MuonBatchColumns<T>> for MuonBatch<T>
    where
        T: __rntuple::Batched,
    {
        type Error = __rntuple::Error;
        fn try_from(__columns: MuonBatchColumns<T>) -> __rntuple::Result<Self> {
            let __rntuple_len = __rntuple::same_length(
                &[
                    ("pt", __rntuple::Batch::len(&__columns.pt)),
                    ("charges", __rntuple::Batch::len(&__columns.charges)),
                    ("time", __rntuple::Batch::len(&__columns.time)),
                    ("quality", __rntuple::Batch::len(&__columns.quality)),
                ],
            )?;
            __rntuple::Ok(Self {
                pt: __columns.pt,
                charges: __columns.charges,
                time: __columns.time,
                quality: __columns.quality,
                __rntuple_len,
                __rntuple_end: __rntuple::PhantomData,
            })
        }
    }
    #[automatically_derived]
    impl<'a, T> __rntuple::Batched for Muon<'a, T>
    where
        T: __rntuple::Batched,
    {
        type Batch = MuonBatch<T>;
        #[inline]
        fn push_to(&self, __batch: &mut Self::Batch) {
            <T as __rntuple::Batched>::push_to(&self.pt, &mut __batch.pt);
            <&'a [i8] as __rntuple::Batched>::push_to(
                &self.charges,
                &mut __batch.charges,
            );
            __rntuple::Rows::push(
                &mut __batch.time,
                __rntuple::Clone::clone(&self.time),
            );
            <u8 as __rntuple::Batched>::push_to(&self.quality, &mut __batch.quality);
            __batch.__rntuple_len += 1;
        }
    }
    #[automatically_derived]
    impl<
        'a,
        T,
        __R0: __rntuple::ReadBatch<<T as __rntuple::Batched>::Batch>,
        __R1: __rntuple::ReadBatch<<&'static [i8] as __rntuple::Batched>::Batch>,
    > __rntuple::ReadBatch<MuonBatch<T>> for __MuonReader<__R0, __R1>
    where
        T: __rntuple::Batched,
    {
        fn read_batch(
            &mut self,
            __count: __rntuple::usize,
            __batch: &mut MuonBatch<T>,
        ) -> __rntuple::Result<()> {
            __rntuple::ReadBatch::read_batch(&mut self.pt, __count, &mut __batch.pt)?;
            __rntuple::ReadBatch::read_batch(
                &mut self.charges,
                __count,
                &mut __batch.charges,
            )?;
            for _ in 0..__count {
                let __value: Duration = {
                    let __placed = &mut self.time;
                    let __stored = __rntuple::FieldReader::<
                        millis::Stored,
                    >::read(__rntuple::PlacedReader::reader(__placed))?;
                    __rntuple::PlacedReader::accept(__placed, millis::load(__stored))?
                };
                __rntuple::Rows::push(&mut __batch.time, __value);
            }
            __rntuple::DefaultReader::read_batch(
                &mut self.quality,
                __count,
                &mut __batch.quality,
                |__batch| {
                    let __value: u8 = __rntuple::Default::default();
                    <u8 as __rntuple::Batched>::push_to(&__value, __batch);
                    __rntuple::Ok(())
                },
            )?;
            __batch.__rntuple_len += __count;
            __rntuple::Ok(())
        }
    }
    #[automatically_derived]
    impl<
        'a,
        T,
        __W0: __rntuple::WriteBatch<<T as __rntuple::Batched>::Batch>,
        __W1: __rntuple::WriteBatch<<&'static [i8] as __rntuple::Batched>::Batch>,
    > __rntuple::WriteBatch<MuonBatch<T>> for __MuonWriter<__W0, __W1>
    where
        T: __rntuple::Batched,
    {
        fn append_batch(
            &mut self,
            __batch: &MuonBatch<T>,
            __range: __rntuple::Range<__rntuple::usize>,
        ) -> __rntuple::usize {
            let mut __length = 0;
            __length
                += __rntuple::WriteBatch::append_batch(
                    &mut self.pt,
                    &__batch.pt,
                    __rntuple::Clone::clone(&__range),
                );
            __length
                += __rntuple::WriteBatch::append_batch(
                    &mut self.charges,
                    &__batch.charges,
                    __rntuple::Clone::clone(&__range),
                );
            __length
                += __rntuple::append_converted::<
                    millis::Stored,
                    _,
                >(
                    &mut self.time,
                    __rntuple::Iterator::map(
                        __rntuple::Rows::iter_in(
                            &__batch.time,
                            __rntuple::Clone::clone(&__range),
                        ),
                        |__value| millis::store(__value),
                    ),
                );
            __length
                += __rntuple::WriteBatch::append_batch(
                    &mut self.quality,
                    &__batch.quality,
                    __rntuple::Clone::clone(&__range),
                );
            __length
        }
    }
};
