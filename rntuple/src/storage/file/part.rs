//! A file under construction, next to the place where it will be.
//!
//! ```text
//! create    .events.root.part   created and locked; an existing events.root is locked as well and stays as it is
//! write     .events.root.part
//! keep      events.root.partial renamed when it can be read: after the first checkpoint
//! publish   events.root         renamed once its bytes are on the medium
//! ```
//!
//! The lock of the part file makes a second writer of the same target fail at once. A part file that no process has
//! locked was left by a writer that was killed: the next writer of the target makes it `events.root.left`, from which
//! entries may be recovered. So does a writer that is dropped, if its file is worth it. Of two, the longer one stays. A
//! file that can be read is never removed: it is continued, or kept.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, PathPersistError, TempPath};
use xxhash_rust::xxh3::xxh3_64;

use super::lock::{self, Lock, Locked, MAX_ATTEMPTS, is_at};
use crate::storage::identity::Identity;
use crate::storage::readers;

/// How many links a path may lead through.
const MAX_LINKS: usize = 40;
/// Names of files have up to 255 bytes; longer ones than this are cut in the name of the part file.
const MAX_NAME: usize = 200;
/// Characters that tell apart the part files of one target, where their writers cannot be known to be gone.
const UNIQUE: usize = 6;
/// How many files of one name are kept.
const MAX_KEPT: usize = 1000;

/// A file under construction. Dropped, it is removed or left, and what was at its target stays.
#[derive(Debug)]
pub(super) struct Part {
    path: Name,
    lock: Locked,
    /// Where it will be, all links resolved.
    target: PathBuf,
    /// What is there, locked.
    old: Option<(Locked, Identity)>,
}

/// Where the file under construction is.
#[derive(Debug)]
enum Name {
    /// Removes the file; before the lock ends, so that the name cannot be another writer's by then.
    Hidden(TempPath),
    /// Leaves the file under a name of its own.
    Worthy(Worthy),
    /// It stays.
    Kept(PathBuf),
}

impl Name {
    /// To be given another name; without one, the file is removed.
    fn into_temporary(self) -> io::Result<TempPath> {
        match self {
            Self::Hidden(path) => Ok(path),
            Self::Worthy(worthy) => worthy.into_temporary(),
            Self::Kept(path) => TempPath::try_from_path(path),
        }
    }
}

/// A file from which entries could be recovered, should nothing more be done with it.
#[derive(Debug)]
struct Worthy {
    path: Option<TempPath>,
    /// Where it is left.
    left: PathBuf,
}

