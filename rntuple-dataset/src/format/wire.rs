//! What is checked before a message is decoded.

use prost::Message;

use crate::error::{Error, Result};

/// The most bytes that a message may have: 256 MiB, about a million fragments.
pub const MOST_MESSAGE_SIZE: usize = 256 << 20;

/// The fewest bytes that a message inside another one takes, on average. Those of real data sets have ten times as
/// many; a message of two bytes would take a hundred times its size in memory.
const BYTES_PER_MESSAGE: usize = 8;

/// How many messages inside another one may be smaller than that.
const FREE_MESSAGES: usize = 64;

/// Which fields of a message are messages that may occur many times.
#[derive(Debug)]
pub(super) struct Shape(pub(super) &'static [(u32, &'static Shape)]);

/// A message without such fields.
pub(super) const LEAF: &Shape = &Shape(&[]);

/// Decodes a message, in memory that is proportional to its size.
pub(super) fn decode<M: Message + Default>(bytes: &[u8], shape: &Shape) -> Result<M> {
    check_size(bytes.len())?;
    let count = count(bytes, shape)?;
    if count > FREE_MESSAGES + bytes.len() / BYTES_PER_MESSAGE {
        return Err(Error::limit(format!(
            "the message has {count} parts in {} bytes, expected at least {BYTES_PER_MESSAGE} bytes each",
            bytes.len()
        )));
    }
    M::decode(bytes).map_err(|error| Error::out_of_spec(format!("the message cannot be decoded: {error}")))
}

/// Checks the size of a message.
pub(super) fn check_size(size: usize) -> Result<()> {
    if size > MOST_MESSAGE_SIZE {
        return Err(Error::limit(format!(
            "the message has {size} bytes, expected at most {MOST_MESSAGE_SIZE}"
        )));
    }
    Ok(())
}

/// Counts the messages inside a message. What follows a fault is not counted: decoding ends there as well.
fn count(bytes: &[u8], shape: &Shape) -> Result<usize> {
    let mut found = 0;
    let mut rest = bytes;
    while let Some((number, content, after)) = field(rest)? {
        rest = after;
        if let (Some(content), Some((_, inner))) = (content, shape.0.iter().find(|(of, _)| *of == number)) {
            found += 1;
            if !inner.0.is_empty() {
                found += count(content, inner)?;
            }
        }
    }
    Ok(found)
}

/// A field: its number, its bytes if it has a length, and what follows it.
type Part<'a> = (u32, Option<&'a [u8]>, &'a [u8]);

/// Reads a field; `None` where the message ends, or cannot be decoded.
///
/// A group, which no message here has, is an error: what follows could be counted only after decoding the group.
fn field(bytes: &[u8]) -> Result<Option<Part<'_>>> {
    let Some((key, rest)) = varint(bytes) else { return Ok(None) };
    let Ok(number) = u32::try_from(key >> 3) else { return Ok(None) };
    Ok(match key & 7 {
        0 => varint(rest).map(|(_, rest)| (number, None, rest)),
        1 => rest.get(8..).map(|rest| (number, None, rest)),
        2 => varint(rest).and_then(|(length, rest)| {
            let (content, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            Some((number, Some(content), rest))
        }),
        3 | 4 => return Err(Error::out_of_spec(format!("field {number} of the message is a group"))),
        5 => rest.get(4..).map(|rest| (number, None, rest)),
        _ => None,
    })
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    for (number, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * number);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(number + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{DataFile, DataFragment};

    const FRAGMENT: &Shape = &Shape(&[(2, LEAF)]);

    #[test]
    fn messages_inside_are_counted() {
        let file = DataFile { path: "a".repeat(40), ..Default::default() };
        let fragment =
            DataFragment { id: 300, files: vec![file; 1000], physical_rows: 5, ..Default::default() };
        let bytes = fragment.encode_to_vec();
        assert_eq!(count(&bytes, FRAGMENT).unwrap(), 1000);
        assert_eq!(count(&bytes, LEAF).unwrap(), 0);
        assert_eq!(decode::<DataFragment>(&bytes, FRAGMENT).unwrap(), fragment);
    }

    #[test]
    fn many_messages_in_few_bytes_are_refused() {
        let bytes: Vec<u8> = [0x12, 0].repeat(1000);
        assert_eq!(DataFragment::decode(&*bytes).unwrap().files.len(), 1000);
        let error = decode::<DataFragment>(&bytes, FRAGMENT).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::LimitExceeded);
        assert!(error.to_string().starts_with("the message has 1000 parts in 2000 bytes"), "{error}");
    }

    #[test]
    fn groups_do_not_hide_messages() {
        // A group with nothing in it, of a field that is not known, then many messages.
        let mut bytes = vec![0x7b, 0x7c];
        bytes.extend([0x12, 0].repeat(1000));
        let error = decode::<DataFragment>(&bytes, FRAGMENT).unwrap_err();
        assert_eq!(error.to_string(), "field 15 of the message is a group");
    }
}
