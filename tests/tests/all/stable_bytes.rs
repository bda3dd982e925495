//! Files that hold the same bytes whatever becomes of the code that writes them.
//!
//! A change of these digests is a change of what every user's files look like: it needs a reason in the changelog.
//! Nothing is compressed, as codecs change their output from version to version.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::{Duration, SystemTime};

use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::extend::ColumnAdder;
use rntuple::merge::{Input, MergeOptions, merge_into};
use rntuple::parallel::Order;
use rntuple::root::FileOptions;
use rntuple::storage::Memory;
use rntuple::{Compression, ParallelWriter, RNTuple, RootFile, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::sample::{Noisy, noisy};
use xxhash_rust::xxh3::xxh3_64;

#[derive(RNTuple)]
struct Weight {
    weight: f64,
}

#[derive(RNTuple)]
struct Run {
    run: u32,
    site: String,
}

fn time() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

/// Small pages and clusters, so that a small file has many.
fn options() -> WriteOptions {
    WriteOptions::new()
        .compression(Compression::NONE)
        .initial_page_length(64)
        .max_page_length(1024)
        .write_buffer_length(8 << 10)
        .cluster_size(32 << 10)
        .timestamp(time())
        .uuid([7; 16])
}

/// Pages and envelopes are compressed.
fn compressed() -> WriteOptions {
    options().compression(Compression::zstd(1))
}

fn plain() -> Memory {
    plain_of(options())
}

fn plain_of(options: WriteOptions) -> Memory {
    let mut writer = Writer::<Noisy, _>::new(Memory::new(), "Events", options).unwrap();
    for (number, event) in noisy(3000).iter().enumerate() {
        writer.fill(event).unwrap();
        if number % 700 == 0 {
            writer.commit_cluster().unwrap();
        }
        if number == 2000 {
            writer.commit_cluster_group().unwrap();
        }
    }
    writer.finish_into().unwrap().1
}

/// The transactions of three threads, in order.
fn ordered(options: WriteOptions) -> Memory {
    let events = noisy(3000);
    let writer = ParallelWriter::<Noisy, _>::new(Memory::new(), "Events", options).unwrap();
    let writer = writer.ordered(Order::Entries { first: 0 });
    writer
        .scope(|scope| {
            for thread in 0..3 {
                let events = &events;
                scope.spawn(move |context| {
                    for (number, part) in
                        events.chunks(250).enumerate().filter(|(number, _)| number % 3 == thread)
                    {
                        let mut transaction = context.begin_ordered(250 * number as u64)?;
                        transaction.fill_all(part)?;
                        transaction.commit()?;
                    }
                    Ok(())
                });
            }
        })
        .unwrap();
    writer.finish_into().unwrap().1
}

fn with_attributes() -> Memory {
    let mut writer = Writer::<Noisy, _>::new(Memory::new(), "Events", options()).unwrap();
    let runs = writer.attributes::<Run>("Runs").unwrap();
    for (run, events) in (1..).zip(noisy(1000).chunks(100)) {
        let range = runs.begin(&writer).unwrap();
        writer.fill_all(events).unwrap();
        range.commit(&writer, &Run { run, site: format!("site {run}") }).unwrap();
    }
    writer.finish_into().unwrap().1
}

fn appended() -> Memory {
    let mut writer = Writer::<Noisy, _>::append_to(plain(), "Events", options()).unwrap();
    writer.fill_all(&noisy(500)).unwrap();
    writer.finish_into().unwrap().1
}

fn added() -> Memory {
    let mut adder = ColumnAdder::<Weight, _>::append_to(appended(), "Events", options()).unwrap();
    (0..3500).for_each(|number| adder.fill(&Weight { weight: f64::from(number) }).unwrap());
    adder.finish_into().unwrap().1
}

fn extended() -> Memory {
    let mut writer = Writer::<Noisy, _>::new(Memory::new(), "Events", options()).unwrap();
    writer.fill_all(&noisy(900)).unwrap();
    let mut writer = writer.extend::<Weight>().unwrap();
    noisy(900).iter().for_each(|event| writer.fill_both(event, &Weight { weight: 0.5 }).unwrap());
    writer.finish_into().unwrap().1
}

fn represented() -> Memory {
    let encodings = [ColumnType::SplitReal32, ColumnType::Real16].map(ColumnEncoding::of);
    let options = options().representations("hits._0", encodings);
    let mut writer = Writer::<Noisy, _>::new(Memory::new(), "Events", options).unwrap();
    for (number, events) in noisy(1000).chunks(250).enumerate() {
        writer.fill_all(events).unwrap();
        writer.commit_cluster().unwrap();
        writer.use_representation("hits", (number + 1) % 2).unwrap();
    }
    writer.finish_into().unwrap().1
}

fn several() -> Memory {
    let file =
        RootFileWriter::new(Memory::new(), FileOptions::new().timestamp(time()).uuid([7; 16])).unwrap();
    let mut events = file.writer::<Noisy>("Events", options()).unwrap();
    let mut runs = file.writer::<Run>("conditions/Runs", options()).unwrap();
    events.fill_all(&noisy(700)).unwrap();
    runs.fill(&Run { run: 1, site: "here".to_owned() }).unwrap();
    events.fill_all(&noisy(700)).unwrap();
    runs.finish().unwrap();
    events.finish().unwrap();
    file.finish().unwrap()
}

/// The bytes before compression, which are the same with every version of the codec.
fn without_compression(file: &Memory) -> Memory {
    let options = MergeOptions::new().compression(Compression::NONE).timestamp(time()).uuid([7; 16]);
    let file = RootFile::from_storage(file.clone()).unwrap();
    merge_into(&[Input::open(&file)], Memory::new(), options).unwrap().1
}

/// Another ntuple in a file that is there.
fn guest() -> Memory {
    let options = FileOptions::new().timestamp(time());
    let file = RootFileWriter::append_to(plain(), options).unwrap();
    let mut runs = file.writer::<Run>("conditions/Runs", options_of_a_guest()).unwrap();
    (0..200).for_each(|run| runs.fill(&Run { run, site: format!("site {run}") }).unwrap());
    runs.finish().unwrap();
    file.finish().unwrap()
}

fn options_of_a_guest() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE).max_page_length(512)
}

