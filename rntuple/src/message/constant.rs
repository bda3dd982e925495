//! Messages that are put together while a program is compiled: those of panics in constants, which the compiler shows.

/// Texts are cut at this many bytes.
const ROOM: usize = 1024;

/// Longer names are not compared with others.
const LONGEST: usize = 32;

/// Whether two texts are the same.
pub(crate) const fn equal(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([byte, one_rest @ ..], [other_byte, other_rest @ ..]) = (one, other) {
        if *byte != *other_byte {
            return false;
        }
        (one, other) = (one_rest, other_rest);
    }
    one.is_empty() && other.is_empty()
}

/// A text in parts.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    bytes: [u8; ROOM],
    length: usize,
}

impl Text {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; ROOM], length: 0 }
    }

    #[expect(clippy::indexing_slicing, reason = "the length is below the room")]
    pub(crate) const fn push(mut self, text: &str) -> Self {
        let mut rest = text.as_bytes();
        while let [byte, others @ ..] = rest
            && self.length < ROOM
        {
            self.bytes[self.length] = *byte;
            self.length += 1;
            rest = others;
        }
        self
    }

    pub(crate) const fn number(self, number: u16) -> Self {
        const DIGITS: &str = "0123456789";
        let text = if number < 10 { self } else { self.number(number / 10) };
        let digit = DIGITS.split_at((number % 10) as usize).1;
        text.push(digit.split_at(1).0)
    }

    /// `` `text` ``
    pub(crate) const fn quoted(self, text: &str) -> Self {
        self.push("`").push(text).push("`")
    }

    /// `` `a`, `b`, `c` ``
    pub(crate) const fn listed(mut self, names: &[&str]) -> Self {
        let mut rest = names;
        while let [name, others @ ..] = rest {
            self = self.quoted(name);
            if !others.is_empty() {
                self = self.push(", ");
            }
            rest = others;
        }
        self
    }

    /// What is meant by a name that is none of `known`, or all of these.
    pub(crate) const fn help(self, written: &str, known: &[&str]) -> Self {
        match nearest(written, known) {
            Some(name) => self.push("\nhelp: did you mean ").quoted(name).push("?"),
            None => self.push("\nhelp: there are ").listed(known),
        }
    }

    /// Stops the compiler, which points at the caller.
    #[track_caller]
    #[expect(clippy::panic, reason = "the compiler shows it")]
    pub(crate) const fn panic(&self) -> ! {
        panic!("{}", self.as_str())
    }

    /// The text, up to the last whole character.
    const fn as_str(&self) -> &str {
        let bytes = self.bytes.split_at(self.length).0;
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(cut) => match std::str::from_utf8(bytes.split_at(cut.valid_up_to()).0) {
                Ok(text) => text,
                Err(_) => "",
            },
        }
    }
}

/// The one of `names` that is meant by `written`: the nearest of those in which at most a third of the letters differs.
const fn nearest<'a>(written: &str, names: &[&'a str]) -> Option<&'a str> {
    let (mut best, mut least) = (None, written.len() / 3 + 1);
    let mut rest = names;
    while let [name, others @ ..] = rest {
        let distance = distance(written.as_bytes(), name.as_bytes());
        if distance < least {
            (best, least) = (Some(*name), distance);
        }
        rest = others;
    }
    best
}

/// How many letters are added, removed or replaced to make one name the other, in whatever case.
#[expect(clippy::indexing_slicing, reason = "constants are evaluated by the compiler, which would say so")]
const fn distance(one: &[u8], other: &[u8]) -> usize {
    if one.len() > LONGEST || other.len() > LONGEST {
        return usize::MAX;
    }
    // Of the beginning of `one` so far, and each beginning of `other`.
    let mut distances = [0; LONGEST + 1];
    let mut column = 0;
    while column <= other.len() {
        distances[column] = column;
        column += 1;
    }
    let mut row = 0;
    while row < one.len() {
        let mut diagonal = distances[0];
        distances[0] = row + 1;
        let mut column = 0;
        while column < other.len() {
            let replaced = diagonal + !one[row].eq_ignore_ascii_case(&other[column]) as usize;
            let changed = least(distances[column], distances[column + 1]) + 1;
            diagonal = distances[column + 1];
            distances[column + 1] = least(replaced, changed);
            column += 1;
        }
        row += 1;
    }
    distances[other.len()]
}

const fn least(one: usize, other: usize) -> usize {
    if one < other { one } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_to_the_last_byte() {
        for (one, other, is_equal) in [
            ("", "", true),
            ("f16", "f16", true),
            ("f16", "f1", false),
            ("f1", "f16", false),
            ("a", "b", false),
        ] {
            assert_eq!(equal(one, other), is_equal, "{one} {other}");
        }
    }

    #[test]
    fn texts_end_where_there_is_no_room() {
        let text = Text::new().number(1203).push(": ").listed(&["b", "c"]);
        assert_eq!(text.as_str(), "1203: `b`, `c`");
        let long = "ä".repeat(ROOM);
        assert_eq!(Text::new().push("a").push(&long).as_str().len(), ROOM - 1, "half a letter is none");
    }

    #[test]
    fn the_nearest_name_is_meant_or_all_are_listed() {
        const NAMES: [&str; 3] = ["Real16", "Real32", "zstd"];
        for (written, help) in [
            ("real16", "\nhelp: did you mean `Real16`?"),
            ("Real1", "\nhelp: did you mean `Real16`?"),
            ("ztd", "\nhelp: did you mean `zstd`?"),
            ("zstandard", "\nhelp: there are `Real16`, `Real32`, `zstd`"),
            ("", "\nhelp: there are `Real16`, `Real32`, `zstd`"),
        ] {
            assert_eq!(Text::new().help(written, &NAMES).as_str(), help, "{written}");
        }
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(distance(&[b'a'; LONGEST + 1], b""), usize::MAX);
    }
}