impl Worthy {
    fn into_temporary(mut self) -> io::Result<TempPath> {
        self.path.take().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Drop for Worthy {
    fn drop(&mut self) {
        let Some(path) = self.path.take() else { return };
        // If it cannot be renamed, it stays under its name.
        if let Ok(path) = path.keep() {
            let _ = leave(&path, &self.left);
        }
    }
}

/// Leaves a file that no one writes any more for a recovery. Of two, the longer one stays.
fn leave(path: &Path, left: &Path) -> io::Result<()> {
    let length = |path: &Path| fs::symlink_metadata(path).map(|metadata| metadata.len());
    match length(left) {
        Ok(earlier) if earlier >= length(path)? => fs::remove_file(path),
        _ => fs::rename(path, left),
    }
}

impl Part {
    /// Creates the part file of `path`. A link is followed: the file that it leads to will be replaced, not the link.
    ///
    /// # Errors
    /// The folder is missing or takes no new file; or the file at `path` is read-only, is being written by another
    /// writer ([`io::ErrorKind::WouldBlock`]), or is being read by this process
    /// ([`io::ErrorKind::ResourceBusy`]).
    pub(super) fn replacing(path: &Path) -> io::Result<Self> {
        let target = resolve(path)?;
        check_partial(&target)?;
        let old = old_at(&target)?;
        let (path, lock) = create(&target)?;
        if let Some((old, _)) = &old {
            // Before anything is written: a private file must not be readable for others even for a moment.
            lock.set_permissions(old.metadata()?.permissions())?;
        }
        Ok(Self { path: Name::Hidden(path), lock, target, old })
    }

    /// What a writer of `path` left, which can be read.
    ///
    /// # Errors
    /// It cannot be opened, or its writer is still at work ([`io::ErrorKind::WouldBlock`]).
    pub(super) fn left_over(path: &Path) -> io::Result<Option<Self>> {
        let target = resolve(path)?;
        let partial = partial_of(&target)?;
        let lock = match lock::open(File::options().read(true).write(true), &partial) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            lock => lock?,
        };
        let old = old_at(&target)?;
        Ok(Some(Self { path: Name::Kept(partial), lock, target, old }))
    }

    /// From now on, entries could be recovered from the file.
    pub(super) fn set_worthy(&mut self) {
        let Ok(left) = left_of(&self.target) else { return };
        self.path = match std::mem::replace(&mut self.path, Name::Kept(PathBuf::new())) {
            Name::Hidden(path) => Name::Worthy(Worthy { path: Some(path), left }),
            other => other,
        };
    }

    /// Gives the file a name under which readers find it, and under which it stays.
    ///
    /// # Errors
    /// Another file has the name.
    pub(super) fn keep(&mut self) -> io::Result<()> {
        if matches!(self.path, Name::Kept(_)) {
            return Ok(());
        }
        let partial = partial_of(&self.target)?;
        let path = std::mem::replace(&mut self.path, Name::Kept(partial.clone())).into_temporary()?;
        if let Err(PathPersistError { error, path }) = path.persist_noclobber(&partial) {
            self.path = Name::Hidden(path);
            self.set_worthy();
            return Err(match error.kind() {
                io::ErrorKind::AlreadyExists => left_over(&partial),
                _ => error,
            });
        }
        sync_folder(&self.target)
    }

    /// Creates the part file of `path`, where nothing may be.
    ///
    /// # Errors
    /// As [`replacing`](Self::replacing), and [`io::ErrorKind::AlreadyExists`].
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file exists already"));
        }
        let target = std::path::absolute(path)?;
        check_partial(&target)?;
        let (path, lock) = create(&target)?;
        Ok(Self { path: Name::Hidden(path), lock, target, old: None })
    }

    /// The file that is written to.
    pub(super) fn file(&self) -> io::Result<File> {
        self.lock.file()
    }

    /// Gives the file its name, which may replace the file that was there when it was created, but no other.
    ///
    /// # Errors
    /// Another file has taken the name since, or the system's error. What was written is then kept under a name
    /// that the error says.
    pub(super) fn publish(self) -> io::Result<()> {
        let Self { path, lock: _lock, target, mut old } = self;
        let path = path.into_temporary()?;
        let is_as_it_was = match (&old, Identity::of_path(&target)) {
            (Some((_, old)), Ok(now)) => *old == now,
            _ => false,
        };
        if cfg!(windows) {
            // Elsewhere the lock is held until the old file is gone; here it would prevent that.
            old = None;
        }
        let renamed = if is_as_it_was { path.persist(&target) } else { path.persist_noclobber(&target) };
        drop(old);
        match renamed {
            Ok(_) => sync_folder(&target),
            Err(PathPersistError { error, path }) => {
                let why = match error.kind() {
                    io::ErrorKind::AlreadyExists => "another file has taken this name meanwhile".to_owned(),
                    _ => error.to_string(),
                };
                let kept = keep(path, &target)?;
                let message = format!("{why}; what was written is in {}", kept.display());
                Err(io::Error::new(error.kind(), message))
            }
        }
    }

    /// Keeps a file that is not complete: under its own name where nothing has it, otherwise under a similar one,
    /// which is returned. An existing file stays.
    pub(super) fn publish_incomplete(self) -> io::Result<Option<PathBuf>> {
        let Self { path, lock: _lock, target, old } = self;
        let path = path.into_temporary()?;
        let path = match old {
            None => match path.persist_noclobber(&target) {
                Ok(()) => return sync_folder(&target).map(|()| None),
                Err(error) => error.path,
            },
            Some(_) => path,
        };
        keep(path, &target).map(Some)
    }
}

