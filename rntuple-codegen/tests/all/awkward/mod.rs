//! Schemas that no sane person writes, and that strangers may.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use rntuple::schema::{AliasColumn, ColumnDescriptor, ColumnId, FieldDescriptor, FieldId, Role, Schema};

/// Fields and columns one behind the other.
#[derive(Default)]
pub(crate) struct Builder {
    fields: Vec<FieldDescriptor>,
    columns: Vec<ColumnDescriptor>,
    aliases: Vec<AliasColumn>,
}

/// The columns of a type by its name, and how many bits they have.
fn columns(name: &str) -> &'static [(u16, u16)] {
    match name {
        "bool" => &[(0x00, 1)],
        "std::byte" => &[(0x01, 8)],
        "char" => &[(0x02, 8)],
        "std::uint8_t" => &[(0x04, 8)],
        "std::int32_t" => &[(0x16, 32)],
        "std::uint64_t" => &[(0x13, 64)],
        "float" => &[(0x18, 32)],
        "double" => &[(0x19, 64)],
        "std::string" => &[(0x1b, 64), (0x02, 8)],
        _ => &[],
    }
}

impl Builder {
    pub(crate) fn field(&mut self, parent: Option<FieldId>, role: Role, name: &str, ty: &str) -> FieldId {
        let id = FieldId(self.fields.len() as u32);
        self.fields.push(FieldDescriptor::new(parent, role, name, ty));
        let columns: &[(u16, u16)] = match role {
            Role::Collection => &[(0x1b, 64)],
            Role::Variant => &[(0x10, 96)],
            Role::Streamer => &[(0x1b, 64), (0x01, 8)],
            _ => columns(ty),
        };
        self.columns.extend(columns.iter().map(|(code, bits)| ColumnDescriptor::new(*code, *bits, id)));
        id
    }

    pub(crate) fn plain(&mut self, parent: Option<FieldId>, name: &str, ty: &str) -> FieldId {
        self.field(parent, Role::Plain, name, ty)
    }

    pub(crate) fn record(&mut self, parent: Option<FieldId>, name: &str, ty: &str) -> FieldId {
        self.field(parent, Role::Record, name, ty)
    }

    pub(crate) fn list(&mut self, parent: Option<FieldId>, name: &str, ty: &str) -> FieldId {
        self.field(parent, Role::Collection, name, ty)
    }

    pub(crate) fn array(&mut self, parent: Option<FieldId>, name: &str, ty: &str, count: u64) -> FieldId {
        let id = self.plain(parent, name, ty);
        self.fields[id.index()].array_size = Some(count);
        id
    }

    pub(crate) fn describe(&mut self, id: FieldId, text: &str) {
        self.fields[id.index()].description = text.to_owned();
    }

    /// The version of the field's class.
    fn version(&mut self, id: FieldId, version: u32) {
        self.fields[id.index()].type_version = version;
    }

    /// A `double` in a column of this type, with this alias.
    fn double(&mut self, parent: Option<FieldId>, name: &str, alias: &str, code: u16) -> FieldId {
        let id = self.field(parent, Role::Record, name, "double");
        self.fields[id.index()].role = Role::Plain;
        self.fields[id.index()].type_alias = alias.to_owned();
        self.columns.pop();
        self.column(code, if code == 0x19 { 64 } else { 32 }, id);
        id
    }

    fn column(&mut self, code: u16, bits: u16, id: FieldId) -> ColumnId {
        self.columns.push(ColumnDescriptor::new(code, bits, id));
        ColumnId(self.columns.len() as u32 - 1)
    }

    pub(crate) fn build(self) -> Schema {
        Schema::build(self.fields, self.columns, self.aliases, vec![], &|_| Ok(true)).unwrap()
    }
}

/// All of them, by names that may be modules.
pub(crate) fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("names", names()),
        ("types", types()),
        ("clashes", clashes()),
        ("deep", deep()),
        ("hostile", hostile()),
        ("attributes", attributes()),
    ]
}

