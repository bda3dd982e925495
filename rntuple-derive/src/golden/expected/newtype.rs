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
    pub(crate) struct __EnergyWriter {
        _0: <f32 as ::rntuple::__private::WriteField>::Writer,
        __end: (),
    }
    #[automatically_derived]
    impl ::rntuple::__private::Commit for __EnergyWriter {
        fn commit(
            &mut self,
            __cluster: &mut ::rntuple::__private::Gathered,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::Commit::commit(&mut self._0, __cluster)?;
            ::rntuple::__private::Ok(())
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::FieldWriter<Energy> for __EnergyWriter {
        #[inline]
        fn append(&mut self, __value: &Energy) -> ::rntuple::__private::usize {
            let mut __length = 0;
            __length
                += ::rntuple::__private::FieldWriter::append(&mut self._0, &__value.0);
            __length
        }
        #[inline]
        fn append_each<'__each, __I>(
            &mut self,
            __values: __I,
        ) -> ::rntuple::__private::usize
        where
            Energy: '__each,
            __I: ::rntuple::__private::ExactSizeIterator<Item = &'__each Energy>
                + ::rntuple::__private::Clone,
        {
            let mut __length = 0;
            __length
                += ::rntuple::__private::FieldWriter::<
                    f32,
                >::append_each(
                    &mut self._0,
                    ::rntuple::__private::Iterator::map(
                        ::rntuple::__private::Clone::clone(&__values),
                        |__value| &__value.0,
                    ),
                );
            __length
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::WriteField for Energy {
        type Writer = __EnergyWriter;
        fn type_name() -> ::rntuple::__private::TypeName {
            <f32 as ::rntuple::__private::WriteField>::type_name()
        }
        fn declare(
            __field: &mut ::rntuple::__private::FieldBuilder<'_>,
        ) -> Self::Writer {
            __EnergyWriter {
                _0: <f32 as ::rntuple::__private::WriteField>::declare(__field),
                __end: (),
            }
        }
        fn array_type_name(
            __count: ::rntuple::__private::usize,
        ) -> ::rntuple::__private::TypeName {
            <f32 as ::rntuple::__private::WriteField>::array_type_name(__count)
        }
        fn declare_array(
            __field: &mut ::rntuple::__private::FieldBuilder<'_>,
            __count: ::rntuple::__private::usize,
        ) -> Self::Writer {
            __EnergyWriter {
                _0: <f32 as ::rntuple::__private::WriteField>::declare_array(
                    __field,
                    __count,
                ),
                __end: (),
            }
        }
    }
    pub(crate) struct __EnergyReader {
        _0: <f32 as ::rntuple::__private::ReadField>::Reader,
        __end: (),
    }
    #[automatically_derived]
    impl ::rntuple::__private::Attach for __EnergyReader {
        fn attach(
            &mut self,
            __cluster: &::rntuple::__private::Cluster,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::Attach::attach(&mut self._0, __cluster)?;
            ::rntuple::__private::Ok(())
        }
        fn seek(
            &mut self,
            __position: ::rntuple::__private::u64,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::Attach::seek(&mut self._0, __position)?;
            ::rntuple::__private::Ok(())
        }
        #[inline]
        fn remaining(&self) -> ::rntuple::__private::Option<::rntuple::__private::u64> {
            ::rntuple::__private::Attach::remaining(&self._0)
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::FieldReader<Energy> for __EnergyReader {
        #[inline]
        fn read(&mut self) -> ::rntuple::__private::Result<Energy> {
            let ___0 = ::rntuple::__private::FieldReader::<f32>::read(&mut self._0)?;
            ::rntuple::__private::Ok(Energy { 0: ___0 })
        }
        #[inline]
        fn read_into(
            &mut self,
            __slot: &mut Energy,
        ) -> ::rntuple::__private::Result<()> {
            ::rntuple::__private::FieldReader::read_into(&mut self._0, &mut __slot.0)?;
            ::rntuple::__private::Ok(())
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::ReadField for Energy {
        type Reader = __EnergyReader;
        fn connect(
            __field: ::rntuple::__private::FieldNode<'_>,
        ) -> ::rntuple::__private::Result<Self::Reader> {
            ::rntuple::__private::Ok(__EnergyReader {
                _0: <f32 as ::rntuple::__private::ReadField>::connect(__field)?,
                __end: (),
            })
        }
        fn connect_array(
            __field: ::rntuple::__private::FieldNode<'_>,
            __count: ::rntuple::__private::usize,
        ) -> ::rntuple::__private::Result<Self::Reader> {
            ::rntuple::__private::Ok(__EnergyReader {
                _0: <f32 as ::rntuple::__private::ReadField>::connect_array(
                    __field,
                    __count,
                )?,
                __end: (),
            })
        }
    }
};
