//! Members that join the entries while they are being written.

use std::fmt;

use super::filler::Filler;
use super::ntuple::Ntuple;
use super::{WriteOptions, Writer};
use crate::error::{Error, Result};
use crate::field::{Entry, Extended, ExtendedWriter, FieldWriter, WriteField};
use crate::hidden::Boxed;
use crate::storage::WriteAt;

/// What was refused, with the writer as it was before: nothing that it has written is lost.
pub struct ExtendError<W> {
    /// Why.
    pub error: Error,
    /// As it was before.
    pub writer: W,
}

impl<W> fmt::Debug for ExtendError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtendError").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<W> fmt::Display for ExtendError<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<W> std::error::Error for ExtendError<W> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

/// Gives the writer up.
impl<W> From<ExtendError<W>> for Error {
    fn from(refused: ExtendError<W>) -> Self {
        refused.error
    }
}

impl<T: WriteField, W: WriteAt> Writer<T, W> {
    /// Adds the members of `X` to all entries from here on (late model extension; format, section 5.3).
    ///
    /// The entries before have none of them: readers find zeros, empty strings and collections there. Nothing is
    /// written for those, and no cluster ends.
    ///
    /// ```
    /// use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { number: u64 }
    ///
    /// #[derive(RNTuple)]
    /// struct Calibration { scale: f32, flags: Vec<u16> }
    ///
    /// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// writer.fill(&Event { number: 1 })?;
    /// let mut writer = writer.extend::<Calibration>()?;
    /// writer.fill_both(&Event { number: 2 }, &Calibration { scale: 0.5, flags: vec![7] })?;
    ///
    /// #[derive(RNTuple)]
    /// struct Both {
    ///     number: u64,
    ///     scale: f32,
    ///     flags: Vec<u16>,
    /// }
    ///
    /// let reader = Reader::<Both>::open(writer.finish_into()?.1, "Events")?;
    /// let entries = reader.entries().collect::<rntuple::Result<Vec<_>>>()?;
    /// assert_eq!((entries[0].scale, entries[0].flags.len()), (0.0, 0));
    /// assert_eq!((entries[1].scale, entries[1].flags.len()), (0.5, 1));
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// ROOT and uproot read such files; JSROOT 7.11 does not read columns that begin in the middle.
    ///
    /// # Errors
    /// A name is taken, a type cannot be stored, or the memory budget is too small for more columns. The error gives
    /// the writer back.
    #[allow(clippy::result_large_err, reason = "the error gives the writer back")]
    pub fn extend<X>(self) -> std::result::Result<Writer<Extended<T, X>, W>, ExtendError<Self>>
    where
        X: Entry + WriteField,
    {
        self.extend_with(&WriteOptions::new())
    }

    /// As [`extend`](Self::extend), with encodings and compression for single fields of `X`, and with the
    /// [schema](WriteOptions::schema) of an `X` that is a [`Value`](crate::Value); the other options are those of the
    /// writer.
    ///
    /// # Errors
    /// As [`extend`](Self::extend).
    #[allow(clippy::result_large_err, reason = "the error gives the writer back")]
    pub fn extend_with<X>(
        self,
        options: &WriteOptions,
    ) -> std::result::Result<Writer<Extended<T, X>, W>, ExtendError<Self>>
    where
        X: Entry + WriteField,
    {
        let entries = self.entry_count();
        let Self { filler, sets } = self;
        match filler.extend(options, entries) {
            Ok(filler) => Ok(Writer { filler, sets }),
            Err((error, filler)) => Err(ExtendError { error, writer: Writer { filler: *filler, sets } }),
        }
    }
}

impl<T: WriteField, X: WriteField, W: WriteAt> Writer<Extended<T, X>, W> {
    /// Appends one entry of both parts.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    #[inline]
    pub fn fill_both(&mut self, base: &T, extra: &X) -> Result<()>
    where
        for<'a> <Extended<T, X> as WriteField>::Writer: FieldWriter<(&'a T, &'a X)>,
    {
        self.fill_as(&(base, extra))
    }
}

/// What became of an extension: the filler of both, or the one before, and why.
type Extension<F, B> = std::result::Result<B, (Error, Box<F>)>;

impl<T: WriteField, W: WriteAt> Filler<T, Ntuple<W>> {
    /// Adds the members of `X` to those of the entries to come, of which `entries` are before.
    ///
    /// # Errors
    /// They cannot be added; nothing has changed.
    fn extend<X: WriteField>(
        self,
        options: &WriteOptions,
        entries: u64,
    ) -> Extension<Self, Filler<Extended<T, X>, Ntuple<W>>> {
        let ntuple = &self.builder.destination;
        let whole = ntuple.check().and_then(|()| self.whole());
        let (sink, is_tried) = (&self.builder.sink, self.trial.is_some());
        match whole.and_then(|()| ntuple.declare_extension::<X>(sink, entries, options, is_tried)) {
            Err(error) => Err((error, Box::new(self))),
            Ok((extra, extension)) => {
                let Self { mut builder, columns, trial, mut open } = self;
                let trial = extra.trial.map(|extra| {
                    let base = trial.unwrap_or_else(|| builder.destination.declare_trial::<T>(&builder.sink));
                    Boxed::new(ExtendedWriter::new(base, extra))
                });
                let share = extension.share;
                let ntuple = &mut builder.destination;
                ntuple.extend(extension);
                let (lanes, initial) = (ntuple.lane_count(), ntuple.options().initial_page_length);
                builder.grow(lanes, share, initial);
                let columns = Boxed::new(ExtendedWriter::new(columns, extra.kept));
                open.stop = builder.any().next_stop(open.length);
                Ok(Filler { builder, columns, trial, open })
            }
        }
    }
}
