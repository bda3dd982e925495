//! How C++ spells a type, and how the format wants it spelled (format, section 9.7).

/// Templates nested deeper, or arrays of more dimensions, are left as they are.
pub(crate) const MAX_TEMPLATE_DEPTH: usize = 64;

/// Words that say nothing about how a type is stored.
const DROPPED: &[&str] = &["const", "volatile", "class", "struct", "enum", "union", "typename"];

/// Words of which the names of arithmetic types are made, in any order.
const ARITHMETIC: &[&str] = &["signed", "unsigned", "short", "long", "int", "char", "double"];

/// Names without a scope, and the types they stand for.
#[rustfmt::skip]
const TYPEDEFS: &[(&str, &str)] = &[
    ("int8_t", "std::int8_t"), ("uint8_t", "std::uint8_t"),
    ("int16_t", "std::int16_t"), ("uint16_t", "std::uint16_t"),
    ("int32_t", "std::int32_t"), ("uint32_t", "std::uint32_t"),
    ("int64_t", "std::int64_t"), ("uint64_t", "std::uint64_t"),
    ("ptrdiff_t", "std::int64_t"), ("size_t", "std::uint64_t"),
    ("string", "std::string"), ("byte", "std::byte"),
    ("Bool_t", "bool"), ("Char_t", "char"), ("UChar_t", "std::uint8_t"),
    ("Short_t", "std::int16_t"), ("UShort_t", "std::uint16_t"),
    ("Int_t", "std::int32_t"), ("UInt_t", "std::uint32_t"),
    ("Long_t", "std::int64_t"), ("ULong_t", "std::uint64_t"),
    ("Long64_t", "std::int64_t"), ("ULong64_t", "std::uint64_t"),
    ("Float_t", "float"), ("Float16_t", "float"),
    ("Double_t", "double"), ("Double32_t", "double"),
];

/// Templates that belong to `std` where they stand without a scope.
#[rustfmt::skip]
const STD_TEMPLATES: &[&str] = &[
    "array", "atomic", "bitset", "optional", "pair", "tuple", "unique_ptr", "variant", "vector",
    "map", "multimap", "multiset", "set",
    "unordered_map", "unordered_multimap", "unordered_multiset", "unordered_set",
    "allocator", "basic_string", "char_traits", "default_delete", "equal_to", "hash", "less",
];

/// Namespaces that standard libraries hide inside `std`.
const INLINE_NAMESPACES: &[&str] = &["__cxx11", "__1"];

/// Puts a C++ type name in the form that the format asks for: no spaces but those between words, no
/// `class`, `struct`, `const` and the like, integers by their fixed width, `std::` in front of what is
/// there, and no arguments that a standard template has by default.
///
/// ```
/// use rntuple::schema::normalize;
/// assert_eq!(normalize("const vector<unsigned int >"), "std::vector<std::uint32_t>");
/// assert_eq!(normalize("ROOT::RVec<Float_t>[2]"), "std::array<ROOT::VecOps::RVec<float>,2>");
/// assert_eq!(normalize("map<string, long, less<string>>"), "std::map<std::string,std::int64_t>");
/// ```
///
/// A name that is not understood, because it is no type or one with function arguments, comes back
/// unchanged.
pub fn normalize(name: &str) -> String {
    let mut parser = Parser { rest: name };
    match parser.argument(0) {
        Some(normalized) if parser.peek().is_none() => normalized,
        _ => name.to_owned(),
    }
}

