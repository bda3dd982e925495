//! What attributes of a member ask for, compared with the tables while the program is compiled.
//!
//! The derive passes names on as they were written, since it knows neither column types nor codecs. Constants in its
//! expansions call what is here, each at the place of a name or of an attribute, where the compiler shows the panic of a
//! constant as an error.

use crate::compression::{Algorithm, Compression};
use crate::encoding::{ColumnType, Element, Index, SCALARS, Scalar};
use crate::message::constant::{Text, equal};

/// The compression of this name: `lz4:4`.
///
/// # Panics
/// There is no such algorithm, or it has no such level.
#[track_caller]
pub const fn compression(text: &str) -> Compression {
    if let Some(settings) = Compression::named(text) {
        return settings;
    }
    let name = before_colon(text);
    let message = Text::new().quoted(text);
    match Algorithm::named(name) {
        Some(algorithm) => message
            .push(" has no level from 1 to 9\nhelp: write it as `\"")
            .push(name)
            .push(":")
            .number(algorithm.default_level() as u16)
            .push("\"`")
            .panic(),
        None => {
            let mut names = Names::new();
            let mut rest: &[Algorithm] = &Algorithm::ALL;
            while let [algorithm, others @ ..] = rest {
                names = names.with(algorithm.name());
                rest = others;
            }
            let names = names.with("none");
            message.push(" is not a compression algorithm").help(text, names.as_slice()).panic()
        }
    }
}

const fn before_colon(text: &str) -> &str {
    let (mut rest, mut length) = (text.as_bytes(), 0);
    while let [byte, others @ ..] = rest {
        if *byte == b':' {
            return text.split_at(length).0;
        }
        length += 1;
        rest = others;
    }
    text
}

/// The column type of this name, which needs no more than its name.
///
/// # Panics
/// There is none.
#[track_caller]
pub const fn column_type(name: &str) -> ColumnType {
    let message = Text::new().quoted(name).push(" cannot be chosen as an encoding");
    match find(name) {
        Some(column_type) => match instead(column_type) {
            Some(help) => message.push("\nhelp: ").push(help).panic(),
            None => column_type,
        },
        None => message.help(name, Names::of_types(false).as_slice()).panic(),
    }
}

/// The column type of offsets of this name.
///
/// # Panics
/// There is none.
#[track_caller]
pub const fn offsets(name: &str) -> ColumnType {
    match find(name) {
        Some(column_type) if is_of_offsets(column_type) => column_type,
        _ => Text::new()
            .quoted(name)
            .push(" is not an encoding of offsets\nhelp: there are ")
            .listed(Names::of_types(true).as_slice())
            .panic(),
    }
}

/// Asserts that an element may have that many bits on storage.
///
/// # Panics
/// It may not.
#[track_caller]
pub const fn assert_bits(column_type: &str, bits: u16) {
    let Some(column_type) = find(column_type) else { return };
    let range = column_type.bit_range();
    if bits < *range.start() || bits > *range.end() {
        Text::new()
            .push("this cannot be the number of bits\nhelp: write a number from ")
            .number(*range.start())
            .push(" to ")
            .number(*range.end())
            .panic()
    }
}

/// An encoding that an attribute asks for: `quantize`, and the names of column types, one for each representation.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a>(pub &'a str, pub &'a [&'a str]);

