//! Attributes where nothing is in scope, or something else: no prelude, a shadowed one, macros, functions, raw
//! names, another name for the crate.
#![no_implicit_prelude]
#![allow(non_camel_case_types, dead_code)]

use ::ui_tests::framework;

// What could be meant by what the derive writes.
struct Option;
struct Result;
struct Vec;
struct String;
struct Box;
struct u8;
struct u64;
struct usize;
struct str;
trait Default {}
trait Into {}
trait From {}
trait TryFrom {}
trait Clone {}
trait Iterator {}
mod std {}
mod core {}
mod rntuple {}

// Methods that would be found first.
trait Nosy {
    fn into(&self) {}
    fn clone(&self) {}
    fn read(&self) {}
    fn append(&self) {}
    fn accept(&self) {}
    fn reader(&self) {}
    fn next(&self) {}
    fn find(&self) {}
}
impl<T: ?::core::marker::Sized> Nosy for T {}

mod text {
    pub type Stored = ::std::string::String;

    pub fn store(value: &f32) -> Stored {
        ::std::string::ToString::to_string(value)
    }

    pub fn load(stored: Stored) -> ::std::result::Result<f32, ::std::num::ParseFloatError> {
        ::std::str::FromStr::from_str(&stored)
    }
}

#[derive(::rntuple::RNTuple, ::std::fmt::Debug, ::std::cmp::PartialEq, ::std::default::Default)]
struct Old {
    run: f64,
}

#[derive(::rntuple::RNTuple, ::std::fmt::Debug, ::std::cmp::PartialEq, ::std::default::Default)]
#[rntuple(default)]
struct Vertex {
    x: f32,
    y: f32,
}

#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::std::default::Default, ::std::clone::Clone)]
struct Narrow(f32);

impl ::std::convert::From<Narrow> for f64 {
    fn from(narrow: Narrow) -> Self {
        ::std::convert::From::from(narrow.0)
    }
}

impl ::std::convert::TryFrom<f64> for Narrow {
    type Error = ::std::string::String;

    fn try_from(value: f64) -> ::std::result::Result<Self, Self::Error> {
        ::std::result::Result::Ok(Self(value as f32))
    }
}

#[derive(::rntuple::RNTuple, ::std::fmt::Debug, ::std::cmp::PartialEq)]
enum r#type {
    r#Some(f32),
    #[rntuple(rename_all = "camelCase")]
    Ok {
        r#fn: f32,
        #[rntuple(default)]
        r#match: ::std::option::Option<i8>,
    },
    #[rntuple(other)]
    r#None,
}

#[derive(::rntuple::RNTuple, ::std::fmt::Debug, ::std::cmp::PartialEq, ::std::default::Default)]
#[repr(u16)]
#[rntuple(rename_all = "UPPERCASE")]
enum r#mod {
    #[default]
    r#if = 3,
    #[rntuple(other)]
    r#else = 9,
}

#[derive(::rntuple::RNTuple, ::std::fmt::Debug, ::std::cmp::PartialEq)]
#[rntuple(version = 2, upgrade_from(Old, when = is_old, try_with = upgrade), type_name = "Event")]
struct Event {
    #[rntuple(alias = "number", default = "three")]
    r#struct: f32,
    #[rntuple(with = text)]
    text: f32,
    #[rntuple(with = "crate::text", rename = "again")]
    more: f32,
    #[rntuple(into = "f64", try_from = "f64")]
    narrow: Narrow,
    #[rntuple(flatten, prefix = "r_")]
    vertex: Vertex,
    #[rntuple(default)]
    words: ::std::vec::Vec<r#type>,
    #[rntuple(skip)]
    r#mod: r#mod,
    #[rntuple(skip_reading)]
    value: r#mod,
    #[rntuple(unit = "cm", description = "d", truncate(bits = 20), offsets = "Index32", compression = "none")]
    length: ::std::vec::Vec<f32>,
}

fn three() -> f32 {
    3.0
}

fn is_old(file: ::rntuple::field::StoredField<'_>) -> bool {
    file.find("run").is_some()
}

fn upgrade(old: Old) -> ::std::result::Result<Event, ::std::string::String> {
    ::std::result::Result::Ok(event(old.run as f32))
}

