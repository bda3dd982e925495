//! Checkpoints: what is written so far can be read, whatever becomes of the writer.

use crate::sync::Mutex;
use std::sync::{Arc, PoisonError};

use super::builder::ClusterState;
use super::draft::{Declared, Draft};
use super::filler::Filler;
use super::ntuple::Ntuple;
use super::saved::STATE;
use super::sets::options_of_set;
use super::{ParallelWriter, Writer};
use crate::error::{Error, Result};
use crate::field::{Attribute, Entry, WriteField};
use crate::root::{Desk, FileWriter};
use crate::schema::LinkedAttributeSet;
use crate::storage::WriteAt;

impl<T: WriteField + ?Sized, W: WriteAt> Writer<T, W> {
    /// Makes a checkpoint: all entries so far are in the file, which opens in every reader, whatever happens next.
    ///
    /// The file is not in its place before [`finish`](Self::finish): until then it is next to it, as
    /// `events.root.partial` ([`LocalFile::partial`](crate::storage::LocalFile::partial)), from the first checkpoint on. There
    /// it stays if the writer is dropped or its process killed, and [`resume`](Self::resume) continues it. An existing
    /// file at the path is not touched before it is replaced. With [`WriteOptions::in_place`](super::WriteOptions::in_place)
    /// there is only the file itself.
    ///
    /// The open cluster ends, so checkpoints should not come after every few entries. Each takes the time of two flushes
    /// of the medium, and of writing one page list: [`Summary`](super::Summary) says what they took.
    ///
    /// ```
    /// use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::LocalFile};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { number: u64 }
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("events.root");
    /// let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
    /// writer.fill(&Event { number: 1 })?;
    /// writer.checkpoint()?;
    /// writer.fill(&Event { number: 2 })?;
    ///
    /// // Another program looks at the file.
    /// let mut reader = Reader::<Event>::open(LocalFile::partial(&path)?, "Events")?;
    /// assert_eq!(reader.entry_count()?, 1);
    /// writer.finish()?;
    /// assert_eq!(reader.refresh()?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`fill`](Self::fill). Or the checkpoint cannot be written: the earlier one counts then, and the writer goes on.
    pub fn checkpoint(&mut self) -> Result<()> {
        self.filler.commit_cluster()?;
        self.filler.builder.destination.checkpoint(None)
    }

    /// As [`checkpoint`](Self::checkpoint), and keeps a state with it: what a program needs to continue after these
    /// entries, such as the state of its random numbers. [`resume_with`](Self::resume_with) returns it.
    ///
    /// # Errors
    /// As [`checkpoint`](Self::checkpoint).
    pub fn checkpoint_with<S: Entry + WriteField>(&mut self, state: &S) -> Result<()> {
        self.filler.commit_cluster()?;
        checkpoint_with(&mut self.filler.builder.destination, state)
    }

    /// Whether the interval of [`WriteOptions::checkpoint_every`](super::WriteOptions::checkpoint_every) is over since the
    /// last checkpoint. A writer from [`resume_with`](Self::resume_with) makes
    /// none of its own accord, which would lack the state.
    pub fn is_checkpoint_due(&self) -> bool {
        self.ntuple().is_checkpoint_due(self.filler.open.entries)
    }

    pub(crate) fn set_has_state(&mut self) {
        self.filler.builder.destination.keep_state();
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> ParallelWriter<T, W> {
    /// As [`Writer::checkpoint`], of all clusters that are published so far: not those that contexts have open, nor transactions
    /// that are not committed or wait for their turn.
    ///
    /// # Errors
    /// As [`Writer::checkpoint`].
    pub fn checkpoint(&self) -> Result<()> {
        self.shared().lock().ntuple.checkpoint(None)
    }

    /// As [`Writer::is_checkpoint_due`], for the clusters that are published.
    pub fn is_checkpoint_due(&self) -> bool {
        self.shared().lock().ntuple.is_checkpoint_due(0)
    }

    pub(crate) fn set_has_state(&self) {
        self.shared().lock().ntuple.keep_state();
    }

    /// As [`checkpoint`](Self::checkpoint), with a state: [`Writer::checkpoint_with`].
    ///
    /// # Errors
    /// As [`Writer::checkpoint`].
    pub fn checkpoint_with<S: Entry + WriteField>(&self, state: &S) -> Result<()> {
        checkpoint_with(&mut self.shared().lock().ntuple, state)
    }
}

fn checkpoint_with<S: Entry + WriteField, W: WriteAt>(ntuple: &mut Ntuple<W>, state: &S) -> Result<()> {
    let options = options_of_set(ntuple.options());
    let draft = Draft::of_set(ntuple.path(), STATE, options).map_err(|error| ntuple.place(error))?;
    let entries = ntuple.entry_count();
    ntuple.checkpoint(Some(&mut |desk| put_state(desk, &draft, entries, state)))
}

/// Writes an attribute set with the one state, about all entries.
fn put_state<S: Entry + WriteField>(
    desk: FileWriter<Desk>,
    draft: &Draft,
    entries: u64,
    state: &S,
) -> Result<(FileWriter<Desk>, LinkedAttributeSet)> {
    let file = Arc::new(Mutex::new(desk));
    let Declared { columns, mut schema } = draft.declare::<Attribute<S>>(1)?;
    let own = Ntuple::create(file.clone(), false, draft, &mut schema)?;
    let mut filler = Filler::<Attribute<S>, _>::new(own, ClusterState::of(draft, schema), columns);
    filler.fill_with(1, |columns| columns.append_row(&(0..entries), state))?;
    filler.commit_cluster()?;
    let link = filler.builder.destination.finish_set(STATE)?;
    drop(filler);
    let desk = Arc::into_inner(file).map(|file| file.into_inner().unwrap_or_else(PoisonError::into_inner));
    desk.zip(link).ok_or_else(|| Error::invalid_argument("the state was not written"))
}
