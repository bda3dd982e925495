//! Blocks on disk, shared by processes.
//!
//! ```text
//! <file>.data     the blocks, each where the file has it; what is not kept is a hole
//! <file>.index    what the file is, then the checksum of each block; 0: it is not kept
//! ```
//!
//! A block is written before its checksum is. So whatever a process sees of the work of another one, or what is left by
//! one that was killed, a block that does not have its checksum is not kept.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::super::Block;
use super::memory::BLOCK_SIZE;
use super::places::{read_at, write_at};

/// The part of an index before its checksums.
const HEADER_SIZE: u64 = HEADER_LENGTH as u64;
const HEADER_LENGTH: usize = 4096;
const MAGIC: &str = "rntuple cache 1";

/// A folder of files, of which blocks are kept.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    limit: u64,
    /// Bytes that this process may write before it looks at the size of the folder again.
    left: AtomicU64,
}

/// What came of a request for room.
enum Room {
    Taken,
    /// Other files were given what there was.
    Missing,
    /// There is none, even without all other files.
    Full,
}

impl Folder {
    pub(super) fn open(path: &Path, limit: u64) -> io::Result<Self> {
        create(path)?;
        let folder = Self { path: path.to_owned(), limit, left: AtomicU64::new(0) };
        folder.make_room(None)?;
        Ok(folder)
    }

    fn path_of(&self, file: u128, extension: &str) -> PathBuf {
        self.path.join(format!("{file:032x}.{extension}"))
    }

    /// Opens one of the two files that blocks of a file are in, and creates it if need be. Returns whether it can be
    /// written to: one that another user of the folder created may only be read.
    fn open_file(&self, file: u128, extension: &str) -> io::Result<(File, bool)> {
        let path = self.path_of(file, extension);
        let create = || File::options().read(true).write(true).create_new(true).open(&path);
        let mut created = create();
        if created.is_err() {
            match File::options().read(true).write(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    return Ok((File::open(path)?, false));
                }
                // Another process has removed it meanwhile, to make room.
                Err(error) if error.kind() == io::ErrorKind::NotFound => created = create(),
                opened => return Ok((opened?, true)),
            }
        }
        let file = created?;
        // Where this fails, it serves this user alone.
        let _ = share(&self.path, &file);
        Ok((file, true))
    }

    /// Takes room for bytes that will be written for a file.
    fn take(&self, bytes: u64, file: u128) -> Room {
        let take = || self.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).is_ok();
        if take() {
            return Room::Taken;
        }
        match self.make_room(Some(file)) {
            Ok(room) if room < bytes => Room::Full,
            Ok(_) if take() => Room::Taken,
            _ => Room::Missing,
        }
    }

    /// Removes the files that were not opened for the longest time, but not the one that is in use, until there is room,
    /// and returns how much there is.
    fn make_room(&self, used: Option<u128>) -> io::Result<u64> {
        let portion = (self.limit / 16).max(2 * BLOCK_SIZE);
        // By name without extension: when it was opened last, and its size.
        let mut files: BTreeMap<PathBuf, (SystemTime, u64)> = BTreeMap::new();
        let mut size = 0u64;
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let is_index = path.extension().is_some_and(|extension| extension == "index");
            if !is_index && path.extension().is_none_or(|extension| extension != "data") {
                continue;
            }
            if !is_own(&path) {
                continue;
            }
            // Another process may have removed it.
            let Ok(metadata) = fs::metadata(&path) else { continue };
            // One without an index is left by a process that was killed: the first to go.
            let (opened, own) = files.entry(path.with_extension("")).or_insert((SystemTime::UNIX_EPOCH, 0));
            if is_index {
                *opened = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            }
            *own = own.saturating_add(allocated(&metadata));
            size = size.saturating_add(allocated(&metadata));
        }
        let mut files: Vec<_> = files.into_iter().map(|(path, (opened, own))| (opened, own, path)).collect();
        files.sort();
        let used = used.map(|file| self.path.join(format!("{file:032x}")));
        for (_, own, path) in files {
            if size.saturating_add(portion) <= self.limit {
                break;
            }
            if Some(&path) != used.as_ref() {
                remove(&path);
                size = size.saturating_sub(own);
            }
        }
        let room = self.limit.saturating_sub(size).min(portion);
        self.left.store(room, Relaxed);
        Ok(room)
    }
}

