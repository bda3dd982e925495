//! Whether two fields of one path are the same.

use crate::schema::{FieldDescriptor, UNVERSIONED, contradiction, normalize};

/// What a field is, and what it would have to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) found: String,
    pub(super) wanted: String,
}

/// The first thing in which a field differs from the one that other inputs have, so that their pages cannot be
/// those of one field. Spellings of types may differ, and so may descriptions, unless they contradict each other.
pub(super) fn differ(known: &FieldDescriptor, field: &FieldDescriptor) -> Option<Difference> {
    let of =
        |said: &dyn Fn(&FieldDescriptor) -> String| Difference { found: said(field), wanted: said(known) };
    if known.role != field.role || known.is_soa != field.is_soa {
        let soa = |field: &FieldDescriptor| if field.is_soa { " of a struct of arrays" } else { "" };
        return Some(of(&|field| format!("a {} field{}", field.role.name(), soa(field))));
    }
    if known.array_size != field.array_size {
        return Some(of(&|field| match field.array_size {
            Some(size) => format!("an array of {size}"),
            None => "no array".to_owned(),
        }));
    }
    if layout(&known.type_name) != layout(&field.type_name) {
        return Some(of(&|field| match &*field.type_name {
            "" => "no type name".to_owned(),
            name => name.to_owned(),
        }));
    }
    if known.type_version != field.type_version {
        return Some(of(&|field| match field.type_version {
            UNVERSIONED => format!("{} without a version", field.type_name),
            version => format!("{} of version {version}", field.type_name),
        }));
    }
    // Who writes no checksum does not say that it is another class.
    if let (Some(a), Some(b)) = (known.type_checksum, field.type_checksum)
        && a != b
    {
        return Some(of(&|field| match field.type_checksum {
            Some(sum) => format!("{} with checksum {sum:#010x}", field.type_name),
            None => field.type_name.clone(),
        }));
    }
    contradiction(field, known).map(|(found, wanted)| Difference { found, wanted })
}

/// A type by its bytes: vectors of both kinds have the same ones, and the same meaning.
fn layout(type_name: &str) -> String {
    normalize(type_name).replace("ROOT::VecOps::RVec<", "std::vector<")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Role;

    fn field(type_name: &str) -> FieldDescriptor {
        FieldDescriptor::new(None, Role::Plain, "x", type_name)
    }

    #[test]
    fn spellings_and_descriptions_may_differ() {
        let mut other = field("vector<ROOT::RVec<Float_t>>");
        other.type_alias = "vector<RVec<Float_t>>".to_owned();
        other.description = "something else".to_owned();
        assert_eq!(differ(&field("std::vector<ROOT::VecOps::RVec<float>>"), &other), None);
        assert_eq!(differ(&field("ROOT::VecOps::RVec<std::vector<float>>"), &other), None);
    }

    #[test]
    fn everything_that_changes_bytes_or_their_meaning_may_not() {
        let wrong = |change: &dyn Fn(&mut FieldDescriptor)| {
            let mut other = field("Point");
            change(&mut other);
            let Difference { found, wanted } = differ(&field("Point"), &other).unwrap();
            format!("{found} / {wanted}")
        };
        assert_eq!(wrong(&|field| field.type_name = "Dot".to_owned()), "Dot / Point");
        assert_eq!(wrong(&|field| field.type_name.clear()), "no type name / Point");
        assert_eq!(wrong(&|field| field.role = Role::Record), "a record field / a plain field");
        assert_eq!(wrong(&|field| field.array_size = Some(3)), "an array of 3 / no array");
        assert_eq!(wrong(&|field| field.type_version = 2), "Point of version 2 / Point of version 0");
        assert_eq!(
            wrong(&|field| field.type_version = u32::MAX),
            "Point without a version / Point of version 0"
        );
        assert_eq!(
            wrong(&|field| field.is_soa = true),
            "a plain field of a struct of arrays / a plain field"
        );
    }

    #[test]
    fn descriptions_that_contradict_each_other_change_the_meaning() {
        let said = |description: &str| {
            let mut field = field("std::uint8_t");
            description.clone_into(&mut field.description);
            field
        };
        let difference = differ(&said("Left = 0, Right = 1"), &said("Right = 0, Left = 1")).unwrap();
        assert_eq!((&*difference.found, &*difference.wanted), ("`Right` as 0", "`Right` as 1"));
        let difference = differ(&said("The size [mm]"), &said("The size [cm]")).unwrap();
        assert_eq!((&*difference.found, &*difference.wanted), ("values in cm", "values in mm"));
    }

    #[test]
    fn a_checksum_counts_where_both_have_one() {
        let (mut one, mut other) = (field("Point"), field("Point"));
        one.type_checksum = Some(1);
        assert_eq!(differ(&one, &other), None);
        assert_eq!(differ(&other, &one), None);
        other.type_checksum = Some(2);
        let difference = differ(&one, &other).unwrap();
        assert_eq!(difference.found, "Point with checksum 0x00000002");
        assert_eq!(difference.wanted, "Point with checksum 0x00000001");
    }
}
