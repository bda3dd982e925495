//! JSON documents, as the suite's macros print them: two spaces for each level, every item on a line of its own.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// What is printed as it is: numbers, `null`.
    Literal(String),
    /// What stands in quotes. Nothing in it is escaped, nor is it by the suite.
    Text(String),
    /// Items, each on its line.
    List(Vec<Json>),
    /// Items on one line.
    Row(Vec<Json>),
    /// Names and values; names may be there twice, as in a multimap.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object.
    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, Self)>) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// A floating point number, as C++'s `std::hexfloat` prints it, in quotes.
    pub fn real(value: f64) -> Self {
        Self::Text(hexfloat(value))
    }

    /// The order in which the suite prints what has no order of its own: numbers by value, lists item by item.
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Literal(one), Self::Literal(other)) => {
                match (one.parse::<i128>(), other.parse::<i128>()) {
                    (Ok(one), Ok(other)) => one.cmp(&other),
                    _ => one.cmp(other),
                }
            }
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (Self::List(one), Self::List(other)) => {
                let items = one.iter().zip(other).map(|(one, other)| one.order(other));
                items.fold(Ordering::Equal, Ordering::then).then(one.len().cmp(&other.len()))
            }
            _ => Ordering::Equal,
        }
    }

    /// The document of a whole file, with the line's end behind it. Without entries the list has two lines.
    pub fn document(&self) -> String {
        match self {
            Self::List(items) if items.is_empty() => "[\n]\n".to_owned(),
            _ => format!("{self}\n"),
        }
    }

    fn print(&self, f: &mut fmt::Formatter<'_>, indent: usize) -> fmt::Result {
        match self {
            Self::Literal(text) => f.write_str(text),
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::List(items) => {
                print_lines(f, ['[', ']'], items, indent, |f, item| item.print(f, indent + 2))
            }
            Self::Row(items) => {
                f.write_char('[')?;
                for (number, item) in items.iter().enumerate() {
                    f.write_str(if number == 0 { "" } else { ", " })?;
                    item.print(f, indent)?;
                }
                f.write_char(']')
            }
            Self::Object(members) => print_lines(f, ['{', '}'], members, indent, |f, (name, value)| {
                write!(f, "\"{name}\": ")?;
                value.print(f, indent + 2)
            }),
        }
    }
}

fn print_lines<T>(
    f: &mut fmt::Formatter<'_>,
    [open, close]: [char; 2],
    items: &[T],
    indent: usize,
    print: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    f.write_char(open)?;
    for (number, item) in items.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(f, "{comma}\n{:1$}", "", indent + 2)?;
        print(f, item)?;
    }
    if !items.is_empty() {
        write!(f, "\n{:1$}", "", indent)?;
    }
    f.write_char(close)
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, 0)
    }
}

/// `0x1.8p+1`
fn hexfloat(value: f64) -> String {
    let bits = value.to_bits();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        return format!("{sign}nan");
    }
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    let (exponent, mantissa) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    let (leading, exponent) = match (exponent, mantissa) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        (exponent, _) => (1, i64::try_from(exponent).unwrap_or_default() - 1023),
    };
    let digits = format!("{mantissa:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x{leading}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_are_printed_as_cxx_does() {
        for (value, text) in [
            (0.0, "0x0p+0"),
            (-0.0, "-0x0p+0"),
            (1.0, "0x1p+0"),
            (-3.0, "-0x1.8p+1"),
            (f64::from(f32::MAX), "0x1.fffffep+127"),
            (f64::MIN_POSITIVE, "0x1p-1022"),
            (f64::from_bits(1), "0x0.0000000000001p-1022"),
            (f64::from(f32::from_bits(1)), "0x1p-149"),
            (f64::NEG_INFINITY, "-inf"),
            (0.1, "0x1.999999999999ap-4"),
        ] {
            assert_eq!(hexfloat(value), text);
        }
    }

    #[test]
    fn items_stand_on_lines_of_their_own() {
        let one = |number: i32| Json::Literal(number.to_string());
        let list = Json::List(vec![one(1), Json::List(vec![]), Json::List(vec![one(-2)])]);
        let document = Json::List(vec![
            Json::object([("a", list), ("b", Json::Text("c".to_owned()))]),
            Json::object([("a", Json::Object(vec![])), ("r", Json::Row(vec![one(0), one(1)]))]),
        ]);
        let text = "[\n  {\n    \"a\": [\n      1,\n      [],\n      [\n        -2\n      ]\n    ],\n    \
                    \"b\": \"c\"\n  },\n  {\n    \"a\": {},\n    \"r\": [0, 1]\n  }\n]\n";
        assert_eq!(document.document(), text);
        assert_eq!(Json::List(vec![]).document(), "[\n]\n");
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let list = |numbers: &[i32]| {
            Json::List(numbers.iter().map(|number| Json::Literal(number.to_string())).collect())
        };
        let mut lists = [list(&[10]), list(&[7, 8]), list(&[]), list(&[-3, 5]), list(&[7])];
        lists.sort_by(Json::order);
        assert_eq!(lists, [list(&[]), list(&[-3, 5]), list(&[7]), list(&[7, 8]), list(&[10])]);
    }
}
