//! How fast files are read from afar, next to the same file on a local disk, uproot, and Parquet over DataFusion.
//!
//! ```text
//! cargo run --release -p rntuple-remote-tests --bin speed -- --repetitions 5 --delay 20,100 --bandwidth 100
//! ```
//!
//! nginx and XRootD serve the files on loopback, each through a [`Proxy`] that delays and limits what it passes on. In each
//! round every reader of a row runs once, as a process of its own, which measures itself from opening the file to the last
//! entry. `remote-tests/setup.sh` installs the servers and the other readers; what is missing is skipped, with a line
//! on standard error. Over HTTP a bare client runs as well, which takes the bytes of the file from a socket and does nothing
//! with them: what the network itself costs, whoever reads.

use std::error::Error;
use std::fmt;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use rntuple::columns::ReadColumnar;
use rntuple::field::ReadField;
use rntuple::storage::LocalFile;
use rntuple::{Compression, Pool, ReadOptions, Reader, Value, WriteOptions};
use rntuple_remote_tests::proxy::{Link, Proxy};
use rntuple_remote_tests::sample::{Event, Events, Wide};
use rntuple_remote_tests::servers::{Nginx, Xrootd, or_skip, python};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Entries that are asked for at once.
const BATCH: usize = 10_000;
/// Columns of the wide file, of all four types.
const FEW: [u16; 4] = [10, 97, 176, 251];

/// Measures remote reading, and prints a table in Markdown.
#[derive(Parser, Debug)]
struct Arguments {
    /// How many times each reader runs.
    #[arg(long, default_value_t = 3)]
    repetitions: usize,
    /// Delays of the network, for a round trip, in milliseconds.
    #[arg(long, value_delimiter = ',', default_value = "20,100")]
    delay: Vec<u64>,
    /// Bandwidth of the network, in MB/s.
    #[arg(long, default_value_t = 100)]
    bandwidth: u64,
    /// Size of each file on storage, in MB.
    #[arg(long, default_value_t = 300)]
    size: u64,
    /// After how many seconds a reader is stopped.
    #[arg(long, default_value_t = 120)]
    limit: u64,
    /// Runs the rows whose name has all of these in it: `zstd`, `http`, `20 ms`.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The readers that run next to this crate.
    #[arg(long, value_delimiter = ',', default_value = "uproot,parquet")]
    peers: Vec<String>,
    /// Runs no other reader than this crate.
    #[arg(long, conflicts_with = "peers")]
    alone: bool,
    /// Threads that decode ahead.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Where the files are kept for the next time. Default: they are not.
    #[arg(long)]
    samples: Option<PathBuf>,
    #[command(subcommand)]
    task: Option<Task>,
}

/// Where the servers have Parquet files.
const BUCKET: &str = "parquet";

fn has(peers: &[String], name: &str) -> bool {
    peers.iter().any(|peer| peer == name)
}

/// What one process does.
#[derive(Subcommand, Debug)]
enum Task {
    /// Reads a file, and prints seconds, user and system time, and entries.
    #[command(hide = true)]
    Read {
        sample: String,
        place: String,
        columns: Vec<String>,
        #[arg(long, default_value_t = 0)]
        threads: usize,
    },
    /// Takes a file from an HTTP server, and prints the same.
    #[command(hide = true)]
    Bare { address: SocketAddr, file: String },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match &arguments.task {
        Some(Task::Read { sample, place, columns, threads }) => {
            println!("{}", read(sample, place, columns, *threads)?);
            Ok(())
        }
        Some(Task::Bare { address, file }) => {
            println!("{}", take(*address, file)?);
            Ok(())
        }
        None => compare(&arguments),
    }
}

/// What a process says of a read.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    seconds: f64,
    user: f64,
    system: f64,
    entries: u64,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.seconds, self.user, self.system, self.entries)
    }
}

impl Figures {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let mut next = || words.next()?.parse().ok();
        let (seconds, user, system) = (next()?, next()?, next()?);
        Some(Self { seconds, user, system, entries: words.next()?.parse().ok()? })
    }
}

