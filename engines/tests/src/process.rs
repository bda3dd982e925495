//! Processes that end with the test.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
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

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// What work gives, if it is done in time.
pub async fn within<T>(seconds: u64, what: &str, work: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(Duration::from_secs(seconds), work).await;
    done.unwrap_or_else(|_| panic!("{what}: not done after {seconds} s"))
}
