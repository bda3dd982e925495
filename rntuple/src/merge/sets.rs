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
use crate::limits;
use crate::message::counted;
use crate::reader::{ReadOptions, Reader};

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
        let mut names = HashSet::new();
        let mut headers = HashSet::from([dataset.anchor().header.offset]);
        // A page list may name a page any number of times, so a set may have any number of rows: the limit is for all sets
        // of an input together.
        let mut rows = dataset.file().limits().attribute_count.saturating_add(dataset.file().end());
        for link in dataset.attribute_sets() {
            let policy = options.policy_of(&link.name);
            if policy == AttributePolicy::Drop {
                continue;
            }
            if link.name.is_empty() || !names.insert(&*link.name) {
                return Err(Error::out_of_spec(format!("two attribute sets are called {:?}", link.name)));
            }
            let known = self.sets.iter().position(|set| set.name == link.name);
            if known.is_some() && policy == AttributePolicy::First {
                continue;
            }
            // A few bytes could otherwise name one long schema thousands of times. The name of a set stands in its
            // header, so no two sets have the same one.
            let set = dataset.linked_set(link, |anchor| match headers.insert(anchor.header.offset) {
                true => Ok(()),
                false => Err(Error::out_of_spec("the attribute set shares its header with another ntuple")),
            });
            let set = Arc::new(set?);
            check_ranges(&set, dataset.entry_count(), &mut rows)
                .and_then(|()| self.join_set(input, &set, known, policy, &link.name))
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
        dataset: &Arc<Dataset>,
        known: Option<usize>,
        policy: AttributePolicy,
        name: &str,
    ) -> Result<()> {
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
        let message = format!("the rows are not those of {}: row {row} differs", set.tree.name(0));
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

/// Rows about entries that the input does not have would be about those of the next one. `rows` may still be read.
fn check_ranges(set: &Arc<Dataset>, entries: u64, rows: &mut u64) -> Result<()> {
    let reader = Reader::<AttributeRange>::from_dataset(set.clone(), ReadOptions::new())?;
    let Some(left) = rows.checked_sub(set.entry_count()) else {
        let found = format_args!("the attribute set has {} rows", set.entry_count());
        return Err(limits::exceeded(found, *rows, "attribute_count"));
    };
    *rows = left;
    for (row, range) in (0..).zip(reader.entries()) {
        let AttributeRange(range) = range?;
        if range.end > entries {
            let end = range.end;
            let message = format!(
                "the set covers entries up to {end}, but the ntuple has only {}",
                counted(entries, "entry")
            );
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
    use super::*;
    use crate::column::ColumnWriter;
    use crate::field::Attribute;
    use crate::field::{Entry, FieldBuilder, FieldWriter, WriteField};
    use crate::root::RootFile;
    use crate::schema::TypeName;
    use crate::storage::Memory;
    use crate::{WriteOptions, Writer};

    struct Run(u8);

    impl Entry for Run {}

    impl FieldWriter<Run> for ColumnWriter<u8> {
        fn append(&mut self, run: &Run) -> usize {
            self.push(run.0)
        }
    }

    impl WriteField for Run {
        type Writer = ColumnWriter<u8>;

        fn type_name() -> TypeName {
            TypeName::untyped("Run")
        }

        fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
            field.record(&Self::type_name());
            u8::declare(&mut field.subfield("number"))
        }
    }

    /// A few bytes may name many sets of millions of rows.
    #[test]
    fn so_many_rows_are_read_in_all_sets_together() {
        let mut writer =
            Writer::<Attribute<Run>, _>::new(Memory::new(), "Runs", WriteOptions::new()).unwrap();
        (0..3).try_for_each(|end| writer.fill(&Attribute { range: 0..end, value: Run(1) })).unwrap();
        let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
        let set = Arc::new(Dataset::open(&file, "Runs").unwrap());
        let mut rows = 5;
        check_ranges(&set, 2, &mut rows).unwrap();
        assert_eq!(rows, 2);
        let error = check_ranges(&set, 2, &mut rows).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    }
}
