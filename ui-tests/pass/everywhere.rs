//! In functions, in macros, with raw names, in modules, through another crate.

use rntuple::RNTuple;
use ui_tests::framework;

macro_rules! record {
    ($(#[$meta:meta])* $name:ident { $($member:ident: $type:ty = $default:expr),* }) => {
        $(#[$meta])*
        #[derive(RNTuple)]
        struct $name {
            $($member: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($member: $default),* }
            }
        }
    };
}

record! {
    /// Made by a macro.
    Made { number: f32 = 1.0, list: Vec<Option<u8>> = vec![], lengths: [u16; 2] = [1, 2] }
}

macro_rules! choice {
    ($name:ident<$lifetime:lifetime> { $($variant:ident($type:ty)),* }) => {
        #[derive(RNTuple)]
        enum $name<$lifetime> {
            $($variant($type),)*
        }
    };
}

choice!(Choice<'a> { Text(&'a str), Number(u8) });

#[derive(RNTuple, Default)]
#[allow(non_camel_case_types)]
struct r#type {
    r#match: u8,
    r#fn: Vec<r#struct>,
}

#[derive(RNTuple)]
#[allow(non_camel_case_types)]
struct r#struct(u8);

#[derive(RNTuple)]
#[repr(i8)]
#[allow(non_camel_case_types)]
enum r#enum {
    r#if = -1,
    r#else,
}

mod inner {
    pub mod deep {
        #[derive(rntuple::RNTuple, Default)]
        pub struct Public {
            hidden: Hidden,
        }

        #[derive(rntuple::RNTuple, Default)]
        struct Hidden {
            pub(in crate::inner) value: u8,
        }

        #[derive(rntuple::RNTuple, Default)]
        pub(in crate::inner) struct Restricted(u8);

        #[derive(rntuple::RNTuple)]
        pub(super) enum Half {
            _A(Restricted),
        }
    }
}

#[derive(framework::io::RNTuple, Default)]
#[rntuple(crate = framework::io)]
struct PassedOn {
    value: u8,
}

#[derive(framework::io::RNTuple)]
#[rntuple(crate = ::ui_tests::framework::io)]
enum PassedOnToo {
    _A(PassedOn),
}

fn storable<T: rntuple::field::WriteField>() -> String {
    T::type_name().spelling().to_owned()
}

fn main() {
    #[derive(RNTuple)]
    struct Local {
        outer: Made,
        inner: Deeper,
    }

    #[derive(RNTuple)]
    struct Deeper;

    let _ = || {
        #[derive(RNTuple)]
        struct Local {
            value: u8,
        }
        Local { value: 1 }.value
    };

    let _ = Local { outer: Made::default(), inner: Deeper };
    let _ = [Choice::Text("a"), Choice::Number(1)];
    let _ = [r#enum::r#if, r#enum::r#else];
    let _ = r#type { r#fn: vec![r#struct(1)], ..r#type::default() }.r#match;
    assert_eq!(storable::<Local>(), "Local");
    assert_eq!(storable::<r#type>(), "type");
    assert_eq!(storable::<r#enum>(), "std::int8_t");
    assert_eq!(storable::<Choice<'_>>(), "std::variant<std::string,std::uint8_t>");
    assert_eq!(storable::<inner::deep::Public>(), "Public");
    assert_eq!(storable::<PassedOn>(), "PassedOn");
    assert_eq!(storable::<PassedOnToo>(), "std::variant<PassedOn>");
}
