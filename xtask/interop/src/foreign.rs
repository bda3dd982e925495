//! Files that uproot writes, read by us.

use std::path::Path;
use std::process::Command;

use rntuple::{Reader, RootFile};
use serde_json::Value as Json;

use crate::Result;
use crate::case::{Columns, columns, read_any};
use crate::cases::Choice;
use crate::command::run;
use crate::environment::Environment;
use crate::findings::FileFindings;
use crate::json::member;
use crate::model::{Model, Side};
use crate::ours::compare;
use crate::record::record;

record! {
    untyped struct Scalars {
        i8: i8,
        u8: u8,
        i16: i16,
        u16: u16,
        i32: i32,
        u32: u32,
        i64: i64,
        u64: u64,
        f32: f32,
        f64: f64,
        flag: bool,
        text: String,
        ramp: i32,
    }

    untyped struct Grown {
        late: i32,
        text: String,
    }

    untyped struct Track {
        pt: f32,
        charge: i32,
        hits: Vec<i16>,
        tag: String,
    }

    untyped struct Inner {
        x: f64,
        flag: bool,
    }

    untyped struct Outer {
        inner: Inner,
        n: u8,
    }

    untyped struct Nested {
        floats: Vec<f32>,
        bools: Vec<bool>,
        words: Vec<String>,
        deep: Vec<Vec<i16>>,
        deep_words: Vec<Vec<String>>,
        muon: Track,
        muons: Vec<Track>,
        pair: (i32, String),
        outer: Outer,
        fixed: [i32; 3],
        matrix: [[f32; 3]; 2],
        fixed_words: [String; 2],
        maybe: Option<f64>,
        maybe_text: Option<String>,
        maybes: Vec<Option<i32>>,
        choice: Choice,
        choices: Vec<Choice>,
    }

    untyped struct Named {
        länge: f32,
        名: String,
    }
}

/// One ntuple that uproot wrote, and what we read of it.
pub(crate) struct Foreign {
    pub(crate) file: String,
    pub(crate) path: String,
    pub(crate) fields: Vec<String>,
    /// Read as whatever it has.
    pub(crate) untyped: FileFindings,
    /// Read as Rust types, with the fields that these have.
    pub(crate) typed: FileFindings,
    pub(crate) typed_fields: Vec<String>,
}

/// Has uproot write its files and reads them.
pub(crate) fn read_uproot(environment: &Environment) -> Result<Vec<Foreign>> {
    let folder = environment.folder.join("by-uproot");
    std::fs::create_dir_all(&folder)?;
    run(Command::new(&environment.python).arg(environment.peers.join("uproot_write.py")).arg(&folder))?;
    let mut files: Vec<_> = std::fs::read_dir(&folder)?.collect::<std::io::Result<_>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut found = Vec::new();
    for entry in files {
        let file = entry.path();
        if file.extension().is_some_and(|ending| ending == "root") {
            let expected: Json =
                serde_json::from_str(&std::fs::read_to_string(file.with_extension("json"))?)?;
            for (path, ntuple) in member(&expected, "ntuples").as_object().into_iter().flatten() {
                found.push(read_ntuple(&file, path, ntuple)?);
            }
        }
    }
    Ok(found)
}

fn read_ntuple(file: &Path, path: &str, expected: &Json) -> Result<Foreign> {
    let empty = Columns::new();
    let values = member(expected, "values").as_object().unwrap_or(&empty);
    let (mut untyped, mut typed) = (FileFindings::default(), FileFindings::default());
    let root = RootFile::open(file)?;
    compare(&mut untyped, path, values, read_any(&root, path));
    // The type is told by a field that only one kind of file has.
    let read: fn(&RootFile, &str) -> Result<Columns> = match () {
        () if values.contains_key("late") => read_as::<Grown>,
        () if values.contains_key("i8") => read_as::<Scalars>,
        () if values.contains_key("deep") => read_as::<Nested>,
        () => read_as::<Named>,
    };
    let columns = read(&root, path);
    let mut selected = values.clone();
    if let Ok(columns) = &columns {
        selected.retain(|name, _| columns.contains_key(name));
    }
    compare(&mut typed, path, &selected, columns);
    Ok(Foreign {
        file: file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        path: path.to_owned(),
        fields: values.keys().cloned().collect(),
        untyped,
        typed,
        typed_fields: selected.keys().cloned().collect(),
    })
}

fn read_as<T: rntuple::Entry + rntuple::field::ReadField + Model>(
    root: &RootFile,
    path: &str,
) -> Result<Columns> {
    let reader = Reader::<T>::open(root, path)?;
    let entries = reader.entries().map(|entry| entry.map(|entry| entry.json(Side::Read)));
    Ok(columns(T::shape(true).members(), entries.collect::<rntuple::Result<_>>()?))
}
