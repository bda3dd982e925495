//! The whole way: collisions to a file, the file to a histogram, and the Z boson in it.
#![expect(clippy::unwrap_used, reason = "also in what the tests call")]

#[path = "../../analyze.rs"]
#[expect(dead_code, reason = "the program around the function")]
mod analyze;
#[path = "../../simulate.rs"]
#[expect(dead_code, reason = "the program around the function")]
mod simulate;

use std::path::Path;

use clap::Parser;
use rntuple::{ErrorKind, Reader};
use rntuple_examples::Simulation;
use rntuple_examples::event::Event;

fn write(file: &Path, arguments: &[&str]) -> simulate::Outcome {
    let output = ["simulate", "--output", file.to_str().unwrap()];
    let arguments = simulate::Arguments::parse_from(output.iter().chain(arguments));
    simulate::simulate(&arguments, |_| ()).unwrap()
}

#[test]
fn the_z_boson_is_found_where_it_was_put() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("events.root");
    let written = write(&file, &["--events", "5000"]);
    assert_eq!(written.summary.entries, 5000);
    assert_eq!(written.summary.file_size, std::fs::metadata(&file).unwrap().len());

    let found = analyze::analyze(&file, 20.0).unwrap();
    assert_eq!(found.events, 5000);
    let peak = found.masses.bin(found.masses.peak().unwrap());
    assert!(peak == (90.0..91.0) || peak == (91.0..92.0), "the peak is at {peak:?}");
    let position = found.masses.resonance().unwrap();
    assert!((90.8..91.6).contains(&position), "the resonance is at {position}");

    // Of the Z bosons, some go where no detector is; of all pairs, most are near the peak.
    assert!((1000..3000).contains(&found.pairs), "{} pairs", found.pairs);
    let near: u64 = found.masses.counts()[26..36].iter().sum();
    assert!(near * 10 > found.pairs * 7, "{near} of {}", found.pairs);

    // Offsets of the collection, four members.
    assert_eq!(found.columns.0, 5);
    assert!(found.columns.1 > 35, "{:?}", found.columns);
}

#[test]
fn everything_written_is_read_back() {
    let directory = tempfile::tempdir().unwrap();
    for compression in ["none", "zstd:1", "lz4:1", "zlib:6"] {
        let file = directory.path().join("events.root");
        write(&file, &["-n", "600", "--seed", "3", "-c", compression]);
        let reader = Reader::<Event>::open(&file, "Events").unwrap();
        assert_eq!(reader.entry_count().unwrap(), 600);
        for (read, mut made) in reader.entries().zip(Simulation::new(3)) {
            let mut read = read.unwrap();
            // What is quantised on purpose is only near.
            for (read, made) in read.jets.iter_mut().zip(&mut made.jets) {
                for (read, made) in read.constituents.iter_mut().zip(&mut made.constituents) {
                    assert!((read.pt / made.pt - 1.0).abs() <= 1.0 / 128.0, "{read:?} {made:?}");
                    assert!((read.eta - made.eta).abs() < 0.0013, "{read:?} {made:?}");
                    assert!((read.phi - made.phi).abs() < 0.0008, "{read:?} {made:?}");
                    (read.pt, read.eta, read.phi) = (made.pt, made.eta, made.phi);
                }
            }
            assert_eq!(read, made);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let bytes = |name: &str, seed: &str| {
        let file = directory.path().join(name);
        write(&file, &["-n", "500", "--seed", seed]);
        std::fs::read(file).unwrap()
    };
    let first = bytes("events.root", "1");
    assert!(first == bytes("events.root", "1"));
    assert!(first != bytes("events.root", "2"));
}

#[test]
fn what_is_wrong_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let missing = analyze::analyze(&directory.path().join("no.root"), 20.0).err().unwrap();
    assert_eq!(missing.kind(), ErrorKind::Io);
    assert!(missing.to_string().contains("no.root: "), "{missing}");

    let text = directory.path().join("text.root");
    std::fs::write(&text, "not a ROOT file at all").unwrap();
    assert_eq!(analyze::analyze(&text, 20.0).err().unwrap().kind(), ErrorKind::OutOfSpec);

    let nowhere = directory.path().join("no/where.root");
    let arguments = simulate::Arguments::parse_from(["simulate", "-o", nowhere.to_str().unwrap()]);
    assert_eq!(simulate::simulate(&arguments, |_| ()).err().unwrap().kind(), ErrorKind::Io);

    let wrong = simulate::Arguments::try_parse_from(["simulate", "--compression", "zstd:99"]).unwrap_err();
    assert!(wrong.to_string().contains("from 1 to 9"), "{wrong}");
}

#[test]
fn no_events_are_no_problem() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("events.root");
    write(&file, &["--events", "0"]);
    let found = analyze::analyze(&file, 20.0).unwrap();
    assert_eq!((found.events, found.pairs, found.masses.peak()), (0, 0, None));
}
