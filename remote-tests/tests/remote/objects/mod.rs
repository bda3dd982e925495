//! Files on object stores and HTTP servers, over `rntuple-object-store`.

mod cache;
mod changed;
mod clouds;
mod faults;
mod hostile;
mod network;
mod reading;
mod requests;
mod rounds;
mod secrets;
mod store;
mod stores;
mod uploads;
mod writing;
