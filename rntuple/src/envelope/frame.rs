//! Frames and strings: what the items of envelopes are wrapped in (format, sections 4.1 and 4.3).
//!
//! A frame starts with its size. What a newer writer adds at its end is passed over, because reading goes
//! on where the frame ends and not where its known items end.

use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};

/// Length word of a string.
pub(super) const STRING: usize = 4;

/// How wide sizes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// 32 bits: release candidate 1.
    Narrow,
    /// 64 bits.
    Wide,
}

impl Width {
    /// Bytes of the size word of a record frame.
    pub(super) fn record(self) -> usize {
        match self {
            Self::Narrow => 4,
            Self::Wide => 8,
        }
    }

    /// Bytes of the size word and the item count of a list frame.
    pub(super) fn list(self) -> usize {
        self.record() + 4
    }

    /// A length or a checksum.
    pub(super) fn unsigned(self, cursor: &mut Cursor<'_>) -> Result<u64> {
        match self {
            Self::Narrow => cursor.u32_le().map(u64::from),
            Self::Wide => cursor.u64_le(),
        }
    }

    /// The size word of a frame.
    fn signed(self, cursor: &mut Cursor<'_>) -> Result<i64> {
        match self {
            Self::Narrow => cursor.i32_le().map(i64::from),
            Self::Wide => cursor.i64_le(),
        }
    }
}

/// A cursor over the payload of a record frame, which `cursor` passes over.
pub(super) fn record<'a>(cursor: &mut Cursor<'a>, width: Width, what: &str) -> Result<Cursor<'a>> {
    let offset = cursor.offset();
    let size = width.signed(cursor)?;
    let payload = u64::try_from(size).ok().and_then(|size| size.checked_sub(width.record() as u64));
    match payload {
        Some(payload) => enter(cursor, payload, what).map_err(|error| error.at_offset(offset)),
        None => Err(Error::out_of_spec(format!("a record frame ({what}) has size {size}")).at_offset(offset)),
    }
}

/// A cursor over the items of a list frame, which `cursor` passes over, and the number of items.
///
/// The number is believed only if items of at least `item_size` bytes fit into the frame: after this it
/// may be used to reserve memory.
pub(super) fn list<'a>(
    cursor: &mut Cursor<'a>,
    width: Width,
    what: &str,
    item_size: usize,
) -> Result<(Cursor<'a>, usize)> {
    let offset = cursor.offset();
    let size = width.signed(cursor)?;
    let payload = match size {
        ..0 => size.unsigned_abs().checked_sub(width.list() as u64),
        0.. => None,
    };
    let Some(payload) = payload else {
        return Err(Error::out_of_spec(format!("a list frame ({what}) has size {size}")).at_offset(offset));
    };
    let count = cursor.u32_le()?;
    let items = enter(cursor, payload, what).map_err(|error| error.at_offset(offset))?;
    match usize::try_from(count) {
        Ok(fits) if fits <= items.remaining() / item_size.max(1) => Ok((items, fits)),
        _ => Err(Error::out_of_spec(format!(
            "a list ({what}) of {count} items does not fit into {} bytes",
            items.remaining()
        ))
        .at_offset(offset)),
    }
}

/// The items of a list frame of records, each of at least `payload` bytes and read by `read` from a cursor over its
/// own record.
pub(super) fn list_of_records<'a, T>(
    cursor: &mut Cursor<'a>,
    width: Width,
    what: &str,
    payload: usize,
    mut read: impl FnMut(&mut Cursor<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let (mut items, count) = list(cursor, width, what, width.record() + payload)?;
    let mut records = Vec::with_capacity(count);
    for _ in 0..count {
        records.push(read(&mut record(&mut items, width, what)?)?);
    }
    Ok(records)
}

fn enter<'a>(cursor: &mut Cursor<'a>, payload: u64, what: &str) -> Result<Cursor<'a>> {
    match usize::try_from(payload) {
        Ok(payload) if payload <= cursor.remaining() => cursor.split(payload),
        _ => Err(Error::out_of_spec(format!(
            "a frame ({what}) with {payload} bytes of payload leaves its parent, which has {} left",
            cursor.remaining()
        ))),
    }
}

/// The bytes of a string, whatever they are.
pub(super) fn raw_string<'a>(cursor: &mut Cursor<'a>) -> Result<&'a [u8]> {
    let offset = cursor.offset();
    let length = cursor.u32_le()?;
    match usize::try_from(length) {
        Ok(length) if length <= cursor.remaining() => cursor.take(length),
        _ => Err(Error::out_of_spec(format!(
            "a string has {length} bytes, but {} are left",
            cursor.remaining()
        ))
        .at_offset(offset)),
    }
}

/// A string that names something: it must be UTF-8.
pub(super) fn name(cursor: &mut Cursor<'_>) -> Result<String> {
    let offset = cursor.offset();
    let bytes = raw_string(cursor)?;
    match str::from_utf8(bytes) {
        Ok(name) => Ok(name.to_owned()),
        Err(error) => {
            let at = offset.saturating_add((STRING + error.valid_up_to()) as u64);
            Err(Error::out_of_spec("a name is not UTF-8").at_offset(at))
        }
    }
}

/// A string for people. Old C++ comments end up in descriptions, in any encoding; they are no reason to
/// lose the data.
pub(super) fn text(cursor: &mut Cursor<'_>) -> Result<String> {
    Ok(String::from_utf8_lossy(raw_string(cursor)?).into_owned())
}

/// Appends a record frame whose payload `write` appends.
pub(super) fn put_record(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
    let start = out.len();
    out.put_i64_le(0);
    write(out)?;
    patch(out, start, 1)
}

