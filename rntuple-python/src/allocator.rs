//! Memory in which arrays of hundreds of megabytes are filled for the first time.
//!
//! Pages of 4 KiB cost more than what is decoded into them: on Linux, where the system gives larger ones only to those
//! who ask, this asks for them as NumPy does for its own arrays.
#![allow(unsafe_code, reason = "that is how allocators are")]

use std::alloc::{GlobalAlloc, Layout, System};

#[global_allocator]
static ALLOCATOR: LargePages = LargePages;

/// The length of a large page. What is shorter has no room for one.
const LARGE: usize = 2 << 20;

/// The allocator of the system, asked for large pages where allocations are large.
struct LargePages;

// SAFETY: all memory is that of `System`, which keeps no account of layouts: what it allocated for a stricter alignment it
// takes back, or makes longer, like any other.
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc(within_pages(layout)) };
        advise(memory, layout.size());
        memory
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc_zeroed(layout) };
        advise(memory, layout.size());
        memory
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.realloc(old, layout, size) };
        advise(memory, size);
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// The same, from the beginning of a large page on.
fn within_pages(layout: Layout) -> Layout {
    let is_large = cfg!(target_os = "linux") && layout.size() >= LARGE;
    if is_large { layout.align_to(LARGE).unwrap_or(layout) } else { layout }
}

/// Asks for large pages within this memory.
fn advise(memory: *mut u8, size: usize) {
    #[cfg(target_os = "linux")]
    if size >= LARGE && !memory.is_null() {
        // The longest pages of any processor that Linux runs on end at its multiples, too.
        const PAGE: usize = 64 << 10;
        let skipped = memory.addr().wrapping_neg() % PAGE;
        // SAFETY: it lies within an allocation, and the advice changes no value. It may be refused, which is no matter.
        unsafe { libc::madvise(memory.wrapping_add(skipped).cast(), size - skipped, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, size);
}
