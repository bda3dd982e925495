//! An allocator that knows how much is held at once, and how often each thread asks for memory.

#![allow(unsafe_code, reason = "an allocator cannot be watched without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts what the system's allocator holds and is asked for, where a program makes it its `#[global_allocator]`.
#[derive(Debug)]
pub struct Watched;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Of each thread: those that start and end tests ask for memory at any time.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Notes that `length` bytes more are held.
fn note(length: usize) {
    // A thread that ends has no counter any more.
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
    let held = HELD.fetch_add(length, Relaxed) + length;
    PEAK.fetch_max(held, Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged; the counters are atomic.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the rules of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the rules of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the pointer came from this allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The counters belong to the whole process: one test at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often this thread asks for memory during `work`.
pub fn allocations(work: impl FnOnce()) -> usize {
    let before = CALLS.get();
    work();
    CALLS.get() - before
}

/// The most bytes that `work` holds at once, beyond what is held before, and what it returns.
pub fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    (PEAK.load(Relaxed).saturating_sub(before), result)
}
