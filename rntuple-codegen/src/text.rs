//! Text of a stranger's as comments and literals.

use std::fmt::Write as _;

/// Whether a character could move a cursor, hide text, or end a line somewhere.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A string literal of Rust's.
pub(crate) fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if is_unsafe(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// What of the text can stand on one line of a comment.
pub(crate) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        if is_unsafe(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    // In C++ a backslash at its end continues a comment, and `??/` is one in old dialects.
    if out.ends_with('\\') || out.ends_with("??/") {
        out.push_str(" .");
    }
    out
}

/// Lines of a documentation comment, for both languages.
pub(crate) fn doc(out: &mut String, indent: &str, text: &str) {
    for part in text.trim().lines() {
        let part = line(part);
        // Writing to a string does not fail.
        let _ =
            if part.is_empty() { writeln!(out, "{indent}///") } else { writeln!(out, "{indent}/// {part}") };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_a_literal() {
        assert_eq!(literal("a\"b\\c\n\u{202e}ö"), "\"a\\\"b\\\\c\\u{a}\\u{202e}ö\"");
    }

    #[test]
    fn nothing_gets_out_of_a_comment() {
        let mut out = String::new();
        doc(&mut out, "  ", "one\n\n  two\r} */ fn main() {}\r\nthree\\\n??/\n");
        let wanted = "  /// one\n  ///\n  /// two\\u{d}} */ fn main() {}\n  /// three\\ .\n  /// ??/ .\n";
        assert_eq!(out, wanted);
        out.clear();
        doc(&mut out, "", " \n ");
        assert_eq!(out, "");
    }
}
