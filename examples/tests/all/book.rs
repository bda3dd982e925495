//! Runs what the book shows, and compares what the book says of it.

#![expect(clippy::unwrap_used, reason = "also in the programs")]

#[path = "../../appending.rs"]
mod appending;
#[path = "../../attributes.rs"]
mod attributes;
#[path = "../../byte_tour.rs"]
mod byte_tour;
#[path = "../../damaged.rs"]
mod damaged;
#[path = "../../evolution.rs"]
mod evolution;
#[path = "../../first_file.rs"]
mod first_file;
#[path = "../../foreign.rs"]
mod foreign;
#[path = "../../growing.rs"]
mod growing;
#[path = "../../inspect.rs"]
mod inspect;
#[path = "../../killed.rs"]
mod killed;
#[path = "../../lock.rs"]
mod lock;
#[path = "../../many_files.rs"]
mod many_files;
#[path = "../../merge.rs"]
mod merge;
#[path = "../../options.rs"]
mod options;
#[path = "../../own_type.rs"]
mod own_type;
#[path = "../../projection.rs"]
mod projection;
#[path = "../../read_back.rs"]
mod read_back;
#[path = "../../run_metadata.rs"]
mod run_metadata;
#[path = "../../several_ntuples.rs"]
mod several_ntuples;
#[path = "../../statistics.rs"]
mod statistics;
#[path = "../../stopped.rs"]
mod stopped;
#[path = "../../threads.rs"]
mod threads;
#[path = "../../type_mapping.rs"]
mod type_mapping;
#[path = "../../upgrade.rs"]
mod upgrade;

/// Compares a text with the one in the book. `RNTUPLE_BLESS=1` writes it there.
fn check(name: &str, found: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/generated").join(name);
    if std::env::var_os("RNTUPLE_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "the book's {name} is not what the program says:\n{found}");
}

#[test]
fn the_table_of_types_is_what_files_say() {
    check("types.md", &type_mapping::table().unwrap());
}

#[test]
fn the_bytes_of_the_tour_are_those_of_the_file() {
    check("records.txt", &byte_tour::records().unwrap());
    for name in byte_tour::PARTS {
        check(&format!("{name}.txt"), &byte_tour::part(name).unwrap());
    }
}

#[test]
fn errors_say_what_the_book_says_they_say() {
    check("mismatch.txt", &(projection::differences().unwrap() + "\n"));
    check("refusals.txt", &evolution::refusals().unwrap());
    check("evolution-refused.txt", &evolution::refused().unwrap());
    check("damage.txt", &damaged::message().unwrap());
    check("limit.txt", &damaged::limit_message().unwrap());
    check("drift.txt", &lock::drift().unwrap());
    check("misfit.txt", &lock::misfit());
    check("values-refused.txt", &attributes::refusals());
    check("denied.txt", &upgrade::denied());
}
