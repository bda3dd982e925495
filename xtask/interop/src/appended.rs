//! Files that were there, and grew.

use std::path::Path;

use rntuple::extend::ColumnAdder;
use rntuple::root::FileOptions;
use rntuple::storage::LocalFile;
use rntuple::{Compression, Dataset, Reader, RootFile, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::reference;

use crate::Result;
use crate::case::{Entry, Ntuple, Recipe, describe, write, write_file};
use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::record;
use crate::sample::Sample;
use crate::structures::{Begun, Event, Joined, Narrow, Run, Structure, Whole};

record! {
    untyped struct Complete {
        #[rntuple(flatten)]
        [flat ""] begun: Begun,
        #[rntuple(flatten)]
        [flat ""] joined: Joined,
        #[rntuple(flatten)]
        [flat ""] run: Run,
    }

    untyped struct Staff {
        #[rntuple(rename = "Category")]
        category: i32 = "Category",
        #[rntuple(rename = "Flag")]
        flag: u32 = "Flag",
        #[rntuple(rename = "Age")]
        age: i32 = "Age",
        #[rntuple(rename = "Service")]
        service: i32 = "Service",
        #[rntuple(rename = "Children")]
        children: i32 = "Children",
        #[rntuple(rename = "Grade")]
        grade: i32 = "Grade",
        #[rntuple(rename = "Step")]
        step: i32 = "Step",
        #[rntuple(rename = "Hrweek")]
        hrweek: i32 = "Hrweek",
        #[rntuple(rename = "Cost")]
        cost: i32 = "Cost",
        #[rntuple(rename = "Division")]
        division: String = "Division",
        #[rntuple(rename = "Nation")]
        nation: String = "Nation",
    }
}

/// A file by ROOT.
const STAFF: &str = "ntpl001_staff-v1.0.0.0.root";

/// Every structure.
pub(crate) const APPENDED: &[Structure] = &[
    Structure { name: "appended", write: |file| grown::<Event>(file, &[zstd(), zstd()], &[&[90, 7], &[51]]) },
    Structure {
        name: "appended, twice, by other codecs",
        write: |file| {
            let recipes = [zstd(), Recipe::new(Compression::lz4(4)), Recipe::new(Compression::NONE)];
            grown::<Event>(file, &recipes, &[&[30, 20], &[10], &[40, 1, 5]])
        },
    },
    Structure {
        name: "appended, to one without entries",
        write: |file| grown::<Narrow>(file, &[zstd(), zstd()], &[&[0], &[70, 9]]),
    },
    Structure { name: "appended, in directories", write: directories },
    Structure { name: "appended, behind members that joined late", write: late },
    Structure { name: "at a checkpoint", write: |file| checkpointed(file, false) },
    Structure { name: "resumed after checkpoints", write: |file| checkpointed(file, true) },
    Structure { name: "columns added", write: |file| added(file, zstd()) },
    Structure {
        name: "columns added, uncompressed",
        write: |file| added(file, Recipe::new(Compression::NONE)),
    },
    Structure { name: "appended to a file by ROOT", write: by_root },
    Structure { name: "columns added to a file by ROOT", write: columns_by_root },
];

fn zstd() -> Recipe {
    Recipe::new(Compression::zstd(5))
}

/// Each group by a writer of its own, with the options of its recipe.
fn grown<T: Entry + rntuple::field::ReadField>(
    file: &Path,
    recipes: &[Recipe],
    groups: &'static [&'static [u64]],
) -> Result<Vec<Ntuple>> {
    let mut random = Random::new("grown");
    let (mut values, mut clusters) = (Vec::new(), 0);
    for (number, (recipe, group)) in recipes.iter().zip(groups).enumerate() {
        let options = recipe.options.clone();
        let mut writer = match number {
            0 => Writer::<T>::create(file, "Grown", options)?,
            _ => Writer::<T>::append(file, "Grown", options)?,
        };
        for &size in *group {
            for _ in 0..size {
                let entry = T::sample(&mut random);
                writer.fill(&entry)?;
                values.push(entry.json(Side::Stored));
            }
            writer.commit_cluster()?;
        }
        clusters += writer.finish()?.clusters;
    }
    // The columns are those of the first recipe.
    let recipe = Recipe { groups, ..zstd() };
    let sizes = groups.concat().into_iter().filter(|&size| size > 0).collect();
    Ok(vec![describe::<T, T>("Grown", &recipe, values, sizes, clusters)?])
}

