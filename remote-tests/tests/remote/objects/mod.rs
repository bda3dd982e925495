//! Files on object stores and HTTP servers, over `rntuple-object-store`.

mod bounded;
mod cache;
mod changed;
mod clouds;
mod environment;
mod faults;
mod hostile;
mod network;
mod readers;
mod reading;
mod requests;
mod retries;
mod rounds;
mod secrets;
mod store;
mod stores;
mod uploads;
mod walks;
mod writing;