/// What is at the target, locked.
fn old_at(target: &Path) -> io::Result<Option<(Locked, Identity)>> {
    match lock::open(File::options().read(true).write(true), target) {
        Ok(file) => {
            let identity = Identity::of_file(&file, target)?;
            readers::check_unread(&identity)?;
            Ok(Some((file, identity)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where a writer of the target leaves what can be read.
pub(super) fn partial_of(target: &Path) -> io::Result<PathBuf> {
    let prefix = prefix_of(target)?;
    Ok(target.with_file_name(format!("{}.partial", prefix.strip_prefix('.').unwrap_or(&prefix))))
}

/// Where a writer of the target leaves what can be recovered.
fn left_of(target: &Path) -> io::Result<PathBuf> {
    let prefix = prefix_of(target)?;
    Ok(target.with_file_name(format!("{}.left", prefix.strip_prefix('.').unwrap_or(&prefix))))
}

/// Whether a part file of a target with this prefix is called so: `.NAME.part`, or `.NAME.part.4pXk2Q`.
fn is_part(name: &str, prefix: &str) -> bool {
    let Some(rest) = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(".part")) else {
        return false;
    };
    let is_unique =
        |unique: &str| unique.len() == UNIQUE && unique.bytes().all(|byte| byte.is_ascii_alphanumeric());
    rest.is_empty() || rest.strip_prefix('.').is_some_and(is_unique)
}

/// The files that writers of `path` left, which no process is writing.
pub(super) fn leftovers(path: &Path) -> io::Result<Vec<PathBuf>> {
    let target = resolve(path)?;
    let prefix = prefix_of(&target)?;
    let (partial, left) = (partial_of(&target)?, left_of(&target)?);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder_of(&target))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !is_part(&name, &prefix) && path != partial && path != left {
            continue;
        }
        // A writer that is alive has it locked.
        let file = File::options().read(true).write(true).open(&path);
        if let Ok(file) = file
            && file.metadata()?.is_file()
            && lock::acquire(&file) != Lock::Taken
        {
            drop(Locked::new(file));
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// # Errors
/// An earlier writer left a file that can be read.
pub(super) fn check_nothing_left(path: &Path) -> io::Result<()> {
    let partial = partial_of(&resolve(path)?)?;
    if partial.exists() { Err(left_over(&partial)) } else { Ok(()) }
}

/// # Errors
/// Another writer is at work that has made a checkpoint.
fn check_partial(target: &Path) -> io::Result<()> {
    let partial = partial_of(target)?;
    let Ok(file) = File::options().read(true).write(true).open(&partial) else { return Ok(()) };
    if lock::acquire(&file) == Lock::Taken {
        let message = format!("another writer is creating the file ({})", partial.display());
        return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
    }
    drop(Locked::new(file));
    Ok(())
}

/// The error where an earlier writer left something.
fn left_over(partial: &Path) -> io::Error {
    let message =
        format!("{} is there, which an earlier writer left: resume it, or move it away", partial.display());
    io::Error::new(io::ErrorKind::AlreadyExists, message)
}

/// Where a path leads, which need not exist, as an absolute path: a process may change its folder meanwhile.
pub(super) fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut target = std::path::absolute(path)?;
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else { return Ok(target) };
        target = folder_of(&target).join(next);
    }
    Err(io::Error::other("the path leads through too many links"))
}

fn folder_of(target: &Path) -> &Path {
    target.parent().unwrap_or(Path::new("/"))
}

/// `.events.root` of `events.root`: the part file's name without its end. Long names are cut; a hash keeps them
/// apart.
fn prefix_of(target: &Path) -> io::Result<String> {
    let name = target.file_name();
    let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let name = name.to_string_lossy();
    if name.len() <= MAX_NAME {
        return Ok(format!(".{name}"));
    }
    let shown: String = name.chars().take(MAX_NAME / 4).collect();
    Ok(format!(".{shown}.{:016x}", xxh3_64(name.as_bytes())))
}

/// Creates the part file of a target and locks it.
fn create(target: &Path) -> io::Result<(TempPath, Locked)> {
    let folder = folder_of(target);
    let prefix = prefix_of(target)?;
    let unique_prefix = format!("{prefix}.part.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part").rand_bytes(0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file: the process's mask is applied.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let path = folder.join(format!("{prefix}.part"));
    let locked = |part: NamedTempFile| {
        let (file, path) = part.into_parts();
        (path, Locked::new(file))
    };
    for _ in 0..MAX_ATTEMPTS {
        match builder.tempfile_in(folder) {
            Ok(part) => match lock::acquire(part.as_file()) {
                Lock::Unavailable => return Ok(locked(part)),
                Lock::Held if is_at(part.as_file(), &path) => return Ok(locked(part)),
                // Between creation and lock, another writer took it for abandoned; what has its name now is
                // that writer's.
                Lock::Held | Lock::Taken => drop(part.keep()?),
            },
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                match leave_abandoned(&path, &left_of(target)?)? {
                    Lock::Held => {}
                    Lock::Taken => {
                        let message = format!("another writer is creating the file ({})", path.display());
                        return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
                    }
                    // Whether its writer lives cannot be known: leave it and take another name.
                    Lock::Unavailable => {
                        return builder
                            .prefix(&unique_prefix)
                            .suffix("")
                            .rand_bytes(UNIQUE)
                            .tempfile_in(folder)
                            .map(locked);
                    }
                }
            }
            Err(error) => return Err(explain(error, folder)),
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "other writers are creating the file"))
}

/// Puts away the part file of a writer that is gone: of whose lock can be had, which is returned.
fn leave_abandoned(path: &Path, left: &Path) -> io::Result<Lock> {
    let place = |error: io::Error| {
        io::Error::new(error.kind(), format!("{error}: the part file {} of another writer", path.display()))
    };
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lock::Held),
        _ => return Err(place(io::Error::new(io::ErrorKind::AlreadyExists, "not a regular file"))),
    }
    let file = match File::options().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lock::Held),
        file => file.map_err(place)?,
    };
    let lock = lock::acquire(&file);
    // Its writer may have published it since it was opened: what has the name now is another file.
    if lock == Lock::Held && is_at(&file, path) {
        leave(path, left).map_err(place)?;
    }
    Ok(lock)
}

