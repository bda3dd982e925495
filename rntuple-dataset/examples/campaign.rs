//! A year of runs: taken, calibrated again, cleaned of bad runs, and analysed once more as it was.

use rntuple::predicate::Predicate;
use rntuple::{RNTuple, Reader};
use rntuple_dataset::{CompactOptions, Snapshot, Table};

// ANCHOR: types
#[derive(RNTuple)]
struct Event {
    run: u32,
    number: u64,
    /// As the detector said it, in GeV.
    energy: f32,
}
// ANCHOR_END: types

/// What a run has measured.
fn events(run: u32) -> impl Iterator<Item = Event> {
    (0..1000u16).map(move |number| Event { run, number: number.into(), energy: f32::from(number % 100) })
}

// ANCHOR: analysis
/// The analysis of the paper: how many events are above 90 GeV?
fn analysis(snapshot: &Snapshot) -> rntuple_dataset::Result<usize> {
    #[derive(RNTuple)]
    struct Energy {
        energy: f32,
    }

    let high = snapshot.filter::<Energy>(&"energy > 90".parse()?)?;
    Ok(high.entries().filter(Result::is_ok).count())
}
// ANCHOR_END: analysis

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("data2026.rnds");
    let path = path.to_str().ok_or("the path of a data set must be UTF-8")?;

    // ANCHOR: runs
    // A year of runs, as they come.
    let table = Table::create::<Event>(path, "Events")?;
    for run in 1..=12 {
        table.append::<Event>(|writer| events(run).try_for_each(|event| writer.fill(&event)))?;
    }
    // What the first paper is about.
    let paper = table.snapshot()?;
    table.tag("paper-1", paper.version())?;
    let found = analysis(&paper)?;
    // ANCHOR_END: runs
    assert_eq!(found, 12 * 90);

    // ANCHOR: calibration
    // A better calibration takes the place of the column. No event is written again.
    #[derive(RNTuple)]
    struct Measured {
        run: u32,
        energy: f32,
    }

    #[derive(RNTuple)]
    struct Calibrated {
        energy: f32,
    }

    table.add_columns(|events: Vec<Measured>| {
        let scale = |run: u32| if run > 6 { 1.1 } else { 1.0 };
        events.iter().map(|event| Calibrated { energy: scale(event.run) * event.energy }).collect()
    })?;
    // ANCHOR_END: calibration

    // ANCHOR: bad-runs
    // The magnet was off in run 5.
    let bad: Predicate = "run == 5".parse()?;
    let good = table.delete_where(&bad)?;
    assert_eq!(good.len(), 11_000);
    let found_now = analysis(&good)?;
    // ANCHOR_END: bad-runs
    assert!(found_now > found - 90);

    // ANCHOR: again
    // A referee asks: the analysis of the paper, on what it saw.
    assert_eq!(analysis(&table.at("paper-1")?)?, found);
    // ANCHOR_END: again

    // ANCHOR: compaction
    // One file for the grid, without the bad run, which plain readers would otherwise see.
    let compact = table.compact(&CompactOptions::new())?;
    let files: Vec<String> = compact
        .fragments()
        .iter()
        .flat_map(|fragment| &fragment.files)
        .map(|file| compact.location().data_file(&file.path))
        .collect();
    let plain = Reader::<Event>::open(&files, "Events")?;
    assert_eq!(plain.entry_count()?, 11_000);
    // ANCHOR_END: compaction

    // ANCHOR: check
    let report = table.check(true)?;
    assert!(report.is_sound());
    // ANCHOR_END: check
    Ok(())
}
