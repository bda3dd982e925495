//! Finds the Z boson in a file that `simulate` wrote: `cargo run --release --example analyze -- --help`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{HumanCount, HumanFloatCount};
use rntuple::{RNTuple, Reader, Result};
use rntuple_examples::histogram::Histogram;

/// Draws the mass of pairs of muons with opposite charges.
#[derive(Debug, Parser)]
#[command(name = "analyze")]
struct Arguments {
    /// A file that `simulate` wrote.
    #[arg(value_name = "FILE", default_value = "events.root")]
    file: PathBuf,
    /// Muons need so much transverse momentum, in GeV.
    #[arg(long, value_name = "GEV", default_value_t = 20.0)]
    pt: f32,
}

// ANCHOR: event
/// What this analysis needs of an event. Nothing else is read.
#[derive(Default, RNTuple)]
struct Event {
    muons: Vec<Muon>,
}

/// What this analysis needs of a muon.
#[derive(RNTuple)]
struct Muon {
    pt: f32,
    eta: f32,
    phi: f32,
    charge: i8,
}
// ANCHOR_END: event

/// What was found.
pub(crate) struct Outcome {
    pub(crate) masses: Histogram,
    pub(crate) events: u64,
    pub(crate) pairs: u64,
    /// Columns that were read, and how many the file has.
    pub(crate) columns: (usize, usize),
    time: Duration,
}

/// The mass of two muons, whose own mass does not matter at these momenta.
fn mass(a: &Muon, b: &Muon) -> f64 {
    let [d_eta, d_phi] = [a.eta - b.eta, a.phi - b.phi].map(f64::from);
    (2.0 * f64::from(a.pt) * f64::from(b.pt) * (d_eta.cosh() - d_phi.cos())).sqrt()
}

/// Fills a histogram with the masses of all pairs.
pub(crate) fn analyze(file: &Path, lowest_pt: f32) -> Result<Outcome> {
    let start = Instant::now();
    let mut masses = Histogram::new(60.0..120.0, 60);
    let mut pairs = 0;

    // ANCHOR: read
    let reader = Reader::<Event>::open(file, "Events")?;
    let mut entries = reader.entries();
    let mut event = Event::default();
    while entries.read_into(&mut event)? {
        event.muons.retain(|muon| muon.pt > lowest_pt);
        while let Some(muon) = event.muons.pop() {
            for other in event.muons.iter().filter(|other| other.charge != muon.charge) {
                masses.fill(mass(&muon, other));
                pairs += 1;
            }
        }
    }
    // ANCHOR_END: read
    let columns = (reader.selected_columns().len(), reader.schema().columns().count());
    Ok(Outcome { masses, events: reader.entry_count()?, pairs, columns, time: start.elapsed() })
}

/// What was found, for people.
fn report(file: &Path, outcome: &Outcome) -> String {
    let Outcome { masses, events, pairs, columns: (read, all), time } = outcome;
    let peak = match masses.peak().zip(masses.resonance()) {
        Some((bin, peak)) => {
            let Range { start, end } = masses.bin(bin);
            format!("{peak:.2} GeV, fullest bin {start} to {end} GeV")
        }
        None => "none: no pair from 60 to 120 GeV".to_owned(),
    };
    format!(
        "{file}: mass of muon pairs in GeV

{masses}

  peak    {peak}
  pairs   {pairs}, {drawn} of them drawn
  read    {events} events in {seconds:.3} s ({rate:.0} events/s), {read} of {all} columns
",
        file = file.display(),
        pairs = HumanCount(*pairs),
        drawn = HumanCount(masses.count()),
        events = HumanCount(*events),
        seconds = time.as_secs_f64(),
        rate = HumanFloatCount(*events as f64 / time.as_secs_f64().max(1e-9)),
    )
}

fn main() -> ExitCode {
    let Arguments { file, pt } = Arguments::parse();
    let outcome = analyze(&file, pt);
    rntuple_examples::end("analyze", outcome.map(|outcome| report(&file, &outcome)))
}
