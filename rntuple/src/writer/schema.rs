//! The schema that a writer would write.

use super::WriteOptions;
use super::core::Draft;
use crate::error::Result;
use crate::field::{RNTuple, Records, WriteField};
use crate::schema::{Schema, is_known_column};

/// The schema of a type, without a file: what a [`Writer`](crate::Writer) with these options would put into one.
///
/// ```
/// use rntuple::{RNTuple, WriteOptions, schema_of};
///
/// #[derive(RNTuple)]
/// struct Muon { pt: f32 }
///
/// #[derive(RNTuple)]
/// struct Event { number: u64, muons: Vec<Muon> }
///
/// let schema = schema_of::<Event>(&WriteOptions::new())?;
/// let paths: Vec<_> = schema.fields().map(|(id, _)| schema.path(id)).collect();
/// assert_eq!(paths, ["number", "muons", "muons._0", "muons._0.pt"]);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// # Errors
/// A name or an option is not possible.
pub fn schema_of<T: RNTuple + WriteField + ?Sized>(options: &WriteOptions) -> Result<Schema> {
    // Any name would do: it does not stand in the schema.
    let records = Draft::new("schema", options.clone())?.declare::<T>(1)?.records;
    let Records { fields, columns, alias_columns, .. } = records;
    Schema::build(fields, columns, alias_columns, Vec::new(), &is_known_column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::{Algorithm, Settings};
    use crate::error::ErrorKind;
    use crate::field::{ColumnWriter, FieldBuilder, FieldWriter};
    use crate::schema::TypeName;
    use crate::storage::Memory;
    use crate::writer::Writer;

    /// An entry with a member that asks for a codec.
    struct Entry<const CODE: u32>;

    impl<const CODE: u32> RNTuple for Entry<CODE> {}

    impl<const CODE: u32> WriteField for Entry<CODE> {
        type Writer = ColumnWriter<u64>;

        fn type_name() -> TypeName {
            TypeName::untyped("Entry")
        }

        fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
            field.record(&Self::type_name());
            u64::declare(&mut field.subfield("x").compression(Settings::from_code(CODE).unwrap()))
        }
    }

    impl<const CODE: u32> FieldWriter<Entry<CODE>> for ColumnWriter<u64> {
        fn append(&mut self, _: &Entry<CODE>) -> usize {
            self.push(1)
        }
    }

    /// Whatever features this build has.
    #[test]
    fn a_codec_that_is_not_there_is_told_before_there_is_a_file() {
        let options = WriteOptions::new().compression(Settings::NONE);
        let by_type = [
            (Algorithm::Zlib, schema_of::<Entry<101>>(&options)),
            (Algorithm::Lzma, schema_of::<Entry<201>>(&options)),
            (Algorithm::Lz4, schema_of::<Entry<401>>(&options)),
            (Algorithm::Zstd, schema_of::<Entry<501>>(&options)),
        ];
        let by_options = Algorithm::ALL.map(|algorithm| {
            let settings = Settings::new(algorithm, 1).unwrap();
            (algorithm, schema_of::<Entry<0>>(&options.clone().compression_of("x", settings)))
        });
        for (algorithm, result) in by_type.into_iter().chain(by_options) {
            match result {
                Ok(_) => assert!(algorithm.is_enabled(), "{algorithm}"),
                Err(error) => {
                    assert!(!algorithm.is_enabled(), "{error}");
                    assert_eq!(error.kind(), ErrorKind::FeatureDisabled);
                    assert_eq!(error.location().field.as_deref(), Some("x"));
                }
            }
        }
        // An option that wants none overrules a type that wants what is not there.
        let none = options.compression_of("x", Settings::NONE);
        schema_of::<Entry<201>>(&none).unwrap();
        let mut writer = Writer::<Entry<201>, _>::new(Memory::new(), "Events", none).unwrap();
        writer.fill(&Entry).unwrap();
        assert_eq!(writer.finish().unwrap().page_length, 8);
    }
}
