//! Collections: end offsets in one column, the items in the columns of their type.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use super::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, Position, ReadField, WriteField,
};
use crate::cluster::Gathered;
use crate::column::{Allowance, ColumnReader, ColumnWriter, ItemLength};
use crate::encoding::Index;
use crate::error::{Error, ErrorKind, Result};
use crate::message::counted;
use crate::schema::{FieldPlace, Role, TypeName};

/// The columns of a collection, being filled.
#[derive(Debug)]
pub struct CollectionWriter<W> {
    pub(super) offsets: ColumnWriter<Index>,
    /// Items in this cluster.
    pub(super) end: u64,
    pub(super) item: W,
}

impl<W> CollectionWriter<W> {
    /// Declares a collection of this name whose item is declared by `item`.
    pub(super) fn declare(
        field: &mut FieldBuilder<'_>,
        name: fn() -> TypeName,
        item: impl FnOnce(&mut FieldBuilder<'_>) -> W,
    ) -> Self {
        let (offsets, mut items) = field.collection_of(name);
        Self { offsets, end: 0, item: item(&mut items) }
    }

    /// The same, whose item `item` declares as a subfield.
    pub(super) fn declare_in(
        field: &mut FieldBuilder<'_>,
        name: &TypeName,
        item: impl FnOnce(&mut FieldBuilder<'_>) -> W,
    ) -> Self {
        field.collection(name);
        let offsets = field.offsets();
        Self { offsets, end: 0, item: item(field) }
    }

    /// Appends one collection whose items `append` hands to the item's columns.
    #[inline]
    pub(super) fn append_items(&mut self, count: usize, append: impl FnOnce(&mut W) -> usize) -> usize {
        self.end += count as u64;
        append(&mut self.item) + self.offsets.push(Index(self.end))
    }
}

impl<W: Commit> Commit for CollectionWriter<W> {
    #[inline(never)]
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        if cluster.is_for_items()
            && let Some(lane) = self.offsets.lane()
            && let Some(count) = cluster.append_items(lane, &mut self.item)
        {
            self.end += count as u64;
        }
        if cluster.cluster_ends() {
            self.end = 0;
        }
        self.offsets.commit(cluster);
        self.item.commit(cluster);
    }
}

impl<T, W: FieldWriter<T>> FieldWriter<[T]> for CollectionWriter<W> {
    #[inline]
    fn append(&mut self, value: &[T]) -> usize {
        self.append_items(value.len(), |item| item.append_slice(value))
    }
}

impl<T, W: FieldWriter<T>> FieldWriter<Vec<T>> for CollectionWriter<W> {
    #[inline]
    fn append(&mut self, value: &Vec<T>) -> usize {
        FieldWriter::<[T]>::append(self, value)
    }
}

impl<T, W: FieldWriter<T>> FieldWriter<VecDeque<T>> for CollectionWriter<W> {
    fn append(&mut self, value: &VecDeque<T>) -> usize {
        let (front, back) = value.as_slices();
        self.append_items(value.len(), |item| item.append_slice(front) + item.append_slice(back))
    }
}

impl<T, W: FieldWriter<T>> FieldWriter<BTreeSet<T>> for CollectionWriter<W> {
    fn append(&mut self, value: &BTreeSet<T>) -> usize {
        self.append_items(value.len(), |item| item.append_each(value.iter()))
    }
}

impl<T: Ord, S, W: FieldWriter<T>> FieldWriter<HashSet<T, S>> for CollectionWriter<W> {
    fn append(&mut self, value: &HashSet<T, S>) -> usize {
        // Hash order differs from run to run; files should not.
        let mut items: Vec<&T> = value.iter().collect();
        items.sort_unstable();
        self.append_items(items.len(), |item| item.append_each(items.iter().copied()))
    }
}

/// Collections that differ only in their C++ name.
macro_rules! collections {
    ($([$($generics:tt)*] $type:ty, $item:ident, $name:expr;)*) => {$(
        impl<$($generics)*> WriteField for $type
        where
            $item: WriteField,
        {
            type Writer = CollectionWriter<<$item as WriteField>::Writer>;

            fn type_name() -> TypeName {
                let name: fn(&TypeName) -> TypeName = $name;
                name(&<$item as WriteField>::type_name())
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                CollectionWriter::declare(field, Self::type_name, <$item as WriteField>::declare)
            }
        }
    )*};
}

collections! {
    [T] [T], T, TypeName::vector;
    [T] Vec<T>, T, TypeName::vector;
    [T] VecDeque<T>, T, TypeName::vector;
    [T] BTreeSet<T>, T, |item| TypeName::template("std::set", [item]);
    [T: Ord, S] HashSet<T, S>, T, |item| TypeName::template("std::unordered_set", [item]);
}

/// A column of end offsets, read as counts.
#[derive(Debug)]
pub(super) struct Offsets {
    pub(super) column: ColumnReader<Index>,
    /// The end of the collection read last.
    pub(super) end: u64,
}

impl Offsets {
    pub(super) const DETACHED: Self = Self { column: ColumnReader::DETACHED, end: 0 };

