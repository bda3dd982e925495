//! What a job that is stopped leaves, and how to lose little. Explained in the book, chapter "When the job is
//! stopped".
#![expect(clippy::unwrap_used, reason = "what the program shows would be wrong")]

use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rntuple::checkpoint::Interval;
use rntuple::storage::LocalFile;
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

fn simulate(number: u64) -> Event {
    Event { number, hits: (0..number % 5).map(|i| i as f32).collect() }
}

fn count(path: &Path) -> Result<u64> {
    Reader::<Event>::open(path, "Events")?.entry_count()
}

fn the_old_file_stays(path: &Path) -> Result<()> {
    // ANCHOR: old
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    writer.fill(&simulate(0))?;
    writer.finish()?;

    // A second run of the job is stopped: a panic, an early `?`, a forgotten `finish`.
    let mut writer = Writer::<Event>::create(path, "Events", WriteOptions::new())?;
    writer.fill(&simulate(1))?;
    drop(writer);

    // The file of the first run is as it was.
    assert_eq!(count(path)?, 1);
    // ANCHOR_END: old
    Ok(())
}

// ANCHOR: state
/// What the simulation goes on from.
#[derive(RNTuple)]
struct State {
    seed: [u8; 32],
    position: u64,
}

impl State {
    fn of(random: &ChaCha8Rng) -> Self {
        Self { seed: random.get_seed(), position: u64::try_from(random.get_word_pos()).unwrap() }
    }

    fn random(&self) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::from_seed(self.seed);
        random.set_word_pos(self.position.into());
        random
    }
}
// ANCHOR_END: state

// ANCHOR: resume
/// Writes `end` events, those that an earlier run has saved included.
fn run(path: &Path, end: u64) -> Result<()> {
    let options = WriteOptions::new().checkpoint_every(Interval::Entries(1000));
    let (mut writer, state) = Writer::<Event>::resume_with::<State>(path, "Events", options)?;
    let mut random = state.map_or_else(|| ChaCha8Rng::seed_from_u64(42), |state| state.random());
    while writer.entry_count() < end {
        writer.fill(&random_event(&mut random))?;
        if writer.is_checkpoint_due() {
            writer.checkpoint_with(&State::of(&random))?;
        }
    }
    writer.finish()?;
    Ok(())
}
// ANCHOR_END: resume

fn random_event(random: &mut ChaCha8Rng) -> Event {
    Event { number: random.random(), hits: (0..random.random_range(0..5)).map(|_| random.random()).collect() }
}

fn little_is_lost(path: &Path) -> Result<()> {
    let undisturbed = path.with_file_name("undisturbed.root");
    run(&undisturbed, 5000)?;

    // A run that is stopped after 3 checkpoints.
    let options = WriteOptions::new();
    let (mut writer, _) = Writer::<Event>::resume_with::<State>(path, "Events", options)?;
    let mut random = ChaCha8Rng::seed_from_u64(42);
    for number in 1..=3500 {
        writer.fill(&random_event(&mut random))?;
        if number % 1000 == 0 {
            writer.checkpoint_with(&State::of(&random))?;
        }
    }
    // ANCHOR: follow
    let mut reader = Reader::<Event>::open(LocalFile::partial(path)?, "Events")?;
    assert_eq!(reader.entry_count()?, 3000);
    writer.fill(&random_event(&mut random))?;
    writer.checkpoint_with(&State::of(&random))?;
    assert_eq!(reader.refresh()?, 3501);
    // ANCHOR_END: follow
    drop((reader, writer));

    run(path, 5000)?;
    let events = |path: &Path| -> Result<Vec<Event>> { Reader::open(path, "Events")?.entries().collect() };
    assert_eq!(events(path)?, events(&undisturbed)?);
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    the_old_file_stays(&directory.path().join("old.root"))?;
    little_is_lost(&directory.path().join("saved.root"))
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
