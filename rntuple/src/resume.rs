//! Programs that continue where an earlier run of theirs was interrupted.

use std::path::Path;
use std::sync::Arc;

use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::{Attribute, Entry, ReadField, WriteField};
use crate::message::counted;
use crate::reader::{ReadOptions, Reader};
use crate::root::RootFile;
use crate::storage::Output;
use crate::writer::{ParallelWriter, STATE, WriteOptions, Writer};

impl<T: WriteField + ?Sized> Writer<T> {
    /// As [`resume`](Self::resume), with the state that [`checkpoint_with`](Self::checkpoint_with) kept; `None` where the
    /// file is created. Only the caller makes checkpoints then, since each must have its state:
    /// [`is_checkpoint_due`](Self::is_checkpoint_due) says when.
    ///
    /// ```
    /// use rntuple::checkpoint::Interval;
    /// use rntuple::{RNTuple, WriteOptions, Writer};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { value: u64 }
    ///
    /// /// What the simulation goes on from.
    /// #[derive(RNTuple)]
    /// struct State { random: u64 }
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.root");
    /// let options = WriteOptions::new().cluster_size(1 << 20).checkpoint_every(Interval::Bytes(1 << 20));
    /// let (mut writer, state) = Writer::<Event>::resume_with::<State>(&path, "Events", options)?;
    /// let mut state = state.unwrap_or(State { random: 42 });
    /// while writer.entry_count() < 1000 {
    ///     state.random = state.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    ///     writer.fill(&Event { value: state.random })?;
    ///     if writer.is_checkpoint_due() {
    ///         writer.checkpoint_with(&state)?;
    ///     }
    /// }
    /// writer.finish()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`resume`](Self::resume). And [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the last checkpoint
    /// was made without a state.
    pub fn resume_with<S>(
        file: impl AsRef<Path>,
        path: &str,
        options: WriteOptions,
    ) -> Result<(Self, Option<S>)>
    where
        T: Entry,
        S: Entry + ReadField,
    {
        let (storage, state) = read_left_over(file.as_ref(), path, &options)?;
        let mut writer = match storage {
            Some(storage) => Self::resume_to(storage, path, options)?,
            None => Self::create(file, path, options)?,
        };
        writer.set_has_state();
        Ok((writer, state))
    }
}

impl<T: WriteField + ?Sized> ParallelWriter<T> {
    /// As [`Writer::resume_with`], for an ntuple that many threads fill.
    ///
    /// # Errors
    /// As [`Writer::resume_with`].
    pub fn resume_with<S>(
        file: impl AsRef<Path>,
        path: &str,
        options: WriteOptions,
    ) -> Result<(Self, Option<S>)>
    where
        T: Entry,
        S: Entry + ReadField,
    {
        let (storage, state) = read_left_over(file.as_ref(), path, &options)?;
        let writer = match storage {
            Some(storage) => Self::resume_to(storage, path, options)?,
            None => Self::create(file, path, options)?,
        };
        writer.set_has_state();
        Ok((writer, state))
    }
}

/// What an earlier writer of the file left, and its state, if there is anything.
fn read_left_over<S: Entry + ReadField>(
    file: &Path,
    path: &str,
    options: &WriteOptions,
) -> Result<(Option<Output>, Option<S>)> {
    let Some(storage) = options.left_over(file)? else { return Ok((None, None)) };
    let (storage, state) = read_state(storage, path)?;
    Ok((Some(storage), Some(state)))
}

/// The state of the last checkpoint, which is about all entries.
fn read_state<S: Entry + ReadField>(storage: Output, path: &str) -> Result<(Output, S)> {
    let storage = Arc::new(storage);
    let dataset = Dataset::open(&RootFile::from_arc(storage.clone())?, path)?;
    let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
    if !dataset.attribute_sets().iter().any(|set| set.name == STATE) {
        let entries = counted(dataset.entry_count(), "entry");
        let message = format!("the last checkpoint has {entries} and no state: resume without one");
        return Err(place(Error::invalid_argument(message)));
    }
    let set = Arc::new(dataset.attribute_set(STATE)?);
    let reader = Reader::<Attribute<S>>::from_dataset(set, ReadOptions::new())?;
    let Attribute { range, value } = reader.get(0)?;
    if range != (0..dataset.entry_count()) {
        let message =
            format!("the state is about the entries {range:?}, but there are {}", dataset.entry_count());
        return Err(place(Error::out_of_spec(message)));
    }
    drop((reader, dataset));
    let shared = || Error::invalid_argument("the storage is still being read");
    Ok((Arc::into_inner(storage).ok_or_else(shared)?, value))
}
