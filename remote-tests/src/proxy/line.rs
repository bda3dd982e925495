//! A delay line: chunks on their way, each with the time at which it arrives.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between the thread that reads a socket and the one that writes to the other.
#[derive(Debug)]
pub(super) struct Line {
    window: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    chunks: VecDeque<(Instant, Vec<u8>)>,
    length: usize,
    /// When the end arrives after the last chunk.
    end: Option<Instant>,
    is_cut: bool,
}

impl Line {
    /// A line with at most `window` bytes on it.
    pub(super) fn new(window: usize) -> Self {
        Self { window, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a chunk that arrives at `arrival`, once there is room. False: the line is cut.
    pub(super) fn push(&self, arrival: Instant, chunk: Vec<u8>) -> bool {
        let mut state = self.lock();
        while state.length >= self.window && !state.is_cut {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.length += chunk.len();
        state.chunks.push_back((arrival, chunk));
        self.changed.notify_all();
        !state.is_cut
    }

    /// Says that nothing comes after the last chunk.
    pub(super) fn close(&self, arrival: Instant) {
        self.lock().end = Some(arrival);
        self.changed.notify_all();
    }

    /// Drops what is on the line, and ends all waits for it.
    pub(super) fn cut(&self) {
        let mut state = self.lock();
        state.is_cut = true;
        state.chunks.clear();
        self.changed.notify_all();
    }

    pub(super) fn is_cut(&self) -> bool {
        self.lock().is_cut
    }

    /// Waits for `time`, or less if the line is cut.
    pub(super) fn sleep(&self, time: Duration) {
        let state = self.lock();
        let _ = self.changed.wait_timeout_while(state, time, |state| !state.is_cut);
    }

    /// Waits until the next chunk arrives. `None`: the end has, or the line is cut.
    pub(super) fn pop(&self) -> Option<Vec<u8>> {
        let mut state = self.lock();
        loop {
            if state.is_cut {
                return None;
            }
            let next = state.chunks.front().map(|(arrival, _)| *arrival);
            let Some(arrival) = next.or(state.end) else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = arrival.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let chunk = state.chunks.pop_front().map(|(_, chunk)| chunk);
                state.length -= chunk.as_ref().map_or(0, Vec::len);
                self.changed.notify_all();
                return chunk;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
