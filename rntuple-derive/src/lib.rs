//! The derive macro of the `rntuple` crate.
#![forbid(unsafe_code)]
