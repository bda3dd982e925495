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
    pub(crate) struct __EnergyWriter {
        _0: <f32 as __rntuple::WriteField>::Writer,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Commit for __EnergyWriter {
        fn commit(&mut self, __cluster: &mut __rntuple::Gathered<'_>) {
            __rntuple::Commit::commit(&mut self._0, __cluster);
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldWriter<Energy> for __EnergyWriter {
        #[inline]
        fn append(&mut self, __value: &Energy) -> __rntuple::usize {
            let mut __length = 0;
            __length += __rntuple::FieldWriter::append(&mut self._0, &__value.0);
            __length
        }
        #[inline]
        fn append_each<'__each, __I>(&mut self, __values: __I) -> __rntuple::usize
        where
            Energy: '__each,
            __I: __rntuple::ExactSizeIterator<Item = &'__each Energy> + __rntuple::Clone,
        {
            let mut __length = 0;
            __length
                += __rntuple::FieldWriter::<
                    f32,
                >::append_each(
                    &mut self._0,
                    __rntuple::Iterator::map(
                        __rntuple::Clone::clone(&__values),
                        |__value| &__value.0,
                    ),
                );
            __length
        }
    }
    use __rntuple::WriteField as __WriteField;
    #[automatically_derived]
    impl __WriteField for Energy {
        type Writer = __EnergyWriter;
        fn type_name() -> __rntuple::TypeName {
            <f32 as __rntuple::WriteField>::type_name()
        }
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            __EnergyWriter {
                _0: <f32 as __rntuple::WriteField>::declare(__field),
                __rntuple_end: (),
            }
        }
        fn array_type_name(__count: __rntuple::usize) -> __rntuple::TypeName {
            <f32 as __rntuple::WriteField>::array_type_name(__count)
        }
        fn declare_array(
            __field: &mut __rntuple::FieldBuilder<'_>,
            __count: __rntuple::usize,
        ) -> Self::Writer {
            __EnergyWriter {
                _0: <f32 as __rntuple::WriteField>::declare_array(__field, __count),
                __rntuple_end: (),
            }
        }
    }
    pub(crate) struct __EnergyReader {
        _0: <f32 as __rntuple::ReadField>::Reader,
        __rntuple_end: (),
    }
    #[automatically_derived]
    impl __rntuple::Attach for __EnergyReader {
        const DETACHED: Self = Self {
            _0: __rntuple::Attach::DETACHED,
            __rntuple_end: (),
        };
        fn seek(&mut self, __to: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            __rntuple::Attach::seek(&mut self._0, __to)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            __rntuple::Attach::remaining(&self._0)
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldReader<Energy> for __EnergyReader {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Energy> {
            let __m__0 = __rntuple::FieldReader::<f32>::read(&mut self._0)?;
            __rntuple::Ok(Energy { 0: __m__0 })
        }
        #[inline]
        fn read_into(&mut self, __slot: &mut Energy) -> __rntuple::Result<()> {
            __rntuple::FieldReader::read_into(&mut self._0, &mut __slot.0)?;
            __rntuple::Ok(())
        }
        #[inline]
        fn reclaim(&mut self, __slot: &mut Energy) {
            __rntuple::FieldReader::reclaim(&mut self._0, &mut __slot.0);
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl __ReadField for Energy {
        type Reader = __EnergyReader;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
            __reader: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            <f32 as __rntuple::ReadField>::connect(__field, &mut __reader._0)
        }
        const IS_OPTION: __rntuple::bool = <f32 as __rntuple::ReadField>::IS_OPTION;
        fn connect_array(
            __field: __rntuple::FieldNode<'_>,
            __count: __rntuple::usize,
            __reader: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            <f32 as __rntuple::ReadField>::connect_array(
                __field,
                __count,
                &mut __reader._0,
            )
        }
    }
};
