//! Types by their names in C++ (format, sections 9.2 and 9.7).

use std::str::FromStr;

use super::{Field, FieldType, Scalar, Shape, vector_of};
use crate::error::{Error, Result};
use crate::schema::{MAX_TEMPLATE_DEPTH, TypeName, normalize, split_template};

/// The type that C++ calls so: arithmetic types and those of the standard library, in whatever way they are spelled.
///
/// ```
/// use rntuple::schema::FieldType;
/// let hits: FieldType = "vector<unsigned int>".parse()?;
/// assert_eq!(hits, FieldType::vector(FieldType::U32));
/// assert!("std::vector<Muon>".parse::<FieldType>().is_err());
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// Errors are [`InvalidArgument`](crate::ErrorKind::InvalidArgument): a class says its members
/// ([`FieldType::class`]), which its name does not.
impl FromStr for FieldType {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        named(&normalize(name), MAX_TEMPLATE_DEPTH)
    }
}

fn named(name: &str, depth: usize) -> Result<FieldType> {
    if let Some(scalar) = Scalar::named(name) {
        return Ok(FieldType { name: TypeName::typed(name), shape: Shape::Scalar(scalar) });
    }
    if name == "std::string" {
        return Ok(FieldType::STRING);
    }
    let Some((template, arguments)) = split_template(name) else {
        return Err(unknown(name));
    };
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::limit(format!("types nested over {MAX_TEMPLATE_DEPTH} deep")));
    };
    match (template, &*arguments) {
        ("std::array", [item, count]) => Ok(FieldType::array_of(named(item, depth)?.into(), number(count)?)),
        ("std::bitset", [count]) => Ok(FieldType::array(FieldType::BOOL, number(count)?)),
        _ => {
            let arguments = arguments.iter().map(|argument| named(argument, depth));
            FieldType::template(template, arguments.collect::<Result<Vec<_>>>()?)
        }
    }
}

impl FieldType {
    /// A template of the standard library, or `ROOT::VecOps::RVec`, of these types: `std::set<muon>`.
    ///
    /// ```
    /// use rntuple::schema::{Field, FieldType};
    /// let muon = FieldType::class("Muon", [Field::new("pt", FieldType::F32)]);
    /// let muons = FieldType::template("ROOT::VecOps::RVec", [muon])?;
    /// assert_eq!(muons.to_string(), "ROOT::VecOps::RVec<Muon>");
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for templates that cannot be stored, or have another number
    /// of arguments.
    pub fn template(template: &str, arguments: impl IntoIterator<Item = impl Into<Field>>) -> Result<Self> {
        let arguments: Vec<Field> = arguments.into_iter().map(Into::into).collect();
        let spelled =
            TypeName::template(template, arguments.iter().map(|argument| &argument.field_type.name));
        let shape = match template {
            "std::vector"
            | "ROOT::VecOps::RVec"
            | "std::set"
            | "std::unordered_set"
            | "std::multiset"
            | "std::unordered_multiset" => Shape::Collection(only(arguments, &spelled)?),
            "std::map" | "std::unordered_map" | "std::multimap" | "std::unordered_multimap"
                if arguments.len() == 2 =>
            {
                Shape::Collection(Field::from(Self::tuple(arguments)).item())
            }
            "std::optional" | "std::unique_ptr" => Shape::Optional(only(arguments, &spelled)?),
            "std::atomic" => Shape::Around(only(arguments, &spelled)?),
            "std::pair" if arguments.len() == 2 => Shape::Record(Field::numbered(arguments)),
            "std::tuple" => Shape::Record(Field::numbered(arguments)),
            "std::variant" => Shape::Variant(Field::numbered(arguments)),
            _ => return Err(unknown(spelled.spelling())),
        };
        // A vector is untyped where its item is.
        let name = match (&shape, template) {
            (Shape::Collection(item), "std::vector") => vector_of(&item.field_type),
            _ => spelled,
        };
        Ok(Self { name, shape })
    }
}

/// The only argument of a template.
fn only(arguments: Vec<Field>, spelled: &TypeName) -> Result<Box<Field>> {
    match <[Field; 1]>::try_from(arguments) {
        Ok([item]) => Ok(item.item()),
        Err(_) => Err(unknown(spelled.spelling())),
    }
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| Error::invalid_argument(format!("{text:?} is no number of items")))
}

fn unknown(name: &str) -> Error {
    Error::invalid_argument(format!(
        "the type {name:?} is not known by its name: a class, an enum or a record is put together by `FieldType`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_names_that_they_are_read_from() {
        for name in [
            "bool",
            "std::byte",
            "char",
            "std::uint64_t",
            "double",
            "std::string",
            "std::vector<std::vector<float>>",
            "ROOT::VecOps::RVec<bool>",
            "std::unordered_multimap<std::string,std::pair<float,std::int8_t>>",
            "std::optional<std::unique_ptr<std::string>>",
            "std::array<std::array<bool,2>,3>",
            "std::bitset<9>",
            "std::tuple<float,double>",
            "std::tuple<float>",
            "std::pair<float,double>",
            "std::variant<float,std::string>",
            "std::atomic<std::int32_t>",
        ] {
            assert_eq!(name.parse::<FieldType>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn other_names_are_refused() {
        let deep = "std::vector<".repeat(70) + "float" + &">".repeat(70);
        for name in
            ["", "Muon", "std::vector<Muon>", "std::vector", "std::array<float,x>", "std::map<float>", &deep]
        {
            assert!(name.parse::<FieldType>().is_err(), "{name}");
        }
    }
}