/// Names that are no identifiers, or taken.
fn names() -> Schema {
    let mut b = Builder::default();
    for name in [
        "pt",
        "type",
        "self",
        "Self",
        "super",
        "crate",
        "_",
        "__end",
        "0mass",
        "größe",
        "Δφ",
        "a-b",
        "a_b",
        "a:b",
        "fPt",
        "camelCase",
        "a.b",
        "has space",
        "record",
        "field",
        "slot",
        "value",
        "values",
        "length",
        "each",
        "cluster",
        "columns",
        "end",
        "position",
        "member",
        "union",
        "gen",
        "try",
        "class",
        "Vec",
        "String",
        "日本",
        "a_name_that_is_so_long_that_there_is_no_room_for_its_type_beside_it_on_a_line_of_one_hundred",
        "a-name-that-is-so-long-that-it-must-be-cut-because-nobody-would-want-to-read-it-in-any-source-at-all-ever",
    ] {
        let id = b.plain(None, name, "float");
        b.describe(id, &format!("called {name}"));
    }
    let twice = b.plain(None, "pt", "double");
    b.describe(twice, "a second one");
    for (name, class) in [
        ("b_string", "String"),
        ("b_vec", "ns::Vec"),
        ("b_option", "Option"),
        ("b_f32", "f32"),
        ("b_self", "ns::Self"),
        ("b_type", "type"),
        ("b_entry", "Entry"),
        ("b_result", "Result"),
        ("b_clone", "Clone"),
        ("b_rntuple", "RNTuple"),
        ("b_rntuple_crate", "rntuple"),
        ("b_std", "std"),
        ("b_reader", "__EntryReader"),
        ("b_utf8", "größe::Maß"),
        ("b_some", "Some"),
        ("b_bool", "bool_"),
        ("b_u8", "u8"),
        ("b_usize", "usize"),
        ("b_char", "ns::char"),
        ("b_str", "ns::str"),
    ] {
        let record = b.record(None, name, class);
        b.plain(Some(record), "x", "float");
        b.plain(Some(record), "y", "std::string");
        b.plain(Some(record), "z", "std::uint8_t");
    }
    let list = b.list(None, "list", "std::vector<std::string>");
    b.plain(Some(list), "_0", "std::string");
    b.build()
}

/// One of each kind of type.
fn types() -> Schema {
    let mut b = Builder::default();
    for (number, name) in
        ["std::set", "std::multiset", "std::unordered_set", "std::unordered_multiset", "ROOT::VecOps::RVec"]
            .into_iter()
            .enumerate()
    {
        for item in ["float", "std::int32_t", "std::string"] {
            let list = b.list(
                None,
                &format!("list{number}_{}", &item[item.len() - 3..]),
                &format!("{name}<{item}>"),
            );
            b.plain(Some(list), "_0", item);
        }
    }
    for (number, name) in
        ["std::map", "std::multimap", "std::unordered_map", "std::unordered_multimap"].into_iter().enumerate()
    {
        for key in ["float", "bool"] {
            let map = b.list(None, &format!("map{number}_{key}"), &format!("{name}<{key},std::string>"));
            let pair = b.record(Some(map), "_0", &format!("std::pair<{key},std::string>"));
            b.plain(Some(pair), "_0", key);
            b.plain(Some(pair), "_1", "std::string");
        }
    }
    let array = b.array(None, "matrix", "std::array<std::array<float,3>,2>", 2);
    let row = b.array(Some(array), "_0", "std::array<float,3>", 3);
    b.plain(Some(row), "_0", "float");
    let bits = b.array(None, "bits", "std::bitset<17>", 17);
    b.column(0x00, 1, bits);
    let huge = b.array(None, "huge", "std::array<double,1000000>", 1_000_000);
    b.plain(Some(huge), "_0", "double");
    let huge = b.array(None, "huge_bits", "std::bitset<18446744073709551615>", u64::MAX);
    b.column(0x00, 1, huge);
    let none = b.array(None, "none", "std::array<double,0>", 0);
    b.plain(Some(none), "_0", "double");
    for (name, ty) in [("optional", "std::optional<float>"), ("unique", "std::unique_ptr<float>")] {
        let optional = b.list(None, name, ty);
        b.plain(Some(optional), "_0", "float");
    }
    let atomic = b.plain(None, "atomic", "std::atomic<bool>");
    b.plain(Some(atomic), "_0", "bool");
    for count in [1, 2, 12, 13] {
        let inner = vec!["float"; count].join(",");
        let tuple = b.record(None, &format!("tuple{count}"), &format!("std::tuple<{inner}>"));
        for number in 0..count {
            b.plain(Some(tuple), &format!("_{number}"), "float");
        }
    }
    b.record(None, "tuple0", "std::tuple<>");
    b.record(None, "empty", "ns::Empty");
    b.plain(None, "letter", "char");
    b.plain(None, "byte", "std::byte");
    let strange = b.plain(None, "strange", "ns::Strange");
    b.column(0x18, 32, strange);
    let side = b.plain(None, "side", "ns::Side");
    let integer = b.plain(Some(side), "_0", "std::uint8_t");
    b.describe(integer, "Left = 0, Right = 1, class_ = 7, Self = 255");
    let side = b.list(None, "sides", "std::vector<ns::Side>");
    let side = b.plain(Some(side), "_0", "ns::Side");
    let integer = b.plain(Some(side), "_0", "std::uint8_t");
    b.describe(integer, "Left = 0, Right = 1, class_ = 7, Self = 255");
    let colour = b.plain(None, "colour", "Colour");
    b.plain(Some(colour), "_0", "std::int32_t");
    let derived = b.record(None, "derived", "ns::Derived");
    for (number, class) in ["ns::Empty", "ns::Base"].into_iter().enumerate() {
        let base = b.record(Some(derived), &format!(":_{number}"), class);
        if number == 1 {
            b.plain(Some(base), "x", "float");
        }
    }
    b.plain(Some(derived), "y", "float");
    let variant = b.field(None, Role::Variant, "hit", "std::variant<std::uint64_t,ns::Base,ns::Base,float>");
    let strip = b.plain(Some(variant), "_0", "std::uint64_t");
    b.describe(strip, "Strip: number of a channel");
    for (number, text) in [(1, "Pixel"), (2, "Pixel")] {
        let pixel = b.record(Some(variant), &format!("_{number}"), "ns::Base");
        b.plain(Some(pixel), "x", "float");
        b.describe(pixel, text);
    }
    let nothing = b.plain(Some(variant), "_3", "float");
    b.describe(nothing, "no name at all");
    let streamed = b.field(None, Role::Streamer, "streamed", "TObject");
    b.describe(streamed, "an object");
    let jets = b.list(None, "jets", "");
    b.describe(jets, "untyped");
    let jet = b.record(Some(jets), "_0", "");
    b.plain(Some(jet), "pt", "float");
    let inner = b.list(Some(jet), "parts", "");
    let inner = b.record(Some(inner), "_0", "");
    b.plain(Some(inner), "pt", "float");
    let cardinality = b.plain(None, "nJets", "ROOT::RNTupleCardinality<std::uint32_t>");
    b.fields[cardinality.index()].projection_source = Some(jets);
    let offsets = b.columns.iter().position(|column| column.field == jets).unwrap() as u32;
    b.aliases.push(AliasColumn::new(ColumnId(offsets), cardinality));
    b.field(None, Role::Unknown(9), "future", "Future");
    b.build()
}

