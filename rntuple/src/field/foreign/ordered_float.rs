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

use crate::cluster::Gathered;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, Position, ReadField, WriteField,
};
use crate::schema::{FieldPlace, TypeName};

/// The column of the floats inside, being filled.
#[derive(Debug)]
pub struct FloatWriter<W>(W);

impl<W: Commit> Commit for FloatWriter<W> {
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        self.0.commit(cluster);
    }
}

/// The column of the floats inside, being read.
#[derive(Debug)]
pub struct FloatReader<R> {
    floats: R,
    place: FieldPlace,
}

impl<R: Attach> Attach for FloatReader<R> {
    const DETACHED: Self = Self { floats: R::DETACHED, place: FieldPlace::NOWHERE };

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        self.floats.seek(to)
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        self.floats.remaining()
    }
}

macro_rules! floats {
    ($($type:ident, $bound:path, |$value:ident| $inner:expr;)*) => {$(
        impl<T: $bound, W: FieldWriter<T>> FieldWriter<$type<T>> for FloatWriter<W> {
            #[inline]
            fn append(&mut self, $value: &$type<T>) -> usize {
                self.0.append($inner)
            }

            #[inline]
            fn append_each<'a, I>(&mut self, values: I) -> usize
            where
                T: 'a,
                I: ExactSizeIterator<Item = &'a $type<T>> + Clone,
            {
                self.0.append_each(values.map(|$value| $inner))
            }
        }

        impl<T: WriteField + $bound> WriteField for $type<T> {
            type Writer = FloatWriter<T::Writer>;

            fn type_name() -> TypeName {
                T::type_name()
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                FloatWriter(T::declare(field))
            }
        }

        impl<T: ReadField + $bound> ReadField for $type<T> {
            type Reader = FloatReader<T::Reader>;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                reader.place = field.place();
                T::connect(field, &mut reader.floats)
            }
        }
    )*};
}

floats! {
    OrderedFloat, FloatCore, |value| &value.0;
    NotNan, FloatCore, |value| value.as_ref();
}

impl<T: FloatCore, R: FieldReader<T>> FieldReader<OrderedFloat<T>> for FloatReader<R> {
    #[inline]
    fn read(&mut self) -> Result<OrderedFloat<T>> {
        self.floats.read().map(OrderedFloat)
    }
}

impl<T: FloatCore, R: FieldReader<T>> FieldReader<NotNan<T>> for FloatReader<R> {
    #[inline]
    fn read(&mut self) -> Result<NotNan<T>> {
        NotNan::new(self.floats.read()?).map_err(|_| is_nan(&self.place))
    }
}

#[cold]
fn is_nan(place: &FieldPlace) -> Error {
    let message = "the value is NaN, which a `NotNan` cannot hold: read it as a float or an `OrderedFloat`";
    Error::new(ErrorKind::SchemaMismatch, message).in_field(place.to_string())
}