/// Reads a file in this process.
fn read(sample: &str, place: &str, columns: &[String], threads: usize) -> Result<Figures> {
    rntuple_xrootd::register();
    rntuple_object_store::register();
    let mut options = ReadOptions::new();
    if threads > 0 {
        options = options.pool(&Pool::new(threads)?);
    }
    if !columns.is_empty() {
        options = options.fields(columns.iter().cloned());
    }
    measured(|| {
        Ok(match sample {
            Wide::NAME => drain(&Reader::<Value>::open_with(place, sample, options)?)?,
            _ => drain(&Reader::<Event>::open_with(place, sample, options)?)?,
        })
    })
}

/// Takes a file from a server, by one request and into one buffer; there are no entries.
fn take(address: SocketAddr, file: &str) -> Result<Figures> {
    measured(|| {
        let mut server = TcpStream::connect(address)?;
        write!(server, "GET /{file} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut buffer = vec![0; 1 << 20];
        while black_box(server.read(&mut buffer)?) > 0 {}
        Ok(0)
    })
}

/// What it takes to find a number of entries.
fn measured(find: impl FnOnce() -> Result<u64>) -> Result<Figures> {
    let before = getrusage(UsageWho::RUSAGE_SELF)?;
    let begun = Instant::now();
    let entries = find()?;
    let seconds = begun.elapsed().as_secs_f64();
    let after = getrusage(UsageWho::RUSAGE_SELF)?;
    let (user, system) = (time_of(&after).0 - time_of(&before).0, time_of(&after).1 - time_of(&before).1);
    Ok(Figures { seconds, user, system, entries })
}

/// User and system time, in seconds.
fn time_of(usage: &Usage) -> (f64, f64) {
    let [user, system] = [usage.user_time(), usage.system_time()].map(|time| time.num_microseconds());
    (user as f64 / 1e6, system as f64 / 1e6)
}

fn drain<T: ReadField + ReadColumnar>(reader: &Reader<T>) -> rntuple::Result<u64> {
    let mut batches = reader.batches(BATCH);
    let mut entries = 0;
    while batches.lend()?.map(black_box).is_some() {
        entries += batches.lent().count() as u64;
    }
    Ok(entries)
}

/// A file to read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sample {
    Zstd,
    Uncompressed,
    Wide,
}

impl Sample {
    const ALL: [Self; 3] = [Self::Zstd, Self::Uncompressed, Self::Wide];

    fn name(self) -> &'static str {
        match self {
            Self::Zstd => "nested, zstd",
            Self::Uncompressed => "nested, uncompressed",
            Self::Wide => "300 columns, small pages",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Self::Zstd => "zstd.root",
            Self::Uncompressed => "uncompressed.root",
            Self::Wide => "wide.root",
        }
    }

    fn parquet(self) -> String {
        self.file().replace("root", "parquet")
    }

    fn ntuple(self) -> &'static str {
        if self == Self::Wide { Wide::NAME } else { Events::NAME }
    }

    /// Writes the file of about `size` bytes, if there is none yet.
    fn write(self, folder: &Path, size: u64) -> Result<()> {
        let path = folder.join(self.file());
        if path.exists() {
            return Ok(());
        }
        let storage = LocalFile::create(&path)?;
        let options = WriteOptions::new();
        match self {
            Self::Zstd => Events::new(16, size / 16 / 48).write_to(storage, options)?,
            Self::Uncompressed => {
                Events::new(16, size / 16 / 173).write_to(storage, options.compression(Compression::NONE))?
            }
            Self::Wide => Wide::new(300, 20, size / 300 / 20 / 6)
                .write_to(storage, options.initial_page_length(8 << 10).max_page_length(8 << 10))?,
        };
        Ok(())
    }

    /// Writes its rows to a Parquet file, if there is none yet.
    fn write_parquet(self, folder: &Path) -> Result<()> {
        let path = folder.join(self.parquet());
        if path.exists() {
            return Ok(());
        }
        let codec = if self == Self::Zstd { "zstd" } else { "none" };
        let mut command = peer("write_parquet.py")?;
        command.arg(folder.join(self.file())).args([self.ntuple(), codec]).arg(&path);
        let status = command.status()?;
        if !status.success() {
            let _ = fs::remove_file(path);
            return Err(format!("write_parquet.py ended with {status}").into());
        }
        Ok(())
    }
}

