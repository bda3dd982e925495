//! Structs that are written: the struct with its derive, and what it is compared with, from one list.

/// The row of the table that each field belongs to.
pub(crate) trait Rows {
    /// Names of fields, and of rows.
    fn rows() -> Vec<(String, &'static str)>;
}

/// Defines structs with named members.
///
/// An `untyped struct Muon { .. }` has no class name in files where that is possible, a
/// `typed struct Muon as "ns::Muon" { .. }` has that one, and maybe a `version 3`. What the attributes of a member
/// do is said a second time, behind the member, in this order, all of it optional:
///
/// | | |
/// | --- | --- |
/// | `pt: f32 = "p_t"` | its field's name |
/// | `pt: f32 : "transverse [GeV]"` | its field's description |
/// | `pt: f32 as Stored::Truncated(16)` | how it is stored |
/// | `pt: f32 => "truncated"` | the row of the table that it belongs to, instead of its type |
///
/// In front of it, `[flat "vtx_"]` says that the members of the struct stand in its place, and `[unstored]` that
/// it has no field.
macro_rules! record {
    () => {};
    ($(#[$meta:meta])* untyped struct $name:ident { $($members:tt)* } $($rest:tt)*) => {
        record! {
            @define $(#[$meta])* $name, |members| $crate::shape::Shape::record(stringify!($name), members);
            $($members)*
        }
        record! { $($rest)* }
    };
    (
        $(#[$meta:meta])* typed struct $name:ident as $class:literal $(version $version:literal)? { $($members:tt)* }
        $($rest:tt)*
    ) => {
        record! {
            @define #[rntuple(type_name = $class)] $(#[rntuple(version = $version)])? $(#[$meta])*
            $name, |members| $crate::shape::Shape::class($class, members)$(.versioned($version))?;
            $($members)*
        }
        record! { $($rest)* }
    };
    (
        @define $(#[$meta:meta])* $name:ident, $shape:expr;
        $(
            $(#[$member_meta:meta])*
            $([$how:ident $($prefix:literal)?])?
            $member:ident: $type:ty $(= $field:literal)? $(: $text:literal)? $(as $stored:expr)? $(=> $row:literal)?,
        )*
    ) => {
        #[derive(Clone, Debug, rntuple::RNTuple)]
        $(#[$meta])*
        pub(crate) struct $name {
            $($(#[$member_meta])* pub(crate) $member: $type,)*
        }

        impl $crate::model::Model for $name {
            fn shape(compressed: bool) -> $crate::shape::Shape {
                let mut members: Vec<(String, $crate::shape::Shape)> = Vec::new();
                $({
                    let shape = || {
                        <$type as $crate::model::Model>::shape(compressed).stored(record!(@stored $($stored)?))
                    };
                    record!(@shape [$($how $($prefix)?)?] members, shape, record!(@field $member $($field)?) $(, $text)?);
                })*
                let members = members.iter().map(|(name, member)| (&**name, member.clone())).collect();
                let shape: fn(Vec<(&str, $crate::shape::Shape)>) -> $crate::shape::Shape = $shape;
                shape(members)
            }

            fn json(&self, side: $crate::model::Side) -> serde_json::Value {
                let mut members = serde_json::Map::new();
                $({
                    let json = || {
                        let json = $crate::model::Model::json(&self.$member, side);
                        match side {
                            $crate::model::Side::Read => json,
                            $crate::model::Side::Stored => {
                                record!(@stored $($stored)?).value(json, stringify!($type).contains("f64"))
                            }
                        }
                    };
                    record!(@json [$($how $($prefix)?)?] members, json, record!(@field $member $($field)?));
                })*
                serde_json::Value::Object(members)
            }
        }

        impl $crate::sample::Sample for $name {
            fn sample(random: &mut $crate::random::Random) -> Self {
                Self {$(
                    $member: random.within(record!(@stored $($stored)?).range(), $crate::sample::Sample::sample),
                )*}
            }
        }

        impl $crate::record::Rows for $name {
            fn rows() -> Vec<(String, &'static str)> {
                let rows: Vec<Vec<(String, &'static str)>> = vec![$(record!(
                    @rows [$($how $($prefix)?)?] $type, record!(@field $member $($field)?),
                    record!(@row $type $(=> $row)?)
                )),*];
                rows.concat()
            }
        }
    };
    (@shape [] $members:ident, $shape:ident, $field:expr $(, $text:literal)?) => {
        $members.push(($field.to_owned(), $shape()$(.described($text))?));
    };
    (@shape [flat $prefix:literal] $members:ident, $shape:ident, $field:expr) => {
        $members.extend($shape().flattened($prefix));
    };
    (@shape [unstored] $members:ident, $shape:ident, $field:expr) => {
        let _ = $shape;
    };
    (@json [] $members:ident, $json:ident, $field:expr) => {
        $members.insert($field.to_owned(), $json());
    };
    (@json [flat $prefix:literal] $members:ident, $json:ident, $field:expr) => {
        if let serde_json::Value::Object(inner) = $json() {
            $members.extend(inner.into_iter().map(|(name, value)| (format!("{}{name}", $prefix), value)));
        }
    };
    (@json [unstored] $members:ident, $json:ident, $field:expr) => {
        let _ = $json;
    };
    (@rows [] $type:ty, $field:expr, $row:expr) => { vec![($field.to_owned(), $row)] };
    (@rows [flat $prefix:literal] $type:ty, $field:expr, $row:expr) => {
        <$type as $crate::record::Rows>::rows()
            .into_iter()
            .map(|(name, row)| (format!("{}{name}", $prefix), row))
            .collect()
    };
    (@rows [unstored] $type:ty, $field:expr, $row:expr) => { Vec::new() };
    (@field $member:ident) => { stringify!($member) };
    (@field $member:ident $field:literal) => { $field };
    (@stored) => { $crate::stored::Stored::Default };
    (@stored $stored:expr) => { $stored };
    (@row $type:ty) => { stringify!($type) };
    (@row $type:ty => $row:literal) => { $row };
}

/// Defines structs that are stored as their only member, which may say how: `Eta(f32 as Stored::Truncated(16))`.
macro_rules! newtypes {
    ($($(#[$meta:meta])* $name:ident($(#[$inner_meta:meta])* $inner:ty $(as $stored:expr)?);)*) => {$(
        #[derive(Clone, Debug, rntuple::RNTuple)]
        $(#[$meta])*
        pub(crate) struct $name($(#[$inner_meta])* $inner);

        impl $crate::model::Model for $name {
            fn shape(compressed: bool) -> $crate::shape::Shape {
                <$inner>::shape(compressed)$(.stored($stored))?
            }

            fn array_shape(count: u64, compressed: bool) -> $crate::shape::Shape {
                <$inner>::array_shape(count, compressed)$(.stored($stored))?
            }

            fn json(&self, side: $crate::model::Side) -> serde_json::Value {
                let json = self.0.json(side);
                match side {
                    $crate::model::Side::Read => json,
                    $crate::model::Side::Stored => {
                        $(let json = $stored.value(json, stringify!($inner).contains("f64"));)?
                        json
                    }
                }
            }
        }

        impl $crate::sample::Sample for $name {
            fn sample(random: &mut $crate::random::Random) -> Self {
                let range = None;
                $(let range = range.or($stored.range());)?
                Self(random.within(range, $crate::sample::Sample::sample))
            }
        }
    )*};
}

pub(crate) use {newtypes, record};
