::core::compile_error! {
    "unknown attribute `renam`\nhelp: did you mean `rename`?"
}
::core::compile_error! {
    "`Node` contains itself through `children`, so it would have columns without end\nhelp: keep all of them in one `Vec`, and refer to them by index"
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
    use ::rntuple::__private_0_1 as __rntuple;
    enum __NodeWriter {}
    impl __rntuple::Commit for __NodeWriter {
        fn commit(&mut self, _: &mut __rntuple::Gathered<'_>) {
            match *self {}
        }
    }
    impl<T> __rntuple::FieldWriter<Node<T>> for __NodeWriter {
        fn append(&mut self, _: &Node<T>) -> __rntuple::usize {
            match *self {}
        }
    }
    impl<T> __rntuple::WriteField for Node<T> {
        type Writer = __NodeWriter;
        fn type_name() -> __rntuple::TypeName {
            loop {}
        }
        fn declare(_: &mut __rntuple::FieldBuilder<'_>) -> Self::Writer {
            loop {}
        }
    }
    struct __NodeReader;
    impl __rntuple::Attach for __NodeReader {
        const DETACHED: Self = Self;
        fn seek(&mut self, _: __rntuple::Position<'_>) -> __rntuple::Result<()> {
            loop {}
        }
        fn remaining(&self) -> __rntuple::Option<__rntuple::u64> {
            loop {}
        }
    }
    impl<T> __rntuple::FieldReader<Node<T>> for __NodeReader {
        fn read(&mut self) -> __rntuple::Result<Node<T>> {
            loop {}
        }
    }
    impl<T> __rntuple::ReadField for Node<T> {
        type Reader = __NodeReader;
        fn connect(
            _: __rntuple::FieldNode<'_>,
            _: &mut Self::Reader,
        ) -> __rntuple::Result<()> {
            loop {}
        }
    }
    impl<T> __rntuple::Entry for Node<T> {}
};