/// A program in `remote-tests/peers`. A proxy that the environment names is not for loopback.
fn peer(program: &str) -> Result<Command> {
    let mut command = Command::new(python()?);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(program)).env("no_proxy", "*");
    Ok(command)
}

/// A server, and how it is spoken to.
struct Server {
    name: &'static str,
    scheme: &'static str,
    address: SocketAddr,
}

impl Server {
    fn url(&self, proxy: &Proxy, file: &str) -> String {
        // The path of `root://` begins with a slash of its own.
        let slash = if self.scheme == "root://" { "//" } else { "/" };
        format!("{}{}{slash}{file}", self.scheme, proxy.address())
    }
}

/// What came of a run.
enum Outcome {
    Done(Figures),
    TooLong,
    Failed,
}

/// Runs a process that prints [`Figures`], for at most `limit`.
fn run(mut command: Command, limit: Duration) -> Result<Outcome> {
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(Outcome::TooLong);
        }
        thread::sleep(Duration::from_millis(20));
    };
    let mut text = String::new();
    child.stdout.take().ok_or("no output")?.read_to_string(&mut text)?;
    let figures = text.lines().last().and_then(Figures::parse).filter(|_| status.success());
    Ok(figures.map_or(Outcome::Failed, Outcome::Done))
}

/// A reader in a row: its runs so far.
struct Contender {
    name: &'static str,
    make: Box<dyn Fn() -> Result<Command>>,
    runs: Vec<Figures>,
    /// Requests, and bytes that came, of the last run.
    traffic: (u64, u64),
    /// It is not run again.
    end: Option<&'static str>,
}

impl Contender {
    fn new(name: &'static str, make: impl Fn() -> Result<Command> + 'static) -> Self {
        Self { name, make: Box::new(make), runs: Vec::new(), traffic: (0, 0), end: None }
    }

    fn run(&mut self, proxy: &Proxy, limit: Duration) -> Result<()> {
        if self.end.is_some() {
            return Ok(());
        }
        let before = proxy.counters();
        match run((self.make)()?, limit)? {
            Outcome::Done(figures) => self.runs.push(figures),
            Outcome::TooLong => self.end = Some("too long"),
            Outcome::Failed => self.end = Some("failed"),
        }
        let after = proxy.counters();
        self.traffic = (after.turns - before.turns, after.bytes_down - before.bytes_down);
        Ok(())
    }

    fn median(&self, of: impl Fn(&Figures) -> f64) -> Option<f64> {
        let mut values: Vec<_> = self.runs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    }

    fn best(&self) -> f64 {
        self.runs.iter().map(|run| run.seconds).fold(f64::INFINITY, f64::min)
    }

    /// How many times as long as `ours` it takes; how long, and with how many requests and bytes.
    fn ratio(&self, ours: Option<f64>, limit: u64) -> String {
        let (requests, bytes) = self.traffic;
        let traffic = format!("{requests} requests, {:.1} MB", bytes as f64 / 1e6);
        match (self.median(|run| run.seconds), ours, self.end) {
            (Some(seconds), Some(ours), _) => format!("{:.1} ({seconds:.1} s, {traffic})", seconds / ours),
            (Some(seconds), None, _) => format!("{seconds:.1} s, {traffic}"),
            (None, Some(ours), Some("too long")) => {
                format!("> {:.1} (> {limit} s, {traffic})", limit as f64 / ours)
            }
            (None, None, Some("too long")) => format!("> {limit} s"),
            (None, _, end) => end.unwrap_or_default().to_owned(),
        }
    }
}

