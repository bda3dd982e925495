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
    enum __NodeWriter {}
    impl ::rntuple::__private::Commit for __NodeWriter {
        fn commit(
            &mut self,
            _: &mut ::rntuple::__private::Gathered,
        ) -> ::rntuple::__private::Result<()> {
            match *self {}
        }
    }
    impl<T> ::rntuple::__private::FieldWriter<Node<T>> for __NodeWriter {
        fn append(&mut self, _: &Node<T>) -> ::rntuple::__private::usize {
            match *self {}
        }
    }
    impl<T> ::rntuple::__private::WriteField for Node<T> {
        type Writer = __NodeWriter;
        fn type_name() -> ::rntuple::__private::TypeName {
            loop {}
        }
        fn declare(_: &mut ::rntuple::__private::FieldBuilder<'_>) -> Self::Writer {
            loop {}
        }
    }
    enum __NodeReader {}
    impl ::rntuple::__private::Attach for __NodeReader {
        fn attach(
            &mut self,
            _: &::rntuple::__private::Cluster,
        ) -> ::rntuple::__private::Result<()> {
            match *self {}
        }
        fn seek(
            &mut self,
            _: ::rntuple::__private::u64,
        ) -> ::rntuple::__private::Result<()> {
            match *self {}
        }
        fn remaining(&self) -> ::rntuple::__private::Option<::rntuple::__private::u64> {
            match *self {}
        }
    }
    impl<T> ::rntuple::__private::FieldReader<Node<T>> for __NodeReader {
        fn read(&mut self) -> ::rntuple::__private::Result<Node<T>> {
            match *self {}
        }
    }
    impl<T> ::rntuple::__private::ReadField for Node<T> {
        type Reader = __NodeReader;
        fn connect(
            _: ::rntuple::__private::FieldNode<'_>,
        ) -> ::rntuple::__private::Result<Self::Reader> {
            loop {}
        }
    }
    impl<T> ::rntuple::__private::RNTuple for Node<T> {}
};
