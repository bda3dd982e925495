//! What types of this crate have in common.

// A default method is compiled in the crate that calls it, even if nothing in it depends on that crate. What is not
// generic is compiled here by the first two macros, and not in each program that has such members.

/// The methods of `WriteField` for members.
macro_rules! declares_members {
    () => {
        #[inline(never)]
        fn declare_member(record: &mut super::FieldBuilder<'_>, name: &str) -> Self::Writer {
            Self::declare(&mut record.subfield(name))
        }
    };
}

/// The methods of `ReadField` for members.
macro_rules! connects_members {
    () => {
        #[inline(never)]
        fn connect_member(
            record: &mut super::Connecting<'_>,
            member: &(&str, &str),
            reader: &mut Self::Reader,
        ) {
            if let Some(field) = record.find(member) {
                record.keep(Self::connect(field, reader));
            }
        }
    };
}

/// Types that have the columns of another type, declared and found as its own are.
macro_rules! stored_as {
    ($([$($generics:tt)*] $type:ty as $stored:ty $(where $item:ty)?;)*) => {$(
        impl<$($generics)*> $crate::field::WriteField for $type
        $(where $item: $crate::field::WriteField)?
        {
            type Writer = <$stored as $crate::field::WriteField>::Writer;

            fn type_name() -> $crate::schema::TypeName {
                <$stored as $crate::field::WriteField>::type_name()
            }

            fn declare(field: &mut $crate::field::FieldBuilder<'_>) -> Self::Writer {
                <$stored as $crate::field::WriteField>::declare(field)
            }
        }

        impl<$($generics)*> $crate::field::ReadField for $type
        $(where $item: $crate::field::ReadField)?
        {
            type Reader = <$stored as $crate::field::ReadField>::Reader;

            fn connect(
                field: $crate::field::FieldNode<'_>,
                reader: &mut Self::Reader,
            ) -> $crate::error::Result<()> {
                <$stored as $crate::field::ReadField>::connect(field, reader)
            }
        }
    )*};
}

pub(super) use {connects_members, declares_members, stored_as};
