//! `num_complex`: complex numbers are records of `re` and `im`.
//!
//! The format has no `std::complex`. A record is what ROOT reads without a dictionary, and what uproot shows
//! as two numbers with names: `z["re"] + 1j * z["im"]`.
//!
//! ```
//! use num_complex::Complex;
//! use rntuple::storage::Memory;
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//!
//! #[derive(RNTuple)]
//! struct Event {
//!     amplitudes: Vec<Complex<f64>>,
//! }
//!
//! # fn main() -> rntuple::Result<()> {
//! let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
//! writer.fill(&Event { amplitudes: vec![Complex::new(0.6, -0.8)] })?;
//! let (_, file) = writer.finish_into()?;
//!
//! let mut reader = Reader::<Event>::open(file, "Events")?;
//! assert_eq!(reader.get(0)?.amplitudes, [Complex::new(0.6, -0.8)]);
//! # Ok(())
//! # }
//! ```

use ::num_complex::Complex;

use super::record::{RecordReader, RecordWriter, records};
use crate::error::Result;
use crate::field::{FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField};
use crate::schema::TypeName;

records! {
    [T] Complex<T>, format!("Complex<{}>", T::type_name().spelling()), [T; 2]:
        re = re, im = im => Complex { re, im };
}
