//! Reads that are made together.

use crate::sync::{Mutex, MutexGuard};
use std::sync::{Arc, PoisonError};

use crate::bytes::Block;
use crate::error::{Error, Result};
use crate::pool::Task;

/// What a batch brings: a block for each of its reads.
pub(super) type Outcome = Vec<Result<Block>>;

/// Reads that are made together, by whatever thread comes first. Each of them is waited for once.
pub(super) struct Batch(Mutex<State>);

enum State {
    Planned,
    Begun(Task<Outcome>),
    /// Those that were not waited for yet.
    Done(Vec<Option<Result<Block>>>),
}

/// A batch that no thread can wait for yet: it is put together.
pub(super) struct Planning<'a>(MutexGuard<'a, State>);

impl Batch {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(State::Planned)))
    }

    /// Lets all waits last until it is [begun](Planning::begin).
    pub(super) fn plan(&self) -> Planning<'_> {
        Planning(self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the block of read `number`. Waits for other reads of the batch end at the same time.
    pub(super) fn wait(&self, number: usize) -> Result<Block> {
        let mut state = self.lock();
        if let State::Begun(_) = &*state
            && let State::Begun(task) = std::mem::replace(&mut *state, State::Planned)
        {
            *state = State::Done(task.wait().into_iter().map(Some).collect());
        }
        let block = match &mut *state {
            State::Done(blocks) => blocks.get_mut(number).and_then(Option::take),
            _ => None,
        };
        // The storage gave fewer blocks than it was asked for, or a thread that read panicked.
        block
            .unwrap_or_else(|| Err(Error::out_of_spec("the storage gave fewer ranges than it was asked for")))
    }
}

impl Planning<'_> {
    pub(super) fn begin(mut self, task: Task<Outcome>) {
        *self.0 = State::Begun(task);
    }
}
