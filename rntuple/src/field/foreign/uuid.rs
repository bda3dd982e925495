//! `uuid`: a `Uuid` is its 16 bytes, `std::array<std::uint8_t,16>`, in the order in which it is written in text.
//!
//! ```
//! use rntuple::storage::Memory;
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//! use uuid::Uuid;
//!
//! #[derive(RNTuple)]
//! struct Event {
//!     file: Uuid,
//! }
//!
//! # fn main() -> rntuple::Result<()> {
//! let file = Uuid::from_u128(0x67e55044_10b1_426f_9247_bb680e5fe0c8);
//! let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
//! writer.fill(&Event { file })?;
//! let (_, storage) = writer.finish_into()?;
//!
//! let mut reader = Reader::<Event>::open(storage, "Events")?;
//! assert_eq!(reader.get(0)?.file, file);
//! # Ok(())
//! # }
//! ```

use ::uuid::{Bytes, Uuid};

use crate::error::Result;
use crate::field::own::stored_as;
use crate::field::{ArrayReader, ArrayWriter, FieldReader, FieldWriter};

impl<W: FieldWriter<u8>> FieldWriter<Uuid> for ArrayWriter<W> {
    #[inline]
    fn append(&mut self, value: &Uuid) -> usize {
        self.item.append_slice(value.as_bytes())
    }
}

impl<R: FieldReader<u8>> FieldReader<Uuid> for ArrayReader<R> {
    #[inline]
    fn read(&mut self) -> Result<Uuid> {
        self.item.read_array().map(Uuid::from_bytes)
    }
}

stored_as! { [] Uuid as Bytes; }
