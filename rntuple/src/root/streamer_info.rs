//! The streamer info record: the layouts of the classes in a file (format: container, section 7).
//!
//! An ntuple needs one class, `ROOT::RNTuple`, the anchor. JSROOT refuses files without it.

use std::collections::HashMap;

use super::wire::{put_string, read_string};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};

const BYTE_COUNT: u32 = 0x4000_0000;
/// Stands in front of a class's name where it is used for the first time.
const NEW_CLASS: u32 = 0xFFFF_FFFF;
/// Marks the offset of a name that stood in the record before, counted from the record's key.
const CLASS_REFERENCE: u32 = 0x8000_0000;
/// References are counted from two bytes before the key.
const REFERENCE_BASE: u64 = 2;
/// A bit of an object that is followed by the number of a process.
const REFERENCED: u32 = 0x10;

/// A streamer info record of more than this is not looked at; a few hundred kB are usual.
pub(super) const INFO_LIMIT: u64 = 64 << 20;
/// The class of an anchor.
const ANCHOR: &str = "ROOT::RNTuple";
/// Version of a list from which on its entries have options after them, and a name is before them.
const OLDEST_LIST: u16 = 4;

/// Checksum of the anchor's members, as ROOT computes it from names and types.
const CHECKSUM: u32 = 0x28e6_32ec;
const VERSION: u32 = 2;
/// `unsigned short` and `unsigned long` in ROOT's numbering, with their sizes.
const U16: (u32, u32, &str) = (12, 2, "unsigned short");
const U64: (u32, u32, &str) = (14, 8, "unsigned long");

/// The anchor's members in the order of the file; its checksum is not among them.
const MEMBERS: [(&str, (u32, u32, &str)); 11] = [
    ("fVersionEpoch", U16),
    ("fVersionMajor", U16),
    ("fVersionMinor", U16),
    ("fVersionPatch", U16),
    ("fSeekHeader", U64),
    ("fNBytesHeader", U64),
    ("fLenHeader", U64),
    ("fSeekFooter", U64),
    ("fNBytesFooter", U64),
    ("fLenFooter", U64),
    ("fMaxKeySize", U64),
];

/// A class that a file describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClassInfo {
    pub(super) name: String,
    pub(super) version: u32,
}

/// The payload of the record: a list with the anchor's class.
///
/// Each member repeats the name of its own class (`TStreamerBasicType`) instead of pointing at the
/// first one, so the bytes do not depend on the key in front of them.
pub(super) fn write() -> Vec<u8> {
    counted(5, |list| {
        object(list, 0);
        put_string(list, "");
        list.put_u32_be(1);
        list.put(&entry());
    })
}

/// The anchor's class as an entry of a list; it refers to nothing outside, so it may be at any offset.
fn entry() -> Vec<u8> {
    let mut entry = slot("TStreamerInfo", |out| {
        out.put(&counted(10, |info| {
            info.put(&named(ANCHOR, 0x0001_0000));
            info.put_u32_be(CHECKSUM);
            info.put_u32_be(VERSION);
            info.put(&slot("TObjArray", |out| out.put(&counted(3, members))));
        }));
    });
    entry.put_u8(0); // its option
    entry
}

/// Whether the payload of a record, after a key of `key_size` bytes, describes the anchor's class.
pub(super) fn describes_anchor(payload: &[u8], key_size: u16) -> Result<bool> {
    let classes = read(payload, key_size)?;
    Ok(classes.iter().any(|class| class.name == ANCHOR && class.version >= VERSION))
}

