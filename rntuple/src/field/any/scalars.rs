//! The scalars that a value may be.

/// A `match` of something that has a variant for each scalar: these have one arm in common, and `others` follow.
macro_rules! scalars {
    (match $value:expr; $type:ident($scalar:ident) => $each:expr, $($others:tt)*) => {
        match $value {
            $type::Bool($scalar) => $each,
            $type::I8($scalar) => $each,
            $type::U8($scalar) => $each,
            $type::I16($scalar) => $each,
            $type::U16($scalar) => $each,
            $type::I32($scalar) => $each,
            $type::U32($scalar) => $each,
            $type::I64($scalar) => $each,
            $type::U64($scalar) => $each,
            $type::F32($scalar) => $each,
            $type::F64($scalar) => $each,
            $($others)*
        }
    };
}

pub(in crate::field) use scalars;
