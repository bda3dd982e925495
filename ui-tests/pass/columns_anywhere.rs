//! Columns where nothing is in scope, or something else: no prelude, a shadowed one, raw names, lints that ask for much.
#![no_implicit_prelude]
#![deny(missing_docs, missing_debug_implementations, unreachable_pub, dead_code, private_interfaces, unused)]
#![deny(unused_qualifications)]

mod shadowed {
    #![allow(dead_code, non_camel_case_types)]

    struct Option;
    struct Result;
    struct Vec;
    struct u8;
    struct usize;
    struct u64;
    trait Default {}
    trait Clone {}
    trait Debug {}
    trait PartialEq {}
    trait Columns {}
    trait Slice {}
    trait Deref {}
    mod std {}
    mod core {}
    mod rntuple {}

    #[derive(::rntuple::RNTuple)]
    #[rntuple(columnar)]
    pub(crate) struct Event<T> {
        pub(crate) r#type: T,
        hits: ::std::vec::Vec<f32>,
        #[rntuple(default)]
        value: ::std::boxed::Box<f32>,
        kind: Kind,
        shape: Shape,
    }

    #[derive(::rntuple::RNTuple, ::std::clone::Clone, ::std::fmt::Debug)]
    #[rntuple(columnar)]
    #[repr(u16)]
    enum Kind {
        A,
        r#B,
    }

    #[derive(::rntuple::RNTuple)]
    #[rntuple(columnar)]
    enum Shape {
        Type(f32),
        r#Self_ { r#fn: i8 },
        Crate(f32),
        Super(i16),
        Gen(i16),
        Unit,
    }

    pub(crate) fn event(count: ::core::primitive::u8) -> Event<::core::primitive::u8> {
        let (kind, shape) = match count {
            0 => (Kind::A, Shape::Type(1.0)),
            1 => (Kind::B, Shape::Self_ { r#fn: 3 }),
            2 => (Kind::A, Shape::Crate(4.0)),
            _ => (Kind::A, Shape::Unit),
        };
        let hits = ::std::vec![1.0; ::std::convert::From::from(count)];
        Event { r#type: count, hits, value: ::std::boxed::Box::new(2.0), kind, shape }
    }

    pub(crate) fn counts(columns: &EventColumns<::core::primitive::u8>) -> [::core::primitive::usize; 3] {
        let shapes = &columns.shape;
        [shapes.crate_.len(), shapes.super_.len(), shapes.r#gen.len()]
    }
}

fn main() {
    let mut columns = <shadowed::EventColumns<::core::primitive::u8> as ::std::default::Default>::default();
    for count in 0..3 {
        columns.push(&shadowed::event(count));
    }
    ::std::assert_eq!(columns.r#type, [0, 1, 2]);
    ::std::assert_eq!(shadowed::counts(&columns), [1, 0, 0]);
    let mut writer = ::rntuple::Writer::<shadowed::Event<::core::primitive::u8>, _>::new(
        ::rntuple::storage::Memory::new(),
        "Events",
        ::rntuple::WriteOptions::new(),
    )
    .unwrap();
    writer.fill_columns(columns.as_slice()).unwrap();
    let file = writer.finish_into().unwrap().1;
    let reader =
        ::rntuple::Reader::<shadowed::Event<::core::primitive::u8>>::open(file, "Events").unwrap();
    let found = ::std::iter::Iterator::next(&mut reader.batches(7)).unwrap().unwrap();
    ::std::assert_eq!(found.r#type, columns.r#type);
    ::std::assert_eq!(::rntuple::columns::Columns::len(&found), 3);
}