/// Classes of one name that are not one class.
fn clashes() -> Schema {
    let mut b = Builder::default();
    for (name, class) in [("geo", "geo::Point"), ("ui", "ui::Point"), ("again", "geo::Point")] {
        let record = b.record(None, name, class);
        b.plain(Some(record), "x", if name == "ui" { "std::int32_t" } else { "float" });
    }
    for (name, ty) in [("one", "float"), ("two", "double")] {
        let record = b.record(None, name, "Shape");
        b.plain(Some(record), "x", ty);
    }
    for class in [
        "Hit<float>",
        "Hit<double>",
        "Hit<geo::Point>",
        "Grid<3>",
        "Grid<float>",
        "ns::Array<float,-3>",
        "Hit<Unknown>",
        "a::Outer::Inner",
        "a::Outer",
        "A::B",
        "AB",
        "Ab",
    ] {
        let record = b.record(None, &class.replace(|c: char| !c.is_alphanumeric(), "_"), class);
        b.plain(Some(record), "x", "float");
    }
    for name in ["a_b", "aB", "a-b"] {
        let record = b.record(None, name, "");
        let inner = b.record(Some(record), "inner", "");
        b.plain(Some(inner), "x", "float");
    }
    b.build()
}

/// Deeper than compilers go, types that fill more than a line, and pairs that are too large for one.
fn deep() -> Schema {
    let mut b = Builder::default();
    for depth in [3, 12, 23, 24, 60, 250] {
        for records in [false, true] {
            let mut parent = None;
            for level in 0..depth {
                let name = if level == 0 { format!("d{depth}_{records}") } else { "_0".to_owned() };
                let is_record = records && level % 2 == 1;
                let name = if records && level > 1 && !is_record { "list".to_owned() } else { name };
                let role = if is_record { Role::Record } else { Role::Collection };
                parent = Some(b.field(parent, role, &name, ""));
            }
            b.plain(parent, "_0", "float");
        }
    }
    for width in 1..12 {
        let list = b.list(None, &format!("wide{width}"), "std::vector<x>");
        let tuple = b.record(Some(list), "_0", &format!("std::tuple<{}>", "x,".repeat(width)));
        for member in 0..width {
            let inner = b.list(Some(tuple), &format!("_{member}"), "std::set<std::int32_t>");
            b.plain(Some(inner), "_0", "std::int32_t");
        }
    }
    for map in ["map", "multimap", "unordered_map", "unordered_multimap"] {
        let list = b.list(None, &format!("large_{map}"), &format!("std::{map}<std::int32_t,daq::Waveform>"));
        let pair = b.record(Some(list), "_0", "std::pair<std::int32_t,daq::Waveform>");
        b.plain(Some(pair), "_0", "std::int32_t");
        let waveform = b.record(Some(pair), "_1", "daq::Waveform");
        for name in ["times", "heights"] {
            let samples = b.array(Some(waveform), name, "std::array<double,8000>", 8000);
            b.plain(Some(samples), "_0", "double");
        }
    }
    let variant = b.field(None, Role::Variant, "variant", "");
    for width in 0..6 {
        let alternative = b.record(Some(variant), &format!("_{width}"), "std::tuple<>");
        for member in 0..width * 2 + 1 {
            b.plain(Some(alternative), &format!("_{member}"), "std::string");
        }
    }
    b.build()
}

