//! `ordered_float`: floats with an order are stored as floats.
//!
//! A file may hold NaN where a `NotNan` is read. That is an error which names the field; an `OrderedFloat`
//! takes any float.
//!
//! ```
//! use ordered_float::{NotNan, OrderedFloat};
//! use rntuple::storage::Memory;
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//!
//! #[derive(RNTuple)]
//! struct Hit {
//!     energy: OrderedFloat<f32>,
//! }
//!
//! #[derive(RNTuple)]
//! struct Sound {
//!     energy: NotNan<f32>,
//! }
//!
//! # fn main() -> rntuple::Result<()> {
//! let mut writer = Writer::<Hit, _>::new(Memory::new(), "Hits", WriteOptions::new())?;
//! writer.fill(&Hit { energy: OrderedFloat(0.5) })?;
//! writer.fill(&Hit { energy: OrderedFloat(f32::NAN) })?;
//! let (_, file) = writer.finish_into()?;
//!
//! let mut reader = Reader::<Sound>::open(file, "Hits")?;
//! assert_eq!(reader.get(0)?.energy, 0.5);
//! assert!(reader.get(1).is_err());
//! # Ok(())
//! # }
//! ```

use ::ordered_float::{FloatCore, NotNan, OrderedFloat};

use crate::error::{Error, ErrorKind, Result};
use crate::field::member::PlacedReader;
use crate::field::pointer::{appends, connects, reads, writes};
use crate::field::{
    FieldBuilder, FieldNode, FieldReader, FieldWriter, PointerReader, PointerWriter, ReadField, WriteField,
};
use crate::schema::{FieldPlace, TypeName};

writes! {
    [T: FloatCore] OrderedFloat<T>;
    [T: FloatCore] NotNan<T>;
}

reads! { [T: FloatCore] OrderedFloat<T>: T, OrderedFloat; }

connects! { [T: FloatCore] OrderedFloat<T>; }

impl<T: FloatCore, R: FieldReader<T>> FieldReader<NotNan<T>> for PlacedReader<R> {
    #[inline]
    fn read(&mut self) -> Result<NotNan<T>> {
        NotNan::new(self.reader().read()?).map_err(|_| is_nan(&self.place))
    }
}

impl<T: ReadField + FloatCore> ReadField for NotNan<T> {
    type Reader = PlacedReader<T::Reader>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        reader.connect(field, T::connect)
    }
}

#[cold]
fn is_nan(place: &FieldPlace) -> Error {
    let message = "the value is NaN, which a `NotNan` cannot hold: read it as a float or an `OrderedFloat`";
    Error::new(ErrorKind::SchemaMismatch, message).in_field(place.to_string())
}