/// Splits the name of a template instance into the template and its arguments; `None` for any other
/// name. Spaces around the parts are left out.
///
/// ```
/// use rntuple::schema::split_template;
/// let (template, arguments) = split_template("std::map<std::string,std::vector<float>>").unwrap();
/// assert_eq!(template, "std::map");
/// assert_eq!(arguments, ["std::string", "std::vector<float>"]);
/// assert_eq!(split_template("std::string"), None);
/// ```
pub fn split_template(name: &str) -> Option<(&str, Vec<&str>)> {
    let name = name.trim();
    // Brackets that are open, and where the last `<` outside of all others is.
    let mut open = Vec::new();
    let mut start = None;
    let mut commas = Vec::new();
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => {
                if byte == b'<' && open.is_empty() {
                    start = Some(at);
                    commas.clear();
                }
                open.push(byte);
            }
            b'>' | b')' | b']' => {
                let partner = match byte {
                    b'>' => b'<',
                    b')' => b'(',
                    _ => b'[',
                };
                open.pop().filter(|last| *last == partner)?;
                // Whatever follows the last argument list, it is not the name of an instance.
                if byte == b'>' && open.is_empty() && at + 1 < name.len() {
                    start = None;
                }
            }
            b',' if open == [b'<'] => commas.push(at),
            _ => {}
        }
    }
    let inside = name.get(start? + 1..)?.strip_suffix('>').filter(|_| open.is_empty())?;
    let template = name.get(..start?)?.trim_end();
    if template.is_empty() {
        return None;
    }
    if inside.trim().is_empty() {
        return Some((template, Vec::new()));
    }
    let mut arguments = Vec::with_capacity(commas.len() + 1);
    let mut from = start? + 1;
    for end in commas.into_iter().chain([name.len() - 1]) {
        arguments.push(name.get(from..end)?.trim());
        from = end + 1;
    }
    Some((template, arguments))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// Letters, digits, underscores.
    Word(&'a str),
    /// `::`
    Scope,
    /// Any other character but a space.
    Sign(char),
}

/// Reads a type name from left to right. Every method gives up with `None` on what it does not know.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.split().map(|(token, _)| token)
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let (token, rest) = self.split()?;
        self.rest = rest;
        Some(token)
    }

    fn split(&self) -> Option<(Token<'a>, &'a str)> {
        let rest = self.rest.trim_start();
        if let Some(rest) = rest.strip_prefix("::") {
            return Some((Token::Scope, rest));
        }
        let first = rest.chars().next()?;
        let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(rest.len());
        match end {
            0 => rest.strip_prefix(first).map(|rest| (Token::Sign(first), rest)),
            _ => rest.split_at_checked(end).map(|(word, rest)| (Token::Word(word), rest)),
        }
    }

    /// One type or integer, up to the comma or bracket that ends it.
    fn argument(&mut self, depth: usize) -> Option<String> {
        let mut name = Name::default();
        let mut pointers = String::new();
        let mut dimensions = Vec::new();
        while let Some(token) = self.peek() {
            let is_bare = pointers.is_empty() && dimensions.is_empty();
            match token {
                Token::Sign(',' | '>') => break,
                Token::Word(word) if word.starts_with(|char: char| char.is_ascii_digit()) => {
                    return name.is_empty().then(|| self.integer())?;
                }
                Token::Sign('-') => return name.is_empty().then(|| self.integer())?,
                Token::Word(word) if DROPPED.contains(&word) => name.may_be_qualified()?,
                Token::Word(word) => is_bare.then(|| name.word(word))??,
                Token::Scope => is_bare.then(|| name.scope())??,
                Token::Sign('<') => {
                    self.next()?;
                    is_bare.then(|| name.arguments(self.arguments(depth + 1)?))??;
                    continue;
                }
                Token::Sign(sign @ ('*' | '&')) if dimensions.is_empty() => {
                    name.may_be_qualified()?;
                    pointers.push(sign);
                }
                Token::Sign('[') => {
                    self.next()?;
                    dimensions.push(self.integer()?);
                    if self.peek() != Some(Token::Sign(']')) {
                        return None;
                    }
                }
                Token::Sign(_) => return None,
            }
            self.next()?;
        }
        if depth + dimensions.len() > MAX_TEMPLATE_DEPTH {
            return None;
        }
        let element = name.resolve()? + &pointers;
        Some(dimensions.iter().rev().fold(element, |item, count| format!("std::array<{item},{count}>")))
    }

    /// Template arguments after the `<`, up to and with the `>`.
    fn arguments(&mut self, depth: usize) -> Option<Vec<String>> {
        if depth > MAX_TEMPLATE_DEPTH {
            return None;
        }
        if self.peek()? == Token::Sign('>') {
            self.next()?;
            return Some(Vec::new());
        }
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.argument(depth)?);
            match self.next()? {
                Token::Sign(',') => {}
                Token::Sign('>') => return Some(arguments),
                _ => return None,
            }
        }
    }

    /// An integer in any notation of C++, in decimal; `u` marks those that 63 bits do not hold.
    fn integer(&mut self) -> Option<String> {
        let is_negative = self.peek()? == Token::Sign('-');
        if is_negative {
            self.next()?;
        }
        let Token::Word(word) = self.next()? else { return None };
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
        let prefixed = |prefixes: [&str; 2]| prefixes.iter().find_map(|prefix| digits.strip_prefix(prefix));
        let value = if let Some(digits) = prefixed(["0x", "0X"]) {
            u64::from_str_radix(digits, 16)
        } else if let Some(digits) = prefixed(["0b", "0B"]) {
            u64::from_str_radix(digits, 2)
        } else if let Some(digits) = digits.strip_prefix('0').filter(|digits| !digits.is_empty()) {
            u64::from_str_radix(digits, 8)
        } else {
            digits.parse()
        }
        .ok()?;
        match (is_negative, i64::try_from(value)) {
            (false, Ok(value)) => Some(value.to_string()),
            (false, Err(_)) => Some(format!("{value}u")),
            (true, _) => 0i64.checked_sub_unsigned(value).map(|value| value.to_string()),
        }
    }
}

