//! RNTuples on XRootD servers: a client of the `root://` protocol in safe Rust.
//!
//! [`register`] once, and URLs may be given wherever a path is:
//!
//! ```no_run
//! use rntuple::Reader;
//! # #[derive(rntuple::RNTuple)] struct Event { met: f32 }
//!
//! rntuple_xrootd::register();
//! let reader = Reader::<Event>::open("root://eospublic.cern.ch//eos/opendata/events.root", "Events")?;
//! # Ok::<(), rntuple::Error>(())
//! ```
//!
//! | URL | |
//! | --- | --- |
//! | `root://host//path` | the absolute path `/path`, as `root://host/path`; the port is 1094 |
//! | `roots://host:1095//path` | over TLS |
//! | `root://user@[::1]:1094//path?key=value` | with a user name, IPv6, and an opaque part that is for the server, and is not in errors |
//!
//! # Who the caller is
//!
//! Servers may accept anyone, a user name (`unix`), or a bearer token over TLS (`ztn`), which is found by the [rules of
//! the WLCG](Options::token). The methods of a server are tried in its order until it accepts one, `ztn` after the others
//! where there is no TLS yet. If it refuses a token that was named by the options, `BEARER_TOKEN` or `BEARER_TOKEN_FILE`,
//! that is an error. X.509 proxies (`gsi`) and Kerberos (`krb5`) are not supported: such a server is read through its
//! HTTPS door, or with a token.
//!
//! # Time
//!
//! Each request has a [time limit](Options::timeout), in which everything counts that it waits for but the data that
//! were asked for before. A connection that was cut is made again, and the file is opened again, if it is still the
//! same.
//!
//! # Features
//!
//! | feature | |
//! | --- | --- |
//! | `tls` (default) | `roots://`, tokens, and servers that require TLS |
//! | `object-store` | `object_store::XrootdStore`, for DataFusion and others |

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::cast_possible_truncation, reason = "numbers of tests are small"))]

mod answer;
mod connection;
mod digest;
mod failure;
mod file;
mod hosts;
mod identity;
mod locks;
#[cfg(feature = "object-store")]
pub mod object_store;
mod options;
mod paths;
mod plan;
mod protocol;
mod reassembly;
mod session;
#[cfg(feature = "tls")]
mod tls;
mod token;
mod transport;
mod url;
mod wire;
mod writer;

pub use file::XrootdFile;
pub use options::Options;
pub use protocol::{register, register_with};
pub use writer::XrootdWriter;

/// What the fuzzer and the tests call: no stability.
#[cfg(any(test, feature = "internals"))]
#[doc(hidden)]
pub mod __fuzz;
