//! Where the entries of keys are.

use std::collections::HashMap;
use std::collections::hash_map;
use std::hash::Hash;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::field::{Entry, ReadField};
use crate::limits;
use crate::reader::EntryList;
use crate::reader::cursors::Cursors;
use crate::reader::sequence::Sequence;

/// What entries are joined by: any struct with `#[derive(RNTuple, PartialEq, Eq, Hash)]`.
///
/// It is a projection like any other: only its columns are read. Where the two sides spell a member differently, an
/// alias (`#[rntuple(alias = "runNumber")]`) goes with both. A member with a default has it on a side that lacks the
/// member, and meets what has this value on the other: leave defaults out, and the lack is an error.
pub trait JoinKey: Entry + ReadField + Eq + Hash {}

impl<K: Entry + ReadField + Eq + Hash> JoinKey for K {}

/// What becomes of several entries of the right side that have the same key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DuplicateKeys {
    /// They are an error, which names two of them.
    #[default]
    Refuse,
    /// The first one counts.
    First,
    /// The left entry comes once with each of them, in their order.
    All,
}

/// The entries of each key.
pub(super) struct Index<K> {
    first: HashMap<K, u64>,
    /// The next entry with the same key, where all are requested.
    next_same: HashMap<u64, u64>,
}

impl<K: JoinKey> Index<K> {
    /// Reads all keys. What it takes grows with what was read, not with what a file claims.
    pub(super) fn build(right: &Arc<Cursors<K>>, duplicates: DuplicateKeys) -> Result<Self> {
        let files = right.files();
        let count = files.entry_count()?;
        let mut loan = right.take(Some(0..count));
        let keys = loan.required()?;
        let (mut first, mut next_same) = (HashMap::new(), HashMap::new());
        // The last one of those that have several.
        let mut last: HashMap<u64, u64> = HashMap::new();
        let (mut taken, mut most) = (0u64, 0u64);
        let list = right.options().among(&EntryList::from(..count));
        for entry in list.iter() {
            let key: K = keys.get(entry)?;
            taken = taken.saturating_add(size_of::<(K, u64)>() as u64).saturating_add(keys.taken().0);
            if taken > most {
                // What the files can account for, as if each were as long as this one.
                most = most.max(keys.most_bytes().saturating_mul(files.names().len() as u64));
                if taken > most {
                    let found = format_args!("the keys up to entry {entry} take {taken} bytes");
                    return Err(files.place(limits::exceeded(found, most, "entry_length")));
                }
            }
            match first.entry(key) {
                hash_map::Entry::Vacant(place) => {
                    place.insert(entry);
                }
                hash_map::Entry::Occupied(place) => match duplicates {
                    DuplicateKeys::Refuse => return Err(twice(files, *place.get(), entry)),
                    DuplicateKeys::First => {}
                    DuplicateKeys::All => {
                        let last = last.entry(*place.get()).or_insert(*place.get());
                        next_same.insert(*last, entry);
                        *last = entry;
                    }
                },
            }
        }
        Ok(Self { first, next_same })
    }

    /// The first entry of a key.
    pub(super) fn get(&self, key: &K) -> Option<u64> {
        self.first.get(key).copied()
    }

    /// The next entry of the same key.
    pub(super) fn next_same(&self, entry: u64) -> Option<u64> {
        self.next_same.get(&entry).copied()
    }

    /// Whether no key has more than one entry that counts.
    pub(super) fn has_one_each(&self) -> bool {
        self.next_same.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.first.len()
    }
}

#[cold]
fn twice(files: &Sequence, first: u64, second: u64) -> Error {
    let (first, second) = (files.describe(first), files.describe(second));
    let message = format!("{first} and {second} have the same key; `DuplicateKeys` says what to do then");
    Error::invalid_argument(message)
}
