//! What the types of this crate have that are not generic: compiled here, and not in each program that has such members.
//!
//! A default method is compiled in the crate that calls it, even if nothing in it depends on that crate.

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

pub(super) use {connects_members, declares_members};
