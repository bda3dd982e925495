//! `arrayvec`: an `ArrayVec<T, N>` is a collection, `std::vector<T>`; an `ArrayString<N>` is a `std::string`.
//!
//! A file may hold more than there is room for. That is an error which names the field; nothing is cut.
//!
//! ```
//! use arrayvec::{ArrayString, ArrayVec};
//! use rntuple::storage::Memory;
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//!
//! #[derive(RNTuple)]
//! struct Event {
//!     stream: ArrayString<8>,
//!     leptons: ArrayVec<f32, 4>,
//! }
//!
//! # fn main() -> rntuple::Result<()> {
//! let event = Event { stream: ArrayString::from("dimuon").unwrap(), leptons: [45.1, 38.2].into_iter().collect() };
//! let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
//! writer.fill(&event)?;
//! let (_, file) = writer.finish_into()?;
//!
//! let event = Reader::<Event>::open(file, "Events")?.get(0)?;
//! assert_eq!((event.stream.as_str(), event.leptons.as_slice()), ("dimuon", &[45.1, 38.2][..]));
//! # Ok(())
//! # }
//! ```

use ::arrayvec::{ArrayString, ArrayVec};

use crate::column::ItemLength;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{
    Attach, CollectionReader, CollectionWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField,
    StringReader, StringWriter, WriteField, visits,
};
use crate::schema::{FieldPlace, TypeName};

impl<T, W: FieldWriter<T>, const N: usize> FieldWriter<ArrayVec<T, N>> for CollectionWriter<W> {
    #[inline]
    fn append(&mut self, value: &ArrayVec<T, N>) -> usize {
        FieldWriter::<[T]>::append(self, value.as_slice())
    }
}

impl<const N: usize> FieldWriter<ArrayString<N>> for StringWriter {
    #[inline]
    fn append(&mut self, value: &ArrayString<N>) -> usize {
        FieldWriter::<str>::append(self, value.as_str())
    }
}

/// The columns of a collection or string, read into a room of fixed size.
#[derive(Debug)]
pub struct RoomReader<R> {
    columns: R,
    /// A string on its way.
    text: String,
    place: FieldPlace,
}

impl<R> RoomReader<R> {
    fn connect<T: ReadField<Reader = R>>(&mut self, field: FieldNode<'_>) -> Result<()> {
        self.place = field.place();
        T::connect(field, &mut self.columns)
    }

    /// Whether so many fit into the room.
    #[inline]
    fn check(&self, count: usize, room: usize, what: &str) -> Result<()> {
        if count <= room { Ok(()) } else { Err(self.too_many(count, room, what)) }
    }

    #[cold]
    fn too_many(&self, count: usize, room: usize, what: &str) -> Error {
        let message = format!("the file has {count} {what}, the type has room for {room}");
        Error::new(ErrorKind::SchemaMismatch, message).in_field(self.place.to_string())
    }
}

visits! {
    Attach for [R: Attach] RoomReader<R>: columns;
    Self { columns: R::DETACHED, text: String::new(), place: FieldPlace::NOWHERE }
}

impl<T, R: FieldReader<T>, const N: usize> FieldReader<ArrayVec<T, N>> for RoomReader<CollectionReader<R>> {
    #[inline]
    fn read(&mut self) -> Result<ArrayVec<T, N>> {
        let mut items = ArrayVec::new();
        self.read_into(&mut items)?;
        Ok(items)
    }

    #[inline]
    fn read_into(&mut self, slot: &mut ArrayVec<T, N>) -> Result<()> {
        let count = self.columns.next_owned(ItemLength::exactly(0))?;
        self.check(count, N, "items")?;
        slot.truncate(count);
        for item in slot.iter_mut() {
            self.columns.item.read_into(item)?;
        }
        for _ in slot.len()..count {
            slot.push(self.columns.item.read()?);
        }
        Ok(())
    }
}

impl<const N: usize> FieldReader<ArrayString<N>> for RoomReader<StringReader> {
    fn read(&mut self) -> Result<ArrayString<N>> {
        self.columns.read_into(&mut self.text)?;
        self.check(self.text.len(), N, "bytes of text")?;
        let mut string = ArrayString::new();
        string.push_str(&self.text);
        Ok(string)
    }
}

macro_rules! rooms {
    ($([$($item:ident)?] $type:ty, $stored:ty, $owned:ty, $writer:ty, $reader:ty;)*) => {$(
        impl<$($item: WriteField,)? const N: usize> WriteField for $type {
            type Writer = $writer;

            fn type_name() -> TypeName {
                <$stored>::type_name()
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                <$stored>::declare(field)
            }
        }

        impl<$($item: ReadField,)? const N: usize> ReadField for $type {
            type Reader = RoomReader<$reader>;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                reader.connect::<$owned>(field)
            }
        }
    )*};
}

rooms! {
    [T] ArrayVec<T, N>, [T], Vec<T>, CollectionWriter<T::Writer>, CollectionReader<T::Reader>;
    [] ArrayString<N>, str, String, StringWriter, StringReader;
}