    /// The field's first column, as end offsets.
    pub(super) fn connect(field: FieldNode<'_>) -> Result<Self> {
        Ok(Self { column: field.column(0)?, end: 0 })
    }

    /// What the entry may take.
    pub(super) fn allowance(&self) -> &Allowance {
        self.column.allowance()
    }

    /// The number of items of the next collection, which is not more than `remaining` says there are.
    #[inline]
    pub(super) fn next_count(&mut self, remaining: Option<u64>) -> Result<usize> {
        match remaining {
            Some(limit) => self.next_size(limit),
            None => {
                let count = self.next_size(u64::MAX)?;
                self.allowance().take(count as u64).map_err(|error| self.column.place(error))?;
                Ok(count)
            }
        }
    }

    /// The same of items that are moved into a list, where each takes `length`.
    #[inline]
    pub(super) fn next_owned(&mut self, remaining: Option<u64>, length: ItemLength) -> Result<usize> {
        let count = self.next_count(remaining)?;
        if length.counts(count) {
            self.take_values(count, length)?;
        }
        Ok(count)
    }

    /// Takes memory for many items.
    #[inline(never)]
    fn take_values(&self, count: usize, length: ItemLength) -> Result<()> {
        self.allowance().take_values(count, length).map_err(|error| self.column.place(error))
    }

    /// The number of items of the next collection, not more than `limit`.
    #[inline]
    pub(super) fn next_size(&mut self, limit: u64) -> Result<usize> {
        let Index(end) = self.column.next()?;
        match end.checked_sub(self.end) {
            Some(count) if count <= limit => {
                self.end = end;
                // Not more than what is stored, which fits into memory's addresses on all but tiny machines.
                usize::try_from(count).map_err(|_| self.impossible(end, limit))
            }
            _ => Err(self.impossible(end, limit)),
        }
    }

    /// Whether the next collection, which is an option, has its value.
    #[inline]
    pub(super) fn next_presence(&mut self) -> Result<bool> {
        let Index(end) = self.column.next()?;
        match end.checked_sub(self.end) {
            Some(0) => Ok(false),
            Some(1) => {
                self.end = end;
                Ok(true)
            }
            _ => Err(self.no_option(end)),
        }
    }

    #[cold]
    fn no_option(&self, end: u64) -> Error {
        self.column.place(Error::out_of_spec(format!("an option ranges from item {} to {end}", self.end)))
    }

    /// An error of the next collection, with its place.
    #[cold]
    pub(super) fn place(&self, error: Error) -> Error {
        self.column.place(error)
    }

    #[cold]
    fn impossible(&self, end: u64, limit: u64) -> Error {
        self.column.place(Error::out_of_spec(format!(
            "a collection ranges from item {} to {end}, beyond the {} left",
            self.end,
            counted(limit, "item")
        )))
    }

