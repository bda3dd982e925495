//! Memory for what will be read, before it is read: columns that need not grow.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use rntuple::columns::{AnyArrays, AnyColumns, AnyRecords, Lists};
use rntuple::schema::{ClusterDescriptor, Field, FieldId, FieldType, Scalar, Schema, Shape};
use rntuple::{EntryList, Reader, Result, Value};

/// Bytes for which a byte of the file may stand. What takes more grows while it is read.
const BYTES: u64 = 64;

/// Of more files than this, several are asked at once: most of them are opened again, and may be far away.
const AT_ONCE: usize = 16;

/// How many elements fields have in a range of entries, by what the file says.
#[derive(Clone, Default)]
pub(crate) struct Room {
    /// Of the first column of a field and of the second, by its path through all fields.
    elements: BTreeMap<String, [u64; 2]>,
    /// Bytes that may be allocated.
    bytes: u64,
}

/// The clusters of a file that have entries of a range, and how much of them.
type Shares = Vec<(Arc<ClusterDescriptor>, f64)>;

impl Room {
    pub(crate) fn new(reader: &Reader<Value>, fields: &[Field], entries: &EntryList) -> Result<Self> {
        let mut files = Vec::new();
        for file in 0..reader.files().len() {
            let own = reader.entries_of_file(file)?;
            let here = entries.intersection(&own.clone().into());
            if !here.ranges().is_empty() {
                files.push((file, own.start, here));
            }
        }
        let mut room = Self::default();
        if files.len() <= AT_ONCE {
            for (file, first, here) in files {
                room.add_file(reader, fields, file, first, &here)?;
            }
            return Ok(room);
        }
        for some in files.chunks(AT_ONCE) {
            let found = thread::scope(|scope| {
                let files = some.iter().map(|(file, first, here)| {
                    scope.spawn(move || Self::of_file(reader, fields, *file, *first, here))
                });
                let threads: Vec<_> = files.collect();
                let found = threads.into_iter();
                let found = found.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
                found.collect::<Result<Vec<_>>>()
            });
            found?.into_iter().for_each(|found| room.add(found));
        }
        Ok(room)
    }

    fn of_file(
        reader: &Reader<Value>,
        fields: &[Field],
        file: usize,
        first: u64,
        here: &EntryList,
    ) -> Result<Self> {
        let mut room = Self::default();
        room.add_file(reader, fields, file, first, here)?;
        Ok(room)
    }

    /// Adds what is `here`, among entries that begin with `first` in a file.
    fn add_file(
        &mut self,
        reader: &Reader<Value>,
        fields: &[Field],
        file: usize,
        first: u64,
        here: &EntryList,
    ) -> Result<()> {
        let dataset = reader.dataset(file)?;
        let mut shares = Shares::new();
        for cluster in dataset.clusters() {
            let cluster = cluster?;
            let share = share(&cluster, first, here);
            if share > 0.0 {
                shares.push((cluster, share));
            }
        }
        for field in fields {
            let id = dataset.schema().top_level_named(field.name());
            self.count(dataset.schema(), id, field, field.name(), &shares);
        }
        self.bytes = self.bytes.saturating_add(dataset.file().storage().size().saturating_mul(BYTES));
        Ok(())
    }

    /// Adds what other files have.
    fn add(&mut self, other: Self) {
        for (path, more) in other.elements {
            let sums = self.elements.entry(path).or_default();
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum = sum.saturating_add(more);
            }
        }
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    fn count(&mut self, schema: &Schema, id: Option<FieldId>, field: &Field, path: &str, shares: &Shares) {
        let Some(id) = id else { return };
        let found = self.elements.entry(path.to_owned()).or_default();
        for columns in schema.representations(id) {
            for (column, sum) in columns.iter().zip(found.iter_mut()) {
                for (cluster, share) in shares {
                    let pages = cluster.columns.get(column.index()).map_or(&[][..], |range| &range.pages);
                    let elements: u64 = pages.iter().map(|page| u64::from(page.count)).sum();
                    *sum = sum.saturating_add(part(elements, *share));
                }
            }
        }
        for part in field.field_type().subfields() {
            self.count(schema, schema.child_named(id, part.name()), part, &below(path, part), shares);
        }
    }

    /// Bytes that the values of a field take in memory.
    pub(crate) fn length(&self, field: &Field, path: &str) -> u64 {
        let [first, second] = self.elements.get(path).copied().unwrap_or_default();
        let own = match field.field_type().shape() {
            Shape::Scalar(scalar) => first.saturating_mul(length(*scalar)),
            _ => first.saturating_mul(8).saturating_add(second),
        };
        let parts = field.field_type().subfields().iter();
        parts.map(|part| self.length(part, &below(path, part))).fold(own, u64::saturating_add)
    }

