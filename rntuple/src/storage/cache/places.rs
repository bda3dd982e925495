//! Bytes at places of an open file. A process that was forked has the position of its parent, which would move under it: so
//! none is used where there are forks.

use std::fs::File;
use std::io;

/// As many bytes; `None` if they are not there.
pub(super) fn read_at(file: &File, offset: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    read_exact_at(file, offset, &mut bytes).ok()?;
    Some(bytes)
}

#[cfg(unix)]
fn read_exact_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(unix)]
pub(super) fn write_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

/// Keeps a position and what is done there together.
#[cfg(not(unix))]
static POSITION: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(not(unix))]
fn read_exact_at(mut file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    use std::io::{Read, Seek};
    let _position = POSITION.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.seek(io::SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

#[cfg(not(unix))]
pub(super) fn write_at(mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    use std::io::{Seek, Write};
    let _position = POSITION.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.seek(io::SeekFrom::Start(offset))?;
    file.write_all(bytes)
}
