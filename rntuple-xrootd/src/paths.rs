//! What can be done with paths: look, list, remove, rename.

use std::io;

use crate::failure::{Deadline, Failure};
use crate::hosts::{Operation, ask};
use crate::options::Options;
use crate::url::{Place, Url};
use crate::wire::code::{Code, errors};
use crate::wire::cursor::text;
use crate::wire::stat::{Entry, Stat, read_list};

fn request<T>(
    url: &Url,
    operation: &Operation<'_>,
    options: &Options,
    deadline: Deadline,
    read: impl FnOnce(&[u8]) -> Result<T, Failure>,
) -> io::Result<T> {
    let reply = ask(url, operation, &Place::of(url), Vec::new(), 0, options, deadline);
    let answer = reply.and_then(|reply| read(&reply.body));
    answer.map_err(|failure| failure.into_error(&url.to_string(), operation.code()))
}

fn soon(options: &Options) -> Deadline {
    Deadline::after(options.timeout)
}

pub(crate) fn stat(url: &Url, options: &Options) -> io::Result<Stat> {
    request(url, &Operation::Stat, options, soon(options), |body| Stat::read(body).map_err(Failure::garbled))
}

/// Whether there is something at `url`.
pub(crate) fn exists(url: &Url, options: &Options) -> io::Result<bool> {
    match stat(url, options) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Lists a directory; each name with its stat.
pub(crate) fn list(url: &Url, options: &Options) -> io::Result<Vec<(String, Stat)>> {
    let entries = request(url, &Operation::List, options, soon(options), |body| {
        read_list(body).map_err(Failure::garbled)
    })?;
    let folder = url.path.trim_end_matches('/');
    let known = |Entry { name, stat: found }| {
        let found = match found {
            Some(found) => found,
            // An old server, which lists names only.
            None => stat(&url.with_path(format!("{folder}/{name}")), options)?,
        };
        Ok((name, found))
    };
    entries.into_iter().map(known).collect()
}

/// Removes a file, within a time.
pub(crate) fn remove(url: &Url, options: &Options, deadline: Deadline) -> io::Result<()> {
    request(url, &Operation::Remove, options, deadline, |_| Ok(()))
}

/// Renames a file to another path on the same server. What is there is replaced, or the server refuses. Of a file whose size
/// is given it is found out whether it was renamed, where the answer is lost.
pub(crate) fn rename(url: &Url, to: &Url, size: Option<u64>, options: &Options) -> io::Result<()> {
    try_rename(url, to, size, options).map_err(|failure| not_renamed(url, failure))
}

/// Renames a file to the path of `to`, and replaces what is there. Where the server does not replace files, there is none
/// for a moment.
pub(crate) fn replace(url: &Url, to: &Url, size: Option<u64>, options: &Options) -> io::Result<()> {
    match try_rename(url, to, size, options) {
        // Only then may the old file be removed. A server that refuses for another reason (`FSError` too: XRootD says it
        // where a directory would replace a file) may not take the new one either. XRootD says that the target exists
        // before it looks for the file that it renames.
        Err(failure) if failure.is(errors::EXISTS) && is_complete(url, size, options) => {
            remove(to, options, soon(options)).map_err(|_| not_renamed(url, failure))?;
            rename(url, to, size, options).map_err(|error| {
                io::Error::new(error.kind(), format!("{error}; the old file of that name is removed"))
            })
        }
        renamed => renamed.map_err(|failure| not_renamed(url, failure)),
    }
}

/// Whether the server has a file, of this size if it is given.
fn is_complete(url: &Url, size: Option<u64>, options: &Options) -> bool {
    stat(url, options).is_ok_and(|there| size.is_none_or(|size| there.size == size))
}

fn not_renamed(url: &Url, failure: Failure) -> io::Error {
    failure.into_error(&url.to_string(), Code::mv)
}

/// Renames a file. Where the answer is lost, what there is under both names says whether it was done.
fn try_rename(url: &Url, to: &Url, size: Option<u64>, options: &Options) -> Result<(), Failure> {
    let renamed =
        ask(url, &Operation::Rename(&to.path), &Place::of(url), Vec::new(), 0, options, soon(options));
    match renamed {
        Ok(_) => Ok(()),
        Err(failure @ (Failure::Lost(..) | Failure::TimedOut(_))) => {
            let is_done = size.is_some()
                && matches!(exists(url, options), Ok(false))
                && stat(to, options).is_ok_and(|there| Some(there.size) == size);
            if is_done { Ok(()) } else { Err(failure.unknown()) }
        }
        Err(failure) => Err(failure),
    }
}

/// Kind and value of the checksum that the server has of a file: `adler32 0a1b2c3d`.
pub(crate) fn checksum(url: &Url, options: &Options) -> io::Result<String> {
    request(url, &Operation::Checksum, options, soon(options), |body| Ok(text(body)))
}
