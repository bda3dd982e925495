//! A bar for what takes long, where somebody watches.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::text::printable;

/// What is done before is not worth a bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// The bar moves this often.
const BEAT: Duration = Duration::from_millis(100);
const TEMPLATE: &str = "{prefix} [{bar:30}] {percent}% {msg}";

/// A bar on standard error, once it takes long; none where standard error is not a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    /// Before this, nothing is shown.
    next: Instant,
    is_watched: bool,
    name: String,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(name: &str) -> Self {
        let is_watched = io::stderr().is_terminal();
        Self { next: Instant::now() + PATIENCE, is_watched, name: printable(name).into_owned(), bar: None }
    }

    /// As many as `done` of `all` are done; `message` says more, when it is shown.
    pub(crate) fn at(&mut self, done: u64, all: u64, message: impl FnOnce() -> String) {
        if !self.is_watched || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + BEAT;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
                bar.set_style(style);
            }
            bar.with_prefix(self.name.clone())
        });
        bar.set_length(all);
        bar.set_message(message());
        bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
