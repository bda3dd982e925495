//! What the run prints.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::{CODECS, Written};
use crate::findings::{FileFindings, Finding, Verdict};
use crate::foreign::Foreign;

/// The columns of the table.
pub(crate) const READERS: [&str; 6] =
    ["Reader<T>", "Reader<Value>", "uproot", "JSROOT", "ROOT's TFile", "after ROOT's update"];

/// One written file and what each of [`READERS`] says about it; nothing where there is no judge.
pub(crate) struct Judged {
    pub(crate) written: Written,
    pub(crate) findings: Vec<Option<FileFindings>>,
}

impl Judged {
    /// Every field with the finding of one reader.
    fn fields(&self, reader: usize) -> impl Iterator<Item = (&'static str, String, Finding)> {
        let findings = self.findings.get(reader).and_then(Option::as_ref);
        self.written.ntuples.iter().flat_map(move |ntuple| {
            ntuple.rows.iter().filter_map(move |(field, row)| {
                let name = format!("{}: {field}", ntuple.path);
                Some((*row, name, findings?.get(&ntuple.path, field)))
            })
        })
    }
}

/// The table type x codec x reader.
pub(crate) fn types(files: &[Judged]) -> String {
    let mut text = heading("type", " none zstd lz4 zlib lzma");
    let mut cases: Vec<&'static str> = Vec::new();
    for file in files {
        if !cases.contains(&file.written.case) {
            cases.push(file.written.case);
        }
    }
    for case in cases {
        text += &format!("{case}\n");
        // Rows in the order of the first file; the worst verdict of all fields of a row.
        let mut rows: Vec<&'static str> = Vec::new();
        let mut marks: BTreeMap<(&'static str, usize, &'static str), Verdict> = BTreeMap::new();
        for file in files.iter().filter(|file| file.written.case == case) {
            for (reader, _) in READERS.iter().enumerate() {
                for (row, _, finding) in file.fields(reader) {
                    if !rows.contains(&row) {
                        rows.push(row);
                    }
                    let mark = marks.entry((row, reader, file.written.codec)).or_insert(Verdict::Same);
                    *mark = finding.verdict.max(*mark);
                }
            }
        }
        for row in rows {
            let cells = READERS.iter().enumerate().map(|(reader, _)| {
                let mark = |&(codec, _): &(&'static str, _)| {
                    marks.get(&(row, reader, codec)).map_or(' ', |verdict| verdict.mark())
                };
                CODECS.iter().map(mark).collect::<String>()
            });
            text += &line(&format!("  {row}"), cells);
        }
    }
    text
}

/// The table structure x reader: numbers of fields.
pub(crate) fn structures(files: &[Judged]) -> String {
    let mut text = heading("structure", " number of fields");
    for file in files {
        let cells = READERS
            .iter()
            .enumerate()
            .map(|(reader, _)| counts(file.fields(reader).map(|(_, _, finding)| finding.verdict)));
        text += &line(&format!("  {}", file.written.case), cells);
    }
    text
}

/// The table of uproot's files.
pub(crate) fn foreign(files: &[Foreign]) -> String {
    let mut text = String::from("written by uproot: number of fields\n");
    text += &line("", ["Reader<T>".to_owned(), "Reader<Value>".to_owned()]);
    for file in files {
        let cell = |fields: &[String], findings: &FileFindings| {
            counts(fields.iter().map(|field| findings.get(&file.path, field).verdict))
        };
        let cells = [cell(&file.typed_fields, &file.typed), cell(&file.fields, &file.untyped)];
        text += &line(&format!("  {}: {}", file.file, file.path), cells);
    }
    text
}

/// What the marks mean.
pub(crate) const LEGEND: &str = "\
= equal: schema and every value
~ a known fault of the reader: equal to what that fault makes of the value
- unreadable for a known reason
X different\n";