fn compare(arguments: &Arguments) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = arguments.samples.as_deref().unwrap_or(temporary.path());
    fs::create_dir_all(folder)?;
    let has_python = !arguments.alone && or_skip("the other readers", python()).is_some();
    let peers = if has_python { arguments.peers.as_slice() } else { &[] };
    let (nginx, xrootd) = (Nginx::start(), Xrootd::start());
    let mut servers = Vec::new();
    if let Some(nginx) = &nginx {
        servers.push(Server { name: "http", scheme: "http://", address: nginx.address() });
    }
    if let Some(xrootd) = &xrootd {
        servers.push(Server { name: "http of XRootD", scheme: "http://", address: xrootd.http_address() });
        servers.push(Server { name: "root", scheme: "root://", address: xrootd.address() });
    }
    let served: Vec<_> = nginx.iter().map(Nginx::folder).chain(xrootd.iter().map(Xrootd::folder)).collect();
    eprintln!("load at the start: {}", fs::read_to_string("/proc/loadavg")?.trim());
    println!(
        "| read | over | delay | here, median (best) | of the link | requests | MB | user + system s, remote | local | bare client | user, remote / local | uproot / here | Parquet / here |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for sample in Sample::ALL {
        let wanted = |name: &str| arguments.only.iter().all(|only| name.contains(only.as_str()));
        let parts: &[&[u16]] = if sample == Sample::Wide { &[&[], &FEW] } else { &[&[]] };
        let mut is_written = false;
        for (columns, server, &delay) in parts.iter().flat_map(|columns| {
            servers
                .iter()
                .flat_map(move |server| arguments.delay.iter().map(move |delay| (columns, server, delay)))
        }) {
            let what =
                if columns.is_empty() { "all".to_owned() } else { format!("{} columns", columns.len()) };
            let read = format!("{}: {what}", sample.name());
            let name = format!("{read}, {}, {delay} ms", server.name);
            if !wanted(&name) {
                continue;
            }
            if !is_written {
                prepare(sample, folder, &served, arguments, peers)?;
                is_written = true;
            }
            let link = Link::new(Duration::from_millis(delay)).bandwidth(arguments.bandwidth * 1_000_000);
            let proxy = Proxy::start(server.address, link)?;
            let columns: Vec<_> = columns.iter().map(|column| Wide::name(*column)).collect();
            let mut row = contenders(sample, server, &proxy, folder, &columns, arguments, peers);
            for _ in 0..arguments.repetitions {
                for contender in &mut row {
                    contender.run(&proxy, Duration::from_secs(arguments.limit))?;
                }
            }
            let size = fs::metadata(folder.join(sample.file()))?.len();
            let size = columns.is_empty().then_some(size);
            println!("| {read} | {} | {delay} ms | {} |", server.name, cells(&row, size, arguments)?);
        }
    }
    eprintln!("load at the end: {}", fs::read_to_string("/proc/loadavg")?.trim());
    Ok(())
}

/// Writes a sample, and gives it to the servers.
fn prepare(
    sample: Sample,
    folder: &Path,
    served: &[PathBuf],
    arguments: &Arguments,
    peers: &[String],
) -> Result<()> {
    eprintln!("writing {}", sample.name());
    sample.write(folder, arguments.size * 1_000_000)?;
    let mut files = vec![(sample.file().to_owned(), sample.file().to_owned())];
    if has(peers, "parquet") {
        match sample.write_parquet(folder) {
            Ok(()) => files.push((sample.parquet(), format!("{BUCKET}/{}", sample.parquet()))),
            Err(error) => eprintln!("skipped: Parquet: {error}"),
        }
    }
    for (file, place) in files {
        for server in served {
            let (from, to) = (folder.join(&file), server.join(&place));
            to.parent().map_or(Ok(()), fs::create_dir_all)?;
            if fs::hard_link(&from, &to).is_err() {
                fs::copy(&from, &to)?;
            }
        }
        // From here on it is in memory, as far as there is memory.
        std::io::copy(&mut File::open(folder.join(&file))?, &mut std::io::sink())?;
    }
    Ok(())
}

