//! Programs that use the derive: those in `ui` must be refused, in the words of the `.stderr` file beside
//! each, those in `pass` must build and run.
//!
//! `TRYBUILD=overwrite cargo test -p ui-tests` writes the words anew. They differ between versions of the
//! compiler: one pinned version is asked.
//!
//! The first line of a program in `ui` is the rule that it breaks: a heading of the book's index of compile errors,
//! which `RNTUPLE_BLESS=1 cargo test -p ui-tests` writes anew.

/// A crate that passes `rntuple` on, as frameworks do.
pub mod framework {
    pub use rntuple as io;
}