/// Every limit and known fault of the peers, with all that it concerns.
pub(crate) fn limits(files: &[Judged]) -> String {
    let mut limits: BTreeMap<(usize, Verdict, String), BTreeSet<String>> = BTreeMap::new();
    for file in files {
        for (reader, _) in READERS.iter().enumerate().take(4) {
            for (row, _, finding) in file.fields(reader) {
                for reason in finding.reasons {
                    let key = (reader, finding.verdict, reason);
                    limits.entry(key).or_default().insert(format!("{}: {row}", file.written.case));
                }
            }
            let known = file.findings.get(reader).and_then(Option::as_ref).map(|found| &found.known);
            for reason in known.into_iter().flatten() {
                let key = (reader, Verdict::Known, reason.clone());
                limits.entry(key).or_default().insert(file.written.case.to_owned());
            }
        }
    }
    let mut text = String::new();
    for ((reader, verdict, reason), concerned) in limits {
        let reader = READERS.get(reader).unwrap_or(&"?");
        text += &format!("{} {reader}: {reason}\n", verdict.mark());
        for concerned in by_case(&concerned) {
            text += &format!("      {concerned}\n");
        }
    }
    text
}

/// Rows of one case on one line.
fn by_case(concerned: &BTreeSet<String>) -> Vec<String> {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for each in concerned {
        let (case, row) = each.split_once(": ").unwrap_or((each, "all"));
        match lines.last_mut().filter(|(last, _)| last == case) {
            Some((_, rows)) => rows.push(row.to_owned()),
            None => lines.push((case.to_owned(), vec![row.to_owned()])),
        }
    }
    lines.into_iter().map(|(case, rows)| format!("{case}: {}", rows.join(" | "))).collect()
}

/// Every difference that nobody foresaw.
pub(crate) fn differences(files: &[Judged], foreign: &[Foreign]) -> Vec<String> {
    let mut lines = Vec::new();
    for file in files {
        for (reader, name) in READERS.iter().enumerate() {
            let Some(found) = file.findings.get(reader).and_then(Option::as_ref) else { continue };
            let head = format!("{}, {name}", file.written.stem);
            lines.extend(found.different.iter().map(|text| format!("{head}: {text}")));
            if found.different.is_empty() {
                let different =
                    file.fields(reader).filter(|(_, _, found)| found.verdict == Verdict::Different);
                lines.extend(different.map(|(_, field, found)| format!("{head}: {field}: {}", found.detail)));
            }
        }
    }
    for file in foreign {
        for (name, fields, found) in
            [("Reader<T>", &file.typed_fields, &file.typed), ("Reader<Value>", &file.fields, &file.untyped)]
        {
            let head = format!("{} by uproot, {name}, {}", file.file, file.path);
            lines.extend(found.different.iter().map(|text| format!("{head}: {text}")));
            for field in fields.iter().filter(|_| found.different.is_empty()) {
                let finding = found.get(&file.path, field);
                if finding.verdict == Verdict::Different {
                    lines.push(format!("{head}: {field}: {}", finding.detail));
                }
            }
        }
    }
    lines
}

/// `12= 1~`.
fn counts(verdicts: impl Iterator<Item = Verdict>) -> String {
    let mut counts: BTreeMap<Verdict, u32> = BTreeMap::new();
    for verdict in verdicts {
        *counts.entry(verdict).or_default() += 1;
    }
    counts.iter().map(|(verdict, count)| format!("{count}{}", verdict.mark())).collect::<Vec<_>>().join(" ")
}

fn heading(what: &str, cells: &str) -> String {
    let mut text = format!("{what}; in each column:{cells}\n");
    text += &line("", READERS.iter().map(|&reader| reader.to_owned()));
    text
}

fn line(first: &str, cells: impl IntoIterator<Item = String>) -> String {
    let mut text = pad(first, 46);
    for cell in cells {
        text += &pad(&cell, 15);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count() + 1);
    format!("{text}{} ", " ".repeat(missing))
}
