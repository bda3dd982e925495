//! Which of a field's representations a cluster has (format, section 7.4).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::error::{Error, Result};
use crate::field::Choice;
use crate::message::counted;

/// The choices of one context.
#[derive(Debug)]
pub(super) struct Representations {
    choices: Vec<Choice>,
    /// Of the open cluster, by choice.
    active: Arc<[u16]>,
}

impl Representations {
    pub(super) fn new(choices: Vec<Choice>) -> Self {
        let active = choices.iter().map(|_| 0).collect();
        Self { choices, active }
    }

    /// From the next cluster on, all fields at `path` and below it that have several representations have this one.
    ///
    /// # Errors
    /// There is no such field, or one of them has fewer.
    pub(super) fn choose(&self, path: &str, number: usize) -> Result<()> {
        let chosen = || self.choices.iter().filter(|choice| is_at_or_below(&choice.path, path));
        if chosen().next().is_none() {
            return Err(Error::invalid_argument("no field here has several representations").in_field(path));
        }
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        if let Some(choice) = chosen().find(|choice| number >= choice.count) {
            let all = counted(choice.count.into(), "representation");
            let message = format!("the field has no representation {number}, only {all}, counted from 0");
            return Err(Error::invalid_argument(message).in_field(&*choice.path));
        }
        chosen().for_each(|choice| choice.chosen.store(number, Ordering::Relaxed));
        Ok(())
    }

    /// From the next cluster on, all fields have their first ones.
    pub(super) fn reset(&self) {
        self.choices.iter().for_each(|choice| choice.chosen.store(0, Ordering::Relaxed));
    }

    /// Whether all fields have their first ones, in the open cluster and the next.
    pub(super) fn are_first(&self) -> bool {
        let mut chosen = self.choices.iter().map(|choice| choice.chosen.load(Ordering::Relaxed));
        chosen.all(|number| number == 0) && self.active.iter().all(|number| *number == 0)
    }

    /// Another cluster begins; the columns were told.
    pub(super) fn turn(&mut self) {
        if !self.choices.is_empty() {
            self.active = self.choices.iter().map(|choice| choice.chosen.load(Ordering::Relaxed)).collect();
        }
    }

    /// The fields that have several, and what the next cluster has of each.
    pub(super) fn choices(&self) -> Vec<Choice> {
        self.choices.clone()
    }

    /// Those of the open cluster, by choice.
    pub(super) fn active(&self) -> Arc<[u16]> {
        self.active.clone()
    }
}

/// Whether a field is the one at `path` or below it; the `_0` of items may be left out of the path.
fn is_at_or_below(field: &str, path: &str) -> bool {
    let mut parts = field.split('.');
    path.split('.').all(|wanted| {
        loop {
            match parts.next() {
                Some(part) if part == wanted => return true,
                Some("_0") => {}
                _ => return false,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_fields_with_or_without_items() {
        for path in ["muons", "muons._0", "muons._0.pt", "muons.pt"] {
            assert!(is_at_or_below("muons._0.pt", path), "{path}");
        }
        for path in ["", "muon", "muons.eta", "muons._0._0", "muons.pt._0", "pt"] {
            assert!(!is_at_or_below("muons._0.pt", path), "{path}");
        }
    }
}
