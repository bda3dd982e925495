//! The words of `#[rntuple(..)]`, and what is meant by a misspelled one.

use std::fmt;

use proc_macro2::Span;
use syn::Meta;

use crate::ctxt::Ctxt;

/// Where an attribute is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Struct,
    Enum,
    Variant,
    Member,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Struct => "a struct",
            Self::Enum => "an enum",
            Self::Variant => "a variant",
            Self::Member => "a member",
        })
    }
}

/// Keeps the value of a word.
pub(super) type Set<T> = fn(&mut T, &Meta, &Ctxt) -> syn::Result<()>;

/// Words, where each of them may be, and what keeps its value.
pub(super) type Table<T> = &'static [(&'static str, &'static [Place], Set<T>)];

/// What may be said of one kind of item.
pub(super) trait Words: Default + 'static {
    const WORDS: Table<Self>;

    /// The words that were used.
    fn used(&mut self) -> &mut Used;
}

/// Defines what may be said of one kind of item: members, each with the words that set it, where these may be, and how
/// their value is read.
macro_rules! words {
    (|$meta:ident, $ctxt:ident| $(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $member:ident: $ty:ty $(= $($word:literal)|+, $places:ident, $value:expr)?;)*
    }) => {
        $(#[$doc])*
        #[derive(Default)]
        pub(crate) struct $name {
            $($(#[$about])* pub(crate) $member: $ty,)*
            /// The words that were used.
            pub(crate) used: $crate::attr::word::Used,
        }

        impl $crate::attr::word::Words for $name {
            const WORDS: $crate::attr::word::Table<Self> = &[$($($(
                ($word, $places, |it, $meta, $ctxt| {
                    let _ = $ctxt;
                    $crate::attr::word::Slot::put(&mut it.$member, $value)
                }),
            )+)?)*];

            fn used(&mut self) -> &mut $crate::attr::word::Used {
                &mut self.used
            }
        }
    };
}
pub(super) use words;

/// What keeps a value, or several.
pub(super) trait Slot<V> {
    fn put(&mut self, value: syn::Result<V>) -> syn::Result<()>;
}

impl<T> Slot<T> for Option<T> {
    fn put(&mut self, value: syn::Result<T>) -> syn::Result<()> {
        value.map(|value| *self = Some(value))
    }
}

impl<T, I: IntoIterator<Item = T>> Slot<I> for Vec<T> {
    fn put(&mut self, values: syn::Result<I>) -> syn::Result<()> {
        values.map(|values| self.extend(values))
    }
}

/// Words that were used, and where.
#[derive(Default)]
pub(crate) struct Used(pub(super) Vec<(&'static str, Span)>);

impl Used {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, Span)> {
        self.0.iter().copied()
    }

    /// Where a word is.
    pub(crate) fn span_of(&self, word: &str) -> Option<Span> {
        self.iter().find(|(used, _)| *used == word).map(|(_, span)| span)
    }
}

/// Words that may be said several times.
pub(super) const SEVERAL: &[&str] = &["alias", "at", "project", "upgrade_from"];

/// The word that is meant by a misspelled one.
pub(crate) fn nearest<'a>(written: &str, words: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let written = written.to_lowercase();
    if written.len() > 2 {
        let mut longer = words.clone().filter(|word| word.to_lowercase().starts_with(&written));
        if let Some(word) = longer.next() {
            return Some(word);
        }
    }
    let limit = written.len() / 3 + 1;
    let distances = words.map(|word| (strsim::osa_distance(&written, &word.to_lowercase()), word));
    distances
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// `` `a`, `b`, `c` ``
pub(crate) fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