    /// Goes to a collection; returns the position of its first item.
    pub(super) fn seek(&mut self, to: Position<'_>) -> Result<u64> {
        self.end = 0;
        match to.element().checked_sub(1) {
            None => Attach::seek(&mut self.column, to)?,
            Some(before) => {
                Attach::seek(&mut self.column, to.with_element(before))?;
                self.end = self.column.next()?.0;
            }
        }
        Ok(self.end)
    }

    /// In place of each of some items in order, puts the first collection that begins there or later; one beyond all
    /// collections if none does.
    pub(super) fn find(&mut self, items: &mut [u64]) -> Result<()> {
        // The first collection begins at item 0, each other one where the one before ends. Those that are not on storage end at 0,
        // and a small file may say that it has very many of them.
        let empty = self.column.zeros();
        self.column.seek(empty)?;
        let mut collection = empty.saturating_add(1);
        let mut items = items.iter_mut().skip_while(|item| **item == 0).peekable();
        while items.peek().is_some() && self.column.remaining() > 0 {
            self.allowance().renew();
            let ends = self.column.next_chunk(usize::MAX)?;
            let last = ends.last().map_or(0, |end| end.0);
            while let Some(item) = items.next_if(|item| **item <= last) {
                *item = collection.saturating_add(ends.partition_point(|end| end.0 < *item) as u64);
            }
            collection = collection.saturating_add(ends.len() as u64);
        }
        items.for_each(|item| *item = u64::MAX);
        Ok(())
    }

