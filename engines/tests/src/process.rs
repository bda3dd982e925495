//! Processes that end with the test.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A process, killed when it is dropped.
#[derive(Debug)]
pub struct Process(Child);

impl Process {
    /// Starts a program.
    pub fn start(program: &Path, flags: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(flags).stdin(Stdio::null()).stdout(Stdio::piped());
        Self(command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program.display())))
    }

    /// Starts a program that says `listening on 127.0.0.1:1234`. Returns the port.
    pub fn listening(program: &Path, flags: &[&str]) -> (Self, u16) {
        let mut process = Self::start(program, flags);
        let output = process.0.stdout.take().unwrap();
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // What follows the first line is read so that the process can write it.
                let _ = send.send(line);
            }
        });
        let line = receive.recv_timeout(Duration::from_secs(30)).unwrap();
        let port = line.rsplit(':').next().and_then(|port| port.parse().ok());
        (process, port.unwrap_or_else(|| panic!("{line:?} names no port")))
    }

    /// Kills it, as a machine without power would.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Asks it to stop.
    pub fn terminate(&self) {
        let killed = Command::new("sh").args(["-c", &format!("kill -TERM {}", self.0.id())]).status();
        assert!(killed.unwrap().success());
    }

    /// Bytes that it has read, but for what it received from a network.
    pub fn read(&self) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/io", self.0.id())).unwrap();
        let read = text.lines().find_map(|line| line.strip_prefix("rchar:"));
        read.and_then(|bytes| bytes.trim().parse().ok()).unwrap_or_else(|| panic!("{text}"))
    }

    /// Whether it has a file open.
    pub fn has_open(&self, file: &Path) -> bool {
        self.open().iter().any(|open| open == file)
    }

    /// Whether it has a connection to a port of this machine that no side has closed.
    pub fn is_connected_to(&self, port: u16) -> bool {
        // Columns: number, local address, remote address, state (01: established), .., inode.
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let inodes = table.lines().skip(1).filter_map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let [_, _, remote, "01", _, _, _, _, _, inode, ..] = columns[..] else { return None };
            remote.ends_with(&format!(":{port:04X}")).then(|| format!("socket:[{inode}]"))
        });
        let inodes: Vec<PathBuf> = inodes.map(PathBuf::from).collect();
        self.open().iter().any(|open| inodes.contains(open))
    }

    /// What it has open: paths of files, and names such as `socket:[123]`.
    fn open(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(format!("/proc/{}/fd", self.0.id())).into_iter().flatten();
        // One may be closed in the meantime.
        entries.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok()).collect()
    }

    /// Waits until it has ended.
    pub fn ended(&mut self, seconds: u64) -> ExitStatus {
        let limit = Instant::now() + Duration::from_secs(seconds);
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < limit, "the process still runs after {seconds} s");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until something is so.
pub async fn until(seconds: u64, what: &str, is_so: impl Fn() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    within(seconds, what, wait).await;
}

/// What work gives, if it is done in time.
pub async fn within<T>(seconds: u64, what: &str, work: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(Duration::from_secs(seconds), work).await;
    done.unwrap_or_else(|_| panic!("{what}: not done after {seconds} s"))
}
