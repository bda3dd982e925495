//! Merges files without decoding them. Explained in the book, chapter "Merging".

use std::path::Path;

use rntuple::merge::{AttributePolicy, Input, MergeOptions, SchemaMode, merge_files};
use rntuple::{Compression, RNTuple, Reader, Result, WriteOptions, Writer};

// ANCHOR: types
#[derive(RNTuple)]
struct Event {
    number: u64,
    met: f32,
}

#[derive(RNTuple)]
struct Tagged {
    number: u64,
    met: f32,
    tags: Vec<String>,
}
// ANCHOR_END: types

fn write(directory: &Path) -> Result<()> {
    for run in 1..=3 {
        let file = directory.join(format!("run{run}.root"));
        let mut events = Writer::create(file, "Events", WriteOptions::new())?;
        for number in 0..100 {
            events.fill(&Event { number, met: 20.0 })?;
        }
        events.finish()?;
    }
    let mut tagged = Writer::create(directory.join("tagged.root"), "Events", WriteOptions::new())?;
    tagged.fill(&Tagged { number: 7, met: 31.5, tags: vec!["golden".to_owned()] })?;
    tagged.finish()?;
    Ok(())
}

fn merge(directory: &Path) -> Result<()> {
    // ANCHOR: merge
    let inputs: Vec<Input> = (1..=3).map(|run| directory.join(format!("run{run}.root")).into()).collect();
    let summary = merge_files(&inputs, directory.join("all.root"), MergeOptions::new())?;
    assert_eq!((summary.entries, summary.recompressed_pages), (300, 0));
    // ANCHOR_END: merge

    // ANCHOR: union
    let inputs = [directory.join("all.root").into(), directory.join("tagged.root").into()];
    let options = MergeOptions::new().schema(SchemaMode::Union).compression(Compression::zstd(5));
    merge_files(&inputs, directory.join("union.root"), options)?;

    let reader = Reader::<Tagged>::open(directory.join("union.root"), "Events")?;
    assert!(reader.get(0)?.tags.is_empty());
    assert_eq!(reader.get(300)?.tags, ["golden"]);
    // ANCHOR_END: union

    // ANCHOR: sets
    let options = MergeOptions::new()
        .overwrite(true)
        .single_group(true)
        .attributes_of("Configuration", AttributePolicy::Equal)
        .attributes_of("Scratch", AttributePolicy::Drop)
        .progress(|at| eprintln!("{}: {} of {} entries", at.input, at.entries, at.entry_count));
    // ANCHOR_END: sets
    let inputs = [Input::file(directory.join("run1.root")).ntuple("Events")];
    merge_files(&inputs, directory.join("all.root"), options)?;
    Ok(())
}

fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    write(directory.path())?;
    merge(directory.path())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
