//! Checkpoints that are on their way to the medium.

use super::free_list::Segment;
use super::patch::Numbers;
use super::update::State;

/// A checkpoint that does not count yet: its records are being flushed, and nothing leads to them.
#[derive(Debug)]
pub(super) struct Pending {
    /// The path of the ntuple.
    pub(super) path: String,
    /// Where its records are, and how many bytes they take.
    pub(super) region: Segment,
    pub(super) size: u64,
    /// What leads to them.
    pub(super) steps: Vec<Numbers>,
    /// What a file that grows is then.
    pub(super) state: Option<Box<State>>,
}