/// The readers of a row.
fn contenders(
    sample: Sample,
    server: &Server,
    proxy: &Proxy,
    folder: &Path,
    columns: &[String],
    arguments: &Arguments,
    peers: &[String],
) -> Vec<Contender> {
    let url = server.url(proxy, sample.file());
    let parquet_url = server.url(proxy, &format!("{BUCKET}/{}", sample.parquet()));
    let local = folder.join(sample.file()).display().to_string();
    let threads = arguments.threads.to_string();
    let here = |place: String| {
        let (columns, threads) = (columns.to_vec(), threads.clone());
        move || {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["read", "--threads", &threads, sample.ntuple(), &place]).args(&columns);
            Ok(command)
        }
    };
    let mut row = vec![Contender::new("local", here(local))];
    row.push(Contender::new("here", here(url.clone())));
    if server.scheme == "http://" && columns.is_empty() {
        let address = proxy.address().to_string();
        row.push(Contender::new("bare", move || {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["bare", &address, sample.file()]);
            Ok(command)
        }));
    }
    if has(peers, "uproot") && server.name != "http of XRootD" {
        let of = columns.to_vec();
        row.push(Contender::new("uproot", move || {
            let mut command = peer("read_uproot.py")?;
            command.args([&url, sample.ntuple()]).args(&of);
            Ok(command)
        }));
    }
    if has(peers, "parquet") && server.name == "http" && folder.join(sample.parquet()).exists() {
        let of = columns.to_vec();
        row.push(Contender::new("parquet", move || {
            let mut command = peer("read_parquet.py")?;
            command.arg(&parquet_url).args(&of);
            Ok(command)
        }));
    }
    row
}

/// The figures of a row. `size`: of the file, where all of it is read.
fn cells(row: &[Contender], size: Option<u64>, arguments: &Arguments) -> Result<String> {
    let find = |name| row.iter().find(|contender| contender.name == name);
    let (here, local) = (find("here").ok_or("not run")?, find("local").ok_or("not run")?);
    let readers = row.iter().filter(|contender| contender.name != "bare");
    let mut entries: Vec<_> = readers.flat_map(|contender| &contender.runs).map(|run| run.entries).collect();
    entries.dedup();
    if entries.len() > 1 {
        return Err(format!("the readers found {entries:?} entries").into());
    }
    let seconds = here.median(|run| run.seconds);
    let mut cells = vec![match seconds {
        Some(seconds) => format!("{seconds:.2} s ({:.2} s)", here.best()),
        None => here.end.unwrap_or_default().to_owned(),
    }];
    let share =
        size.zip(seconds).map(|(size, seconds)| size as f64 / seconds / arguments.bandwidth as f64 / 1e6);
    cells.push(share.map(|share| format!("{share:.2}")).unwrap_or_default());
    cells.push(here.traffic.0.to_string());
    cells.push(format!("{:.1}", here.traffic.1 as f64 / 1e6));
    for contender in [Some(here), Some(local), find("bare")] {
        let times = contender.and_then(|contender| {
            Some((contender.median(|run| run.user)?, contender.median(|run| run.system)?))
        });
        cells.push(times.map(|(user, system)| format!("{user:.2} + {system:.2}")).unwrap_or_default());
    }
    // The clock of the system is too coarse for less.
    let users = here.median(|run| run.user).zip(local.median(|run| run.user).filter(|user| *user >= 0.02));
    cells.push(users.map(|(here, local)| format!("{:.2}", here / local)).unwrap_or_default());
    for name in ["uproot", "parquet"] {
        cells.push(find(name).map(|peer| peer.ratio(seconds, arguments.limit)).unwrap_or_default());
    }
    Ok(cells.join(" | "))
}