impl Wish<'_> {
    /// Asserts that no column can have both this encoding and the other one.
    ///
    /// # Panics
    /// Some column can.
    #[track_caller]
    pub const fn assert_agrees(self, other: Self) {
        let mut has_both = self.is_of_offsets() && other.is_of_offsets();
        let mut rest = SCALARS;
        while let [scalar, others @ ..] = rest {
            has_both |= self.suits(scalar) && other.suits(scalar);
            rest = others;
        }
        if has_both {
            Text::new()
                .quoted(self.0)
                .push(" and ")
                .quoted(other.0)
                .push(" contradict each other\nhelp: a column has one encoding: keep one of the two")
                .panic()
        }
    }

    /// Asserts that a type with these scalars, and maybe offsets, has a column of this encoding.
    ///
    /// # Panics
    /// It has none.
    #[track_caller]
    pub const fn assert_fits(self, scalars: &[&str], has_offsets: bool, ty: &str) {
        let (mut names, mut fits) = (Names::new(), false);
        let mut rest = SCALARS;
        while let [scalar, others @ ..] = rest {
            if self.suits(scalar) {
                names = names.with(scalar.name);
                fits |= contains(scalars, scalar.name);
            }
            rest = others;
        }
        let is_of_offsets = self.is_of_offsets();
        if names.count == 0 && !is_of_offsets {
            Text::new()
                .push("no value can have all of these encodings\n")
                .push("help: the encodings of one field are for values of one type")
                .panic()
        }
        if fits || (is_of_offsets && has_offsets) {
            return;
        }
        let message = Text::new().quoted(self.0).push(" does not fit the type ").quoted(ty);
        let message = message.push("\nhelp: this encoding is for ");
        match is_of_offsets {
            true => message.push("collections and strings").panic(),
            false => message.listed(names.as_slice()).push(" and types made of them").panic(),
        }
    }

    /// Whether a value of a member becomes all of its column types.
    const fn suits(self, scalar: &Scalar) -> bool {
        // No member has values of these two types.
        !contains(&["Index", "Switch"], scalar.name) && self.is_among(scalar.writes)
    }

    const fn is_of_offsets(self) -> bool {
        self.is_among(Index::WRITES)
    }

    const fn is_among(self, list: &[ColumnType]) -> bool {
        let mut rest = self.1;
        while let [name, others @ ..] = rest {
            match find(name) {
                Some(column_type) if has(list, column_type) => rest = others,
                _ => return false,
            }
        }
        true
    }
}

/// What to write where the name of a column type is not enough.
const fn instead(column_type: ColumnType) -> Option<&'static str> {
    match column_type {
        ColumnType::Real32Trunc => Some("write `truncate(bits = 18)`, with the number of bits to keep"),
        ColumnType::Real32Quant => Some("write `quantize(bits = 12, min = -5.0, max = 5.0)`, with its range"),
        ColumnType::Switch => Some("enums with data have it already"),
        _ => None,
    }
}

const fn is_of_offsets(column_type: ColumnType) -> bool {
    has(Index::WRITES, column_type)
}

const fn find(name: &str) -> Option<ColumnType> {
    let mut rest = ColumnType::ALL;
    while let [column_type, others @ ..] = rest {
        if equal(column_type.name(), name) {
            return Some(*column_type);
        }
        rest = others;
    }
    None
}

const fn has(list: &[ColumnType], column_type: ColumnType) -> bool {
    let mut rest = list;
    while let [one, others @ ..] = rest {
        if *one as u16 == column_type as u16 {
            return true;
        }
        rest = others;
    }
    false
}

const fn contains(list: &[&str], name: &str) -> bool {
    let mut rest = list;
    while let [one, others @ ..] = rest {
        if equal(one, name) {
            return true;
        }
        rest = others;
    }
    false
}

/// Names that a message lists.
#[derive(Clone, Copy)]
struct Names {
    list: [&'static str; MOST_NAMES],
    count: usize,
}

/// No table has more rows.
const MOST_NAMES: usize = 64;

impl Names {
    const fn new() -> Self {
        Self { list: [""; MOST_NAMES], count: 0 }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "constants are evaluated by the compiler, which would say so"
    )]
    const fn with(mut self, name: &'static str) -> Self {
        self.list[self.count] = name;
        self.count += 1;
        self
    }

    const fn as_slice(&self) -> &[&'static str] {
        self.list.split_at(self.count).0
    }

    /// Those of column types that can be chosen, or of those of them that are for offsets.
    const fn of_types(offsets: bool) -> Self {
        let mut names = Self::new();
        let mut rest = ColumnType::ALL;
        while let [column_type, others @ ..] = rest {
            if instead(*column_type).is_none() && (!offsets || is_of_offsets(*column_type)) {
                names = names.with(column_type.name());
            }
            rest = others;
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_written_can_be_asked_for() {
        for algorithm in Algorithm::ALL {
            assert_eq!(compression(algorithm.name()).algorithm(), Some(algorithm));
        }
        assert!(compression("none").is_none());
        for &name in Names::of_types(false).as_slice() {
            assert_eq!(column_type(name).name(), name);
            let wish = Wish("encoding", &[name]);
            let scalars: Vec<_> = SCALARS.iter().filter(|scalar| wish.suits(scalar)).collect();
            assert_eq!(scalars.is_empty(), name.contains("Index"), "{name} is for values or for offsets");
            for scalar in scalars {
                wish.assert_fits(&[scalar.name], false, scalar.name);
            }
        }
        assert_eq!(Names::of_types(true).as_slice().len(), Index::WRITES.len());
    }
}
