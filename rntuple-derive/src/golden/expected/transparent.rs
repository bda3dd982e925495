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
    struct __EnergyWriter<__W0> {
        value: __W0,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__W0: __rntuple::Commit> __rntuple::Commit for __EnergyWriter<__W0> {
        fn commit(&mut self, __cluster: &mut __rntuple::Gathered<'_>) {
            __rntuple::Commit::commit(&mut self.value, __cluster);
        }
    }
    #[automatically_derived]
    impl<T, __W0: __rntuple::FieldWriter<T>> __rntuple::FieldWriter<Energy<T>>
    for __EnergyWriter<__W0> {
        #[inline]
        fn append(&mut self, __value: &Energy<T>) -> __rntuple::usize {
            let mut __length = 0;
            __length += __rntuple::FieldWriter::append(&mut self.value, &__value.value);
            __length
        }
        #[inline]
        fn append_each<'__each, __I>(&mut self, __values: __I) -> __rntuple::usize
        where
            Energy<T>: '__each,
            __I: __rntuple::ExactSizeIterator<Item = &'__each Energy<T>>
                + __rntuple::Clone,
        {
            let mut __length = 0;
            __length
                += __rntuple::FieldWriter::<
                    T,
                >::append_each(
                    &mut self.value,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.value,
                    ),
                );
            __length
        }
    }
    use __rntuple::WriteField as __WriteField;
    #[automatically_derived]
    impl<T> __WriteField for Energy<T>
    where
        T: __rntuple::WriteField,
    {
        type Writer = __EnergyWriter<<T as __rntuple::WriteField>::Writer>;
        fn type_name() -> __rntuple::TypeName {
            <T as __rntuple::WriteField>::type_name()
        }
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            __EnergyWriter {
                value: <T as __rntuple::WriteField>::declare(
                    &mut __rntuple::FieldBuilder::encoding(
                        __rntuple::FieldBuilder::unit(
                            __rntuple::FieldBuilder::again(__field),
                            "GeV",
                        ),
                        __rntuple::ColumnEncoding::truncated(20),
                    ),
                ),
                __rntuple_end: (),
            }
        }
        fn array_type_name(__count: __rntuple::usize) -> __rntuple::TypeName {
            <T as __rntuple::WriteField>::array_type_name(__count)
        }
        fn declare_array(
            __field: &mut __rntuple::FieldBuilder<'_>,
            __count: __rntuple::usize,
        ) -> Self::Writer {
            __EnergyWriter {
                value: <T as __rntuple::WriteField>::declare_array(
                    &mut __rntuple::FieldBuilder::encoding(
                        __rntuple::FieldBuilder::unit(
                            __rntuple::FieldBuilder::again(__field),
                            "GeV",
                        ),
                        __rntuple::ColumnEncoding::truncated(20),
                    ),
                    __count,
                ),
                __rntuple_end: (),
            }
        }
    }
    struct __EnergyReader<__R0> {
        value: __R0,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl<__R0: __rntuple::Attach> __rntuple::Attach for __EnergyReader<__R0> {
        const DETACHED: Self = Self {
            value: __rntuple::Attach::DETACHED,
            __rntuple_end: (),
        };
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self.value, __to)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            if let __rntuple::Some(__count) = __rntuple::Attach::remaining(&self.value) {
                return __rntuple::Some(__count);
            }
            __rntuple::None
        }
    }
    #[automatically_derived]
    impl<T, __R0: __rntuple::FieldReader<T>> __rntuple::FieldReader<Energy<T>>
    for __EnergyReader<__R0>
    where
        PhantomData<T>: __rntuple::Default,
    {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Energy<T>> {
            let __m_value = __rntuple::FieldReader::<T>::read(&mut self.value)?;
            __rntuple::Ok(Energy {
                value: __m_value,
                marker: __rntuple::Default::default(),
            })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Energy<T>) -> __rntuple::Result<()> {
            __rntuple::FieldReader::read_into(&mut self.value, &mut __slot.value)?;
            __slot.marker = __rntuple::Default::default();
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Energy<T>) {
            __rntuple::FieldReader::reclaim(&mut self.value, &mut __slot.value);
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl<T> __ReadField for Energy<T>
    where
        T: __rntuple::ReadField,
        PhantomData<T>: __rntuple::Default,
    {
        type Reader = __EnergyReader<<T as __rntuple::ReadField>::Reader>;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
            __reader: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            <T as __rntuple::ReadField>::connect(
                __rntuple::FieldNode::in_unit(__field, "GeV"),
                &mut __reader.value,
            )
        }
        const IS_OPTION: __rntuple::bool = <T as __rntuple::ReadField>::IS_OPTION;
        fn connect_array(
            __field: __rntuple::FieldNode<'_>,
            __count: __rntuple::usize,
            __reader: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            <T as __rntuple::ReadField>::connect_array(
                __rntuple::FieldNode::in_unit(__field, "GeV"),
                __count,
                &mut __reader.value,
            )
        }
    }
};
