//! The schema that a writer would write.

use super::WriteOptions;
use super::draft::Draft;
use crate::error::Result;
use crate::field::{Entry, Records, WriteField};
use crate::schema::{Schema, is_known_column};

impl Schema {
    /// The schema of a type, without a file: what a [`Writer`](crate::Writer) with these options would put into one.
    ///
    /// ```
    /// use rntuple::schema::Schema;
    /// use rntuple::{RNTuple, WriteOptions};
    ///
    /// #[derive(RNTuple)]
    /// struct Muon { pt: f32 }
    ///
    /// #[derive(RNTuple)]
    /// struct Event { number: u64, muons: Vec<Muon> }
    ///
    /// let schema = Schema::of::<Event>(&WriteOptions::new())?;
    /// let paths: Vec<_> = schema.fields().map(|(id, _)| schema.path(id)).collect();
    /// assert_eq!(paths, ["number", "muons", "muons._0", "muons._0.pt"]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// A name or an option is not possible.
    pub fn of<T: Entry + WriteField + ?Sized>(options: &WriteOptions) -> Result<Self> {
        // Any name would do: the schema does not have it.
        let records = Draft::new("schema", options.clone())?.declare::<T>(1)?.schema.into_inner().records;
        let Records { fields, columns, alias_columns, .. } = records;
        Self::build(fields, columns, alias_columns, Vec::new(), &is_known_column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckOptions, check_file};
    use crate::cluster::Gathered;
    use crate::compression::{Algorithm, Compression};
    use crate::error::ErrorKind;
    use crate::field::{ColumnWriter, Commit, FieldBuilder, FieldWriter, Value};
    use crate::reader::Reader;
    use crate::root::RootFile;
    use crate::schema::TypeName;
    use crate::storage::Memory;
    use crate::writer::builder::ClusterState;
    use crate::writer::draft::Declared;
    use crate::writer::filler::Filler;
    use crate::writer::ntuple::Ntuple;
    use crate::writer::sets::Sets;
    use crate::writer::{Writer, new_file};

    /// An entry with a member that asks for a codec.
    struct Entry<const CODE: u32>;

    impl<const CODE: u32> crate::field::Entry for Entry<CODE> {}

    impl<const CODE: u32> WriteField for Entry<CODE> {
        type Writer = ColumnWriter<u64>;

        fn type_name() -> TypeName {
            TypeName::untyped("Entry")
        }

        fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
            field.record(&Self::type_name());
            u64::declare(&mut field.subfield("x").compression(Compression::from_code(CODE).unwrap()))
        }
    }

    impl<const CODE: u32> FieldWriter<Entry<CODE>> for ColumnWriter<u64> {
        fn append(&mut self, _: &Entry<CODE>) -> usize {
            self.push(1)
        }
    }

    /// Collections that were written from a class of arrays are vectors of records on storage (format, section 9.6).
    #[test]
    fn a_class_of_arrays_is_read_as_a_list_of_records() {
        type Hits = Vec<(f32, i32)>;
        struct Entry(Hits);
        struct EntryWriter(<Hits as WriteField>::Writer);

        impl crate::field::Entry for Entry {}

        impl WriteField for Entry {
            type Writer = EntryWriter;

            fn type_name() -> TypeName {
                TypeName::untyped("Entry")
            }

            fn declare(field: &mut FieldBuilder<'_>) -> EntryWriter {
                field.record(&Self::type_name());
                EntryWriter(Hits::declare(&mut field.subfield("hits")))
            }
        }

        impl Commit for EntryWriter {
            fn commit(&mut self, cluster: &mut Gathered<'_>) {
                self.0.commit(cluster);
            }
        }

        impl FieldWriter<Entry> for EntryWriter {
            fn append(&mut self, entry: &Entry) -> usize {
                self.0.append(&entry.0)
            }
        }

        let draft = Draft::new("Events", WriteOptions::new()).unwrap();
        let Declared { columns, mut schema } = draft.declare::<Entry>(1).unwrap();
        for (field, class) in schema.records.fields.iter_mut().zip(["HitsSoA", "Hit"]) {
            class.clone_into(&mut field.type_name);
            (field.type_version, field.type_checksum) = (2, Some(0x1234_5678));
            field.is_soa = class == "HitsSoA";
        }
        let file = new_file(Memory::new(), draft.file_options()).unwrap();
        let ntuple = Ntuple::create(file, true, &draft, &mut schema).unwrap();
        let filler = Filler::new(ntuple, ClusterState::of(&draft, schema), columns);
        let mut writer = Writer::<Entry, _> { filler, sets: Sets::new() };
        let entries: [Hits; 3] = [vec![(1.0, 2), (3.0, 4)], vec![], vec![(5.0, 6)]];
        for entry in &entries {
            writer.fill(&Entry(entry.clone())).unwrap();
        }
        let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();

        let reader = Reader::<Value>::open(&file, "Events").unwrap();
        let schema = serde_json::to_value(reader.schema()).unwrap();
        let hits = reader.schema().field(reader.schema().find("hits").unwrap()).unwrap();
        assert!(hits.is_soa && schema.to_string().contains(r#""is_soa":true"#), "{schema}");
        for (value, entry) in reader.entries().zip(&entries) {
            let record = |(x, n): &(f32, i32)| serde_json::json!({"_0": x, "_1": n});
            let wanted: Vec<_> = entry.iter().map(record).collect();
            assert_eq!(serde_json::to_value(value.unwrap()).unwrap()["hits"], serde_json::json!(wanted));
        }
        assert_eq!(
            reader.column::<f32>("hits._0._0").unwrap().next_chunk().unwrap(),
            Some(&[1.0, 3.0, 5.0][..])
        );
        let report = check_file(&file, CheckOptions::new());
        assert!(report.is_sound(), "{:?}", report.faults);
    }

    /// Whatever features this build has.
    #[test]
    fn a_codec_that_is_not_there_is_told_before_there_is_a_file() {
        let options = WriteOptions::new().compression(Compression::NONE);
        let by_type = [
            (Algorithm::Zlib, Schema::of::<Entry<101>>(&options)),
            (Algorithm::Lzma, Schema::of::<Entry<201>>(&options)),
            (Algorithm::Lz4, Schema::of::<Entry<401>>(&options)),
            (Algorithm::Zstd, Schema::of::<Entry<501>>(&options)),
        ];
        let by_options = Algorithm::ALL.map(|algorithm| {
            let settings = Compression::new(algorithm, 1).unwrap();
            (algorithm, Schema::of::<Entry<0>>(&options.clone().compression_of("x", settings)))
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
        let none = options.compression_of("x", Compression::NONE);
        Schema::of::<Entry<201>>(&none).unwrap();
        let mut writer = Writer::<Entry<201>, _>::new(Memory::new(), "Events", none).unwrap();
        writer.fill(&Entry).unwrap();
        assert_eq!(writer.finish().unwrap().page_length, 8);
    }
}
