//! How much machine code is in a Rust library: an `ar` archive of ELF objects.

use std::path::Path;

/// What a library adds to a program that uses all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    /// Bytes of executable sections.
    pub(super) code: u64,
    /// Those, constants, tables for unwinding.
    pub(super) all: u64,
}

/// The size of a library file.
pub(super) fn size(file: &Path) -> Result<Size, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    of_archive(&bytes).ok_or_else(|| format!("{} is not an archive of 64-bit ELF objects", file.display()))
}

fn of_archive(bytes: &[u8]) -> Option<Size> {
    let mut size = Size::default();
    let mut objects = 0;
    let mut rest = bytes.strip_prefix(b"!<arch>\n")?;
    while !rest.is_empty() {
        // Name, date, owner, group, and mode come before the size in decimal, and two bytes behind it.
        let length: usize = std::str::from_utf8(rest.get(48..58)?).ok()?.trim_end().parse().ok()?;
        let end = length.checked_add(60)?;
        let member = rest.get(60..end)?;
        if member.starts_with(b"\x7fELF\x02\x01") {
            let object = of_object(member)?;
            size = Size { code: size.code + object.code, all: size.all + object.all };
            objects += 1;
        }
        // Members begin at even places.
        rest = rest.get(end.next_multiple_of(2)..).unwrap_or_default();
    }
    (objects > 0).then_some(size)
}

fn of_object(bytes: &[u8]) -> Option<Size> {
    const ALLOCATED: u64 = 2;
    const EXECUTABLE: u64 = 4;
    const WITHOUT_BYTES: u64 = 8;
    let (table, entry) = (number::<8>(bytes, 0x28)?, number::<2>(bytes, 0x3a)?);
    let header = |index: u64| {
        let start = usize::try_from(table.checked_add(index.checked_mul(entry)?)?).ok()?;
        bytes.get(start..)
    };
    let count = match number::<2>(bytes, 0x3c)? {
        // Too many for the field: the first header has the number.
        0 if table != 0 => number::<8>(header(0)?, 0x20)?,
        count => count,
    };
    let mut size = Size::default();
    for index in 0..count {
        let header = header(index)?;
        let (kind, flags, length) =
            (number::<4>(header, 4)?, number::<8>(header, 8)?, number::<8>(header, 0x20)?);
        if flags & ALLOCATED != 0 && kind != WITHOUT_BYTES {
            size.all = size.all.checked_add(length)?;
            if flags & EXECUTABLE != 0 {
                size.code = size.code.checked_add(length)?;
            }
        }
    }
    Some(size)
}

/// A little-endian integer of `N` bytes, not more than eight.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(N)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object of sections with these types, flags, and lengths.
    fn object(sections: &[(u32, u64, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[0x28] = 64;
        bytes[0x3a] = 64;
        bytes[0x3c] = u8::try_from(sections.len()).unwrap();
        for (kind, flags, length) in sections {
            let mut header = [0; 64];
            header[4..8].copy_from_slice(&kind.to_le_bytes());
            header[8..16].copy_from_slice(&flags.to_le_bytes());
            header[0x20..0x28].copy_from_slice(&length.to_le_bytes());
            bytes.extend(header);
        }
        bytes
    }

    fn archive(members: &[&[u8]]) -> Vec<u8> {
        let mut bytes = b"!<arch>\n".to_vec();
        for member in members {
            bytes.extend(format!("{:48}{:<10}`\n", "name/", member.len()).bytes());
            bytes.extend(*member);
            if member.len() % 2 == 1 {
                bytes.push(b'\n');
            }
        }
        bytes
    }

    #[test]
    fn sections_of_all_objects_are_counted() {
        // Code, constants, zeros, what only the linker sees.
        let first = object(&[(1, 6, 100), (1, 2, 30), (8, 3, 5000), (1, 0, 7)]);
        let bytes = archive(&[b"odd", &first, &object(&[(1, 6, 1)])]);
        assert_eq!(of_archive(&bytes).unwrap(), Size { code: 101, all: 131 });
    }

    #[test]
    fn what_is_cut_off_has_no_size() {
        let bytes = archive(&[&object(&[(1, 6, 100), (1, 2, 30)])]);
        for end in 0..bytes.len() {
            assert_eq!(of_archive(&bytes[..end]), None, "{end}");
        }
    }
}
