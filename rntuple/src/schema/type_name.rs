//! Names that fields get on storage (format, sections 9.7 and 9.9).

use std::borrow::Cow;

/// The name of a type on storage.
///
/// Records without a C++ class are written *untyped* (an empty name) wherever the format allows it, so
/// that ROOT reads them without a dictionary; inside a typed field they need a class name.
/// `TypeName` carries both: the full spelling, and whether it may be left out.
///
/// ```
/// use rntuple::schema::TypeName;
/// let muon = TypeName::untyped("Muon");
/// assert_eq!(TypeName::optional(&muon).spelling(), "std::optional<Muon>");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    spelling: Cow<'static, str>,
    can_be_untyped: bool,
    must_be_untyped: bool,
    version: Option<u32>,
}

impl TypeName {
    /// A type that C++ knows by this name. Fields get the name in the form of [`normalize`](super::normalize).
    pub fn typed(spelling: impl Into<String>) -> Self {
        Self { spelling: Cow::Owned(spelling.into()), ..Self::known("") }
    }

    /// The same, for a name that is known when the program is built.
    #[doc(hidden)]
    pub const fn known(spelling: &'static str) -> Self {
        let spelling = Cow::Borrowed(spelling);
        Self { spelling, can_be_untyped: false, must_be_untyped: false, version: None }
    }

    /// A record that is left untyped where the format allows it; elsewhere its class has this name.
    pub fn untyped(class: impl Into<String>) -> Self {
        Self { can_be_untyped: true, ..Self::typed(class) }
    }

    /// The same, for a name that is known when the program is built.
    #[doc(hidden)]
    pub const fn known_untyped(class: &'static str) -> Self {
        let spelling = Cow::Borrowed(class);
        Self { spelling, can_be_untyped: true, must_be_untyped: false, version: None }
    }

    /// The same as a record that has no class anywhere: where the format needs one, it is refused.
    #[must_use]
    pub fn without_class(self) -> Self {
        Self { can_be_untyped: true, must_be_untyped: true, ..self }
    }

    /// The same as a class of this version, which is stored where the class is.
    #[must_use]
    pub fn version(self, version: u32) -> Self {
        Self { version: Some(version), ..self }
    }

    /// `std::vector<item>`; untyped where its item is.
    pub fn vector(item: &Self) -> Self {
        let can_be_untyped = item.can_be_untyped;
        Self { can_be_untyped, ..Self::typed(format!("std::vector<{}>", item.spelling)) }
    }

    /// `std::optional<item>`.
    pub fn optional(item: &Self) -> Self {
        Self::template("std::optional", [item])
    }

    /// `std::array<item,count>`.
    pub fn array(item: &Self, count: usize) -> Self {
        Self::typed(format!("std::array<{},{count}>", item.spelling))
    }

    /// `template<a,b,..>`.
    pub fn template<'a>(template: &str, arguments: impl IntoIterator<Item = &'a Self>) -> Self {
        let arguments: Vec<&str> = arguments.into_iter().map(|argument| &*argument.spelling).collect();
        Self::typed(format!("{template}<{}>", arguments.join(",")))
    }

    /// The full spelling, as it stands in a template argument.
    pub fn spelling(&self) -> &str {
        &self.spelling
    }

    /// Whether the format lets the name away at top level and below untyped fields.
    pub fn can_be_untyped(&self) -> bool {
        self.can_be_untyped
    }

    /// Whether it may stand only where the format lets the name away.
    pub fn must_be_untyped(&self) -> bool {
        self.must_be_untyped
    }

    /// The version of the class, where one is stated.
    pub fn class_version(&self) -> Option<u32> {
        self.version
    }
}

/// Whether a C++ type of this name holds one value or none.
pub(crate) fn is_optional(name: &str) -> bool {
    ["std::optional<", "std::unique_ptr<"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a collection of this C++ type takes any number of any items in any order: a vector, and no set, map or option.
pub(crate) fn takes_any_items(name: &str) -> bool {
    let has_rules = ["set", "unordered_set", "multiset", "map", "unordered_map", "multimap"];
    let template = name.split('<').next().and_then(|template| template.strip_prefix("std::"));
    !is_optional(name) && !template.is_some_and(|template| has_rules.contains(&template))
}

/// The type's name with `Double32_t` for each `double`, if it has any. Arguments of the user's classes stay:
/// with others, C++ would have another class.
pub(crate) fn double32_alias(name: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let mut alias = String::new();
    // Of the templates that are open, whether it and all around it are standard ones.
    let mut open: Vec<bool> = Vec::new();
    for part in name.split_inclusive(|c| !is_word(c)) {
        let word = part.trim_end_matches(|c| !is_word(c));
        let is_standard = open.last().copied().unwrap_or(true);
        alias.push_str(if word == "double" && is_standard { "Double32_t" } else { word });
        let sign = part.get(word.len()..).unwrap_or_default();
        alias.push_str(sign);
        match sign {
            "<" => open.push(is_standard && (word.starts_with("std::") || word == "ROOT::VecOps::RVec")),
            ">" => {
                open.pop();
            }
            _ => {}
        }
    }
    (alias != name).then_some(alias)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_narrow_in_standard_templates_alone() {
        for (name, alias) in [
            ("double", Some("Double32_t")),
            ("std::vector<std::optional<double>>", Some("std::vector<std::optional<Double32_t>>")),
            ("ROOT::VecOps::RVec<double>", Some("ROOT::VecOps::RVec<Double32_t>")),
            ("std::map<double,Point<double>>", Some("std::map<Double32_t,Point<double>>")),
            ("std::pair<Point<double>,double>", Some("std::pair<Point<double>,Double32_t>")),
            ("Point<double>", None),
            ("Point<std::vector<double>>", None),
            ("std::vector<float>", None),
            ("double>>", Some("Double32_t>>")),
        ] {
            assert_eq!(double32_alias(name).as_deref(), alias, "{name}");
        }
    }
}
