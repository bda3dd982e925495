//! Small files in the file system: after a loss of power, each is there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use uuid::Uuid;

/// Writes a file, and returns when it is on the medium. With `is_new`, `false` means that there is one.
///
/// The bytes are on the medium before the file has its name.
pub(crate) fn write(path: &Path, bytes: &[u8], is_new: bool) -> io::Result<bool> {
    let name = path.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidInput)?;
    let folder = folder_of(path);
    create_folder(folder)?;
    // As the store calls files that are half written.
    let temporary = path.with_file_name(format!("{name}#{}", Uuid::new_v4().as_u128()));
    let published = fill(&temporary, bytes).and_then(|()| publish(&temporary, path, is_new));
    if is_new || published.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    let is_first = published?;
    sync_folder(folder)?;
    Ok(is_first)
}

fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn publish(temporary: &Path, path: &Path, is_new: bool) -> io::Result<bool> {
    if !is_new {
        return fs::rename(temporary, path).map(|()| true);
    }
    match fs::hard_link(temporary, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Waits until a file that another program may have written is on the medium.
pub(crate) fn sync(path: &Path) -> io::Result<()> {
    // Windows flushes what may be written.
    File::options().read(true).write(cfg!(windows)).open(path)?.sync_all()?;
    sync_folder(folder_of(path))
}

/// Does so for a file of the user, as far as its file system can.
pub(crate) fn sync_adopted(path: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, NotFound, PermissionDenied, ReadOnlyFilesystem, Unsupported};
    match sync(path) {
        // Opening it says what is wrong with it.
        Err(error)
            if [InvalidInput, NotFound, PermissionDenied, ReadOnlyFilesystem, Unsupported]
                .contains(&error.kind()) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Makes a folder, and those that it is in.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    create_folder(folder_of(folder))?;
    match fs::create_dir(folder) {
        // Another program was faster.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => Err(error),
        _ => sync_folder(folder_of(folder)),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Waits until new names in a folder are on the medium.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
        match File::open(folder).and_then(|folder| folder.sync_all()) {
            // Some file systems cannot flush a folder, and some folders can be written and not read.
            Err(error) if ![InvalidInput, PermissionDenied, Unsupported].contains(&error.kind()) => {
                return Err(error);
            }
            _ => {}
        }
    }
    let _ = folder;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_once_or_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b/file");
        assert!(write(&path, b"one", true).unwrap());
        assert!(!write(&path, b"two", true).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert!(write(&path, b"three", false).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"three");
        sync(&path).unwrap();
        assert_eq!(fs::read_dir(folder_of(&path)).unwrap().count(), 1);
        // No folder can be in a file.
        assert!(write(&path.join("file"), b"", true).is_err());
    }

    #[test]
    fn one_of_many_programs_creates_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("folder/file");
        let write = |number: u8| write(&path, &[number], true).unwrap();
        let won = std::thread::scope(|threads| {
            let all: Vec<_> = (0..8).map(|number| threads.spawn(move || write(number))).collect();
            all.into_iter().map(|one| one.join().unwrap()).filter(|won| *won).count()
        });
        assert_eq!((won, fs::read(&path).unwrap().len()), (1, 1));
    }
}
