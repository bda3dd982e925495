//! The data of an answer, while it comes and afterwards.

use std::sync::Mutex;

use crate::locks::lock;
use crate::wire::Fault;

/// Memory of answers that were used, for those that come.
#[derive(Debug, Default)]
pub(crate) struct Spares(Mutex<Vec<Vec<u8>>>);

impl Spares {
    /// Answers come one after the other on each connection, and are used soon.
    const MOST: usize = 8;
    /// Longer memory is not kept, in bytes: answers to requests for large ranges are shorter.
    const LONGEST: usize = 2 << 20;

    /// An answer without data so far.
    pub(crate) fn answer(&self) -> Answer {
        let memory = lock(&self.0).pop().unwrap_or_default();
        Answer { memory, length: 0, parts: Vec::new() }
    }

    /// Takes an answer back.
    pub(crate) fn put(&self, answer: Answer) {
        let mut spares = lock(&self.0);
        if answer.memory.capacity() <= Self::LONGEST && spares.len() < Self::MOST {
            spares.push(answer.memory);
        }
    }
}

/// The data of an answer, in memory that may have served another one.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// The data, and after it what the memory held before: clearing it would cost more than it is worth.
    memory: Vec<u8>,
    length: usize,
    /// Of `kXR_pgread`: where in the file each part of the data is, and where in the data it ends.
    pub(crate) parts: Vec<(u64, usize)>,
}

impl Answer {
    pub(crate) fn data(&self) -> &[u8] {
        self.memory.get(..self.length).unwrap_or_default()
    }

    /// Adds `count` bytes, which the caller fills, and takes memory for `expected` bytes in all.
    pub(crate) fn grow(&mut self, count: usize, expected: usize) -> Result<&mut [u8], Fault> {
        let start = self.length;
        let end = start.checked_add(count).ok_or(Fault::TooLong)?;
        let missing = expected.max(end).saturating_sub(self.memory.len());
        self.memory.try_reserve_exact(missing).map_err(|_| Fault::TooLong)?;
        if self.memory.len() < end {
            self.memory.resize(end, 0);
        }
        self.length = end;
        self.memory.get_mut(start..end).ok_or(Fault::TooLong)
    }

    pub(crate) fn into_data(mut self) -> Vec<u8> {
        self.memory.truncate(self.length);
        self.memory
    }
}

/// As [`write`](crate::wire::pages::write) makes them.
#[cfg(any(test, feature = "internals"))]
impl From<(Vec<u8>, Vec<(u64, usize)>)> for Answer {
    fn from((memory, parts): (Vec<u8>, Vec<(u64, usize)>)) -> Self {
        Self { length: memory.len(), memory, parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_bytes_are_not_data() {
        let spares = Spares::default();
        spares.put(Answer::from((vec![9; 10], vec![(7, 10)])));
        let mut answer = spares.answer();
        assert!(answer.data().is_empty());
        answer.grow(4, 4).unwrap().copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(answer.data(), [1, 2, 3, 4]);
        answer.grow(8, 100).unwrap().fill(5);
        assert_eq!(answer.data(), [1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5, 5]);
        assert!(answer.memory.capacity() >= 100);
        assert_eq!(answer.grow(usize::MAX, 0), Err(Fault::TooLong));
        spares.put(answer);
        let mut answer = spares.answer();
        answer.grow(2, 2).unwrap();
        assert_eq!((answer.parts.len(), answer.into_data()), (0, vec![1, 2]));
    }
}