/// A file whose writer was dropped after its last checkpoint, as it was then, or resumed and finished.
fn checkpointed(file: &Path, is_finished: bool) -> Result<Vec<Ntuple>> {
    const SIZES: [u64; 6] = [40, 1, 30, 25, 7, 60];
    let recipe = Recipe { groups: &[&SIZES], ..zstd() };
    let mut random = Random::new("checkpointed");
    let mut values = Vec::new();
    for (number, size) in SIZES.into_iter().enumerate() {
        let options = recipe.options.clone();
        // Each time a program of its own.
        let (mut writer, state) = Writer::<Event>::resume_with::<Run>(file, "a/Events", options)?;
        if state.is_some() != (number > 0) {
            return Err("a state is not where it was kept".into());
        }
        for _ in 0..size {
            let event = Event::sample(&mut random);
            writer.fill(&event)?;
            values.push(event.json(Side::Stored));
        }
        writer.checkpoint_with(&Run::sample(&mut random))?;
        // This one is lost.
        writer.fill(&Event::sample(&mut random))?;
    }
    match is_finished {
        true => drop(Writer::<Event>::resume(file, "a/Events", recipe.options.clone())?.finish()?),
        false => std::fs::rename(LocalFile::partial(file)?, file)?,
    }
    let clusters = SIZES.len() as u64;
    Ok(vec![describe::<Event, Event>("a/Events", &recipe, values, SIZES.to_vec(), clusters)?])
}

/// One of three grows.
fn directories(path: &Path) -> Result<Vec<Ntuple>> {
    let file = RootFileWriter::create(path, FileOptions::new())?;
    let recipe = zstd();
    let narrow = write(file.writer::<Narrow>("Narrow", recipe.options.clone())?, "Narrow", &recipe)?;
    let run = write(file.writer::<Run>("a/b/Run", recipe.options.clone())?, "a/b/Run", &recipe)?;
    let mut events = file.writer::<Event>("a/Events", recipe.options.clone())?;
    let mut random = Random::new("directories");
    let mut values = Vec::new();
    for _ in 0..60 {
        let event = Event::sample(&mut random);
        events.fill(&event)?;
        values.push(event.json(Side::Stored));
    }
    events.finish()?;
    file.finish()?;
    let mut events = Writer::<Event>::append(path, "a/Events", recipe.options.clone())?;
    for _ in 0..25 {
        let event = Event::sample(&mut random);
        events.fill(&event)?;
        values.push(event.json(Side::Stored));
    }
    events.finish()?;
    let recipe = Recipe { groups: &[&[60], &[25]], ..recipe };
    let events = describe::<Event, Event>("a/Events", &recipe, values, vec![60, 25], 2)?;
    Ok(vec![narrow, run, events])
}

/// Members of `X` for all entries of [`Begun`], which stand in one group.
fn added(file: &Path, recipe: Recipe) -> Result<Vec<Ntuple>> {
    const SIZES: [u64; 3] = [40, 30, 50];
    let recipe = Recipe { groups: &[&SIZES], ..recipe };
    let mut random = Random::new("added");
    let entries: Vec<Whole> = (0..SIZES.iter().sum()).map(|_| Whole::sample(&mut random)).collect();
    let mut writer = Writer::<Begun>::create(file, "Added", recipe.options.clone())?;
    let mut rest = entries.iter();
    for size in SIZES {
        for _ in 0..size {
            rest.next().map_or(Ok(()), |entry| writer.fill(&entry.begun))?;
        }
        writer.commit_cluster()?;
    }
    let clusters = writer.finish()?.clusters;
    let mut adder = ColumnAdder::<Joined>::append(file, "Added", recipe.options.clone())?;
    entries.iter().try_for_each(|entry| adder.fill(&entry.joined))?;
    adder.finish()?;
    let values = entries.iter().map(|entry| entry.json(Side::Stored)).collect();
    let mut ntuple = describe::<Whole, Whole>("Added", &recipe, values, SIZES.to_vec(), clusters)?;
    ntuple.added("scale");
    Ok(vec![ntuple])
}

