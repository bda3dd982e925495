//! The process of a server.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::free_address;

/// How long a server may take until it answers. Python on a busy machine needs some of it.
const READY: Duration = Duration::from_secs(60);

/// Runs a server until it ends, or standard input does: also where the test was killed.
const GUARD: &str = r#"
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(read -r _ <&3; kill -KILL "$server") &
watch=$!
exec 3<&-
wait "$server"
status=$?
kill "$watch" 2>/dev/null
exit "$status"
"#;

/// A server that runs, and its folder. Both are gone when it is dropped.
#[derive(Debug)]
pub(super) struct Process {
    guard: Child,
    folder: TempDir,
}

impl Process {
    /// Starts a server in `folder`. What it prints is in the file `output` there.
    pub(super) fn start(command: &Command, folder: TempDir) -> io::Result<Self> {
        let output = fs::File::create(folder.path().join("output"))?;
        let guard = Command::new("sh")
            .args(["-c", GUARD, "sh"])
            .arg(command.get_program())
            .args(command.get_args())
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stderr(output.try_clone()?)
            .stdout(output)
            .spawn()?;
        Ok(Self { guard, folder })
    }

    /// Starts a server with a folder of its own at a free address, which `command` passes to it, and waits until it listens.
    pub(super) fn at_free_address(
        name: &str,
        command: impl FnOnce(SocketAddr) -> io::Result<Command>,
    ) -> io::Result<(Self, SocketAddr)> {
        let folder = folder(name)?;
        let address = free_address()?;
        let mut process = Self::start(&command(address)?, folder)?;
        process.wait_for(&[address])?;
        Ok((process, address))
    }

    /// Waits until all of these accept connections.
    pub(super) fn wait_for(&mut self, addresses: &[SocketAddr]) -> io::Result<()> {
        let begun = Instant::now();
        for address in addresses {
            while TcpStream::connect_timeout(address, Duration::from_secs(1)).is_err() {
                if let Some(status) = self.guard.try_wait()? {
                    return Err(self.failure(&format!("it ended with {status}")));
                }
                if begun.elapsed() > READY {
                    return Err(self.failure(&format!("it does not listen on {address}")));
                }
                thread::sleep(Duration::from_millis(20));
            }
        }
        Ok(())
    }

    fn failure(&self, what: &str) -> io::Error {
        let output = fs::read_to_string(self.path().join("output")).unwrap_or_default();
        let last: Vec<_> = output.lines().rev().take(10).collect();
        let last: Vec<_> = last.into_iter().rev().collect();
        io::Error::other(format!("{what}; its last words are:\n{}", last.join("\n")))
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// Makes a folder that servers may read under another user.
pub(super) fn folder(name: &str) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.permissions(Permissions::from_mode(0o755)).prefix(name).tempdir()
}

/// The first of these that is a file.
pub(super) fn program(paths: &[&str]) -> io::Result<PathBuf> {
    let found = paths.iter().map(PathBuf::from).find(|path| path.is_file());
    found.ok_or_else(|| {
        let paths = paths.join(", ");
        io::Error::new(io::ErrorKind::NotFound, format!("no {paths} (remote-tests/setup.sh installs it)"))
    })
}

/// Whether this process is root's.
pub(super) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Gives a file to the user `nobody`, if this process may.
pub(super) fn give_to_nobody(path: impl AsRef<OsStr>) -> io::Result<()> {
    if !is_root() {
        return Ok(());
    }
    let users = fs::read_to_string("/etc/passwd")?;
    let nobody = users.lines().find_map(|line| line.strip_prefix("nobody:"));
    let number = nobody.and_then(|line| line.split(':').nth(1)).and_then(|number| number.parse().ok());
    chown(Path::new(path.as_ref()), Some(number.unwrap_or(65534)), None)
}