/// Creates a folder for this user alone. An existing one must not be another user's, nor be writable by everyone: in place of
/// files of the cache, others could put theirs, or links to files of this user. To a folder that a group can write to, its
/// owner has admitted the group, and this user has joined that.
#[cfg(unix)]
fn create(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let refuse = |why: &str| {
        let message = format!("{}: the folder of a cache must not {why}", path.display());
        Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
    };
    let metadata = fs::metadata(path)?;
    if metadata.permissions().mode() & 0o002 != 0 {
        return refuse("be writable by everyone");
    }
    // Whose files this process makes.
    let own = tempfile::tempfile_in(path)?.metadata()?.uid();
    let is_of_group = metadata.permissions().mode() & 0o020 != 0;
    match metadata.uid() {
        0 => Ok(()),
        owner if owner == own => Ok(()),
        // The superuser can write to it without being in the group.
        _ if is_of_group && own != 0 => Ok(()),
        _ => refuse("belong to another user"),
    }
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Gives a new file to the group that can write to the folder, if one can. Otherwise it is as this user makes files.
#[cfg(unix)]
fn share(folder: &Path, file: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let (folder, own) = (fs::metadata(folder)?, file.metadata()?);
    if folder.permissions().mode() & 0o020 == 0 {
        return Ok(());
    }
    // Not to another group, which the owner of the folder has not admitted.
    if folder.gid() != own.gid() {
        fchown(file, None, Some(folder.gid()))?;
    }
    file.set_permissions(fs::Permissions::from_mode(0o660))
}

#[cfg(not(unix))]
fn share(_: &Path, _: &File) -> io::Result<()> {
    Ok(())
}

/// Whether a file has a name as [`Folder::path_of`] makes them. Any other file in the folder is not the cache's to remove.
fn is_own(path: &Path) -> bool {
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    stem.len() == 32 && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Removes both files of a path without extension. Where they are still open, they would keep their room on the disk until
/// they are closed: so the data are cut off before.
fn remove(path: &Path) {
    let (data, index) = (path.with_extension("data"), path.with_extension("index"));
    let _ = File::options().write(true).open(&data).and_then(|file| file.set_len(0));
    let _ = fs::remove_file(data);
    let _ = fs::remove_file(index);
}

/// Whether an open file was removed by a process that made room.
#[cfg(unix)]
fn is_removed(file: &File, _: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
}

#[cfg(not(unix))]
fn is_removed(_: &File, path: &Path) -> bool {
    !path.exists()
}

/// Bytes that a file takes, holes left out.
#[cfg(unix)]
fn allocated(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.blocks().saturating_mul(512)
}

#[cfg(not(unix))]
fn allocated(metadata: &fs::Metadata) -> u64 {
    metadata.len()
}

/// The blocks of one file.
#[derive(Debug)]
pub(super) struct Kept {
    folder: Arc<Folder>,
    file: u128,
    data: File,
    index: File,
    /// Nothing more is written: the folder has no room for it, its files were removed, or they are another user's.
    is_closed: AtomicBool,
}

impl Kept {
    /// `None` where the folder does not have room for it, or it cannot be used.
    pub(super) fn open(folder: &Arc<Folder>, file: u128, identity: &str, size: u64) -> Option<Self> {
        let (data, is_data_writable) = folder.open_file(file, "data").ok()?;
        let (index, is_index_writable) = folder.open_file(file, "index").ok()?;
        let is_writable = is_data_writable && is_index_writable;
        let header = header_of(identity);
        if read_at(&index, 0, header.len()).is_none_or(|found| found != header) {
            if !is_writable {
                return None;
            }
            let entries = size.div_ceil(BLOCK_SIZE).saturating_mul(8);
            index.set_len(0).ok()?;
            index.set_len(HEADER_SIZE.saturating_add(entries)).ok()?;
            write_at(&index, 0, &header).ok()?;
        }
        // So it is not the next one to be removed. Only the owner of a file sets its time; writing to it sets that too.
        if index.set_modified(SystemTime::now()).is_err() && is_writable {
            write_at(&index, 0, &header).ok()?;
        }
        Some(Self { folder: folder.clone(), file, data, index, is_closed: AtomicBool::new(!is_writable) })
    }

    /// Block `number`, which has the bytes of `range` of the file, if it is kept.
    pub(super) fn read(&self, number: u64, range: Range<u64>) -> Option<Block> {
        let checksum = u64::from_le_bytes(*read_at(&self.index, entry_of(number), 8)?.first_chunk()?);
        if checksum == 0 {
            return None;
        }
        let bytes = read_at(&self.data, range.start, usize::try_from(range.end - range.start).ok()?)?;
        (checksum_of(&bytes) == checksum).then(|| Block::from(bytes))
    }

    /// Keeps block `number`, if there is room. What cannot be written is not kept: the next time it is read again.
    pub(super) fn write(&self, number: u64, block: &Block) {
        if self.is_closed.load(Relaxed) {
            return;
        }
        // Bytes in a file that was removed take room that no one counts, and are never found again.
        if [(&self.data, "data"), (&self.index, "index")]
            .into_iter()
            .any(|(file, extension)| self.is_removed(file, extension))
        {
            return self.is_closed.store(true, Relaxed);
        }
        match self.folder.take(block.len() as u64, self.file) {
            Room::Missing => {}
            Room::Full => self.is_closed.store(true, Relaxed),
            Room::Taken => {
                let checksum = checksum_of(block).to_le_bytes();
                let written = write_at(&self.data, number * BLOCK_SIZE, block);
                let _ = written.and_then(|()| write_at(&self.index, entry_of(number), &checksum));
            }
        }
    }

    fn is_removed(&self, file: &File, extension: &str) -> bool {
        is_removed(file, &self.folder.path_of(self.file, extension))
    }
}

/// Where the checksum of a block is in the index.
fn entry_of(number: u64) -> u64 {
    HEADER_SIZE + number * 8
}

/// The checksum of a block, which is never 0.
fn checksum_of(bytes: &[u8]) -> u64 {
    xxh3_64(bytes).max(1)
}

/// What an index begins with: a line that people can read.
fn header_of(identity: &str) -> Vec<u8> {
    let mut header = format!("{MAGIC}\n{BLOCK_SIZE}\n{identity}\n").into_bytes();
    header.resize(HEADER_LENGTH, 0);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(number: u64) -> Block {
        Block::from(vec![u8::try_from(number).unwrap(); 64 << 10])
    }

    fn range(number: u64) -> Range<u64> {
        number * BLOCK_SIZE..(number + 1) * BLOCK_SIZE
    }

    /// Processes that were forked have the same open files, and so the same positions.
    #[test]
    fn handles_with_one_position_do_not_move_it() {
        let directory = tempfile::tempdir().unwrap();
        let folder = Arc::new(Folder::open(directory.path(), 1 << 30).unwrap());
        let blocks = 64;
        let open = || Kept::open(&folder, 1, "identity", blocks * BLOCK_SIZE).unwrap();
        let parent = open();
        let forked = || Kept {
            folder: folder.clone(),
            file: 1,
            data: parent.data.try_clone().unwrap(),
            index: parent.index.try_clone().unwrap(),
            is_closed: AtomicBool::new(false),
        };
        std::thread::scope(|scope| {
            for child in 0..4 {
                let kept = forked();
                scope.spawn(move || {
                    for number in (child..blocks).step_by(4) {
                        kept.write(number, &block(number));
                        assert!(
                            kept.read(number, range(number)).is_some_and(|found| *found == *block(number))
                        );
                    }
                });
            }
        });
        let other = open();
        for number in 0..blocks {
            assert!(
                other.read(number, range(number)).is_some_and(|found| *found == *block(number)),
                "{number}"
            );
        }
    }

    #[test]
    fn files_of_other_programs_are_neither_counted_nor_removed() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = directory.path().join(name);
            fs::write(&path, vec![1u8; 4 << 20]).unwrap();
            path
        };
        let own = write(&format!("{:032x}.data", 0xabc));
        let others = [
            "results.data",
            "x.index",
            "00000000000000000000000000000abc.copy.data",
            "0000000000000000000000000000ABCD.data",
            "0000000000000000000000000000000g.index",
        ];
        let others = others.map(write);
        let folder = Folder::open(directory.path(), 1 << 20).unwrap();
        assert!(!own.exists());
        for other in others {
            assert_eq!(fs::metadata(&other).map(|metadata| metadata.len()).ok(), Some(4 << 20), "{other:?}");
        }
        assert_eq!(folder.make_room(None).unwrap(), 2 * BLOCK_SIZE);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_another_user_is_refused() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cache");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let error = Folder::open(&path, 1 << 20).unwrap_err();
        assert!(error.to_string().ends_with("must not be writable by everyone"), "{error}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Folder::open(&path, 1 << 20).unwrap();
        // Only the superuser can give it away.
        if fs::metadata(&path).unwrap().uid() == 0 && chown(&path, Some(12_345), None).is_ok() {
            let error = Folder::open(&path, 1 << 20).unwrap_err();
            assert!(error.to_string().ends_with("must not belong to another user"), "{error}");
        }
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0, "nothing is left of looking");
    }

    /// Whether a block is kept; then it is the right one.
    #[cfg(unix)]
    fn has(kept: &Kept, number: u64) -> bool {
        let found = kept.read(number, range(number));
        assert!(found.as_ref().is_none_or(|found| **found == *block(number)), "{number}");
        found.is_some()
    }

    #[cfg(unix)]
    fn set_mode(path: &Path, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_group_can_write_to_the_files_of_its_folder() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let plain = directory.path().join("plain");
        fs::write(&plain, "").unwrap();
        let path = directory.path().join("cache");
        fs::create_dir(&path).unwrap();
        for (mode_of_folder, file, expected) in [(0o755, 1, mode(&plain)), (0o770, 2, 0o660)] {
            set_mode(&path, mode_of_folder);
            let folder = Arc::new(Folder::open(&path, 1 << 30).unwrap());
            let open = || Kept::open(&folder, file, "identity", 2 * BLOCK_SIZE).unwrap();
            open().write(0, &block(0));
            let files = ["data", "index"].map(|extension| folder.path_of(file, extension));
            for file in &files {
                assert_eq!(mode(file), expected, "{mode_of_folder:o}");
                // Only to the superuser this does not matter.
                set_mode(file, 0o440);
            }
            assert!(has(&open(), 0));
        }
    }

    /// The group of a folder.
    #[cfg(unix)]
    const GROUP: u32 = 54_321;

    /// The variable that names the folder of a group.
    #[cfg(unix)]
    const FOLDER_OF_GROUP: &str = "RNTUPLE_CACHE_OF_GROUP";

    /// What another user of a group does.
    #[cfg(unix)]
    #[test]
    #[ignore = "a part of another test"]
    fn member_child() {
        let Some(path) = std::env::var_os(FOLDER_OF_GROUP) else { return };
        let folder = Arc::new(Folder::open(Path::new(&path), 1 << 30).unwrap());
        let open = |file| Kept::open(&folder, file, "identity", 2 * BLOCK_SIZE).unwrap();
        let (shared, lent, read) = (open(1), open(2), open(3));
        assert!([&shared, &lent, &read].into_iter().all(|kept| has(kept, 0)));
        shared.write(1, &block(1));
        lent.write(1, &block(1));
        assert!(has(&shared, 1) && !has(&lent, 1));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_serves_all_users_of_its_group() {
        use std::io::Write as _;
        use std::os::unix::fs::{MetadataExt, chown};
        use std::os::unix::process::CommandExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cache");
        fs::create_dir(&path).unwrap();
        if fs::metadata(&path).unwrap().uid() != 0 || chown(&path, None, Some(GROUP)).is_err() {
            let why = "only the superuser can be another user";
            let is_required =
                std::env::var_os("RNTUPLE_SUPERUSER_REQUIRED").is_some_and(|value| value == "1");
            assert!(!is_required, "{why}");
            // The harness keeps back what `eprintln!` prints.
            let _ = writeln!(io::stderr(), "skipped a_folder_serves_all_users_of_its_group: {why}");
            return;
        }
        set_mode(directory.path(), 0o755);
        set_mode(&path, 0o770);
        let folder = Arc::new(Folder::open(&path, 1 << 30).unwrap());
        let open = |file| Kept::open(&folder, file, "identity", 2 * BLOCK_SIZE).unwrap();
        let (shared, lent, read) = (open(1), open(2), open(3));
        for kept in [&shared, &lent, &read] {
            kept.write(0, &block(0));
        }
        for extension in ["data", "index"] {
            set_mode(&folder.path_of(2, extension), 0o640);
        }
        read.index.set_modified(SystemTime::UNIX_EPOCH).unwrap();

        // The folder of this program may be one that other users cannot enter.
        let program = directory.path().join("program");
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        let child = "storage::cache::disk::tests::member_child";
        let output = std::process::Command::new(program)
            .args(["--exact", child, "--ignored"])
            .env(FOLDER_OF_GROUP, &path)
            .uid(GROUP)
            .gid(GROUP)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        assert!(has(&shared, 1));
        assert_ne!(read.index.metadata().unwrap().modified().unwrap(), SystemTime::UNIX_EPOCH);
    }
}
