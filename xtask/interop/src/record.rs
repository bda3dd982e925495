//! Structs that are written: the struct with its derive, and what it is compared with, from one list.

/// The row of the table that each member belongs to.
pub(crate) trait Rows {
    /// Names of members, and of rows.
    const ROWS: &'static [(&'static str, &'static str)];
}

/// Defines structs with named members.
///
/// An `untyped struct Muon { .. }` has no class name in files where that is possible, a
/// `typed struct Muon as "ns::Muon" { .. }` has that one. A member may say how it is stored,
/// `pt: f32 as Stored::Truncated(16)`, beside the attribute that asks for it, and the row of the table that it
/// belongs to, `pt: f32 => "truncated"`, which else is its type.
macro_rules! record {
    () => {};
    ($(#[$meta:meta])* untyped struct $name:ident { $($members:tt)* } $($rest:tt)*) => {
        record! { @define $(#[$meta])* $name, $crate::shape::Shape::record(stringify!($name)); $($members)* }
        record! { $($rest)* }
    };
    ($(#[$meta:meta])* typed struct $name:ident as $class:literal { $($members:tt)* } $($rest:tt)*) => {
        record! {
            @define #[rntuple(type_name = $class)] $(#[$meta])* $name, $crate::shape::Shape::class($class);
            $($members)*
        }
        record! { $($rest)* }
    };
    (
        @define $(#[$meta:meta])* $name:ident, $($shape:ident)::+ ($class:expr);
        $(
            $(#[$member_meta:meta])*
            $member:ident: $type:ty $(as $stored:expr)? $(=> $row:literal)?,
        )*
    ) => {
        #[derive(Clone, Debug, rntuple::RNTuple)]
        $(#[$meta])*
        pub(crate) struct $name {
            $($(#[$member_meta])* pub(crate) $member: $type,)*
        }

        impl $crate::model::Model for $name {
            fn shape(compressed: bool) -> $crate::shape::Shape {
                let members = vec![$((
                    stringify!($member),
                    <$type as $crate::model::Model>::shape(compressed).stored(record!(@stored $($stored)?)),
                )),*];
                $($shape)::+($class, members)
            }

            fn json(&self, side: $crate::model::Side) -> serde_json::Value {
                $crate::json::object([$((stringify!($member), {
                    let json = $crate::model::Model::json(&self.$member, side);
                    match side {
                        $crate::model::Side::Read => json,
                        $crate::model::Side::Stored => {
                            record!(@stored $($stored)?).value(json, stringify!($type).contains("f64"))
                        }
                    }
                }),)*])
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
            const ROWS: &'static [(&'static str, &'static str)] =
                &[$((stringify!($member), record!(@row $type $(=> $row)?))),*];
        }
    };
    (@stored) => { $crate::stored::Stored::Default };
    (@stored $stored:expr) => { $stored };
    (@row $type:ty) => { stringify!($type) };
    (@row $type:ty => $row:literal) => { $row };
}

pub(crate) use record;