/// The payload of a record with the anchor's class added. Everything else stays at its offset, as the parts of a list
/// refer to each other by offsets, which are counted from the key: the new key must be as long as the old one.
///
/// # Errors
/// It is not a list, or it is one of a form that is not known.
pub(super) fn extend(payload: &[u8]) -> Result<Vec<u8>> {
    let mut whole = Cursor::new(payload, 0);
    let mut list = open_counted(&mut whole)?;
    // The version follows the byte count.
    let version =
        payload.get(4..6).and_then(|bytes| bytes.first_chunk()).copied().map_or(0, u16::from_be_bytes);
    skip_object(&mut list)?;
    read_string(&mut list)?;
    let count_at = usize::try_from(list.offset()).unwrap_or(usize::MAX);
    let count = list.u32_be()?;
    for _ in 0..count {
        let word = list.u32_be()?;
        if word & BYTE_COUNT != 0 {
            list.take(usize::try_from(word & !BYTE_COUNT).unwrap_or(usize::MAX))?;
        }
        read_string(&mut list)?;
    }
    let (Some(count), true) =
        (count.checked_add(1), version >= OLDEST_LIST && list.remaining() == 0 && whole.remaining() == 0)
    else {
        return Err(Error::unsupported(format!(
            "the list of classes has an unknown form (version {version})"
        )));
    };
    let mut new = payload.to_vec();
    new.put(&entry());
    if let Some(place) = new.get_mut(count_at..).and_then(|bytes| bytes.first_chunk_mut()) {
        *place = count.to_be_bytes();
    }
    Ok(close(new))
}

fn members(array: &mut Vec<u8>) {
    object(array, 0);
    put_string(array, "");
    array.put_u32_be(u32::try_from(MEMBERS.len()).unwrap_or(0));
    array.put_u32_be(0); // index of the first one
    for (name, (number, size, type_name)) in MEMBERS {
        array.put(&slot("TStreamerBasicType", |out| {
            out.put(&counted(2, |basic| {
                basic.put(&counted(4, |element| {
                    element.put(&named(name, 0));
                    element.put_u32_be(number);
                    element.put_u32_be(size);
                    element.put(&[0; 28]); // not an array: length, dimensions, five extents
                    put_string(element, type_name);
                }));
            }));
        }));
    }
}

/// A versioned object behind its byte count.
fn counted(version: u16, body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = vec![0; 4];
    out.put_u16_be(version);
    body(&mut out);
    close(out)
}

/// An object behind its byte count and the name of its class.
fn slot(class: &str, body: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = vec![0; 4];
    out.put_u32_be(NEW_CLASS);
    out.put(class.as_bytes());
    out.put_u8(0);
    body(&mut out);
    close(out)
}

/// Puts the byte count into the four bytes in front, which it does not count.
fn close(mut out: Vec<u8>) -> Vec<u8> {
    let count = u32::try_from(out.len().saturating_sub(4)).unwrap_or(0);
    if let Some(front) = out.first_chunk_mut::<4>() {
        *front = (BYTE_COUNT | count).to_be_bytes();
    }
    out
}

fn object(out: &mut Vec<u8>, bits: u32) {
    out.put_u16_be(1);
    out.put_u32_be(0); // unique id
    out.put_u32_be(bits);
}

fn named(name: &str, bits: u32) -> Vec<u8> {
    counted(1, |out| {
        object(out, bits);
        put_string(out, name);
        put_string(out, ""); // title
    })
}

/// The classes that a record describes: the (uncompressed) payload behind a key of `key_size` bytes.
pub(super) fn read(payload: &[u8], key_size: u16) -> Result<Vec<ClassInfo>> {
    let mut list = open_counted(&mut Cursor::new(payload, 0))?;
    skip_object(&mut list)?;
    read_string(&mut list)?;
    let count = list.u32_be()?;
    let mut names = HashMap::new();
    let mut classes = Vec::new();
    for _ in 0..count {
        let word = list.u32_be()?;
        // Without the bit this is no object, but nothing or one that stood before.
        if word & BYTE_COUNT != 0 {
            let mut entry = list.split(usize::try_from(word & !BYTE_COUNT).unwrap_or(usize::MAX))?;
            let place = u64::from(key_size) + REFERENCE_BASE + entry.offset();
            let class = match entry.u32_be()? {
                NEW_CLASS => {
                    let name = zero_terminated(&mut entry)?;
                    names.insert(place, name);
                    Some(name)
                }
                tag if tag & CLASS_REFERENCE != 0 => names.get(&u64::from(tag & !CLASS_REFERENCE)).copied(),
                _ => None,
            };
            // Programs that carry a ROOT of their own have put it into a namespace.
            if class.is_some_and(|name: &[u8]| name.ends_with(b"TStreamerInfo")) {
                classes.push(read_info(&mut entry)?);
            }
        }
        read_string(&mut list)?;
    }
    Ok(classes)
}