    #[inline]
    pub(super) fn remaining(&self) -> Option<u64> {
        Some(self.column.remaining())
    }
}

/// Finds the columns of items in their field, whatever they are.
pub(super) type FindItem<'a, 'b> = dyn FnMut(FieldNode<'a>) -> Result<()> + 'b;

/// How many items each collection has.
#[derive(Debug)]
pub(super) enum Lengths {
    /// As the offsets say.
    Stored(Offsets),
    /// All the same: arrays and bitsets, read as collections.
    Fixed {
        /// The number of items.
        size: u64,
        /// The field, for errors.
        place: FieldPlace,
        /// For items without columns.
        allowance: Allowance,
    },
}

impl Lengths {
    /// Finds the lengths of a collection, and its items by `item`.
    fn connect<'a>(&mut self, field: FieldNode<'a>, wanted: &str, item: &mut FindItem<'a, '_>) -> Result<()> {
        if let Some(size) = field.repetition() {
            *self = Self::Fixed { size, place: field.place(), allowance: field.allowance() };
            return item(field.item()?);
        }
        let collection = field.expect(Role::Collection, wanted)?;
        // Both, so that differences in either are reported.
        let offsets = Offsets::connect(collection).map(|offsets| *self = Self::Stored(offsets));
        collection.item().and_then(item).and(offsets)
    }

    /// What the entry may take.
    pub(super) fn allowance(&self) -> &Allowance {
        match self {
            Self::Stored(offsets) => offsets.allowance(),
            Self::Fixed { allowance, .. } => allowance,
        }
    }

    /// As [`Offsets::next_owned`].
    #[inline]
    fn next_owned(&mut self, remaining: Option<u64>, length: ItemLength) -> Result<usize> {
        match self {
            Self::Stored(offsets) => offsets.next_owned(remaining, length),
            Self::Fixed { .. } => self.fixed_owned(remaining, length),
        }
    }

    #[inline(never)]
    fn fixed_owned(&self, remaining: Option<u64>, length: ItemLength) -> Result<usize> {
        let count = self.fixed_count(remaining)?;
        self.allowance().take_values(count, length).map_err(|error| self.place(error))?;
        Ok(count)
    }

    fn fixed_count(&self, remaining: Option<u64>) -> Result<usize> {
        let Self::Fixed { size, .. } = self else { return Ok(0) };
        self.check_fixed(*size, remaining)?;
        usize::try_from(*size).map_err(|_| self.place(too_long(*size)))
    }

    /// Checks that there are `count` items for lists of one length.
    pub(super) fn check_fixed(&self, count: u64, remaining: Option<u64>) -> Result<()> {
        match (self, remaining) {
            (Self::Fixed { .. }, Some(left)) if left < count => Err(self.place(Error::out_of_spec(format!(
                "an array has {}, but {left} are left",
                counted(count, "item")
            )))),
            (Self::Fixed { allowance, .. }, None) => allowance.take(count).map_err(|error| self.place(error)),
            _ => Ok(()),
        }
    }

    /// The error of items that a set or map would lose.
    #[cold]
    pub(super) fn repeated(&self) -> Error {
        let message = "an item occurs twice, which a set or map cannot hold: read it as a `Vec`";
        self.place(Error::new(ErrorKind::SchemaMismatch, message))
    }

    #[cold]
    pub(super) fn place(&self, error: Error) -> Error {
        match self {
            Self::Stored(offsets) => offsets.place(error),
            Self::Fixed { place, .. } => error.in_field(place.to_string()),
        }
    }

    /// Goes to a collection; returns the position of its first item.
    fn seek(&mut self, to: Position<'_>) -> Result<u64> {
        match self {
            Self::Stored(offsets) => offsets.seek(to),
            Self::Fixed { size, .. } => array_start(to.element(), *size),
        }
    }
}

/// The error of an array whose items cannot be counted.
#[cold]
pub(super) fn too_long(size: u64) -> Error {
    Error::limit(format!("the address space has no room for an array of {}", counted(size, "item")))
}

/// The error of arrays of `size` items that cannot be counted together.
#[cold]
pub(super) fn too_many(count: usize, size: u64) -> Error {
    let (arrays, items) = (counted(count as u64, "array"), counted(size, "item"));
    Error::limit(format!("the address space has no room for {arrays} of {items}"))
}

/// The position of the first item of an array.
pub(super) fn array_start(position: u64, size: u64) -> Result<u64> {
    position.checked_mul(size).ok_or_else(|| Error::out_of_spec("an array ends beyond element 2^64"))
}

/// The columns of a collection, being read.
#[derive(Debug)]
pub struct CollectionReader<R> {
    pub(super) lengths: Lengths,
    pub(super) item: R,
}

impl<R> CollectionReader<R> {
    /// What the entry may take.
    pub(super) fn allowance(&self) -> &Allowance {
        self.lengths.allowance()
    }
}

impl<R: Attach> CollectionReader<R> {
    /// Finds a collection whose item is found by `item`: a collection of any name, an option, which is one of
    /// nothing or one, or an array or bitset.
    pub(super) fn connect<'a>(
        &mut self,
        field: FieldNode<'a>,
        wanted: &str,
        item: impl Fn(FieldNode<'a>, &mut R) -> Result<()>,
    ) -> Result<()> {
        self.lengths.connect(field, wanted, &mut |field| item(field, &mut self.item))
    }

    /// The number of items of the next collection. They must all be read, and each takes `length` in memory.
    #[inline]
    pub(super) fn next_owned(&mut self, length: ItemLength) -> Result<usize> {
        self.lengths.next_owned(self.item.remaining(), length)
    }

    /// The next collection, whose items take `length` each.
    #[inline]
    pub(super) fn read_counted<T>(&mut self, length: ItemLength) -> Result<Vec<T>>
    where
        R: FieldReader<T>,
    {
        let count = self.next_owned(length)?;
        let mut items = self.item.spare_list();
        self.item.read_many(count, &mut items)?;
        Ok(items)
    }

