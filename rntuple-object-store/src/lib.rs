//! RNTuple files on S3, HTTP, Google Cloud Storage and Azure, over the crate [`object_store`].
//!
//! Register once, at the start of the program; from then on, URLs can be given wherever a path is:
//!
//! ```no_run
//! use rntuple::{Files, RNTuple, Reader, WriteOptions, Writer};
//!
//! #[derive(RNTuple)]
//! struct Event { number: u64, met: f32 }
//!
//! # fn main() -> rntuple::Result<()> {
//! rntuple_object_store::register();
//!
//! let mut writer = Writer::<Event>::create("s3://bucket/run1.root", "Events", WriteOptions::new())?;
//! writer.fill(&Event { number: 1, met: 20.0 })?;
//! // Only now is there an object.
//! writer.finish()?;
//!
//! let one = Reader::<Event>::open("https://example.org/data/run1.root", "Events")?;
//! let all = Reader::<Event>::open(Files::glob("s3://bucket/run*.root")?, "Events")?;
//! # Ok(())
//! # }
//! ```
//!
//! | URL | feature | credentials |
//! | --- | --- | --- |
//! | `s3://bucket/key`, `s3a://bucket/key` | `s3`, a default | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ALLOW_HTTP`, web identity, container and instance roles; `AWS_SKIP_SIGNATURE=true` for public data |
//! | `http://host/path`, `https://host/path` | `http`, a default | [`Options::bearer_token`], [`Options::bearer_token_from_env`], or what the URL has |
//! | `gs://bucket/key` | `gcs` | `GOOGLE_SERVICE_ACCOUNT`, `GOOGLE_APPLICATION_CREDENTIALS` |
//! | `az://container/key`, `abfs://container/key` | `azure` | `AZURE_STORAGE_ACCOUNT_NAME`, `AZURE_STORAGE_ACCOUNT_KEY`, and others |
//!
//! These are the variables of `object_store`, which its documentation lists in full; [`Options::config`] sets the same in
//! the program.
//!
//! # Paths
//! `object_store` has paths decoded, and without empty parts. So a key with an empty part (`a//b`, `/a`) and the path
//! of an HTTP server with an escaped slash (`%2F`) are errors: they would become those of other objects. In the path of
//! an HTTP server, several slashes in a row are one.
//!
//! # Reading
//! Opening takes two requests: one for the first 256 KiB, which says how long the object is, and one for the end: 256 KiB,
//! or 1/256 of an object of over 64 MiB, up to 1 MiB, and what is before it in a block of 64 KiB. A walk makes one
//! request for about 8 MiB, several at once, and ahead of what it needs. Ranges that are less than
//! [`merge_gap`](Options::merge_gap) apart are one request. Every request but the first is bound to the e-tag of the
//! first one, or else to its date: an object that is replaced while it is read gives an error, never a mixture. Of a
//! server that says neither, as the HTTP door of XRootD, another size is noticed, and another object of the same size
//! is not.
//!
//! Directories of HTTP servers are listed by WebDAV, which few have; those of XRootD answer to `root://` only.
//!
//! # Writing
//! S3, Google Cloud Storage and Azure take an object in [parts](Options::part_size), and show it when it is complete. The
//! first part, which is written last, stays in memory, as do up to three others. A writer that is dropped aborts the
//! upload; one that is killed leaves parts that the store may charge for, until its life-cycle rule removes them. HTTP
//! servers cannot be written to.
//!
//! # Threads
//! The crate has a thread of its own for each 8 cores, up to four, on which a tokio runtime drives all requests. Readers and writers may be used
//! within another runtime; as they wait, they should be on a thread that may be blocked.

mod error;
mod file;
mod http;
mod locate;
mod options;
mod protocol;
mod ranges;
mod retry_after;
mod runtime;
mod upload;
mod writer;

pub use file::ObjectFile;
pub use options::Options;
pub use protocol::{register, register_with, store};
pub use runtime::wait;
pub use writer::ObjectWriter;
