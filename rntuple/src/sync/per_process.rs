//! Values that a process does not share with the one that it was forked from.

use std::process;
use std::sync::OnceLock;

/// A value for each process: connections, threads and locks.
///
/// A process that was forked has the memory of its parent, but not the threads: what waits for these waits for ever, and a
/// lock that one of them held is never free. Two processes that write to one socket garble it. So a process that finds the
/// value of another one makes its own. It takes no lock for that, and never drops that of the other one before its own end.
#[derive(Debug)]
pub struct PerProcess<T>(Link<T>);

type Link<T> = OnceLock<Box<Made<T>>>;

/// The value of a process, and those of processes that were forked from it.
#[derive(Debug)]
struct Made<T> {
    process: u32,
    value: T,
    next: Link<T>,
}

impl<T> PerProcess<T> {
    /// Returns a place for values, none of which is made yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Returns the value of this process, which `make` makes if there is none.
    pub fn get_or_init(&self, mut make: impl FnMut() -> T) -> &T {
        let process = process::id();
        let mut link = &self.0;
        loop {
            let made = link.get_or_init(|| Box::new(Made { process, value: make(), next: OnceLock::new() }));
            if made.process == process {
                return &made.value;
            }
            link = &made.next;
        }
    }
}

#[cfg(test)]
impl<T> PerProcess<T> {
    /// The value of another process.
    pub(crate) fn of_parent(value: T) -> Self {
        let made = Made { process: process::id().wrapping_add(1), value, next: OnceLock::new() };
        Self(OnceLock::from(Box::new(made)))
    }
}

impl<T: Default> PerProcess<T> {
    /// Returns the value of this process, which is the default one at first.
    pub fn get(&self) -> &T {
        self.get_or_init(T::default)
    }
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for PerProcess<T> {
    /// Makes the value of this process.
    fn from(value: T) -> Self {
        let made = Made { process: process::id(), value, next: OnceLock::new() };
        Self(OnceLock::from(Box::new(made)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_another_process_is_not_used() {
        let own = PerProcess::from(3);
        assert_eq!((*own.get(), own.get_or_init(|| 4)), (3, &3));
        let of_parent = PerProcess::of_parent(7);
        let value = of_parent.get_or_init(|| 8);
        assert_eq!(*value, 8);
        assert!(std::ptr::eq(value, of_parent.get()), "it is made once");
    }
}
