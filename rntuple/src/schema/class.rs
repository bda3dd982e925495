//! ROOT's checksum of a class, by which readers know that two declarations are the same.

use std::collections::HashMap;

use super::{FieldDescriptor, FieldId, MAX_TEMPLATE_DEPTH, Role, split_template};
use crate::error::{Error, Result};

/// The version of a class that does not declare one.
pub(crate) const UNVERSIONED: u32 = u32::MAX;

/// The names of fixed-width integers that ROOT's dictionaries resolve typedefs to.
const INTEGERS: [(&str, &str); 8] = [
    ("int8_t", "signed char"),
    ("uint8_t", "unsigned char"),
    ("int16_t", "short"),
    ("uint16_t", "unsigned short"),
    ("int32_t", "int"),
    ("uint32_t", "unsigned int"),
    ("int64_t", "long"),
    ("uint64_t", "unsigned long"),
];

/// Whether the field is a record of a class of the user's: neither untyped nor one of the standard library's.
pub(crate) fn is_class(field: &FieldDescriptor) -> bool {
    field.role == Role::Record && !field.type_name.is_empty() && !field.type_name.starts_with("std::")
}

/// What a checksum folds of one subfield of a class.
struct Member<'a> {
    field: &'a FieldDescriptor,
    /// An enum counts one more.
    is_enum: bool,
    /// The class's own checksum, where it is one of the user's.
    sum: Option<u32>,
}

impl Member<'_> {
    /// Whether it is what the class inherits: `:_0`, `:_1`, ..
    fn is_base(&self) -> bool {
        let number = self.field.name.strip_prefix(":_");
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// The type as C++ declares it: a `Double32_t` is one.
    fn declared(&self) -> &str {
        let FieldDescriptor { type_name, type_alias, .. } = self.field;
        if type_alias.is_empty() { type_name } else { type_alias }
    }
}