    /// The next collection, a set or map to which `insert` adds items; `false`, and it is an error, if one was there.
    #[inline]
    pub(super) fn read_distinct<T, C>(&mut self, empty: C, insert: impl Fn(&mut C, T) -> bool) -> Result<C>
    where
        R: FieldReader<T>,
    {
        // Tables and nodes are about half full.
        let count = self.next_owned(ItemLength::exactly(2 * size_of::<T>()))?;
        let mut all = empty;
        for _ in 0..count {
            if !insert(&mut all, self.item.read()?) {
                return Err(self.lengths.repeated());
            }
        }
        Ok(all)
    }
}

impl<R: Attach> Attach for CollectionReader<R> {
    const DETACHED: Self = Self { lengths: Lengths::Stored(Offsets::DETACHED), item: R::DETACHED };

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        let start = self.lengths.seek(to)?;
        self.item.seek(to.with_element(start))
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        match &self.lengths {
            Lengths::Stored(offsets) => offsets.remaining(),
            Lengths::Fixed { size, .. } => self.item.remaining()?.checked_div(*size),
        }
    }
}

impl<T, R: FieldReader<T>> FieldReader<Vec<T>> for CollectionReader<R> {
    #[inline]
    fn read(&mut self) -> Result<Vec<T>> {
        self.read_counted(ItemLength::of::<T>())
    }

    #[inline]
    fn read_into(&mut self, slot: &mut Vec<T>) -> Result<()> {
        let count = self.next_owned(ItemLength::of::<T>())?;
        if !std::mem::needs_drop::<T>() {
            // Items without allocations: nothing to reuse, so whole rows are copied.
            slot.clear();
            return self.item.read_many(count, slot);
        }
        // What the items have that are too many serves those of collections to come.
        for item in slot.iter_mut().skip(count) {
            self.item.reclaim(item);
        }
        slot.truncate(count);
        for item in slot.iter_mut() {
            self.item.read_into(item)?;
        }
        self.item.read_many(count - slot.len(), slot)
    }

    #[inline]
    fn reclaim(&mut self, value: &mut Vec<T>) {
        if std::mem::needs_drop::<T>() {
            for item in value.iter_mut() {
                self.item.reclaim(item);
            }
        }
        self.item.keep_list(std::mem::take(value));
    }
}

impl<T, R: FieldReader<T>> FieldReader<Box<[T]>> for CollectionReader<R> {
    fn read(&mut self) -> Result<Box<[T]>> {
        FieldReader::<Vec<T>>::read(self).map(Vec::into_boxed_slice)
    }
}

impl<T, R: FieldReader<T>> FieldReader<VecDeque<T>> for CollectionReader<R> {
    fn read(&mut self) -> Result<VecDeque<T>> {
        FieldReader::<Vec<T>>::read(self).map(VecDeque::from)
    }
}

impl<T: Ord, R: FieldReader<T>> FieldReader<BTreeSet<T>> for CollectionReader<R> {
    fn read(&mut self) -> Result<BTreeSet<T>> {
        self.read_distinct(BTreeSet::new(), BTreeSet::insert)
    }
}

impl<T, S, R> FieldReader<HashSet<T, S>> for CollectionReader<R>
where
    T: Eq + Hash,
    S: BuildHasher + Default,
    R: FieldReader<T>,
{
    fn read(&mut self) -> Result<HashSet<T, S>> {
        self.read_distinct(HashSet::default(), HashSet::insert)
    }
}

macro_rules! read_collections {
    ($([$($generics:tt)*] $type:ty, $item:ident, $wanted:literal;)*) => {$(
        impl<$($generics)*> ReadField for $type
        where
            $item: ReadField,
        {
            type Reader = CollectionReader<<$item as ReadField>::Reader>;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                reader.connect(field, $wanted, <$item as ReadField>::connect)
            }
        }
    )*};
}

read_collections! {
    [T] Vec<T>, T, "a collection";
    [T] Box<[T]>, T, "a collection";
    [T] VecDeque<T>, T, "a collection";
    [T: Ord] BTreeSet<T>, T, "a set";
    [T: Eq + Hash, S: BuildHasher + Default] HashSet<T, S>, T, "a set";
}
