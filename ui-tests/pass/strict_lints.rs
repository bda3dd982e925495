//! The strictest crates stay quiet.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unreachable_pub,
    unused_qualifications,
    unused_lifetimes,
    single_use_lifetimes,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    let_underscore_drop,
    trivial_casts,
    trivial_numeric_casts,
    unnameable_types,
    unused_results,
    variant_size_differences,
    redundant_lifetimes,
    non_ascii_idents,
    unused_extern_crates,
    unused_import_braces,
    missing_abi,
    meta_variable_misuse,
    keyword_idents,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
#![forbid(unsafe_code, missing_docs, unused_must_use, clippy::unwrap_used, clippy::indexing_slicing)]

use rntuple::RNTuple;

/// Public.
#[derive(RNTuple, Debug)]
pub struct Record {
    /// A number.
    pub number: f32,
    /// A list.
    pub list: Vec<Newtype>,
    /// Old.
    #[deprecated]
    pub old: u8,
    #[rntuple(skip)]
    cache: u64,
}

/// Public.
#[derive(RNTuple, Debug, Clone, Copy)]
pub struct Newtype(u8);

/// Public.
#[derive(RNTuple, Debug, Clone, Copy)]
pub struct Empty;

/// Public.
#[derive(RNTuple, Debug)]
pub struct Generic<'a, T, const N: usize> {
    /// Items.
    pub items: [T; N],
    /// Text.
    pub text: &'a str,
}

/// Public.
#[derive(RNTuple, Debug, Clone, Copy)]
#[repr(u16)]
pub enum Plain {
    /// A.
    A,
    /// B.
    B,
}

/// Public.
#[derive(RNTuple, Debug, Clone, Copy)]
pub enum Data<T> {
    /// A.
    A(T),
    /// B.
    B {
        /// Member.
        member: Plain,
    },
    /// C.
    C,
}

mod private {
    #[derive(super::RNTuple, Debug)]
    struct Record {
        number: f32,
    }

    pub(crate) fn number() -> f32 {
        Record { number: 1.0 }.number
    }
}

fn main() {
    #[allow(deprecated)]
    let record = Record { number: private::number(), list: Vec::new(), old: 1, cache: 2 };
    assert!(record.cache > 0);
}
