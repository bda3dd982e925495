//! XRootD's own server, started for a test.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long the program may take until it takes connections.
const READY: Duration = Duration::from_secs(60);

/// A server that ends when it is dropped.
pub(crate) struct Server {
    process: Child,
    program: PathBuf,
    pub(crate) port: u16,
    folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("xrootd")).find(|path| path.exists());
    if found.is_none() {
        skip("the program `xrootd` is not installed (Debian: xrootd-server)");
    }
    found
}

/// Says why a test passes without a check, and fails where all tests are required.
pub(crate) fn skip(why: &str) {
    assert!(std::env::var_os("RNTUPLE_SERVERS_REQUIRED").is_none_or(|v| v != "1"), "{why}");
    eprintln!("skipped: {why}");
}

/// Returns a port on which no program listens, another one with each call. It is below those that systems give to the scripted
/// servers, one of which could get it before the program does.
fn free_port() -> u16 {
    const FIRST: u64 = 12_000;
    const COUNT: u64 = 20_000;
    // Test programs that run at the same time begin at different places.
    static NEXT: LazyLock<AtomicU64> =
        LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(std::process::id()) % COUNT));
    let mut ports = (0..COUNT).map(|_| (FIRST + NEXT.fetch_add(1, Ordering::Relaxed) % COUNT) as u16);
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a port is free")
}

fn open_to_all(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
}

fn spawn(program: &Path, root: &Path) -> Child {
    let log = fs::File::create(root.join("log")).unwrap();
    let mut command = Command::new(program);
    command.arg("-c").arg(root.join("xrootd.cfg")).current_dir(root);
    // It refuses to run as root.
    if fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0) {
        command.args(["-R", "nobody"]);
    }
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
    command.spawn().unwrap()
}

/// Starts the program and waits until it takes connections.
fn launch(program: &Path, root: &Path, port: u16) -> Child {
    let begin = Instant::now();
    let mut starts = 1;
    let mut process = spawn(program, root);
    loop {
        // Looked at first: what listens may be another program.
        if let Some(status) = process.try_wait().unwrap() {
            // On a busy machine XRootD 5.5 rarely crashes as it starts, before it logs anything.
            assert!(starts < 3, "it ended with {status}\n{}", log_of(root));
            starts += 1;
            process = spawn(program, root);
        }
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return process;
        }
        if begin.elapsed() > READY {
            let _ = process.kill();
            panic!("it does not listen on port {port}\n{}", log_of(root));
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn log_of(root: &Path) -> String {
    fs::read_to_string(root.join("log")).unwrap_or_default()
}

impl Server {
    /// Starts a server with these lines in its configuration, where `$DIR` is its folder; `None`: there is no program.
    pub(crate) fn start(lines: &str) -> Option<Self> {
        Self::start_with(lines, |_| {})
    }

    pub(crate) fn start_with(lines: &str, prepare: impl FnOnce(&Path)) -> Option<Self> {
        let program = program()?;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        open_to_all(root);
        for name in ["data", "admin", "run"] {
            fs::create_dir(root.join(name)).unwrap();
            open_to_all(&root.join(name));
        }
        prepare(root);
        let port = free_port();
        let shown = root.display();
        let config = format!(
            "xrd.port {port}\nall.export /\noss.localroot {shown}/data\nall.adminpath {shown}/admin\n\
             all.pidpath {shown}/run\nxrd.network nodnr norpipa\nxrootd.chksum max 2 adler32\n{}\n",
            lines.replace("$DIR", &shown.to_string())
        );
        fs::write(root.join("xrootd.cfg"), config).unwrap();
        let process = launch(&program, root, port);
        Some(Self { process, program, port, folder })
    }

    /// Ends the server and starts it again on the same port.
    pub(crate) fn restart(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.process = launch(&self.program, self.folder.path(), self.port);
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where the server has the file of a path.
    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.folder.path().join("data").join(path)
    }

    pub(crate) fn put(&self, path: &str, bytes: &[u8]) {
        fs::write(self.file(path), bytes).unwrap();
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("root://127.0.0.1:{}//{path}", self.port)
    }

    #[cfg(feature = "tls")]
    pub(crate) fn log(&self) -> String {
        log_of(self.folder.path())
    }
}