/// ROOT's checksum (`TClass::GetCheckSum`) of the class with this name and these members.
///
/// It folds the class name; each base's name and, unless that is one of the standard library's, its checksum;
/// and each member's name and type, into 32 bits. Names are those of ROOT's dictionaries.
fn checksum(class: &str, members: &[Member<'_>]) -> u32 {
    let mut sum = Sum(0);
    sum.add(&true_name(class));
    for base in members.iter().filter(|member| member.is_base()) {
        sum.add(&true_name(&base.field.type_name));
        if let Some(own) = base.sum {
            sum.step(own);
        }
    }
    for member in members.iter().filter(|member| !member.is_base()) {
        if member.is_enum {
            sum.step(1);
        }
        sum.add(&member.field.name);
        sum.add(&true_name(member.declared()));
    }
    sum.0
}

struct Sum(u32);

impl Sum {
    fn step(&mut self, value: u32) {
        self.0 = self.0.wrapping_mul(3).wrapping_add(value);
    }

    fn add(&mut self, text: &str) {
        // C++'s `char` is signed where ROOT runs.
        text.bytes().for_each(|byte| self.step(i32::from(byte.cast_signed()).cast_unsigned()));
    }
}

/// Fills in the checksum of all classes, and the version of those that do not state one.
///
/// # Errors
/// Two different records have one class name: to C++ they would be one class.
pub(crate) fn seal_classes(fields: &mut [FieldDescriptor]) -> Result<()> {
    let mut children: Vec<Vec<FieldId>> = vec![Vec::new(); fields.len()];
    for (id, field) in (0..).map(FieldId).zip(fields.iter()) {
        if let Some(siblings) = field.parent.and_then(|parent| children.get_mut(parent.index())) {
            siblings.push(id);
        }
    }
    // Subfields stand behind their parents, so that those of a class, its bases among them, are known before it.
    let mut sums: Vec<Option<u32>> = vec![None; fields.len()];
    for (index, (field, ids)) in
        fields.iter().zip(&children).enumerate().rev().filter(|(_, (field, _))| is_class(field))
    {
        let member = |id: &FieldId| {
            let field = fields.get(id.index())?;
            let wraps = children.get(id.index()).is_some_and(|items| items.len() == 1);
            let is_enum = field.role == Role::Plain && wraps && !field.type_name.starts_with("std::");
            Some(Member { field, is_enum, sum: sums.get(id.index()).copied().flatten() })
        };
        let members: Vec<Member<'_>> = ids.iter().filter_map(member).collect();
        let own = checksum(&field.type_name, &members);
        if let Some(sum) = sums.get_mut(index) {
            *sum = Some(own);
        }
    }
    let mut known: HashMap<String, u32> = HashMap::new();
    for (field, sum) in fields.iter_mut().zip(sums) {
        let Some(sum) = sum else { continue };
        if *known.entry(field.type_name.clone()).or_insert(sum) != sum {
            let name = &field.type_name;
            return Err(Error::invalid_argument(format!(
                "two different types are the class `{name}`: tell them apart by `#[rntuple(type_name = \"..\")]`"
            )));
        }
        field.type_checksum = Some(sum);
        if field.type_version == 0 {
            field.type_version = UNVERSIONED;
        }
    }
    Ok(())
}

/// A type as ROOT's dictionaries spell it: `vector<map<int,float> >`.
fn true_name(name: &str) -> String {
    spelled(name, MAX_TEMPLATE_DEPTH)
}

/// The same, where up to `depth` templates are looked into: a file may have names of any depth.
fn spelled(name: &str, depth: usize) -> String {
    let bare = |name: &str| {
        let name = name.strip_prefix("std::").unwrap_or(name);
        INTEGERS.iter().find(|(fixed, _)| *fixed == name).map_or(name, |(_, own)| own).to_owned()
    };
    match depth.checked_sub(1).zip(split_template(name)) {
        None => bare(name),
        Some((depth, (template, arguments))) => {
            let arguments: Vec<String> =
                arguments.into_iter().map(|argument| spelled(argument, depth)).collect();
            let arguments = arguments.join(",");
            let gap = if arguments.ends_with('>') { " " } else { "" };
            format!("{}<{arguments}{gap}>", bare(template))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(class: &str, members: &[(&str, &str)]) -> u32 {
        let fields: Vec<_> =
            members.iter().map(|(name, ty)| FieldDescriptor::new(None, Role::Plain, *name, *ty)).collect();
        let members: Vec<_> =
            fields.iter().map(|field| Member { field, is_enum: false, sum: None }).collect();
        checksum(class, &members)
    }

    /// The checksums of fields, each a parent, role, name and type.
    fn sealed(fields: &[(Option<u32>, Role, &str, &str)]) -> Vec<Option<u32>> {
        let mut fields: Vec<_> = fields
            .iter()
            .map(|(parent, role, name, ty)| FieldDescriptor::new(parent.map(FieldId), *role, *name, *ty))
            .collect();
        seal_classes(&mut fields).unwrap();
        fields.iter().map(|field| field.type_checksum).collect()
    }

    #[test]
    fn checksums_are_those_that_root_wrote() {
        assert_eq!(sum("EmptyStruct", &[]), 7_330_670);
        assert_eq!(sum("StructForVariant", &[("i", "std::int32_t")]), 132_395_811);
        let lorentz = ["pt", "eta", "phi", "mass"].map(|name| (name, "float"));
        assert_eq!(sum("LV", &lorentz), 2_171_628_045);
        assert_eq!(sum("TopStruct", &[("i", "std::int32_t"), ("sub_struct", "SubStruct")]), 2_367_863_417);
        assert_eq!(
            sum("SubSubSruct", &[("i", "std::int32_t"), ("v", "std::vector<std::int32_t>")]),
            728_251_087
        );
        let members = [
            ("fName", "std::string"),
            ("fTitle", "std::string"),
            ("fValue", "double"),
            ("fStreamed", "CyclicStruct"),
        ];
        assert_eq!(sum("TestClass", &members), 3_768_754_184);
    }

    /// As every file by ROOT says it of `TObject` and `TNamed`, and ROOT 6.20 of the others.
    #[test]
    fn bases_count_with_their_own_checksums() {
        use Role::{Plain, Record};
        let named = sealed(&[
            (None, Record, "named", "TNamed"),
            (Some(0), Record, ":_0", "TObject"),
            (Some(1), Plain, "fUniqueID", "std::uint32_t"),
            (Some(1), Plain, "fBits", "std::uint32_t"),
            (Some(0), Plain, "fName", "TString"),
            (Some(0), Plain, "fTitle", "TString"),
        ]);
        assert_eq!((named[0], named[1]), (Some(0xdfb7_4a3c), Some(0x901b_c02d)));
        // struct BTagged : Jet { .. }; struct Jet : Particle, Tagged { .. };
        let jets = sealed(&[
            (None, Record, "jet", "BTagged"),
            (Some(0), Record, ":_0", "Jet"),
            (Some(1), Record, ":_0", "Particle"),
            (Some(2), Plain, "pt", "float"),
            (Some(2), Plain, "charge", "std::int32_t"),
            (Some(1), Record, ":_1", "Tagged"),
            (Some(5), Plain, "tag", "std::uint64_t"),
            (Some(1), Plain, "mass", "double"),
            (Some(0), Plain, "score", "std::int8_t"),
        ]);
        let classes: Vec<_> = jets.into_iter().flatten().collect();
        assert_eq!(classes, [3_282_167_321, 3_098_431_172, 1_135_920_189, 372_634_593]);
        let tight = sealed(&[
            (None, Record, "muon", "ns::Tight"),
            // ROOT declares bases first, and counts them first wherever they stand.
            (Some(0), Plain, "quality", "std::int16_t"),
            (Some(0), Record, ":_0", "ns::Muon"),
            (Some(2), Plain, "pt", "float"),
        ]);
        assert_eq!(tight[0], Some(178_206_796));
    }

    /// As ROOT 6.20 says.
    #[test]
    fn classes_are_named_as_dictionaries_name_them() {
        use Role::{Plain, Record};
        let members = [("first", "std::uint8_t"), ("second", "float")];
        assert_eq!(sum("Both<std::uint8_t,float>", &members), 3_758_048_219);
        let derived = sealed(&[
            (None, Record, "derived", "Derived"),
            (Some(0), Record, ":_0", "Both<std::uint8_t,float>"),
            (Some(1), Plain, "first", "std::uint8_t"),
            (Some(1), Plain, "second", "float"),
            (Some(0), Plain, "flag", "bool"),
        ]);
        assert_eq!(derived[0], Some(1_346_043_618));
        let names =
            ["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"];
        let types: Vec<String> = names.iter().map(|name| format!("std::{name}")).collect();
        let members: Vec<_> = ["a", "b", "c", "d", "e", "f", "g", "h"]
            .into_iter()
            .zip(types.iter().map(String::as_str))
            .collect();
        assert_eq!(sum("Integers", &[&*members, &[("i", "char")]].concat()), 2_560_252_210);
        let hit = sealed(&[
            (None, Record, "hit", "ns::Hit"),
            (Some(0), Plain, "side", "ns::Side"),
            (Some(1), Plain, "_0", "std::int32_t"),
            (Some(0), Plain, "energy", "float"),
        ]);
        assert_eq!(hit[0], Some(4_261_285_926));
    }

    #[test]
    fn a_double32_is_no_double() {
        let mut field = FieldDescriptor::new(None, Role::Plain, "e", "double");
        let of = |field: &FieldDescriptor| checksum("Hit", &[Member { field, is_enum: false, sum: None }]);
        let double = of(&field);
        field.type_alias = "Double32_t".to_owned();
        assert_eq!(of(&field), sum("Hit", &[("e", "Double32_t")]));
        assert_ne!(of(&field), double);
    }

    #[test]
    fn types_are_spelled_as_dictionaries_do() {
        assert_eq!(true_name("std::vector<std::vector<float>>"), "vector<vector<float> >");
        assert_eq!(true_name("std::map<std::string,std::uint64_t>"), "map<string,unsigned long>");
        assert_eq!(true_name("ns::Muon"), "ns::Muon");
        let open = "a<".repeat(30_000);
        let deep = format!("{open}b{}", ">".repeat(30_000));
        let close = ">".repeat(30_000 - MAX_TEMPLATE_DEPTH) + &" >".repeat(MAX_TEMPLATE_DEPTH);
        assert!(true_name(&deep) == format!("{open}b{close}"));
    }

    #[test]
    fn classes_are_sealed_and_others_are_not() {
        let field = |parent: Option<u32>, role, name: &str, ty: &str| {
            FieldDescriptor::new(parent.map(FieldId), role, name, ty)
        };
        let mut fields = vec![
            field(None, Role::Record, "lv", "LV"),
            field(Some(0), Role::Plain, "pt", "float"),
            field(Some(0), Role::Plain, "eta", "float"),
            field(Some(0), Role::Plain, "phi", "float"),
            field(Some(0), Role::Plain, "mass", "float"),
            field(None, Role::Record, "untyped", ""),
            field(None, Role::Record, "pair", "std::pair<float,float>"),
        ];
        seal_classes(&mut fields).unwrap();
        let sealed: Vec<_> = fields.iter().map(|field| (field.type_checksum, field.type_version)).collect();
        assert_eq!(sealed[0], (Some(2_171_628_045), u32::MAX));
        assert!(sealed[1..].iter().all(|sealed| *sealed == (None, 0)));
        fields.push(field(None, Role::Record, "other", "LV"));
        let error = seal_classes(&mut fields).unwrap_err();
        assert!(error.to_string().contains("`LV`"), "{error}");
    }
}
