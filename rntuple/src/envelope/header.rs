//! The header envelope: the schema as it was when writing began (format, section 5).

use super::{Dialect, Kind, SchemaDescription, dialect, frame, put_feature_flags, read_feature_flags};
use crate::error::Result;

/// A header envelope.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Header {
    /// Words of feature flags; empty for the one word without flags that every file has.
    pub(crate) feature_flags: Vec<u64>,
    /// The ntuple's name, which the key of its anchor has too.
    pub(crate) name: String,
    pub(crate) description: String,
    /// The program that wrote it: `ROOT v6.38.00`.
    pub(crate) writer: String,
    pub(crate) schema: SchemaDescription,
}

impl Header {
    /// Reads a header envelope. The checksum that comes with it is repeated in the footer and in the page
    /// lists of the same ntuple.
    pub(crate) fn read(bytes: &[u8], dialect: Dialect) -> Result<(Self, u64)> {
        Kind::Header.read(bytes, dialect, |items| {
            let feature_flags = read_feature_flags(items)?;
            if dialect.has_candidate_tag {
                dialect::read_candidate_tag(items)?;
            }
            Ok(Self {
                feature_flags,
                name: frame::name(items)?,
                description: frame::text(items)?,
                writer: frame::text(items)?,
                schema: SchemaDescription::read(items, dialect, 0)?,
            })
        })
    }

    /// The envelope's bytes, and the checksum that footer and page lists repeat.
    pub(crate) fn write(&self) -> Result<(Vec<u8>, u64)> {
        Kind::Header.write(|out| {
            put_feature_flags(out, &self.feature_flags);
            for string in [&self.name, &self.description, &self.writer] {
                frame::put_string(out, string)?;
            }
            self.schema.put(out, 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::description::tests::description;
    use super::*;
    use crate::schema::FieldId;

    prop_compose! {
        fn header()(strings in any::<[String; 3]>(), mut schema in description()) -> Header {
            // In a header no field may be its own parent by accident.
            for (id, field) in (0..).zip(&mut schema.fields) {
                field.parent = field.parent.filter(|parent| *parent != FieldId(id));
            }
            let [name, description, writer] = strings;
            Header { feature_flags: Vec::new(), name, description, writer, schema }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(header in header()) {
            let (bytes, checksum) = header.write().unwrap();
            prop_assert_eq!(Header::read(&bytes, Dialect::V1).unwrap(), (header, checksum));
        }
    }
}
