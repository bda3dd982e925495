//! Attribute sets of the inputs (format, section 8): sets of one name become one.

use std::collections::HashSet;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::layout::Layout;
use super::options::{AttributePolicy, MergeOptions, SchemaMode};
use super::tree::Tree;
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{AttributeRange, Value};
use crate::reader::{ReadOptions, Reader};
use crate::schema::Locator;

/// Pages may be named without end, and so there may be rows without end: so many, and one for each byte of the file,
/// are looked at.
const MOST_ROWS: u64 = 1 << 24;

/// The sets of all inputs, by name.
#[derive(Debug, Default)]
pub(super) struct Sets {
    inputs: usize,
    sets: Vec<Set>,
}

#[derive(Debug)]
struct Set {
    name: String,
    description: String,
    tree: Tree,
    policy: AttributePolicy,
    /// The first input that has it, and how many were asked.
    first: usize,
    /// Digests of the rows, where all inputs must have the same ones.
    rows: Vec<u128>,
    seen: usize,
}

/// A set that will be written.
#[derive(Debug)]
pub(super) struct PlannedSet {
    pub(super) layout: Layout,
    /// The only input whose rows are kept.
    only: Option<usize>,
}

impl PlannedSet {
    /// Whether the rows of an input are kept.
    pub(super) fn keeps(&self, input: usize) -> bool {
        self.only.is_none_or(|only| only == input)
    }
}

impl Sets {
    /// Looks at the sets of the next input.
    pub(super) fn join(&mut self, dataset: &Dataset, options: &MergeOptions<'_>) -> Result<()> {
        let input = self.inputs;
        self.inputs += 1;
        let (mut names, mut anchors) = (HashSet::new(), HashSet::new());
        for link in dataset.attribute_sets() {
            let policy = options.policy_of(&link.name);
            if policy == AttributePolicy::Drop {
                continue;
            }
            if link.name.is_empty() || !names.insert(&*link.name) {
                return Err(Error::out_of_spec(format!("two attribute sets are called {:?}", link.name)));
            }
            // A few bytes could otherwise name one set millions of times, and each would be a copy.
            if let Locator::File { offset, .. } = link.anchor
                && !anchors.insert(offset)
            {
                return Err(Error::out_of_spec("two attribute sets share an anchor").at_offset(offset));
            }
            let known = self.sets.iter().position(|set| set.name == link.name);
            if known.is_some() && policy == AttributePolicy::First {
                continue;
            }
            let set = Arc::new(dataset.attribute_set(&link.name)?);
            self.join_set(input, dataset, &set, known, policy, &link.name)
                .map_err(|error| error.in_ntuple(set.path()))?;
        }
        let lacking = self.sets.iter().find(|set| set.policy == AttributePolicy::Equal && set.seen <= input);
        let late = self.sets.iter().find(|set| set.policy == AttributePolicy::Equal && set.first == input);
        match lacking.or(late.filter(|_| input > 0)) {
            None => Ok(()),
            Some(set) => Err(Error::new(
                ErrorKind::SchemaMismatch,
                format!("the attribute set {} should be the same in all inputs, and some lack it", set.name),
            )),
        }
    }

    fn join_set(
        &mut self,
        input: usize,
        main: &Dataset,
        dataset: &Arc<Dataset>,
        known: Option<usize>,
        policy: AttributePolicy,
        name: &str,
    ) -> Result<()> {
        check_ranges(dataset, main.entry_count())?;
        let rows = if policy == AttributePolicy::Equal { digests(dataset)? } else { Vec::new() };
        let index = known.unwrap_or(self.sets.len());
        if known.is_none() {
            let description = dataset.description().to_owned();
            let (tree, name) = (Tree::default(), name.to_owned());
            self.sets.push(Set {
                name,
                description,
                tree,
                policy,
                first: input,
                rows: rows.clone(),
                seen: 0,
            });
        }
        let Some(set) = self.sets.get_mut(index) else { return Ok(()) };
        set.tree.join(dataset, SchemaMode::Strict, false)?;
        set.seen = input + 1;
        if set.rows == rows {
            return Ok(());
        }
        let row = set.rows.iter().zip(&rows).take_while(|(a, b)| a == b).count();
        let message = format!("not the same rows as in {}: row {row} differs", set.tree.name(0));
        Err(Error::new(ErrorKind::SchemaMismatch, message))
    }

