//! Checked reads of big-endian numbers.

use super::Fault;

/// The bytes of an answer that were not read yet.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Fault::TooShort)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or(Fault::TooShort)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Fault> {
        self.array().map(u8::from_be_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Fault> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Fault> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Fault> {
        self.array().map(i32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Fault> {
        self.array().map(u64::from_be_bytes)
    }
}

/// Text of a server for people: up to the first zero byte, on one line, of a bounded length. Queries are removed: a server
/// may repeat a path with the token in it.
pub(crate) fn text(bytes: &[u8]) -> String {
    const LONGEST: usize = 1000;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
    let plain: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    without_queries(&plain).chars().take(LONGEST).collect()
}

/// Replaces what follows a question mark, up to the next white space, by dots. It is not known where a query ends, so this
/// may remove more than the query.
fn without_queries(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for word in text.split_inclusive(char::is_whitespace) {
        let end = word.trim_end().len();
        let (word, space) = word.split_at_checked(end).unwrap_or((word, ""));
        match word.split_once('?') {
            Some((path, query)) if !query.is_empty() => {
                shown.push_str(path);
                shown.push_str("?...");
            }
            _ => shown.push_str(word),
        }
        shown.push_str(space);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_no_queries() {
        for (said, shown) in [
            ("no such file\nor directory\0more", "no such file or directory"),
            ("/x?authz=SECRET: no such file", "/x?... no such file"),
            ("`root://h//x?a=1&authz=SECRET'\tand /y?z?SECRET", "`root://h//x?... and /y?..."),
            ("?SECRET", "?..."),
            ("/x?a=1\u{2003}y?SECRET\u{2003}z", "/x?...\u{2003}y?...\u{2003}z"),
            ("who are you? say", "who are you? say"),
            ("", ""),
        ] {
            assert_eq!(text(said.as_bytes()), shown);
        }
        // A query that the limit cuts.
        for length in 980..1010 {
            let said = format!("{}?SECRET", "x".repeat(length));
            assert!(!text(said.as_bytes()).contains('S'), "{length}");
        }
    }
}