fn event(number: f32) -> Event {
    Event {
        r#struct: number,
        text: 1.5,
        more: 2.5,
        narrow: Narrow(4.0),
        vertex: Vertex { x: 5.0, y: 6.0 },
        words: ::std::vec![
            r#type::r#Some(1.0),
            r#type::Ok { r#fn: 2.0, r#match: ::std::option::Option::None }
        ],
        r#mod: r#mod::r#if,
        value: r#mod::r#if,
        length: ::std::vec![1.0],
    }
}

macro_rules! record {
    ($(#[$meta:meta])* $name:ident { $($(#[$inner:meta])* $member:ident: $type:ty),* $(,)? }) => {
        #[derive(framework::io::RNTuple, ::std::default::Default, ::std::fmt::Debug, ::std::cmp::PartialEq)]
        #[rntuple(crate = framework::io)]
        $(#[$meta])*
        struct $name {
            $($(#[$inner])* $member: $type,)*
        }
    };
}

record! {
    /// Made by a macro.
    #[rntuple(rename_all = "camelCase", default = made)]
    Made {
        /// With a comment.
        #[rntuple(f16, unit = "GeV", alias = "other")]
        some_number: f32,
        #[rntuple(flatten, prefix = "in_")]
        inside: Inside,
        #[rntuple(with = text)]
        text: f32,
    }
}

record! {
    #[rntuple(default)]
    Inside { #[rntuple(default)] value: f32 }
}

fn made() -> Made {
    ::std::default::Default::default()
}

macro_rules! prefixed {
    ($name:ident, $prefix:literal, $alias:expr, $path:path, $kind:ty, $bits:expr, $($word:meta),*) => {
        #[derive(::rntuple::RNTuple)]
        struct $name {
            #[rntuple(rename = $alias, default = $path)]
            value: $kind,
            #[rntuple($($word),*)]
            more: $kind,
            #[rntuple(from = $kind, into = $kind)]
            same: $kind,
            #[rntuple(flatten, prefix = $prefix)]
            vertex: Vertex,
            #[rntuple(quantize(bits = $bits, min = -1.0, max = 1.0))]
            small: f32,
        }
    };
}

prefixed!(Prefixed, "p_", "v", three, f32, 12, f16, default = three, unit = "cm");

fn round_trip<T, U>(value: &T) -> ::rntuple::Result<U>
where
    T: ::rntuple::RNTuple + ::rntuple::field::WriteField,
    U: ::rntuple::RNTuple + ::rntuple::field::ReadField,
{
    let options = ::rntuple::WriteOptions::new();
    let mut writer = ::rntuple::Writer::<T, _>::new(::rntuple::storage::Memory::new(), "Events", options)?;
    writer.fill(value)?;
    ::rntuple::Reader::<U>::open(writer.finish_into()?.1, "Events")?.get(0)
}

fn main() -> ::rntuple::Result<()> {
    ::std::assert_eq!(round_trip::<_, Event>(&event(7.0))?, event(7.0));
    ::std::assert_eq!(round_trip::<_, Event>(&Old { run: 8.0 })?, event(8.0));
    let made = Made { some_number: 1.0, inside: Inside { value: 2.0 }, text: 3.0 };
    ::std::assert_eq!(round_trip::<_, Made>(&made)?, made);
    let prefixed =
        Prefixed { value: 1.0, more: 4.0, same: 5.0, vertex: Vertex { x: 2.0, y: 3.0 }, small: 0.0 };
    let found: Prefixed = round_trip(&prefixed)?;
    ::std::assert!(found.small.abs() < 0.001);
    ::std::assert_eq!(
        (found.value, found.more, found.same, found.vertex.y, found.vertex.x),
        (1.0, 4.0, 5.0, 3.0, 2.0)
    );

    mod inner {
        pub(super) fn four() -> i32 {
            4
        }
    }

    fn five() -> i32 {
        5
    }

    #[derive(::rntuple::RNTuple, ::std::fmt::Debug, ::std::cmp::PartialEq)]
    struct Local {
        #[rntuple(default = five)]
        number: i32,
        #[rntuple(skip, default = five)]
        other: i32,
    }
    let _ = inner::four();
    ::std::assert_eq!(round_trip::<_, Local>(&Local { number: 1, other: 2 })?, Local { number: 1, other: 5 });
    ::std::result::Result::Ok(())
}
