//! `rename_all`: serde's rules for names, by serde's names for them.

use super::form::Spanned;
use super::word::{listed, nearest};

/// How words are joined to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

const RULES: [(&str, Rule); 8] = [
    ("lowercase", Rule::Lower),
    ("UPPERCASE", Rule::Upper),
    ("PascalCase", Rule::Pascal),
    ("camelCase", Rule::Camel),
    ("snake_case", Rule::Snake),
    ("SCREAMING_SNAKE_CASE", Rule::ScreamingSnake),
    ("kebab-case", Rule::Kebab),
    ("SCREAMING-KEBAB-CASE", Rule::ScreamingKebab),
];

impl Rule {
    /// The rule of this name.
    pub(super) fn parse(name: &Spanned<String>) -> syn::Result<Spanned<Self>> {
        let names = || RULES.iter().map(|(name, _)| *name);
        match RULES.iter().find(|(known, _)| *known == name.value) {
            Some((_, rule)) => Ok(Spanned { value: *rule, span: name.span }),
            None => {
                let help = match nearest(&name.value, names()) {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => format!("there are {}", listed(names())),
                };
                let message = format!("`{}` is not a rule for names\nhelp: {help}", name.value);
                Err(syn::Error::new(name.span, message))
            }
        }
    }

    /// A member's name, which is in `snake_case`, by this rule.
    pub(crate) fn member(self, name: &str) -> String {
        let words: Vec<&str> = name.split('_').collect();
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
            Self::Pascal => words.iter().map(|word| capital(word)).collect(),
            Self::Camel => small(&Self::Pascal.member(name)),
        }
    }

    /// A variant's name, which is in `PascalCase`, by this rule.
    pub(crate) fn variant(self, name: &str) -> String {
        match self {
            Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => small(name),
            Self::Snake | Self::ScreamingSnake | Self::Kebab | Self::ScreamingKebab => {
                let mut snake = String::new();
                for (position, letter) in name.char_indices() {
                    if position > 0 && letter.is_uppercase() {
                        snake.push('_');
                    }
                    snake.push(letter.to_ascii_lowercase());
                }
                self.member(&snake)
            }
        }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn small(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_serde_makes() {
        for (rule, member, variant) in [
            ("lowercase", "very_tasty", "verytasty"),
            ("UPPERCASE", "VERY_TASTY", "VERYTASTY"),
            ("PascalCase", "VeryTasty", "VeryTasty"),
            ("camelCase", "veryTasty", "veryTasty"),
            ("snake_case", "very_tasty", "very_tasty"),
            ("SCREAMING_SNAKE_CASE", "VERY_TASTY", "VERY_TASTY"),
            ("kebab-case", "very-tasty", "very-tasty"),
            ("SCREAMING-KEBAB-CASE", "VERY-TASTY", "VERY-TASTY"),
        ] {
            let name = Spanned { value: rule.to_owned(), span: proc_macro2::Span::call_site() };
            let parsed = Rule::parse(&name).unwrap().value;
            assert_eq!(parsed.member("very_tasty"), member, "{rule}");
            assert_eq!(parsed.variant("VeryTasty"), variant, "{rule}");
        }
        assert_eq!(Rule::Camel.member("z42"), "z42");
        assert_eq!(Rule::Camel.member("_private"), "private");
        assert_eq!(Rule::Camel.member("PT"), "pT");
        assert_eq!(Rule::Camel.member("Muon_pt"), "muonPt");
    }
}