#[test]
fn files_are_what_they_were() {
    let files = [
        ("plain", plain()),
        ("ordered", ordered(options())),
        ("ordered, with a budget", ordered(options().memory_budget(8 << 20).contexts(3))),
        ("attributes", with_attributes()),
        ("appended", appended()),
        ("columns added", added()),
        ("extended", extended()),
        ("representations", represented()),
        ("several ntuples", several()),
        ("an ntuple in an existing file", guest()),
        ("zstd, compression taken off", without_compression(&plain_of(compressed()))),
    ];
    let found: Vec<(&str, usize, u64)> = files
        .into_iter()
        .map(|(name, file)| {
            let bytes = file.into_bytes();
            (name, bytes.len(), xxh3_64(&bytes))
        })
        .collect();
    // Name, length, hash. The version of this crate is a part of them.
    let expected: &[(&str, usize, u64)] = &[
        ("plain", 171244, 0xc023_6ad0_65fe_9316),
        ("ordered", 171176, 0xb9c9_6584_cd8f_7574),
        ("ordered, with a budget", 171176, 0xb9c9_6584_cd8f_7574),
        ("attributes", 60337, 0xa87d_6738_5b54_2fa3),
        ("appended", 199876, 0x7956_2136_4192_4b00),
        ("columns added", 234684, 0xece5_1d0a_75de_c0ff),
        ("extended", 111092, 0x3db1_5e83_dd97_3a22),
        ("representations", 49294, 0x0e53_a131_865b_272a),
        ("several ntuples", 82411, 0x16b3_f6f4_ad07_3840),
        ("an ntuple in an existing file", 176743, 0xe789_5e0b_e5d9_05af),
        ("zstd, compression taken off", 169824, 0x1c60_c28f_6a91_9ada),
    ];
    assert_eq!(found, expected);
}