/// One name between two `::`, with its template arguments.
struct Segment<'a> {
    name: &'a str,
    arguments: Option<Vec<String>>,
}

/// The name of a type as it is being read: either words like `unsigned long`, or a path.
#[derive(Default)]
struct Name<'a> {
    arithmetic: Vec<&'a str>,
    path: Vec<Segment<'a>>,
    /// It began with `::`.
    is_global: bool,
    /// It ends with `::`, so far.
    is_open: bool,
}

impl<'a> Name<'a> {
    fn is_empty(&self) -> bool {
        self.arithmetic.is_empty() && self.path.is_empty() && !self.is_global
    }

    /// Whether a `const`, `*` or the like may follow.
    fn may_be_qualified(&self) -> Option<()> {
        (!self.is_open).then_some(())
    }

    fn word(&mut self, word: &'a str) -> Option<()> {
        if ARITHMETIC.contains(&word) {
            self.arithmetic.push(word);
            return (self.path.is_empty() && !self.is_global).then_some(());
        }
        if !self.arithmetic.is_empty() || self.path.is_empty() == self.is_open {
            return None;
        }
        self.path.push(Segment { name: word, arguments: None });
        self.is_open = false;
        Some(())
    }

    fn scope(&mut self) -> Option<()> {
        if self.is_empty() {
            self.is_global = true;
            return Some(());
        }
        let may_open = !self.path.is_empty() && !self.is_open;
        self.is_open = true;
        may_open.then_some(())
    }

    fn arguments(&mut self, arguments: Vec<String>) -> Option<()> {
        let last = self.path.last_mut().filter(|last| last.arguments.is_none() && !self.is_open)?;
        last.arguments = Some(arguments);
        Some(())
    }

