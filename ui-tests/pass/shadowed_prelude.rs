//! Names of the prelude, of primitive types and of crates may mean something else.
#![allow(dead_code, non_camel_case_types, non_upper_case_globals)]

use ::rntuple::RNTuple as Storable;

mod core {}
mod std {}
mod alloc {}
mod rntuple {}

type Option = ();
type Result = ();
struct Some;
struct None;
struct Ok;
struct Err;
struct String;
struct usize;
struct u64;
struct u8;
trait Default {}
trait Iterator {}
trait Clone {}
trait ToString {}
trait ExactSizeIterator {}
trait From {}
trait Into {}
trait Sized {}
trait FnOnce {}
trait WriteField {}
trait ReadField {}
struct Writer;
struct Reader;
const value: i32 = 1;
const length: i32 = 1;
const field: i32 = 1;
static position: i32 = 1;

macro_rules! vec {
    () => {
        compile_error!("the derive used a macro of mine")
    };
}
macro_rules! panic {
    () => {
        vec!()
    };
}

// Methods that would be found first by `value.method()`.
trait Nosy {
    fn append(&self) {}
    fn read(&self) {}
    fn clone(&self) {}
    fn map(&self) {}
    fn and_then(&self) {}
}
impl<T> Nosy for T {}

#[derive(Storable)]
struct Record {
    value: f32,
    length: ::std::vec::Vec<i8>,
    #[rntuple(skip)]
    skipped: bool,
}

#[derive(Storable)]
struct Generic<T, W, R, const N: ::core::primitive::usize> {
    t: [T; N],
    w: W,
    r: R,
}

// Its columns would be `RecordWriter`.
#[derive(Storable)]
struct RecordWriter {
    record: Record,
}

#[derive(Storable)]
struct Newtype(f32);

#[derive(Storable)]
#[repr(u8)]
enum Plain {
    Some,
    None,
}

#[derive(Storable)]
enum Data {
    Ok(f32),
    Err { value: f32, field: f64 },
    None,
}

fn main() {}