/// What attributes say of classes and members, and what looks as if they could.
fn attributes() -> Schema {
    const SPLIT_REAL32: u16 = 0x18;
    let mut b = Builder::default();
    for (number, text) in [
        "Energy [GeV]",
        "[GeV]",
        "several\nlines [GeV]",
        "two units [mm] [GeV]",
        "two spaces  [GeV]",
        "not apart[GeV]",
        "no unit []",
        "a space [ GeV]",
        "a bracket [a]]",
        "code [\"\\\u{202e}]",
        "control [\u{1}]",
        "an end [GeV].",
        "µm [µm]",
    ]
    .into_iter()
    .enumerate()
    {
        let id = b.plain(None, &format!("unit{number}"), "float");
        b.describe(id, text);
    }
    let streamed = b.field(None, Role::Streamer, "streamed", "TObject");
    b.describe(streamed, "an object [m]");
    // In a class that is written, too.
    let doubles = Some(b.record(None, "doubles", "ns::Doubles"));
    let renamed = b.double(doubles, "a-b", "Double32_t", SPLIT_REAL32);
    b.describe(renamed, "everything at once [a unit with a name that has no place on the line]");
    b.double(doubles, "no_alias", "", SPLIT_REAL32);
    b.double(doubles, "alias_alone", "Double32_t", 0x19);
    b.double(doubles, "another_alias", "Double_t", 0x19);
    b.double(doubles, "Double32_t", "Double32_t", SPLIT_REAL32);
    let list = b.list(doubles, "list", "std::vector<std::vector<double>>");
    let list = b.list(Some(list), "_0", "std::vector<double>");
    b.double(Some(list), "_0", "Double32_t", SPLIT_REAL32);
    let map = b.list(doubles, "map", "std::map<std::string,double>");
    let pair = b.record(Some(map), "_0", "std::pair<std::string,double>");
    b.plain(Some(pair), "_0", "std::string");
    b.double(Some(pair), "_1", "Double32_t", SPLIT_REAL32);
    for (name, alias) in [("same", "Double32_t"), ("mixed", "")] {
        let tuple = b.record(doubles, name, "std::tuple<double,double>");
        b.double(Some(tuple), "_0", "Double32_t", SPLIT_REAL32);
        b.double(Some(tuple), "_1", alias, if alias.is_empty() { 0x19 } else { SPLIT_REAL32 });
    }
    // Bases, in order and not, with and without versions; the last of them is none.
    for (class, version, bases) in [
        ("ns::One", 3, &[":_0"][..]),
        ("ns::Several", 40_000, &[":_0", ":_1", ":_2"]),
        ("ns::Unordered", u32::MAX, &[":_1", ":_0"]),
        ("ns::Gap", 1, &[":_0", ":_2"]),
        ("ns::Zero", 1, &[":_00", ":_x"]),
        ("Hit<float,3>", 32_767, &[":_0"]),
        ("no class", 7, &[":_0"]),
        ("", 7, &[":_0"]),
    ] {
        let name = class.replace(|c: char| !c.is_alphanumeric(), "_");
        let record = b.record(None, &format!("c_{name}"), class);
        b.version(record, version);
        for (number, base) in bases.iter().enumerate() {
            let base = b.record(Some(record), base, &format!("ns::Base{number}"));
            b.version(base, 2);
            b.describe(base, "a base [GeV]");
            b.plain(Some(base), "x", "float");
        }
        let late = b.record(Some(record), ":_9", "ns::Base0");
        b.version(late, 2);
        b.plain(Some(late), "x", "float");
        b.plain(Some(record), "y", "float");
    }
    // A base class that is a number, one class of two versions, and what ROOT adds by itself.
    let record = b.record(None, "c_number", "ns::Number");
    b.plain(Some(record), ":_0", "float");
    for version in [1, 2] {
        let record = b.record(None, &format!("c_twice{version}"), "ns::Twice");
        b.version(record, version);
        b.plain(Some(record), "x", "float");
    }
    for class in ["ns::Empty", "ns::Taken", "ns::Class", "Double32_t"] {
        let record = b.record(None, &format!("c_{}", class.replace("::", "_")), class);
        b.version(record, 5);
        if class == "ns::Taken" {
            b.plain(Some(record), "IsA", "float");
        }
    }
    // Alternatives whose names are in the way of others.
    let variant = b.field(None, Role::Variant, "variant", "std::variant<float,float,float>");
    for (number, text) in ["Valueless: a [GeV]", "type", "type: again"].into_iter().enumerate() {
        let inner = b.plain(Some(variant), &format!("_{number}"), "float");
        b.describe(inner, text);
    }
    b.build()
}

