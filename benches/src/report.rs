//! The tables, in Markdown.

use std::fmt::{self, Write};

use crate::jobs::{ROWS, Work};
use crate::run::{Figure, Figures};
use crate::targets::{Measure, TARGETS, Target};
use crate::{Codec, Data, FLAT_PAYLOAD};

/// All tables of a run.
pub fn report(data: &Data, figures: &Figures, repetitions: usize) -> Result<String, fmt::Error> {
    let mut text = String::new();
    writeln!(
        text,
        "{} nested events of {:.1} bytes of payload, {} flat ones of {FLAT_PAYLOAD}; {repetitions} rounds, medians; {}.",
        data.count(),
        data.payload as f64 / data.count() as f64,
        data.flat_count(),
        machine(),
    )?;
    for note in &figures.notes {
        writeln!(text, "{note}")?;
    }
    writeln!(text, "\n### Targets\n")?;
    targets(&mut text, figures, data)?;
    for work in Work::ALL {
        table(&mut text, *work, data, figures)?;
    }
    Ok(text)
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!("{cores} cores, {}", model.map_or(std::env::consts::ARCH, |(_, name)| name))
}

fn targets(text: &mut String, figures: &Figures, data: &Data) -> fmt::Result {
    writeln!(text, "| | ours against | ours | theirs | ratio | wanted | |")?;
    writeln!(text, "|---|---|---|---|---|---|---|")?;
    let (mut met, mut measured) = (0, 0);
    for target in TARGETS {
        let Target { number, sentence, measure, wanted, .. } = target;
        let (sign, unit) = match measure {
            Measure::Speed => ('≥', "ns"),
            Measure::Size => ('≤', "B"),
        };
        write!(text, "| {number} | {sentence} | ")?;
        match target.outcome(figures, data) {
            Some(found) => {
                let verdict = if found.met { "met" } else { "**missed**" };
                measured += 1;
                met += u32::from(found.met);
                let (ours, peer) = (quantity(found.ours), quantity(found.peer));
                writeln!(
                    text,
                    "{ours} {unit} | {peer} {unit} | {:.2} | {sign} {wanted:.2} | {verdict} |",
                    found.ratio
                )?;
            }
            None => writeln!(text, "| | | {sign} {wanted:.2} | not measured |")?,
        }
    }
    writeln!(text, "\n{met} of {measured} that were measured are met, of {} in all.", TARGETS.len())
}

fn quantity(value: f64) -> String {
    if value < 20.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

fn table(text: &mut String, work: Work, data: &Data, figures: &Figures) -> fmt::Result {
    let mine: Vec<&Figure> = figures.figures.iter().filter(|figure| figure.work == work).collect();
    if mine.is_empty() {
        return Ok(());
    }
    let events = work.events(data);
    let payload = if work.is_flat() { FLAT_PAYLOAD as f64 } else { data.payload as f64 / events as f64 };
    // A part of the payload has no payload per second that could be compared.
    let whole = !matches!(work, Work::JetPt | Work::MuonPt);
    let sizes = mine.iter().any(|figure| figure.bytes.is_some());
    let unit = if whole { "ns/event (MB/s of payload)" } else { "ns/event" };
    writeln!(text, "\n### {}: {unit}\n", work.title())?;
    let sizes_title = if sizes { " bytes/event |" } else { "" };
    writeln!(text, "| | none | lz4 | zstd 1 | zstd 5 |{sizes_title} slowest/fastest |")?;
    writeln!(text, "|---|---|---|---|---|{}---|", if sizes { "---|" } else { "" })?;
    for row in ROWS.iter().filter(|row| row.work == work) {
        let of_codec = |codec: &Codec| {
            figures.find(work, row.peer, *codec, row.threads).filter(|_| row.codecs.contains(codec))
        };
        let found: Vec<Option<&Figure>> = Codec::ALL.iter().map(of_codec).collect();
        if found.iter().all(Option::is_none) {
            continue;
        }
        let threads = match row.threads {
            1 => String::new(),
            2 => ", two threads".to_owned(),
            count => format!(", {count} threads"),
        };
        write!(text, "| {}{threads} |", row.peer)?;
        for figure in &found {
            match figure.map(|figure| figure.time(events)) {
                Some(time) if whole => write!(text, " {} ({:.0}) |", quantity(time), payload / time * 1e3)?,
                Some(time) => write!(text, " {} |", quantity(time))?,
                None => write!(text, " |")?,
            }
        }
        if sizes {
            let size = |bytes: Option<u64>| {
                bytes.map_or("–".to_owned(), |bytes| format!("{:.1}", bytes as f64 / events as f64))
            };
            let all: Vec<String> =
                found.iter().map(|figure| size(figure.and_then(|figure| figure.bytes))).collect();
            write!(text, " {} |", all.join(" / "))?;
        }
        let spread = found.iter().flatten().map(|figure| figure.spread()).fold(1.0, f64::max);
        writeln!(text, " {spread:.2} |")?;
    }
    Ok(())
}