/// Name and version of a class; its members do not matter here.
fn read_info(cursor: &mut Cursor<'_>) -> Result<ClassInfo> {
    let mut info = open_counted(cursor)?;
    let mut named = open_counted(&mut info)?;
    skip_object(&mut named)?;
    let name = read_string(&mut named)?;
    info.u32_be()?; // checksum
    Ok(ClassInfo { name, version: info.u32_be()? })
}

/// The inside of an object behind its byte count and version.
fn open_counted<'a>(cursor: &mut Cursor<'a>) -> Result<Cursor<'a>> {
    let at = cursor.offset();
    let word = cursor.u32_be()?;
    if word & BYTE_COUNT == 0 {
        return Err(Error::out_of_spec(format!("{word:#010x} is no byte count")).at_offset(at));
    }
    let mut inside = cursor.split(usize::try_from(word & !BYTE_COUNT).unwrap_or(usize::MAX))?;
    inside.u16_be()?;
    Ok(inside)
}

fn skip_object(cursor: &mut Cursor<'_>) -> Result<()> {
    cursor.u16_be()?;
    cursor.u32_be()?;
    if cursor.u32_be()? & REFERENCED != 0 {
        cursor.u16_be()?;
    }
    Ok(())
}

fn zero_terminated<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8]> {
    let mut ahead = cursor.clone();
    let mut length = 0;
    while ahead.u8()? != 0 {
        length += 1;
    }
    let name = cursor.take(length)?;
    cursor.u8()?;
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_a_list_without_references() {
        assert_eq!(write().len(), 1444);
    }

    #[test]
    fn the_class_is_found_in_what_was_written_and_in_no_prefix_of_it() {
        let bytes = write();
        let classes = read(&bytes, 72).unwrap();
        assert_eq!(classes, [ClassInfo { name: "ROOT::RNTuple".into(), version: 2 }]);
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length], 72).is_err(), "{length}");
        }
    }

    #[test]
    fn a_second_class_refers_to_the_first_ones_tag() {
        let entry = |tag: &[u8], name: &str| {
            let mut out = vec![0; 4];
            out.put(tag);
            out.put(&counted(10, |info| {
                info.put(&named(name, 0));
                info.put_u32_be(0);
                info.put_u32_be(7);
            }));
            close(out)
        };
        let payload = counted(5, |list| {
            object(list, REFERENCED);
            list.put_u16_be(0);
            put_string(list, "");
            list.put_u32_be(3);
            list.put(&entry(b"\xff\xff\xff\xffTStreamerInfo\0", "A"));
            list.put_u8(0);
            list.put(&entry(&(CLASS_REFERENCE | (4 + 19 + 4 + 2 + 64)).to_be_bytes(), "B"));
            list.put_u8(0);
            list.put_u32_be(0); // no object at all
            list.put_u8(0);
        });
        let names: Vec<_> = read(&payload, 64).unwrap().into_iter().map(|class| class.name).collect();
        assert_eq!(names, ["A", "B"]);
    }

    #[test]
    fn no_changed_byte_panics_and_a_huge_count_ends_soon() {
        let good = write();
        for at in 0..good.len() {
            for flip in [1, 0x40, 0x80, 0xFF] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                let _ = read(&bad, 72);
            }
        }
    }
}