/// Text that wants to be code.
fn hostile() -> Schema {
    let mut b = Builder::default();
    let evil = "\"] } */ ?> compile_error!(\"x\"); #[\n//!\r\u{202e}\\\n/// }{ \u{2028}\u{0}??/\n*/ #error x";
    for name in
        ["a\"b", "a\\b", "\u{202e}x", "a]b", "*/", "//", "x;y", "r#x", "r#\"x\"#", "{}", "$x", "'a'", "\t"]
    {
        let id = b.plain(None, name, "float");
        b.describe(id, evil);
    }
    for (number, class) in [
        evil,
        "int; #error x",
        "ns::}evil",
        "\"",
        " ",
        "a b",
        "void(int)",
        "x\\",
        "::",
        "a::",
        "std::x",
        "int",
        "namespace",
    ]
    .into_iter()
    .enumerate()
    {
        let record = b.record(None, &format!("r{number}"), class);
        let x = b.plain(Some(record), "x", "float");
        b.describe(x, evil);
        let plain = b.plain(None, &format!("e{number}"), class);
        if plain.index() > 0 && b.columns.iter().all(|column| column.field != plain) {
            let inner = b.plain(Some(plain), "_0", "std::int32_t");
            b.describe(inner, if number % 2 == 0 { "One = 1" } else { evil });
        }
        b.field(None, Role::Streamer, &format!("s{number}"), class);
    }
    let variant = b.field(None, Role::Variant, "variant", evil);
    let inner = b.plain(Some(variant), "_0", "float");
    b.describe(inner, evil);
    b.build()
}

/// Many fields that would all like to have one name.
#[allow(dead_code, reason = "not all tests look at these")]
pub(crate) fn wide(count: usize) -> Schema {
    let mut b = Builder::default();
    for number in 0..count {
        b.plain(None, &"-".repeat(1 + number % 3), "float");
        b.plain(None, &format!("{}", char::from_u32(0x4e00 + number as u32).unwrap()), "float");
    }
    b.build()
}

/// Many classes of one name, each in the one before.
#[allow(dead_code, reason = "not all tests look at these")]
pub(crate) fn classes(count: usize) -> Schema {
    let mut b = Builder::default();
    for number in 0..count {
        let class = match number % 3 {
            0 => format!("n{number}::Class"),
            1 => format!("Class<{number}>"),
            // Each in the one before, too.
            2 if number < 3000 => {
                (0..=number / 3).map(|level| format!("C{level}")).collect::<Vec<_>>().join("::")
            }
            _ => format!("n{}::Class::Inner", number - 2),
        };
        let record = b.record(None, &format!("m{number}"), &class);
        b.plain(Some(record), &format!("x{number}"), "float");
    }
    b.build()
}