/// Says what could not be created, and the way out.
fn explain(error: io::Error, folder: &Path) -> io::Error {
    let kind = error.kind();
    match kind {
        io::ErrorKind::NotFound if !folder.is_dir() => {
            io::Error::new(kind, format!("the directory {} does not exist", folder.display()))
        }
        // Directories of the system, such as `/proc`, say that the new file is not found.
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
            let message = format!(
                "the directory {} takes no new files ({}): a part file is written there first; \
                 with the option `in_place`, an existing file is written directly",
                folder.display(),
                // The operating system's words, without the path that `tempfile` adds.
                io::Error::from(kind)
            );
            io::Error::new(kind, message)
        }
        _ => error,
    }
}

/// Keeps a file that cannot have its name under a similar one.
fn keep(mut part: TempPath, target: &Path) -> io::Result<PathBuf> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    for number in 1..=MAX_KEPT {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = target.with_file_name(format!("{name}.rescued{suffix}"));
        match part.persist_noclobber(&path) {
            Ok(()) => return sync_folder(&path).map(|()| path),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => part = error.path,
            Err(error) => {
                part = error.path;
                break;
            }
        }
    }
    part.keep().map_err(|error| error.error)
}

/// Waits until a new name in a folder is on the medium.
pub(super) fn sync_folder(target: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
        match File::open(folder_of(target)).and_then(|folder| folder.sync_all()) {
            // Some file systems cannot flush a folder, and some folders can be written and not read.
            Err(error) if ![InvalidInput, PermissionDenied, Unsupported].contains(&error.kind()) => {
                return Err(error);
            }
            _ => {}
        }
    }
    let _ = target;
    Ok(())
}