    /// The name in the form of the format.
    fn resolve(mut self) -> Option<String> {
        if self.is_open {
            return None;
        }
        if !self.arithmetic.is_empty() {
            return arithmetic(&self.arithmetic).map(str::to_owned);
        }
        if self.path.first()?.name == "std" {
            self.path
                .retain(|segment| segment.arguments.is_some() || !INLINE_NAMESPACES.contains(&segment.name));
        }
        match &mut *self.path {
            [Segment { name, arguments: None }] => {
                if let Some((_, stands_for)) = TYPEDEFS.iter().find(|(typedef, _)| typedef == name) {
                    return Some((*stands_for).to_owned());
                }
            }
            [Segment { name: "std", arguments: None }, Segment { name, arguments: None }] => match *name {
                "size_t" => return Some("std::uint64_t".to_owned()),
                "ptrdiff_t" => return Some("std::int64_t".to_owned()),
                _ => {}
            },
            [Segment { name: "ROOT", arguments: None }, Segment { name: "RVec", arguments: Some(_) }] => {
                self.path.insert(1, Segment { name: "VecOps", arguments: None });
            }
            [Segment { name, arguments: Some(_) }] if STD_TEMPLATES.contains(name) => {
                self.path.insert(0, Segment { name: "std", arguments: None });
            }
            _ => {}
        }
        if let [Segment { name: "std", arguments: None }, Segment { name, arguments: Some(arguments) }] =
            &mut *self.path
        {
            drop_defaults(name, arguments);
            if *name == "basic_string" && *arguments == ["char"] {
                return Some("std::string".to_owned());
            }
        }
        let mut spelling = String::new();
        for (number, segment) in self.path.iter().enumerate() {
            if number > 0 {
                spelling.push_str("::");
            }
            spelling.push_str(segment.name);
            if let Some(arguments) = &segment.arguments {
                spelling.push('<');
                spelling.push_str(&arguments.join(","));
                spelling.push('>');
            }
        }
        Some(spelling)
    }
}

/// The type that words like `long unsigned int` name.
fn arithmetic(words: &[&str]) -> Option<&'static str> {
    let count = |wanted: &str| words.iter().filter(|word| **word == wanted).count();
    let is_unsigned = match (count("signed"), count("unsigned")) {
        (0, 0) => None,
        (1, 0) => Some(false),
        (0, 1) => Some(true),
        _ => return None,
    };
    let [short, long, int, char, double] = ["short", "long", "int", "char", "double"].map(count);
    let by_sign = |signed, unsigned| Some(if is_unsigned == Some(true) { unsigned } else { signed });
    match (short, long, int, char, double) {
        (0, 0, 0, 1, 0) if is_unsigned.is_none() => Some("char"),
        (0, 0, 0, 1, 0) => by_sign("std::int8_t", "std::uint8_t"),
        (1, 0, 0 | 1, 0, 0) => by_sign("std::int16_t", "std::uint16_t"),
        (0, 0, 0 | 1, 0, 0) => by_sign("std::int32_t", "std::uint32_t"),
        (0, 1 | 2, 0 | 1, 0, 0) => by_sign("std::int64_t", "std::uint64_t"),
        (0, 0, 0, 0, 1) if is_unsigned.is_none() => Some("double"),
        (0, 1, 0, 0, 1) if is_unsigned.is_none() => Some("long double"),
        _ => None,
    }
}

