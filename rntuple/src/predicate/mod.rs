//! Predicates: which entries to read, as an expression that a reader understands.
//!
//! A closure ([`Reader::select`](crate::Reader::select)) has to see every entry. A [`Predicate`] is data: a reader
//! compares it with the [statistics](crate::statistics) of a file and skips files, clusters and pages without a match,
//! reads only its columns from what is left, and then the other columns of the entries that match.
//!
//! ```
//! use rntuple::predicate::{Fields as _, Predicate};
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
//!
//! #[derive(RNTuple)]
//! #[rntuple(predicates)]
//! struct Muon { pt: f32, eta: f32 }
//!
//! #[derive(RNTuple)]
//! #[rntuple(predicates)]
//! struct Event { met: f32, muons: Vec<Muon> }
//!
//! # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
//! # writer.fill(&Event { met: 60.0, muons: vec![Muon { pt: 31.0, eta: 0.5 }] })?;
//! # writer.fill(&Event { met: 70.0, muons: vec![Muon { pt: 12.0, eta: 0.5 }] })?;
//! # let file = writer.finish_into()?.1;
//! let reader = Reader::<Event>::open(file, "Events")?;
//!
//! // Checked by the compiler ..
//! let event = Event::fields();
//! let wanted = event.met.gt(50.0) & event.muons.any(|muon| muon.pt.gt(20.0));
//! assert_eq!(reader.filter(&wanted)?.entries().count(), 1);
//!
//! // .. or read from text, and checked when the first file is.
//! let text: Predicate = "met > 50 and any(muons, pt > 20 and abs(eta) < 2.4)".parse()?;
//! assert_eq!(reader.filter(&text)?.matching()?.ranges(), [0..1]);
//! # Ok::<(), rntuple::Error>(())
//! ```
//!
//! # What is true
//! A predicate is true, false or *unknown* of an entry, as in SQL. An entry matches where it is true.
//!
//! | | |
//! | --- | --- |
//! | null (an empty option on the way, or an alternative of a variant that an entry does not have) | every comparison is unknown; `is null` is true |
//! | `not` | true of what is false, unknown of what is unknown: neither `met > 5` nor `not met > 5` matches a null |
//! | `and`, `or` | false and true decide; otherwise unknown stays unknown |
//! | NaN | `!=` is true, all other comparisons are false: so `not met > 5` matches a NaN |
//! | `-0.0` | equals `0.0` |
//! | numbers of different types | are compared by their values, exactly: no conversion rounds |
//! | a `float` and a literal | the stored value is compared: the `float` nearest to 0.1 is greater than `0.1` |
//! | strings | are compared byte by byte |
//! | `any` | true if the condition is true of an item, else unknown if it is unknown of one, else false |
//! | `all` | false if the condition is false of an item, else unknown if it is unknown of one, else true: also of no items |
//! | `count` | the number of items of which the condition is true |
//! | enums without data | are their integers, and are also compared with the names of their variants |
//!
//! # Paths
//! `met`, `vertex.x`, `muons`. A path goes through options; what is in them is null where they are empty. Of an option in
//! an option, `is null` is true where either of them is empty. A path does not go through collections and arrays:
//! [`any`](Predicate::any), [`all`](Predicate::all) and [`count`](Operand::count) look at their items, and the paths of
//! their conditions begin at the item. The item itself has the empty path, in text `item`.
//! The alternatives of a variant are `_0`, `_1`, ..
//!
//! # Text
//! ```text
//! condition  condition and condition      condition or condition      not condition      ( condition )
//!            any(path, condition)         all(path, condition)        true      false
//!            value < value                <=  >  >=  ==  !=
//!            value between value and value
//!            value in (literal, ..)       value not in (literal, ..)
//!            path is null                 path is not null            path (of a bool)
//! value      path      literal      abs(value)      size(path)      count(path, condition)
//! literal    12   -3.5e2   inf   nan   true   false   "text"
//! path       met   vertex.x   item   `a name with spaces`
//! ```
//! `&&`, `||`, `!` and `=` are other spellings of `and`, `or`, `not` and `==`. `and` binds tighter than `or`. What
//! [`Display`](std::fmt::Display) prints can be parsed.

mod bind;
mod comparison;
mod display;
mod evaluate;
#[cfg(any(
    feature = "arrayvec",
    feature = "glam",
    feature = "nalgebra",
    feature = "num-complex",
    feature = "ordered-float",
    feature = "smallvec",
    feature = "uuid"
))]
mod foreign;
mod literal;
mod number;
mod parse;
mod path;
mod prune;
mod tree;
mod truth;
mod typed;
mod values;

pub(crate) use bind::{Bound, bind};
pub use comparison::Comparison;
pub use literal::Literal;
pub(crate) use prune::{Bounds, Known, Limit};
pub use tree::{Operand, Predicate};
pub(crate) use truth::{Possible, Truth};
pub use typed::{Choice, Fields, Items, Named, Opaque, Optional, Path, Scalar, Text};
