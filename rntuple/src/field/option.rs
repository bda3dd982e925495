//! Options: collections of nothing or one.

use super::collection::{FindItem, Offsets};
use super::{
    Attach, CollectionWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, Position, ReadField,
    WriteField,
};
use crate::error::Result;
use crate::schema::TypeName;

impl<T, W: FieldWriter<T>> FieldWriter<Option<T>> for CollectionWriter<W> {
    #[inline]
    fn append(&mut self, value: &Option<T>) -> usize {
        match value {
            Some(value) => self.append_items(1, |item| item.append(value)),
            None => self.append_items(0, |_| 0),
        }
    }
}

impl<T: WriteField> WriteField for Option<T> {
    type Writer = CollectionWriter<T::Writer>;

    fn type_name() -> TypeName {
        TypeName::optional(&T::type_name())
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        CollectionWriter::declare(field, Self::type_name, T::declare)
    }
}

/// The offsets of a `std::optional` or `std::unique_ptr`, read as whether there is a value.
#[derive(Debug)]
pub(crate) struct Presence(pub(super) Offsets);

impl Presence {
    /// Finds the offsets.
    ///
    /// # Errors
    /// The field is no option.
    pub(crate) fn connect(field: FieldNode<'_>) -> Result<Self> {
        // On storage an option is a collection; only its name tells it from a vector, which may hold more.
        if !field.is_optional() {
            return Err(field.mismatch("an option"));
        }
        Offsets::connect(field).map(Self)
    }

    /// Finds an option, or a value, which is found by `item`.
    fn find<'a>(place: &mut Option<Self>, field: FieldNode<'a>, item: &mut FindItem<'a, '_>) -> Result<()> {
        if !field.is_optional() {
            *place = None;
            return item(field);
        }
        // Both, so that differences in either are reported.
        let presence = Self::connect(field).map(|presence| *place = Some(presence));
        field.item().and_then(item).and(presence)
    }

    /// Whether the next option has a value, which is then the next of its item.
    ///
    /// # Errors
    /// No option is left, its page is damaged, or it has more than one value.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<bool> {
        self.0.next_presence()
    }

    /// Goes to an option; returns where its item has to go.
    ///
    /// # Errors
    /// The cluster has fewer options, or offsets on the way are damaged.
    pub(crate) fn seek_item(&mut self, to: Position<'_>) -> Result<u64> {
        self.0.seek(to)
    }
}

impl Attach for Presence {
    const DETACHED: Self = Self(Offsets::DETACHED);

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        self.seek_item(to).map(drop)
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        self.0.remaining()
    }
}

/// The columns of an option, or of a value that is always there, being read.
#[derive(Debug)]
pub struct OptionReader<R> {
    /// `None`: the file has a value each time.
    pub(super) presence: Option<Presence>,
    pub(super) item: R,
}

impl<R: Attach> OptionReader<R> {
    /// Finds an option, or a value, that is found by `item`.
    pub(super) fn connect<'a>(
        &mut self,
        field: FieldNode<'a>,
        item: impl Fn(FieldNode<'a>, &mut R) -> Result<()>,
    ) -> Result<()> {
        Presence::find(&mut self.presence, field, &mut |field| item(field, &mut self.item))
    }

    /// Whether there is a next value.
    #[inline]
    pub(super) fn is_next(&mut self) -> Result<bool> {
        match &mut self.presence {
            Some(presence) => presence.next(),
            None => Ok(true),
        }
    }
}

impl<R: Attach> Attach for OptionReader<R> {
    const DETACHED: Self = Self { presence: None, item: R::DETACHED };

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        let to = match &mut self.presence {
            Some(presence) => to.with_element(presence.seek_item(to)?),
            None => to,
        };
        self.item.seek(to)
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        match &self.presence {
            Some(presence) => presence.remaining(),
            None => self.item.remaining(),
        }
    }
}

impl<T, R: FieldReader<T>> FieldReader<Option<T>> for OptionReader<R> {
    #[inline]
    fn read(&mut self) -> Result<Option<T>> {
        if self.is_next()? { self.item.read().map(Some) } else { Ok(None) }
    }

    #[inline]
    fn read_into(&mut self, slot: &mut Option<T>) -> Result<()> {
        match (self.is_next()?, slot) {
            (false, slot) => {
                self.reclaim(slot);
                *slot = None;
            }
            (true, Some(value)) => self.item.read_into(value)?,
            (true, slot) => *slot = Some(self.item.read()?),
        }
        Ok(())
    }

    #[inline]
    fn reclaim(&mut self, value: &mut Option<T>) {
        if let Some(value) = value.as_mut().filter(|_| std::mem::needs_drop::<T>()) {
            self.item.reclaim(value);
        }
    }
}

impl<T: ReadField> ReadField for Option<T> {
    type Reader = OptionReader<T::Reader>;

    const IS_OPTION: bool = true;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        reader.connect(field, T::connect)
    }
}
