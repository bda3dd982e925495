//! Tests against servers: one that follows a script, and the real one of XRootD, all on this machine.
#![allow(clippy::cast_possible_truncation, reason = "numbers of tests are small")]

mod live;
mod scripted;
