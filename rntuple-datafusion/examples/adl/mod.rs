//! The eight queries of the ADL benchmark, in SQL over a file and with the derive.

pub(crate) mod derive;
pub(crate) mod event;
pub(crate) mod histogram;
pub(crate) mod queries;