/// Appends a list frame that counts `count` items, all of which `write` appends.
pub(super) fn put_list(
    out: &mut Vec<u8>,
    count: usize,
    write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    let start = out.len();
    let Ok(count) = u32::try_from(count) else {
        return Err(Error::limit(format!("a list has {count} items, the format counts them in 32 bits")));
    };
    out.put_i64_le(0);
    out.put_u32_le(count);
    write(out)?;
    patch(out, start, -1)
}

/// Appends a list frame of records, the payload of each appended by `write`.
pub(super) fn put_list_of_records<T>(
    out: &mut Vec<u8>,
    items: &[T],
    mut write: impl FnMut(&mut Vec<u8>, &T) -> Result<()>,
) -> Result<()> {
    put_list(out, items.len(), |out| {
        items.iter().try_for_each(|item| put_record(out, |out| write(out, item)))
    })
}

/// Sets the size of the frame that begins at `start` and ends at the end of `out`.
fn patch(out: &mut [u8], start: usize, sign: i64) -> Result<()> {
    let size = i64::try_from(out.len() - start)
        .map_err(|_| Error::limit("a frame is too long for its 63 bits of size"))?;
    if let Some(word) = out.get_mut(start..).and_then(|frame| frame.first_chunk_mut()) {
        *word = (size * sign).to_le_bytes();
    }
    Ok(())
}

/// Appends a string.
pub(super) fn put_string(out: &mut Vec<u8>, string: impl AsRef<[u8]>) -> Result<()> {
    let bytes = string.as_ref();
    let length = u32::try_from(bytes.len()).map_err(|_| {
        Error::limit(format!("a string has {} bytes, the format counts them in 32 bits", bytes.len()))
    })?;
    out.put_u32_le(length);
    out.put(bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zeros(count: usize) -> impl FnOnce(&mut Vec<u8>) -> Result<()> {
        move |out| {
            out.resize(out.len() + count, 0);
            Ok(())
        }
    }

    #[test]
    fn reading_goes_on_where_the_frame_ends() {
        let mut bytes = Vec::new();
        put_record(&mut bytes, zeros(3)).unwrap();
        bytes.put_u8(9);
        assert_eq!(bytes, [11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]);
        let mut cursor = Cursor::new(&bytes, 100);
        let mut payload = record(&mut cursor, Width::Wide, "test").unwrap();
        assert_eq!(payload.u8().unwrap(), 0);
        assert_eq!(payload.offset(), 109);
        assert_eq!(cursor.u8().unwrap(), 9);
    }

    #[test]
    fn an_empty_list_has_twelve_bytes() {
        let mut bytes = Vec::new();
        put_list(&mut bytes, 0, |_| Ok(())).unwrap();
        assert_eq!(bytes, [0xf4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
        assert_eq!(list(&mut Cursor::new(&bytes, 0), Width::Wide, "test", 8).unwrap().1, 0);
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for size in [i64::MIN, i64::MIN + 1, -1, 0, 7, 17, i64::MAX] {
            let mut bytes = size.to_le_bytes().to_vec();
            bytes.put(&[0; 8]);
            assert!(record(&mut Cursor::new(&bytes, 0), Width::Wide, "test").is_err(), "{size}");
        }
        for size in [i64::MIN, i64::MIN + 1, -21, -11, -1, 0, 12, 20, i64::MAX] {
            let mut bytes = size.to_le_bytes().to_vec();
            bytes.put(&[0; 12]);
            let error = list(&mut Cursor::new(&bytes, 5), Width::Wide, "test", 1).map(|_| ()).unwrap_err();
            assert_eq!(error.location().offset, Some(5), "{size}");
        }
    }

    #[test]
    fn a_frame_stays_in_its_parent() {
        let mut bytes = Vec::new();
        put_record(&mut bytes, |out| put_record(out, zeros(4))).unwrap();
        bytes.put(&[0; 32]);
        bytes[8] += 1;
        let mut outer = record(&mut Cursor::new(&bytes, 0), Width::Wide, "outer").unwrap();
        let error = record(&mut outer, Width::Wide, "inner").map(|_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "offset 8: a frame (inner) with 5 bytes of payload leaves its parent, which has 4 left"
        );
    }

    #[test]
    fn counts_are_compared_with_the_bytes() {
        let mut bytes = Vec::new();
        put_list(&mut bytes, 3, zeros(23)).unwrap();
        assert!(list(&mut Cursor::new(&bytes, 0), Width::Wide, "test", 8).is_err());
        assert_eq!(list(&mut Cursor::new(&bytes, 0), Width::Wide, "test", 7).unwrap().1, 3);
        bytes[8..12].copy_from_slice(&[0xff; 4]);
        let error = list(&mut Cursor::new(&bytes, 0), Width::Wide, "test", 1).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("4294967295 items does not fit into 23 bytes"), "{error}");
    }

    #[test]
    fn names_are_utf8_and_texts_are_made_so() {
        let bytes = [3, 0, 0, 0, b'a', b'b', 0xe9];
        assert_eq!(name(&mut Cursor::new(&bytes, 10)).unwrap_err().location().offset, Some(16));
        assert_eq!(text(&mut Cursor::new(&bytes, 10)).unwrap(), "ab\u{fffd}");
        assert_eq!(raw_string(&mut Cursor::new(&bytes, 10)).unwrap(), b"ab\xe9");
        assert!(raw_string(&mut Cursor::new(&bytes[..6], 0)).is_err());
        let mut out = Vec::new();
        put_string(&mut out, b"ab\xe9").unwrap();
        assert_eq!(out, bytes);
    }
}
