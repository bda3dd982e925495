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
    #[automatically_derived]
    impl __rntuple::FieldWriter<Channel>
    for __rntuple::PlainEnumWriter<<__rntuple::u8 as __rntuple::WriteField>::Writer> {
        #[inline]
        fn append(&mut self, __value: &Channel) -> __rntuple::usize {
            let __integer = match __value {
                Channel::A => Channel::A as __rntuple::u8,
                Channel::B => Channel::B as __rntuple::u8,
            };
            __rntuple::PlainEnumWriter::append(self, __integer)
        }
    }
    use __rntuple::WriteField as __WriteField;
    #[automatically_derived]
    impl __WriteField for Channel {
        type Writer = __rntuple::PlainEnumWriter<
            <__rntuple::u8 as __rntuple::WriteField>::Writer,
        >;
        fn type_name() -> __rntuple::TypeName {
            __rntuple::TypeName::known("det::Channel")
        }
        fn declare(__field: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            __rntuple::PlainEnumWriter::declare::<
                __rntuple::u8,
            >(
                __field,
                &<Self as __rntuple::WriteField>::type_name(),
                &[
                    ("A", Channel::A as __rntuple::u8 as __rntuple::i128),
                    ("B", Channel::B as __rntuple::u8 as __rntuple::i128),
                ],
            )
        }
    }
    #[automatically_derived]
    impl __rntuple::FieldReader<Channel>
    for __rntuple::PlainEnumReader<<__rntuple::u8 as __rntuple::ReadField>::Reader> {
        #[inline]
        fn read(&mut self) -> __rntuple::Result<Channel> {
            match __rntuple::PlainEnumReader::next::<__rntuple::u8>(self)? {
                __integer if __integer == Channel::A as __rntuple::u8 => {
                    __rntuple::Ok(Channel::A)
                }
                __integer if __integer == Channel::B as __rntuple::u8 => {
                    __rntuple::Ok(Channel::B)
                }
                __integer => {
                    __rntuple::Err(
                        __rntuple::PlainEnumReader::unknown(
                            self,
                            "det::Channel",
                            __integer,
                        ),
                    )
                }
            }
        }
    }
    use __rntuple::ReadField as __ReadField;
    #[automatically_derived]
    impl __ReadField for Channel {
        type Reader = __rntuple::PlainEnumReader<
            <__rntuple::u8 as __rntuple::ReadField>::Reader,
        >;
        fn connect(
            __field: __rntuple::FieldNode<'_>,
            __reader: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            __rntuple::PlainEnumReader::connect::<
                __rntuple::u8,
            >(
                __reader,
                __field,
                &[
                    ("A", Channel::A as __rntuple::u8 as __rntuple::i128),
                    ("B", Channel::B as __rntuple::u8 as __rntuple::i128),
                ],
            )
        }
    }
};