/// Takes away the last arguments of a template of `std` as far as they are what it has by default.
fn drop_defaults(template: &str, arguments: &mut Vec<String>) {
    let Some(key) = arguments.first() else { return };
    let of_key = |template: &str| format!("std::{template}<{key}>");
    let pair = || format!("std::allocator<std::pair<{key},{}>>", arguments.get(1).map_or("", |value| value));
    let (needed, defaults) = match template {
        "vector" => (1, vec![of_key("allocator")]),
        "unique_ptr" => (1, vec![of_key("default_delete")]),
        "basic_string" => (1, vec![of_key("char_traits"), of_key("allocator")]),
        "set" | "multiset" => (1, vec![of_key("less"), of_key("allocator")]),
        "unordered_set" | "unordered_multiset" => {
            (1, vec![of_key("hash"), of_key("equal_to"), of_key("allocator")])
        }
        "map" | "multimap" => (2, vec![of_key("less"), pair()]),
        "unordered_map" | "unordered_multimap" => (2, vec![of_key("hash"), of_key("equal_to"), pair()]),
        _ => return,
    };
    while let Some(number) = arguments.len().checked_sub(needed + 1)
        && arguments.last() == defaults.get(number)
    {
        arguments.pop();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    #[rustfmt::skip]
    fn names_take_the_form_of_the_format() {
        for (name, expected) in [
            ("int", "std::int32_t"), ("unsigned", "std::uint32_t"), ("long int unsigned", "std::uint64_t"),
            ("long long", "std::int64_t"), ("short", "std::int16_t"), ("signed char", "std::int8_t"),
            ("unsigned char", "std::uint8_t"), ("char", "char"), ("long double", "long double"),
            ("uint16_t", "std::uint16_t"), ("std::size_t", "std::uint64_t"), ("size_t", "std::uint64_t"),
            ("Double32_t", "double"), ("Long64_t", "std::int64_t"), ("Bool_t", "bool"),
            (" ::std :: vector < class ::My :: Class const > ", "std::vector<My::Class>"),
            ("enum Colour", "Colour"), ("volatile const int", "std::int32_t"),
            ("int const * const", "std::int32_t*"),
            ("vector<vector<X> >", "std::vector<std::vector<X>>"),
            ("std::pair<const string,float>", "std::pair<std::string,float>"),
            ("vector<int,allocator<int> >", "std::vector<std::int32_t>"),
            ("vector<int,My<int>>", "std::vector<std::int32_t,My<std::int32_t>>"),
            ("set<int,greater<int>,allocator<int>>", "std::set<std::int32_t,greater<std::int32_t>>"),
            ("map<string,int,less<string>,allocator<pair<const string,int>>>", "std::map<std::string,std::int32_t>"),
            ("std::unordered_map<int,X,std::hash<int>,std::equal_to<int>,std::allocator<std::pair<const int,X>>>",
             "std::unordered_map<std::int32_t,X>"),
            ("unique_ptr<X,default_delete<X>>", "std::unique_ptr<X>"),
            ("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"),
            ("std::__cxx11::string", "std::string"),
            ("ROOT::RVec<int>", "ROOT::VecOps::RVec<std::int32_t>"),
            ("ROOT::VecOps::RVec<int>", "ROOT::VecOps::RVec<std::int32_t>"),
            ("float[3][2]", "std::array<std::array<float,2>,3>"),
            ("vector<int[0x10]>", "std::vector<std::array<std::int32_t,16>>"),
            ("std::bitset<25ul>", "std::bitset<25>"), ("array<X,010>", "std::array<X,8>"),
            ("My<-1,18446744073709551615,9223372036854775807u>", "My<-1,18446744073709551615u,9223372036854775807>"),
            ("My<true>::Inner<unsigned>", "My<true>::Inner<std::uint32_t>"),
            ("My<>", "My<>"), ("set", "set"), ("detector::vector<int>", "detector::vector<std::int32_t>"),
            ("ROOT::RNTupleCardinality<unsigned int>", "ROOT::RNTupleCardinality<std::uint32_t>"),
            ("Größe<int>", "Größe<std::int32_t>"),
            ("unsigned unsignedName", "unsigned unsignedName"),
        ] {
            assert_eq!(normalize(name), expected, "{name}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn what_is_not_understood_stays() {
        for name in [
            "", " ", "const", "<", ">", "<>", "a<", "a>", "a<b", "a<b>>", "a<b,>", "a<,b>", "a b", "::", "a::", "::::a",
            "a<b>c", "a::<b>", "a[", "a[]", "a[x]", "a[1", "[1]", "*", "a*b", "a[1]*", "int*int", "5 a", "a 5", "5*",
            "-", "-a", "--5", "99999999999999999999", "0x", "08", "1.5", "void (int)", "My<'a'>", "int::x", "::int",
            "signed unsigned", "long long long", "unsigned double", "std::function<void (int)>", "a::const", "a<b><c>",
            "-9223372036854775809", "a::*",
        ] {
            assert_eq!(normalize(name), name);
        }
    }

    #[test]
    fn depth_is_limited_and_work_is_linear() {
        let nested = |depth: usize| format!("{}int{}", "vector<".repeat(depth), ">".repeat(depth));
        assert!(normalize(&nested(MAX_TEMPLATE_DEPTH)).contains("std::int32_t"));
        for name in [
            nested(MAX_TEMPLATE_DEPTH + 1),
            nested(1_000_000),
            "a<".repeat(1_000_000),
            "int[1]".to_owned() + &"[1]".repeat(1_000_000),
        ] {
            assert_eq!(normalize(&name), name);
        }
        assert_eq!(normalize(&"a::".repeat(300_000)), "a::".repeat(300_000));
        assert_eq!(split_template(&"a<".repeat(1_000_000)), None);
        let deep = nested(1_000_000);
        assert_eq!(split_template(&deep).unwrap().1, [&deep[7..deep.len() - 1]]);
    }

    #[test]
    fn templates_are_split_at_their_own_commas() {
        let split = |name| split_template(name).map(|(name, arguments)| (name, arguments.join("|")));
        let some = |name, arguments: &str| Some((name, arguments.to_owned()));
        assert_eq!(split("std::array<float,3>"), some("std::array", "float|3"));
        assert_eq!(split(" a < b , c<d,e> > "), some("a", "b|c<d,e>"));
        assert_eq!(split("a<b>::c<d>"), some("a<b>::c", "d"));
        assert_eq!(split("a<void(b,c),d[1]>"), some("a", "void(b,c)|d[1]"));
        assert_eq!(split("a<>"), some("a", ""));
        assert_eq!(split_template("a<>").unwrap().1.len(), 0);
        for name in
            ["", "a", "<b>", "a<b", "a>b<", "a<b>>", "a<b>c", "a<b>::c", "a<(b>)", "a<b>[2]", "a(<b>)"]
        {
            assert_eq!(split(name), None, "{name}");
        }
    }

    /// Names made of the pieces that matter.
    fn pieces() -> impl Strategy<Value = String> {
        #[rustfmt::skip]
        let piece = prop::sample::select(&[
            "int", "unsigned", "long", "char", "const", "struct", "vector", "map", "std", "string", "basic_string",
            "less", "allocator", "pair", "ROOT", "RVec", "X", "size_t", "__cxx11", "5", "0x1F", "08", "7u", "::", "::",
            "<", "<", "<", ">", ">", ">", ",", ",", "[", "]", "[2]", "*", "&", " ", " ", "-", "(", ")", "ü",
        ][..]);
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    /// Names that are types.
    fn types() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(
            &["int", "unsigned long", "string", "X::Y", "::Z", "const char", "float[2][3]", "Int_t"][..],
        );
        let leaf = leaf.prop_map(str::to_owned);
        leaf.prop_recursive(5, 40, 3, |inner| {
            let templates =
                &["vector", "std::map", "set", "My", "ROOT::RVec", "unordered_map", "A<int>::B"][..];
            let arguments = prop::collection::vec(inner.clone(), 0..4);
            prop_oneof![
                (prop::sample::select(templates), arguments)
                    .prop_map(|(template, arguments)| format!("{template}< {} >", arguments.join(", "))),
                inner.clone().prop_map(|key| format!("set<{key},less<{key}>,allocator<{key}>>")),
                inner.clone().prop_map(|item| format!("array<{item} , 0x5UL>")),
                inner.prop_map(|item| format!("{item} const[4]")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn normal_names_are_normal(name in prop_oneof![any::<String>(), pieces(), types()]) {
            let once = normalize(&name);
            prop_assert_eq!(normalize(&once), once);
            let _ = split_template(&name);
        }

        #[test]
        fn normal_types_have_no_spaces(name in types()) {
            prop_assert!(!normalize(&name).contains(' '), "{}", normalize(&name));
        }

        #[test]
        fn split_templates_can_be_joined(name in types()) {
            let name = normalize(&name);
            if let Some((template, arguments)) = split_template(&name) {
                prop_assert_eq!(format!("{template}<{}>", arguments.join(",")), name);
            }
        }
    }
}