    pub(super) fn finish(self) -> Result<Vec<PlannedSet>> {
        let plan = |set: Set| {
            let only = (set.policy != AttributePolicy::Concat).then_some(set.first);
            let layout = Layout::new(set.tree, set.name, set.description)?;
            Ok(PlannedSet { layout, only })
        };
        self.sets.into_iter().map(plan).collect()
    }
}

/// Rows about entries that the input does not have would be about those of the next one.
fn check_ranges(set: &Arc<Dataset>, entries: u64) -> Result<()> {
    let reader = Reader::<AttributeRange>::from_dataset(set.clone(), ReadOptions::new())?;
    if reader.len() > MOST_ROWS.saturating_add(set.file().end()) {
        return Err(Error::limit(format!("{} rows of an attribute set", reader.len())));
    }
    for (row, range) in (0..).zip(reader.entries()) {
        let AttributeRange(range) = range?;
        if range.end > entries {
            let end = range.end;
            let message = format!("says something of entries up to {end}, but there are only {entries}");
            return Err(Error::out_of_spec(message).at_entry(row));
        }
    }
    Ok(())
}

/// A digest of each row: two that are spelled alike are the same, not-a-numbers too.
fn digests(set: &Arc<Dataset>) -> Result<Vec<u128>> {
    let reader = Reader::<Value>::from_dataset(set.clone(), ReadOptions::new())?;
    reader.entries().map(|row| Ok(xxh3_128(format!("{:?}", row?).as_bytes()))).collect()
}

#[cfg(test)]
mod tests {
    use crate::catalog::{Catalog, EnvelopeWriter};
    use crate::compression::Settings;
    use crate::dataset::Dataset;
    use crate::error::ErrorKind;
    use crate::field::{ColumnWriter, FieldBuilder, FieldWriter, RNTuple, WriteField};
    use crate::merge::{Input, MergeOptions, merge_into};
    use crate::root::{FileOptions, FileWriter, RootFile, Update};
    use crate::schema::{LinkedAttributeSet, TypeName};
    use crate::storage::Memory;
    use crate::writer::{WriteOptions, Writer};

    /// An entry of one number, and what is said of entries.
    struct One(f32);

    impl RNTuple for One {}

    impl WriteField for One {
        type Writer = ColumnWriter<f32>;

        fn type_name() -> TypeName {
            TypeName::untyped("One")
        }

        fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
            field.record(&Self::type_name());
            f32::declare(&mut field.subfield("x"))
        }
    }

    impl FieldWriter<One> for ColumnWriter<f32> {
        fn append(&mut self, one: &One) -> usize {
            self.push(one.0)
        }
    }

    #[test]
    fn one_set_of_several_names_is_refused() {
        let mut writer = Writer::<One, _>::new(Memory::new(), "nt", WriteOptions::new()).unwrap();
        writer.fill(&One(1.0)).unwrap();
        writer.attributes::<One>("a").unwrap().add(0..1, &One(2.0)).unwrap();
        let storage = writer.finish_into().unwrap().1;
        let file = RootFile::from_storage(storage.clone()).unwrap();
        let merge = |file: &RootFile| merge_into(&[Input::open(file)], Memory::new(), MergeOptions::new());
        assert_eq!(merge(&file).unwrap().0.attribute_sets, 1);
        let dataset = Dataset::open(&file, "nt").unwrap();
        let mut catalog = Catalog::resume(&dataset, EnvelopeWriter::new(Settings::NONE, 1 << 30));
        catalog.link(LinkedAttributeSet { name: "b".to_owned(), ..dataset.attribute_sets()[0].clone() });
        let update = Update::read(&file, "nt").unwrap();
        let mut writer = FileWriter::resume(storage, update, &FileOptions::new());
        let anchor = catalog.finish(writer.any()).unwrap();
        writer.any().put_anchor("nt", &anchor).unwrap();
        writer.any().finish().unwrap();
        let error = merge(&RootFile::from_storage(writer.into_inner()).unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfSpec, "{error}");
        assert!(error.to_string().contains("share an anchor"), "{error}");
    }
}
