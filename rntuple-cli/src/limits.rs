//! `--limit NAME=VALUE`: what a file may take.

use rntuple::Limits;

/// A limit that was set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    /// None of them holds.
    None,
    One(&'static Name, u64),
}

/// What the command line calls a limit, and the method of [`Limits`] that sets it, which errors name.
#[derive(Debug)]
pub(crate) struct Name {
    name: &'static str,
    method: &'static str,
    set: fn(Limits, u64) -> Limits,
}

const NAMES: &[Name] = &[
    Name { name: "entry", method: "entry_length", set: Limits::entry_length },
    Name { name: "page", method: "page_length", set: Limits::page_length },
    Name { name: "walk", method: "walk_length", set: Limits::walk_length },
    Name { name: "envelopes", method: "envelope_length", set: Limits::envelope_length },
    Name { name: "fields", method: "field_count", set: Limits::field_count },
    Name { name: "columns", method: "column_count", set: Limits::column_count },
    Name { name: "nesting", method: "nesting", set: Limits::nesting },
    Name { name: "unstored-items", method: "unstored_items", set: Limits::unstored_items },
    Name { name: "attributes", method: "attribute_count", set: Limits::attribute_count },
];

/// Limits, for the help.
pub(crate) const HELP: &str = "\
Limits on what a file may take (compressed, a few kB can describe any amount of data):
  entry           bytes of one entry in memory [default: 1GiB]
  page            bytes of one page in memory [default: 128MiB]
  walk            bytes of the decoded pages of all columns together [default: 4GiB]
  envelopes       bytes of header, footer and page lists, and 32 for each byte of the file [default: 32MiB]
  fields          fields of an ntuple, subfields included [default: 131072]
  columns         columns of an ntuple [default: 262144]
  nesting         levels of fields [default: 256]
  unstored-items  items of an entry that take no bytes of the file [default: 1048576]
  attributes      attributes of a set that is searched or merged, and one for each byte of the file [default: 16777216]";

/// The defaults, changed as the command line says, in its order.
pub(crate) fn limits(set: &[Limit]) -> Limits {
    set.iter().fold(Limits::new(), |limits, limit| match limit {
        Limit::None => Limits::unlimited(),
        Limit::One(name, value) => (name.set)(limits, *value),
    })
}

/// `entry=4GiB`, `fields=200000`, `none`
pub(crate) fn parse(text: &str) -> Result<Limit, String> {
    if text == "none" {
        return Ok(Limit::None);
    }
    let Some((name, value)) = text.split_once('=') else {
        return Err("a limit looks like entry=4GiB, or is none".to_owned());
    };
    let Some(name) = NAMES.iter().find(|known| known.name == name) else {
        let names: Vec<_> = NAMES.iter().map(|known| known.name).collect();
        return Err(format!("there is no limit {name:?}: it is one of {}", names.join(", ")));
    };
    let value = number(value).ok_or_else(|| format!("{value:?} is not a number, as 200000 or 4GiB"))?;
    Ok(Limit::One(name, value))
}

/// A number with or without a binary or decimal unit.
fn number(text: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 8] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
    ];
    let with_unit = UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (digits, factor) = with_unit.unwrap_or((text, 1));
    digits.trim_end().parse::<u64>().ok()?.checked_mul(factor)
}

/// The message of an error, with the options of the command line in place of the methods of [`Limits`].
pub(crate) fn in_options(message: &str) -> String {
    NAMES.iter().fold(message.to_owned(), |message, Name { name, method, .. }| {
        message.replace(&format!("`Limits::{method}` sets"), &format!("`--limit {name}=..` sets"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_names_and_numbers_with_units() {
        let set = |texts: &[&str]| {
            let parsed: Result<Vec<_>, _> = texts.iter().map(|text| parse(text)).collect();
            parsed.map(|parsed| limits(&parsed))
        };
        assert_eq!(set(&[]), Ok(Limits::new()));
        assert_eq!(set(&["entry=4GiB"]), Ok(Limits::new().entry_length(4 << 30)));
        assert_eq!(set(&["fields=7", "page=3 MB"]), Ok(Limits::new().field_count(7).page_length(3_000_000)));
        assert_eq!(set(&["none", "nesting=9"]), Ok(Limits::unlimited().nesting(9)));
        for bad in ["", "entry", "entry=", "entry=x", "entry=-1", "entry=99999999TiB", "size=1", "none=1"] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        for name in NAMES {
            assert!(HELP.contains(&format!("\n  {} ", name.name)), "{}", name.name);
        }
    }

    #[test]
    fn errors_name_the_option() {
        let message = "expected at most 5; `Limits::entry_length` sets this limit";
        assert_eq!(in_options(message), "expected at most 5; `--limit entry=..` sets this limit");
        assert_eq!(in_options("Limits::entry_length"), "Limits::entry_length");
    }
}
