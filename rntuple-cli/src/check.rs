//! `rntuple check`: every fault, one to a line.

use std::collections::BTreeSet;
use std::io::{self, Write};

use rntuple::check::{CheckOptions, Report, check_file};
use rntuple::{ErrorKind, Limits, RootFile};

use crate::args::Check;
use crate::failure::{Failure, Status};
use crate::limits::in_options;
use crate::progress::Progress;
use crate::text::{bytes, count, printable};

pub(crate) fn run(args: &Check, limits: Limits) -> Result<Status, Failure> {
    let mut status = Status::Good;
    for path in &args.files {
        let file = match RootFile::open(path) {
            Ok(file) => file.with_limits(limits),
            Err(error) => {
                status.report(error);
                continue;
            }
        };
        let report = {
            let mut progress = Progress::new(file.name());
            let options = CheckOptions::new().progress(|at| {
                let message = || format!("{}, {}", printable(at.ntuple), bytes(at.bytes));
                progress.at(at.entries, at.entry_count, message);
            });
            check_file(&file, options)
        };
        print(&report, args.quiet, &mut io::stdout().lock())?;
        status = status.max(match report.faults.iter().any(|fault| fault.kind() == ErrorKind::Io) {
            true => Status::Unreadable,
            false if report.is_sound() => Status::Good,
            false => Status::Damaged,
        });
    }
    Ok(status)
}

fn print(report: &Report, is_quiet: bool, out: &mut dyn Write) -> io::Result<()> {
    // Faults name the file themselves.
    for fault in &report.faults {
        writeln!(out, "{}", printable(&in_options(&fault.to_string())))?;
    }
    let file = printable(&report.file);
    if report.faults_left_out > 0 {
        writeln!(out, "{file}: {}", count(report.faults_left_out, "more fault"))?;
    }
    if is_quiet {
        return Ok(());
    }
    for note in &report.notes {
        writeln!(out, "{} (not checked)", printable(&in_options(&note.to_string())))?;
    }
    if report.notes_left_out > 0 {
        writeln!(out, "{file}: {}", count(report.notes_left_out, "more note"))?;
    }
    let verdict = match report.fault_count() {
        0 => "ok".to_owned(),
        faults => count(faults, "fault"),
    };
    let unchecked = report.ntuples.iter().filter(|ntuple| !ntuple.is_checked).count() as u64;
    let unchecked = match unchecked {
        0 => String::new(),
        unchecked => format!(" ({unchecked} not checked)"),
    };
    // Of older layouts more is unknown, so who reads this should know of them.
    let old: BTreeSet<_> = report.ntuples.iter().filter_map(|ntuple| ntuple.generation).collect();
    let old: Vec<_> = old.into_iter().filter(|one| one.is_pre_release()).map(|one| one.to_string()).collect();
    let old = if old.is_empty() { String::new() } else { format!(" ({})", old.join(", ")) };
    let ntuples = count(report.ntuples.len() as u64, "ntuple");
    let (pages, size) = (count(report.pages(), "page"), bytes(report.bytes()));
    writeln!(out, "{file}: {verdict}: {ntuples}{old}{unchecked}, {pages}, {size}")
}
