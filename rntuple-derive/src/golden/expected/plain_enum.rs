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
    impl ::rntuple::__private::FieldWriter<Channel>
    for ::rntuple::__private::PlainEnumWriter<
        <::rntuple::__private::u8 as ::rntuple::__private::WriteField>::Writer,
    > {
        #[inline]
        fn append(&mut self, __value: &Channel) -> ::rntuple::__private::usize {
            let __integer = match __value {
                Channel::A => Channel::A as ::rntuple::__private::u8,
                Channel::B => Channel::B as ::rntuple::__private::u8,
            };
            ::rntuple::__private::PlainEnumWriter::append(self, __integer)
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::WriteField for Channel {
        type Writer = ::rntuple::__private::PlainEnumWriter<
            <::rntuple::__private::u8 as ::rntuple::__private::WriteField>::Writer,
        >;
        fn type_name() -> ::rntuple::__private::TypeName {
            ::rntuple::__private::TypeName::typed("det::Channel")
        }
        fn declare(
            __field: &mut ::rntuple::__private::FieldBuilder<'_>,
        ) -> Self::Writer {
            ::rntuple::__private::PlainEnumWriter::declare::<
                ::rntuple::__private::u8,
            >(
                __field,
                &<Self as ::rntuple::__private::WriteField>::type_name(),
                &[
                    (
                        "A",
                        Channel::A as ::rntuple::__private::u8
                            as ::rntuple::__private::i128,
                    ),
                    (
                        "B",
                        Channel::B as ::rntuple::__private::u8
                            as ::rntuple::__private::i128,
                    ),
                ],
            )
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::FieldReader<Channel>
    for ::rntuple::__private::PlainEnumReader<
        <::rntuple::__private::u8 as ::rntuple::__private::ReadField>::Reader,
    > {
        #[inline]
        fn read(&mut self) -> ::rntuple::__private::Result<Channel> {
            match ::rntuple::__private::PlainEnumReader::next::<
                ::rntuple::__private::u8,
            >(self)? {
                __integer if __integer == Channel::A as ::rntuple::__private::u8 => {
                    ::rntuple::__private::Ok(Channel::A)
                }
                __integer if __integer == Channel::B as ::rntuple::__private::u8 => {
                    ::rntuple::__private::Ok(Channel::B)
                }
                __integer => {
                    ::rntuple::__private::Err(
                        ::rntuple::__private::PlainEnumReader::unknown(
                            self,
                            "det::Channel",
                            __integer,
                        ),
                    )
                }
            }
        }
    }
    #[automatically_derived]
    impl ::rntuple::__private::ReadField for Channel {
        type Reader = ::rntuple::__private::PlainEnumReader<
            <::rntuple::__private::u8 as ::rntuple::__private::ReadField>::Reader,
        >;
        fn connect(
            __field: ::rntuple::__private::FieldNode<'_>,
        ) -> ::rntuple::__private::Result<Self::Reader> {
            ::rntuple::__private::PlainEnumReader::connect::<
                ::rntuple::__private::u8,
            >(__field)
        }
    }
};