/// Members that join while an ntuple grows, then others for all entries, and then it grows once more.
fn late(file: &Path) -> Result<Vec<Ntuple>> {
    const BEFORE: u64 = 25;
    let recipe = Recipe { groups: &[&[20], &[35], &[30]], ..zstd() };
    let mut random = Random::new("late");
    let mut entries: Vec<Complete> = (0..85).map(|_| Complete::sample(&mut random)).collect();
    for (entry, _) in entries.iter_mut().zip(0..BEFORE) {
        entry.joined = Joined::none();
    }
    let mut writer = Writer::<Begun>::create(file, "Late", recipe.options.clone())?;
    entries.iter().take(20).try_for_each(|entry| writer.fill(&entry.begun))?;
    writer.finish()?;
    let mut writer = Writer::<Begun>::append(file, "Late", recipe.options.clone())?;
    entries.iter().take(25).skip(20).try_for_each(|entry| writer.fill(&entry.begun))?;
    let mut writer = writer.extend::<Joined>().map_err(|refused| refused.error)?;
    entries.iter().take(55).skip(25).try_for_each(|entry| writer.fill_both(&entry.begun, &entry.joined))?;
    writer.finish()?;
    let mut adder = ColumnAdder::<Run>::append(file, "Late", recipe.options.clone())?;
    entries.iter().take(55).try_for_each(|entry| adder.fill(&entry.run))?;
    adder.finish()?;
    let mut writer = Writer::<Complete>::append(file, "Late", recipe.options.clone())?;
    entries.iter().skip(55).try_for_each(|entry| writer.fill(entry))?;
    writer.finish()?;
    let values = entries.iter().map(|entry| entry.json(Side::Stored)).collect();
    let mut ntuple = describe::<Complete, Complete>("Late", &recipe, values, vec![20, 35, 30], 3)?;
    ntuple.joined("scale", "seed", BEFORE);
    ntuple.added("seed");
    Ok(vec![ntuple])
}

/// A copy of the file by ROOT, and what is in it; `None` where it is not at hand.
fn copy(file: &Path) -> Result<Option<(Vec<Staff>, String)>> {
    let Some(folder) = reference::directory() else { return Ok(None) };
    std::fs::copy(folder.join(STAFF), file)?;
    let entries = Reader::<Staff>::open(file, "Staff")?.entries().collect::<rntuple::Result<_>>()?;
    let description = Dataset::open(&RootFile::open(file)?, "Staff")?.description().to_owned();
    Ok(Some((entries, description)))
}

/// A copy of the file by ROOT, with its ntuple as it is; `None` where it is not at hand.
pub(crate) fn as_it_is(file: &Path) -> Result<Option<Ntuple>> {
    let Some((entries, description)) = copy(file)? else { return Ok(None) };
    let values = entries.iter().map(|entry| entry.json(Side::Stored)).collect();
    let recipe = Recipe { groups: &[&[1]], ..zstd() };
    let mut ntuple = describe::<Staff, Staff>("Staff", &recipe, values, vec![entries.len() as u64], 1)?;
    ntuple.description = description;
    Ok(Some(ntuple))
}

fn by_root(file: &Path) -> Result<Vec<Ntuple>> {
    let Some((mut entries, description)) = copy(file)? else {
        return write_file::<Narrow>(file, "Narrow", &zstd());
    };
    let old = entries.len();
    let mut random = Random::new("by root");
    entries.extend((0..100).map(|_| Staff::sample(&mut random)));
    let mut writer = Writer::<Staff>::append(file, "Staff", WriteOptions::new())?;
    entries.iter().skip(old).try_for_each(|entry| writer.fill(entry))?;
    writer.finish()?;
    let values = entries.iter().map(|entry| entry.json(Side::Stored)).collect();
    let recipe = Recipe { groups: &[&[1], &[1]], ..zstd() };
    let mut ntuple = describe::<Staff, Staff>("Staff", &recipe, values, vec![old as u64, 100], 2)?;
    ntuple.description = description;
    Ok(vec![ntuple])
}

record! {
    untyped struct Promoted {
        #[rntuple(flatten)]
        [flat ""] staff: Staff,
        #[rntuple(flatten)]
        [flat ""] joined: Joined,
    }
}

fn columns_by_root(file: &Path) -> Result<Vec<Ntuple>> {
    let Some((entries, description)) = copy(file)? else {
        return write_file::<Narrow>(file, "Narrow", &zstd());
    };
    let mut random = Random::new("columns by root");
    let entries: Vec<Promoted> =
        entries.into_iter().map(|staff| Promoted { staff, joined: Joined::sample(&mut random) }).collect();
    let mut adder = ColumnAdder::<Joined>::append(file, "Staff", WriteOptions::new())?;
    entries.iter().try_for_each(|entry| adder.fill(&entry.joined))?;
    adder.finish()?;
    let values = entries.iter().map(|entry| entry.json(Side::Stored)).collect();
    let recipe = Recipe { groups: &[&[1]], ..zstd() };
    let sizes = vec![entries.len() as u64];
    let mut ntuple = describe::<Promoted, Promoted>("Staff", &recipe, values, sizes, 1)?;
    ntuple.added("scale");
    ntuple.description = description;
    Ok(vec![ntuple])
}
