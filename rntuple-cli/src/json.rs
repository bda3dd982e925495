//! JSON that a terminal may show: what a file says must not move the cursor, and nothing of it is lost.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::text::is_unsafe;

/// Writes a value in one line, as [`printable_json`].
pub(crate) fn write_json(out: impl Write, value: &impl Serialize) -> serde_json::Result<()> {
    value.serialize(&mut Serializer::with_formatter(out, Printable))
}

/// In one line, with unsafe characters spelled out.
struct Printable;

impl Formatter for Printable {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        writer.write_all(printable_json(fragment).as_bytes())
    }
}

/// The same JSON with unsafe characters spelled out. Outside of its texts, it has no others than the ends of lines.
pub(crate) fn printable_json(json: &str) -> Cow<'_, str> {
    let is_spelled = |c: char| c != '\n' && is_unsafe(c);
    if !json.contains(is_spelled) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_spelled(c) {
            // Four digits are enough for each of them. Writing to a string does not fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_spelled_out() {
        let value = json!({ "a\u{9b}": ["\u{1b}[2J\n\u{7f}", "\u{202e}µ"] });
        let mut line = Vec::new();
        write_json(&mut line, &value).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert_eq!(line, r#"{"a\u009b":["\u001b[2J\n\u007f","\u202eµ"]}"#);
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let shown = printable_json(&pretty);
        assert_eq!((shown.lines().count(), shown.contains(is_unsafe)), (6, true), "{shown}");
        assert!(!shown.replace('\n', "").contains(is_unsafe), "{shown}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
    }
}
