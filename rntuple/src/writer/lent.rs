//! Which threads have which fill contexts.

use crate::sync::{ThreadId, current_thread};

/// The fill contexts that are lent, and the threads that have them.
#[derive(Debug, Default)]
pub(super) struct Lent {
    holders: Vec<Holder>,
    next: u64,
}

#[derive(Debug)]
struct Holder {
    number: u64,
    thread: ThreadId,
    /// The thread has filled it. One that only asked for it may have given it to another thread.
    is_used: bool,
}

/// Whether a thread that has a context can work while some threads wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Able {
    /// At least one can.
    Some,
    /// None can, unless a waiting thread has given an unused context to another one.
    Perhaps,
    /// None can.
    None,
}

impl Lent {
    /// One more, for this thread; returns its number.
    pub(super) fn add(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.holders.push(Holder { number, thread: current_thread().id(), is_used: false });
        number
    }

    /// One fewer.
    pub(super) fn remove(&mut self, number: u64) {
        self.holders.retain(|holder| holder.number != number);
    }

    /// This thread uses it.
    pub(super) fn hold(&mut self, number: u64) {
        if let Some(holder) = self.holders.iter_mut().find(|holder| holder.number == number) {
            holder.thread = current_thread().id();
            holder.is_used = true;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.holders.len()
    }

    /// The thread that has a context.
    pub(super) fn thread_of(&self, number: u64) -> Option<ThreadId> {
        self.holders.iter().find(|holder| holder.number == number).map(|holder| holder.thread)
    }

    /// Whether any thread can work while these wait.
    pub(super) fn able(&self, waiting: &[ThreadId]) -> Able {
        let mut blocked = self.holders.iter().filter(|holder| waiting.contains(&holder.thread));
        let is_unused = blocked.any(|holder| !holder.is_used);
        if self.holders.iter().any(|holder| !waiting.contains(&holder.thread)) {
            Able::Some
        } else if is_unused {
            Able::Perhaps
        } else {
            Able::None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_waits_cannot_fill_another_context() {
        let mut lent = Lent::default();
        let me = current_thread().id();
        let (a, b) = (lent.add(), lent.add());
        assert_eq!((lent.len(), lent.able(&[])), (2, Able::Some));
        lent.hold(a);
        // The second one may be on its way to another thread.
        assert_eq!(lent.able(&[me]), Able::Perhaps);
        lent.hold(b);
        assert_eq!(lent.able(&[me]), Able::None);
        thread::scope(|threads| threads.spawn(|| lent.hold(b)).join()).unwrap();
        assert_eq!(lent.able(&[me]), Able::Some);
        assert_ne!(lent.thread_of(b), Some(me));
        lent.remove(b);
        assert_eq!(lent.able(&[me]), Able::None);
    }
}
