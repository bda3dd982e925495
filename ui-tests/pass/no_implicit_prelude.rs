//! Nothing need be in scope.
#![no_implicit_prelude]

#[derive(::rntuple::RNTuple)]
struct Record {
    /// Described.
    #[rntuple(truncate(bits = 12))]
    number: f32,
    list: ::std::vec::Vec<Newtype>,
    #[rntuple(skip)]
    skipped: bool,
}

#[derive(::rntuple::RNTuple)]
struct Newtype([u8; 3]);

#[derive(::rntuple::RNTuple)]
struct Generic<T, const N: usize> {
    items: [T; N],
}

#[derive(::rntuple::RNTuple)]
struct Borrowing<'a> {
    text: &'a str,
}

#[derive(::rntuple::RNTuple)]
#[repr(u8)]
enum Plain {
    A,
    B = 3,
}

#[derive(::rntuple::RNTuple)]
enum Data<T> {
    A(T),
    B { member: Plain, generic: Generic<f32, 2> },
    C,
}

fn main() {
    let _ = Record { number: 1.0, list: ::std::vec![Newtype([1, 2, 3])], skipped: true };
    let _ = Borrowing { text: "" };
    let _ = [Data::A(1), Data::C, Data::B { member: Plain::A, generic: Generic { items: [1.0; 2] } }];
    let _ = Plain::B;
}
