//! Files on object stores and HTTP servers, over `rntuple-object-store`.

mod faults;
mod reading;
mod store;
