//! What the derive needs for members that a file may lack, or has in another form than the member's own.

use std::fmt::Display;

use super::{
    Attach, FieldBuilder, FieldNode, FieldWriter, Position, Presence, ReadField, WriteField, visits,
};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::FieldPlace;

/// The columns of a member that a file may lack, or have in an option that may be empty.
#[derive(Debug)]
pub struct DefaultReader<R> {
    pub(super) state: State,
    /// Attached to no file where the member is missing.
    pub(super) reader: R,
    pub(super) place: FieldPlace,
}

#[derive(Debug)]
pub(super) enum State {
    Present,
    Optional(Box<Presence>),
    Missing,
}

/// What a member is called, and what happens where it is not.
#[derive(Clone, Copy, Debug)]
pub struct Lack<'a> {
    /// The member's name, and the aliases of it.
    pub names: &'a [&'a str],
    /// Its type, for errors.
    pub wanted: &'a str,
    /// Whether a file may lack the member. One may always lack whole alternatives of a variant.
    pub has_default: bool,
    /// Whether the member's type says itself that there may be no value.
    pub is_option: bool,
}

impl Lack<'_> {
    /// Returns the field that has the member's values, and the state of its reader; `None` if the file lacks the member and
    /// may.
    fn seek<'a>(&self, parent: FieldNode<'a>) -> Result<Option<(FieldNode<'a>, State)>> {
        let found = self.names.iter().find_map(|name| parent.find(name));
        // A field that needs a newer reader is not missing: values that the file has would become defaults.
        let may_be_missing = || self.has_default && !self.names.iter().any(|name| parent.hides(name));
        if found.is_none() && (parent.is_absent() || may_be_missing()) {
            return Ok(None);
        }
        let field = match found {
            Some(field) => field,
            None => parent.subfield_of(self.names, self.wanted)?,
        };
        match field.optional_item().filter(|_| self.has_default && !self.is_option) {
            Some(item) => Ok(Some((item, State::Optional(Box::new(Presence::connect(field)?))))),
            None => Ok(Some((field, State::Present))),
        }
    }
}

impl<R: Attach> DefaultReader<R> {
    /// Finds a member, whose columns are found by `connect`.
    ///
    /// # Errors
    /// It has no default and is not there; or what is there does not fit, or needs a newer reader.
    pub fn connect(
        &mut self,
        parent: FieldNode<'_>,
        lack: Lack<'_>,
        connect: impl FnOnce(FieldNode<'_>, &mut R) -> Result<()>,
    ) -> Result<()> {
        match lack.seek(parent)? {
            Some((field, state)) => {
                (self.state, self.place) = (state, field.place());
                connect(field, &mut self.reader)
            }
            None => {
                (self.state, self.place) = (State::Missing, parent.place());
                Ok(())
            }
        }
    }

    /// The members of a flattened struct, in an alternative that may not be there.
    ///
    /// # Errors
    /// What is there does not fit.
    pub fn flattened(
        &mut self,
        parent: FieldNode<'_>,
        connect: impl FnOnce(FieldNode<'_>, &mut R) -> Result<()>,
    ) -> Result<()> {
        (self.state, self.place) = (State::Missing, parent.place());
        if parent.is_absent() {
            return Ok(());
        }
        self.state = State::Present;
        connect(parent, &mut self.reader)
    }

    /// The columns, if they have a value for the next element; it must be read.
    ///
    /// # Errors
    /// A page is damaged.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "a value or nothing, not an end")]
    pub fn next(&mut self) -> Result<Option<&mut R>> {
        match &mut self.state {
            State::Present => Ok(Some(&mut self.reader)),
            State::Optional(presence) => Ok(presence.next()?.then_some(&mut self.reader)),
            State::Missing => Ok(None),
        }
    }

    /// The error of a value that cannot be, because its columns are not there.
    #[cold]
    pub fn missing(&self) -> Error {
        Error::out_of_spec("the file has no columns for this value").in_field(self.place.to_string())
    }
}

impl<R: Attach> Attach for DefaultReader<R> {
    const DETACHED: Self = Self { state: State::Missing, reader: R::DETACHED, place: FieldPlace::NOWHERE };

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        match &mut self.state {
            State::Present => self.reader.seek(to),
            State::Optional(presence) => {
                let item = presence.seek_item(to)?;
                self.reader.seek(to.with_element(item))
            }
            State::Missing => Ok(()),
        }
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        match &self.state {
            State::Present => self.reader.remaining(),
            State::Optional(presence) => presence.remaining(),
            State::Missing => None,
        }
    }
}

/// Columns whose values may be refused, and where that is.
#[derive(Debug)]
pub struct PlacedReader<R> {
    reader: R,
    pub(super) place: FieldPlace,
}

impl<R: Attach> PlacedReader<R> {
    /// The columns that `connect` finds in the field.
    ///
    /// # Errors
    /// The field does not fit.
    pub fn connect<'a>(
        &mut self,
        field: FieldNode<'a>,
        connect: impl FnOnce(FieldNode<'a>, &mut R) -> Result<()>,
    ) -> Result<()> {
        self.place = field.place();
        connect(field, &mut self.reader)
    }

    /// The columns.
    #[inline]
    pub fn reader(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The value that was made of a stored one.
    ///
    /// # Errors
    /// None was made.
    #[inline]
    pub fn accept<T, E: Display>(&self, made: Result<T, E>) -> Result<T> {
        made.map_err(|error| self.refused(&error))
    }

    #[cold]
    fn refused(&self, error: &dyn Display) -> Error {
        let message = format!("a value was refused: {error}");
        Error::new(ErrorKind::SchemaMismatch, message).in_field(self.place.to_string())
    }
}

visits! {
    Attach for [R: Attach] PlacedReader<R>: reader;
    Self { reader: R::DETACHED, place: FieldPlace::NOWHERE }
}

/// The columns of a type in its current form, or in an older one.
#[derive(Debug)]
pub enum VersionReader<C, O> {
    /// Those of the type itself.
    Current(C),
    /// Those of one of the types before it.
    Older(O),
}

impl<C: Attach, O: Attach> Attach for VersionReader<C, O> {
    const DETACHED: Self = Self::Current(C::DETACHED);

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        match self {
            Self::Current(reader) => reader.seek(to),
            Self::Older(reader) => reader.seek(to),
        }
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        match self {
            Self::Current(reader) => reader.remaining(),
            Self::Older(reader) => reader.remaining(),
        }
    }
}

/// Appends values that are made one by one.
#[inline]
pub fn append_converted<T, W: FieldWriter<T>>(columns: &mut W, values: impl Iterator<Item = T>) -> usize {
    let mut length = 0;
    for value in values {
        length += columns.append(&value);
    }
    length
}

/// Declares the members of a struct in the place of the struct, which is checked to be an `Entry` elsewhere.
pub fn declare_flattened<T: WriteField>(field: &mut FieldBuilder<'_>) -> T::Writer {
    T::declare(field)
}

/// Finds the members of a struct in the place of the struct.
///
/// # Errors
/// They do not fit.
pub fn connect_flattened<T: ReadField>(field: FieldNode<'_>, reader: &mut T::Reader) -> Result<()> {
    T::connect(field, reader)
}
