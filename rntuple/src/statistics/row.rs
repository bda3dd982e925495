//! One row of the statistics as they are stored: one column in one cluster.

use crate::error::Result;
use crate::field::{Entry, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField, visits};
use crate::schema::{Role, TypeName};

/// A struct that is stored, as the derive would have it, which not every build of this crate has.
macro_rules! stored {
    (
        $(#[$doc:meta])*
        struct $name:ident, $writer:ident, $reader:ident {
            $($(#[$member_doc:meta])* $member:ident: $type:ty = $cxx:literal,)*
        }
        first: $first:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct $name {
            $($(#[$member_doc])* pub(crate) $member: $type,)*
        }

        /// Its columns, being filled.
        #[derive(Debug)]
        pub(crate) struct $writer {
            $($member: <$type as WriteField>::Writer,)*
        }

        /// Its columns, being read.
        #[derive(Debug)]
        pub(crate) struct $reader {
            $($member: <$type as ReadField>::Reader,)*
        }

        impl Entry for $name {}

        visits! { Commit for [] $writer: $($member),* }

        impl FieldWriter<$name> for $writer {
            fn append(&mut self, row: &$name) -> usize {
                0 $(+ self.$member.append(&row.$member))*
            }
        }

        impl WriteField for $name {
            type Writer = $writer;

            fn type_name() -> TypeName {
                TypeName::untyped(stringify!($name))
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                field.record(&Self::type_name());
                $writer { $($member: <$type>::declare(&mut field.subfield(stringify!($member))),)* }
            }
        }

        visits! {
            Attach for [] $reader: $($member),*;
            Self { $($member: <$type as ReadField>::Reader::DETACHED,)* }
        }

        impl FieldReader<$name> for $reader {
            fn read(&mut self) -> Result<$name> {
                Ok($name { $($member: self.$member.read()?,)* })
            }
        }

        impl ReadField for $name {
            type Reader = $reader;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                let mut members = field.expect(Role::Record, "statistics")?.members();
                $(<$type>::connect_member(&mut members, &(stringify!($member), $cxx), &mut reader.$member);)*
                members.finish()
            }
        }
    };
}

stored! {
    /// What is known of one column in one cluster. Lists have an element for each page, or two (the least, the
    /// greatest), or none where there is nothing to say.
    struct Row, RowColumns, RowFields {
        /// What the page list of the cluster is recognised by: see [`mark`](super::mark).
        page_list: u64 = "std::uint64_t",
        /// The cluster.
        cluster: u64 = "std::uint64_t",
        /// The column.
        column: u32 = "std::uint32_t",
        /// Elements of each page.
        elements: Vec<u32> = "std::vector<std::uint32_t>",
        /// Elements of each page that have no value.
        nulls: Vec<u32> = "std::vector<std::uint32_t>",
        /// Elements of each page that are not numbers.
        nans: Vec<u32> = "std::vector<std::uint32_t>",
        /// Bounds of each page, if they are signed integers.
        signed: Vec<i64> = "std::vector<std::int64_t>",
        /// Bounds of each page, if they are unsigned integers.
        unsigned: Vec<u64> = "std::vector<std::uint64_t>",
        /// Bounds of each page, if they are numbers with a fraction.
        real: Vec<f64> = "std::vector<double>",
        /// Bounds of each 4096 strings of the cluster, of which the last may be fewer.
        text: Vec<String> = "std::vector<std::string>",
    }
    first: page_list
}
