//! Damaged files, read through every kind of reader that attributes make: an error, and nothing else.

use rntuple::field::{ReadField, WriteField};
use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, Reader, WriteOptions, Writer};
use rntuple_tests::places::places;

use super::common::{compare, list, text};

fn four() -> u16 {
    4
}

/// Text that is a number.
mod digits {
    pub(super) type Stored = String;

    pub(super) fn store(value: &u32) -> String {
        value.to_string()
    }

    pub(super) fn load(stored: String) -> Result<u32, std::num::ParseIntError> {
        stored.parse()
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Old {
    plain: Option<u16>,
    #[rntuple(default)]
    inner: Option<OldInner>,
    list: Vec<OldItem>,
    #[rntuple(with = digits)]
    digits: u32,
    flat_a: Option<u8>,
    choice: OldChoice,
    level: u8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct OldInner {
    cells: Vec<u8>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "Item", version = 1)]
struct OldItem {
    text: String,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum OldChoice {
    Inner(OldInner),
    Item {
        item: Vec<OldItem>,
        #[rntuple(f16)]
        weight: f32,
    },
    Third(u8),
}

/// Each attribute that reading depends on.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct New {
    #[rntuple(default = four)]
    plain: u16,
    #[rntuple(default)]
    inner: Inner,
    #[rntuple(alias = "list")]
    items: Vec<Item>,
    #[rntuple(with = digits)]
    digits: u32,
    #[rntuple(flatten, prefix = "flat_")]
    flat: Flat,
    choice: Choice,
    level: Level,
    #[rntuple(default)]
    missing: Vec<Item>,
    #[rntuple(skip, default = four)]
    skipped: u16,
}

#[derive(RNTuple, Clone, Debug, PartialEq, Default)]
struct Inner {
    #[rntuple(from = "Vec<u8>", into = "Vec<u8>")]
    cells: Cells,
}

#[derive(Clone, Debug, PartialEq, Default)]
struct Cells(usize);

impl From<Vec<u8>> for Cells {
    fn from(cells: Vec<u8>) -> Self {
        Self(cells.len())
    }
}

impl From<Cells> for Vec<u8> {
    fn from(cells: Cells) -> Self {
        vec![0; cells.0]
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "Item", version = 2)]
#[rntuple(upgrade_from(OldItem, when = version(1), try_with = Item::upgrade))]
struct Item {
    text: String,
    #[rntuple(default)]
    length: u32,
}

impl Item {
    fn upgrade(old: OldItem) -> Result<Self, &'static str> {
        let length = old.text.len() as u32;
        if old.text.starts_with('z') { Err("a `z` in front") } else { Ok(Self { text: old.text, length }) }
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(default)]
struct Flat {
    a: u32,
    b: String,
}

impl Default for Flat {
    fn default() -> Self {
        Self { a: 1, b: "b".into() }
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Choice {
    Inner(Inner),
    Item {
        item: Vec<Item>,
        #[rntuple(convert = "lossy")]
        weight: i16,
        #[rntuple(flatten)]
        flat: Flat,
    },
    #[rntuple(other)]
    Other,
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Level {
    Low,
    High,
    #[rntuple(other)]
    Other,
}

fn old(n: u64) -> Old {
    let inner = |n: u64| OldInner { cells: list(n, |i| i as u8) };
    let item = |n: u64| OldItem { text: text(n) };
    Old {
        plain: (n.is_multiple_of(2)).then_some(n as u16),
        inner: (n.is_multiple_of(3)).then(|| inner(n + 1)),
        list: list(n + 2, item),
        digits: n as u32,
        flat_a: (n % 2 == 1).then_some(n as u8),
        choice: match n % 3 {
            0 => OldChoice::Inner(inner(n)),
            1 => OldChoice::Item { item: list(n + 1, item), weight: 1.5 },
            _ => OldChoice::Third(1),
        },
        level: n as u8,
    }
}

fn new(n: u64) -> New {
    let old = old(n);
    let upgrade = |items: Vec<OldItem>| items.into_iter().map(|item| Item::upgrade(item).unwrap()).collect();
    let inner = |inner: OldInner| Inner { cells: inner.cells.into() };
    New {
        plain: old.plain.unwrap_or(4),
        inner: old.inner.map(inner).unwrap_or_default(),
        items: upgrade(old.list),
        digits: old.digits,
        flat: Flat { a: old.flat_a.map_or(1, u32::from), b: "b".into() },
        choice: match old.choice {
            OldChoice::Inner(it) => Choice::Inner(inner(it)),
            OldChoice::Item { item, .. } => {
                Choice::Item { item: upgrade(item), weight: 1, flat: Flat::default() }
            }
            OldChoice::Third(_) => Choice::Other,
        },
        level: [Level::Low, Level::High, Level::Other][n.min(2) as usize],
        missing: vec![],
        skipped: 4,
    }
}

fn written<T: rntuple::Entry + WriteField>(entries: &[T], checksums: bool) -> Memory {
    let options = WriteOptions::new().compression(Compression::NONE).checksums(checksums).max_page_length(64);
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options).unwrap();
    for entries in entries.chunks(3) {
        writer.fill_all(entries).unwrap();
        writer.commit_cluster().unwrap();
    }
    writer.finish_into().unwrap().1
}

/// Reads all that can be read; `None` where there is an error.
fn read<T: rntuple::Entry + ReadField + Clone>(bytes: Vec<u8>, some: &T) -> Option<Vec<T>> {
    let reader = match Reader::<T>::open(Memory::from(bytes), "Events") {
        Ok(reader) => reader,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let count = reader.entry_count().unwrap().min(10);
    let mut slot = some.clone();
    for entry in (0..count).rev() {
        // Behind an error, others may still be read.
        let _ = reader.read_into(entry, &mut slot).is_ok() && reader.get(entry / 2).is_ok();
    }
    reader.entries().take(10).collect::<Result<_, _>>().ok()
}

fn torture<T: rntuple::Entry + ReadField + Clone + PartialEq + std::fmt::Debug>(file: &Memory, wanted: &[T]) {
    compare(file, wanted);
    let bytes = file.as_bytes();
    for length in places(bytes.len()) {
        assert!(read(bytes[..length].to_vec(), &wanted[0]).is_none(), "cut at {length}");
    }
    for position in places(bytes.len()) {
        for mask in [0x01, 0x80] {
            let mut damaged = bytes.to_vec();
            damaged[position] ^= mask;
            let _ = read(damaged, &wanted[0]);
        }
    }
}

#[test]
fn older_files_damaged() {
    let entries: Vec<Old> = (0..5).map(old).collect();
    let wanted: Vec<New> = (0..5).map(new).collect();
    // Without checksums, damage gets as far as the values.
    torture(&written(&entries, false), &wanted);
}

#[test]
fn newer_files_damaged() {
    let entries: Vec<New> = (0..4).map(new).collect();
    torture(&written(&entries, false), &entries);
}

#[test]
fn checksums_find_all_damage_of_pages() {
    let entries: Vec<Old> = (0..3).map(old).collect();
    let wanted: Vec<New> = (0..3).map(new).collect();
    let file = written(&entries, true);
    let bytes = file.as_bytes();
    for position in places(bytes.len()) {
        let mut damaged = bytes.to_vec();
        damaged[position] ^= 0x10;
        if let Some(read) = read(damaged, &wanted[0]) {
            assert_eq!(read, wanted, "byte {position}");
        }
    }
}
