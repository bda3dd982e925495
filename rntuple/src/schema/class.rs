//! ROOT's checksum of a class, by which readers know that two declarations are the same.

use std::collections::HashMap;

use super::{FieldDescriptor, FieldId, Role, split_template};
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

/// ROOT's checksum (`TClass::GetCheckSum`) of the class with this name and these members.
///
/// It folds the class name, and each member's name and true type name, into 32 bits. The real files of the
/// format notes confirm it for scalars, strings, vectors and nested classes; `is_enum` members add one.
pub(crate) fn checksum<'a>(class: &str, members: impl Iterator<Item = (&'a FieldDescriptor, bool)>) -> u32 {
    let mut sum = Sum(0);
    sum.add(class);
    for (member, is_enum) in members {
        if is_enum {
            sum.step(1);
        }
        sum.add(&member.name);
        sum.add(&true_name(&member.type_name));
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
    let sums: Vec<Option<u32>> = fields
        .iter()
        .zip(&children)
        .map(|(field, ids)| {
            let members = ids.iter().filter_map(|id| {
                let member = fields.get(id.index())?;
                let wraps = children.get(id.index()).is_some_and(|items| items.len() == 1);
                let standard = member.type_name.starts_with("std::");
                Some((member, member.role == Role::Plain && wraps && !standard))
            });
            is_class(field).then(|| checksum(&field.type_name, members))
        })
        .collect();
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
    let bare = |name: &str| {
        let name = name.strip_prefix("std::").unwrap_or(name);
        INTEGERS.iter().find(|(fixed, _)| *fixed == name).map_or(name, |(_, own)| own).to_owned()
    };
    match split_template(name) {
        None => bare(name),
        Some((template, arguments)) => {
            let arguments: Vec<String> = arguments.into_iter().map(true_name).collect();
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
        let members: Vec<_> =
            members.iter().map(|(name, ty)| FieldDescriptor::new(None, Role::Plain, *name, *ty)).collect();
        checksum(class, members.iter().map(|member| (member, false)))
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

    #[test]
    fn types_are_spelled_as_dictionaries_do() {
        assert_eq!(true_name("std::vector<std::vector<float>>"), "vector<vector<float> >");
        assert_eq!(true_name("std::map<std::string,std::uint64_t>"), "map<string,unsigned long>");
        assert_eq!(true_name("ns::Muon"), "ns::Muon");
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