    /// Columns for entries of these fields, without values.
    pub(crate) fn columns(mut self, fields: &[Field]) -> AnyColumns {
        self.record(fields, |field| field.name().to_owned()).unwrap_or_default()
    }

    fn record(&mut self, fields: &[Field], path: impl Fn(&Field) -> String) -> Option<AnyColumns> {
        let members = fields.iter().map(|field| {
            let columns = self.column(field.field_type(), &path(field));
            (field.name().to_owned(), columns.unwrap_or_default())
        });
        AnyRecords::from_members(0, members).map(AnyColumns::Record).ok()
    }

    /// `None` where columns have no room from the beginning, but find it.
    fn column(&mut self, field_type: &FieldType, path: &str) -> Option<AnyColumns> {
        let [first, second] = self.elements.get(path).copied().unwrap_or_default();
        match field_type.shape() {
            Shape::Scalar(scalar) => Some(match scalar {
                Scalar::Bool => AnyColumns::Bool(self.list(first)),
                Scalar::I8 => AnyColumns::I8(self.list(first)),
                Scalar::I16 => AnyColumns::I16(self.list(first)),
                Scalar::U16 => AnyColumns::U16(self.list(first)),
                Scalar::I32 => AnyColumns::I32(self.list(first)),
                Scalar::U32 => AnyColumns::U32(self.list(first)),
                Scalar::I64 => AnyColumns::I64(self.list(first)),
                Scalar::U64 => AnyColumns::U64(self.list(first)),
                Scalar::F32 => AnyColumns::F32(self.list(first)),
                Scalar::F64 => AnyColumns::F64(self.list(first)),
                _ => AnyColumns::U8(self.list(first)),
            }),
            Shape::String => {
                let offsets = self.offsets(first);
                Lists::from_offsets(offsets, self.list(second)).map(AnyColumns::String).ok()
            }
            Shape::Collection(item) => {
                let offsets = self.offsets(first);
                let items = self.column(item.field_type(), &below(path, item)).unwrap_or_default();
                Lists::from_offsets(offsets, items).map(|lists| AnyColumns::List(Box::new(lists))).ok()
            }
            Shape::Array(size, item) => {
                let items = self.column(item.field_type(), &below(path, item)).unwrap_or_default();
                let arrays = AnyArrays::new(usize::try_from(*size).ok()?, 0, items);
                arrays.map(|arrays| AnyColumns::Array(Box::new(arrays))).ok()
            }
            Shape::Record(members) => self.record(members, |member| below(path, member)),
            Shape::Around(value) => self.column(value.field_type(), &below(path, value)),
            _ => None,
        }
    }

    fn offsets(&mut self, lists: u64) -> Vec<u64> {
        let mut offsets = self.list(lists.saturating_add(1));
        offsets.push(0);
        offsets
    }

    /// A list with room for this many values.
    fn list<T>(&mut self, count: u64) -> Vec<T> {
        let mut list = Vec::new();
        let bytes = count.saturating_mul(size_of::<T>() as u64);
        if let (Some(left), Ok(count)) = (self.bytes.checked_sub(bytes), usize::try_from(count))
            && list.try_reserve_exact(count).is_ok()
        {
            self.bytes = left;
        }
        list
    }
}

fn below(path: &str, part: &Field) -> String {
    format!("{path}.{}", part.name())
}

/// How much of the entries of a cluster, in a file that begins with entry `first`, are in a list.
#[expect(clippy::cast_precision_loss, reason = "it is about sizes")]
fn share(cluster: &ClusterDescriptor, first: u64, list: &EntryList) -> f64 {
    let start = first.saturating_add(cluster.first_entry);
    let cluster = start..start.saturating_add(cluster.entry_count);
    let ranges = list.ranges();
    let from = ranges.partition_point(|range| range.end <= cluster.start);
    let both = ranges.iter().skip(from).take_while(|range| range.start < cluster.end);
    let both: u64 = both.map(|range| range.end.min(cluster.end) - range.start.max(cluster.start)).sum();
    if both == 0 { 0.0 } else { both as f64 / (cluster.end - cluster.start) as f64 }
}

/// Some more than that share, if it is not all: not all entries are equal.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is about sizes"
)]
fn part(elements: u64, share: f64) -> u64 {
    if share < 1.0 { (elements as f64 * (share * 1.1)).ceil() as u64 } else { elements }
}

/// The bytes of a value in memory.
fn length(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::I16 | Scalar::U16 => 2,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        _ => 1,
    }
}
