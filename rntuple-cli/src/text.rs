//! Text for people: what a file says must not move the cursor, and columns stand below each other.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Columns are not made wider than this for the sake of one long cell.
const WIDEST: usize = 56;

/// Whether a character ends a line, moves the cursor, or turns the direction of the text around it.
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with unsafe characters spelled out: names come from files, and files from strangers.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unsafe(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Rows of cells, printed below each other.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The rows as lines, each behind `indent`; the last cell of a row is not padded.
    pub(crate) fn lines(&self, indent: &str) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).filter(|width| *width <= WIDEST).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::from(indent);
            for (cell, width) in row.iter().zip(&widths) {
                // Writing to a string does not fail.
                let _ = write!(line, "{cell:width$}  ");
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// `1 page`, `2 pages`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    match (number, thing.strip_suffix('y')) {
        (1, _) => format!("1 {thing}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {thing}s"),
    }
}

/// Bytes with a binary unit: `512 B`, `1.5 MiB`.
pub(crate) fn bytes(size: u64) -> String {
    let mut unit = "B";
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit behind the point")]
    let mut value = size as f64;
    for larger in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, larger);
    }
    if unit == "B" { format!("{size} B") } else { format!("{value:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(printable("größe.µ"), "größe.µ");
        assert_eq!(printable("a\u{1b}[2J\nb\u{202e}"), "a\\u{1b}[2J\\nb\\u{202e}");
    }

    #[test]
    fn cells_stand_below_each_other() {
        let mut table = Table::default();
        table.row(["a".to_owned(), "long".to_owned(), "x".to_owned()]);
        table.row(["bcd".to_owned(), String::new(), "y".to_owned()]);
        table.row(["e".to_owned()]);
        table.row(["f".repeat(57), "g".to_owned()]);
        let wanted = format!("  a    long  x\n  bcd        y\n  e\n  {}  g\n", "f".repeat(57));
        assert_eq!(table.lines("  "), wanted);
    }

    #[test]
    fn numbers_have_their_words() {
        assert_eq!((count(1, "entry"), count(0, "page")), ("1 entry".to_owned(), "0 pages".to_owned()));
        assert_eq!(count(12, "entry"), "12 entries");
        assert_eq!([bytes(1023), bytes(1536), bytes(3 << 30)], ["1023 B", "1.5 KiB", "3.0 GiB"]);
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
    }
}
