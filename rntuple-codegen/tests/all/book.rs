//! What the book shows of generated source. `RNTUPLE_BLESS=1` writes it there.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use rntuple::schema::Schema;
use rntuple::storage::Memory;
use rntuple::{Dataset, RootFile, WriteOptions, Writer};
use rntuple_codegen::{Options, cxx, rust};
use rntuple_examples::Simulation;
use rntuple_examples::event::Event;

fn schema() -> Schema {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Simulation::new(1).next().unwrap()).unwrap();
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    Schema::clone(Dataset::open(&file, "Events").unwrap().schema())
}

#[test]
fn the_book_shows_what_comes_out() {
    let (schema, options) = (schema(), Options::new().name("Event"));
    let source = cxx(&schema, &options);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/generated");
    for (name, found) in [
        ("codegen.rs.txt", rust(&schema, &options)),
        ("codegen.hxx.txt", source.header),
        ("codegen.LinkDef.h.txt", source.link_def),
    ] {
        let path = folder.join(name);
        if std::env::var_os("RNTUPLE_BLESS").is_some() {
            std::fs::write(&path, &found).unwrap();
        }
        let wanted = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == wanted, "the book's {name} is not what comes out:\n{found}");
    }
}
