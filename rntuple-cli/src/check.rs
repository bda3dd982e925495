//! `rntuple check`: every fault, one to a line.

use std::collections::BTreeSet;
use std::io::{self, Write};

use rntuple::check::{CheckOptions, Note, NoteKind, Report, Verdict, check_file};
use rntuple::{ErrorKind, Limits, RootFile};

use crate::args::Check;
use crate::failure::{Failure, Status};
use crate::limits::in_options;
use crate::progress::Progress;
use crate::remote::found;
use crate::text::{bytes, count, printable};

pub(crate) fn run(args: &Check, limits: Limits) -> Result<Status, Failure> {
    let mut status = Status::Good;
    for (path, error) in found(&args.files) {
        let file = match error.map_or_else(|| RootFile::open(&path), Err) {
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
        status = status.max(match report.verdict {
            _ if report.faults.iter().any(|fault| fault.kind() == ErrorKind::Io) => Status::Unreadable,
            Verdict::Sound => Status::Good,
            Verdict::Incomplete => Status::Incomplete,
            _ => Status::Damaged,
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
    for note in report.notes.iter().filter(|note| !is_quiet || explains_verdict(note)) {
        let suffix = match note.kind {
            NoteKind::Unchecked => "not checked",
            NoteKind::Unreferenced => "warning",
            _ => "note",
        };
        writeln!(out, "{} ({suffix})", printable(&in_options(&note.to_string())))?;
    }
    if is_quiet {
        return Ok(());
    }
    if report.notes_left_out > 0 {
        writeln!(out, "{file}: {}", count(report.notes_left_out, "more note"))?;
    }
    writeln!(out, "{}", summary(report))
}

/// Whether the file is not called sound because of it.
fn explains_verdict(note: &Note) -> bool {
    matches!(note.kind, NoteKind::Unchecked | NoteKind::Unreferenced)
}

/// `events.root: ok: 1 ntuple, 139 pages, 9.5 MiB`
fn summary(report: &Report) -> String {
    let verdict = match (report.verdict, report.fault_count()) {
        (Verdict::Sound, _) => "ok".to_owned(),
        (Verdict::Incomplete, _) => "incomplete".to_owned(),
        (_, faults) => count(faults, "fault"),
    };
    let mut text = format!("{}: {verdict}: ", printable(&report.file));
    text += &count(report.ntuples.len() as u64, "ntuple");
    // Of older layouts more is unknown, so the reader of this should know of them.
    let old: BTreeSet<_> = report.ntuples.iter().filter_map(|ntuple| ntuple.format_version).collect();
    let old: Vec<_> = old.into_iter().filter(|one| one.is_pre_release()).map(|one| one.to_string()).collect();
    if !old.is_empty() {
        text += &format!(" ({})", old.join(", "));
    }
    let unchecked = report.ntuples.iter().filter(|ntuple| !ntuple.is_checked).count();
    if unchecked > 0 {
        text += &format!(" ({unchecked} not checked)");
    }
    text += &format!(", {}", count(report.pages(), "page"));
    if report.unchecked_pages() > 0 {
        text += &format!(" ({} more not checked)", report.unchecked_pages());
    }
    text += &format!(", {}", bytes(report.bytes()));
    if report.unreferenced_bytes > 0 {
        text += &format!("; {} that nothing refers to", bytes(report.unreferenced_bytes));
    }
    text
}
