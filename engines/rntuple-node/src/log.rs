//! Lines of a log on standard error.

use log::{LevelFilter, Log, Metadata, Record};

struct Stderr;

static STDERR: Stderr = Stderr;

impl Log for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            eprintln!("{:5} {}: {}", record.level(), record.target(), record.args());
        }
    }

    fn flush(&self) {}
}

/// Writes what the engines report to standard error. Time stamps are left to what collects it.
///
/// The level is that of the variable `RUST_LOG`, one word such as `debug`, and `warn` without it.
pub fn log_to_stderr() {
    let level = std::env::var("RUST_LOG").ok().and_then(|level| level.parse().ok());
    if log::set_logger(&STDERR).is_ok() {
        log::set_max_level(level.unwrap_or(LevelFilter::Warn));
    }
}
