//! `smallvec`: a `SmallVec<[T; N]>` is a collection, `std::vector<T>`, however many items it keeps inline.
//!
//! ```
//! use rntuple::storage::Memory;
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//! use smallvec::{SmallVec, smallvec};
//!
//! #[derive(RNTuple)]
//! struct Event {
//!     leptons: SmallVec<[f32; 4]>,
//! }
//!
//! # fn main() -> rntuple::Result<()> {
//! let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
//! writer.fill(&Event { leptons: smallvec![45.1, 38.2] })?;
//! let (_, file) = writer.finish_into()?;
//!
//! let mut reader = Reader::<Event>::open(file, "Events")?;
//! assert_eq!(reader.get(0)?.leptons[..], [45.1, 38.2]);
//! # Ok(())
//! # }
//! ```

use ::smallvec::{Array, SmallVec};

use crate::column::ItemLength;
use crate::error::Result;
use crate::field::own::stored_as;
use crate::field::{Attach, CollectionReader, CollectionWriter, FieldReader, FieldWriter};

impl<A: Array, W: FieldWriter<A::Item>> FieldWriter<SmallVec<A>> for CollectionWriter<W> {
    #[inline]
    fn append(&mut self, value: &SmallVec<A>) -> usize {
        FieldWriter::<[A::Item]>::append(self, value.as_slice())
    }
}

impl<A: Array, R: FieldReader<A::Item> + Attach> FieldReader<SmallVec<A>> for CollectionReader<R> {
    #[inline]
    fn read(&mut self) -> Result<SmallVec<A>> {
        let mut items = SmallVec::new();
        self.read_into(&mut items)?;
        Ok(items)
    }

    #[inline]
    fn read_into(&mut self, slot: &mut SmallVec<A>) -> Result<()> {
        let count = self.next_owned(ItemLength::of::<A::Item>())?;
        slot.truncate(count);
        for item in slot.iter_mut() {
            self.item.read_into(item)?;
        }
        // A count is a file's claim until the items are there.
        slot.reserve((count - slot.len()).min(1024));
        for _ in slot.len()..count {
            slot.push(self.item.read()?);
        }
        Ok(())
    }
}

stored_as! { [A: Array] SmallVec<A> as Vec<A::Item> where A::Item; }
