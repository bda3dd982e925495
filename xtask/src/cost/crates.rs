//! The crates that are measured.

use std::fmt::Write as _;
use std::path::Path;

/// What a crate is built with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Library {
    Rntuple,
    Serde,
}

pub(super) const LIBRARIES: [Library; 2] = [Library::Rntuple, Library::Serde];

/// What structs a crate has.
#[derive(Debug)]
pub(super) struct Shape {
    /// Part of the crate's name.
    pub(super) id: &'static str,
    pub(super) about: &'static str,
    /// Members of the entry that are not structs.
    members: usize,
    /// Structs in the entry, by turns one of them and a vector of them.
    structs: usize,
}

/// A crate that only has dependencies.
pub(super) const EMPTY: Shape = Shape { id: "empty", about: "no struct", members: 0, structs: 0 };

/// From small to large.
pub(super) const SHAPES: &[Shape] = &[
    Shape { id: "10", about: "10 members", members: 10, structs: 0 },
    Shape { id: "100", about: "100 members", members: 100, structs: 0 },
    Shape { id: "500", about: "500 members", members: 500, structs: 0 },
    Shape { id: "nested", about: "50 structs of 5 in one", members: 0, structs: 50 },
];

/// Members of a struct in the entry.
const INNER: usize = 5;

/// The types of members, by turns.
const TYPES: [&str; 9] = ["f32", "f64", "u32", "i8", "bool", "String", "Vec<f32>", "Option<u16>", "[f32; 3]"];

impl Shape {
    pub(super) fn is_empty(&self) -> bool {
        self.members + self.structs == 0
    }
}

/// The name of a crate.
pub(super) fn name(library: Library, shape: &Shape) -> String {
    let library = match library {
        Library::Rntuple => "rntuple",
        Library::Serde => "serde",
    };
    format!("cost-{library}-{}", shape.id)
}

/// Writes a workspace of all crates, with the versions that the repository's own has.
pub(super) fn write(workspace: &Path, shapes: &[Shape]) -> Result<(), String> {
    let write = |path: &Path, text: &str| {
        let folder = path.parent().unwrap_or(path);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(path, text))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))
    };
    let mut names = Vec::new();
    for shape in std::iter::once(&EMPTY).chain(shapes) {
        for library in LIBRARIES {
            let name = name(library, shape);
            let folder = workspace.join(&name);
            write(&folder.join("Cargo.toml"), &manifest(&name, library))?;
            write(&folder.join("src/lib.rs"), &source(library, shape))?;
            names.push(name);
        }
    }
    let root = format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n");
    write(&workspace.join("Cargo.toml"), &root)?;
    let lock = std::fs::read_to_string("Cargo.lock").map_err(|error| format!("no Cargo.lock: {error}"))?;
    write(&workspace.join("Cargo.lock"), &lock)
}

/// Has the crate built anew.
pub(super) fn touch(workspace: &Path, name: &str) -> Result<(), String> {
    let file = workspace.join(name).join("src/lib.rs");
    let result = std::fs::read(&file).and_then(|source| std::fs::write(&file, source));
    result.map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// Without codecs, which are slow to build and no part of what is made of a struct.
fn manifest(name: &str, library: Library) -> String {
    let dependencies = match library {
        Library::Rntuple => {
            "rntuple = { path = \"../../../rntuple\", default-features = false, features = [\"derive\"] }"
        }
        Library::Serde => "serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"",
    };
    format!("[package]\nname = {name:?}\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n")
}

fn source(library: Library, shape: &Shape) -> String {
    let (derive, uses, functions) = match library {
        Library::Rntuple => ("rntuple::RNTuple", "use rntuple as _;", RNTUPLE),
        Library::Serde => {
            ("serde::Serialize, serde::Deserialize", "use serde as _;\nuse serde_json as _;", SERDE)
        }
    };
    if shape.is_empty() {
        return format!("{uses}\n");
    }
    let mut source = String::new();
    for number in 0..shape.structs {
        structure(&mut source, derive, &format!("Part{number}"), &members(number, INNER));
    }
    let mut entry = members(0, shape.members);
    for number in 0..shape.structs {
        let ty = if number % 2 == 0 { format!("Part{number}") } else { format!("Vec<Part{number}>") };
        entry.push((format!("part_{number}"), ty));
    }
    structure(&mut source, derive, "Event", &entry);
    source + functions
}

/// Names and types of `count` members, beginning with the `first`-th type.
fn members(first: usize, count: usize) -> Vec<(String, String)> {
    let types = TYPES.iter().cycle().skip(first % TYPES.len());
    types.take(count).enumerate().map(|(number, ty)| (format!("member_{number}"), (*ty).to_owned())).collect()
}

fn structure(source: &mut String, derive: &str, name: &str, members: &[(String, String)]) {
    let _ = writeln!(source, "#[derive({derive})]\npub struct {name} {{");
    for (name, ty) in members {
        let _ = writeln!(source, "    pub {name}: {ty},");
    }
    source.push_str("}\n\n");
}

const RNTUPLE: &str = r#"#[inline(never)]
pub fn write(events: &[Event]) -> rntuple::Result<Vec<u8>> {
    let options = rntuple::WriteOptions::new();
    let mut writer = rntuple::Writer::<Event, _>::new(rntuple::storage::Memory::new(), "Events", options)?;
    for event in events {
        writer.fill(event)?;
    }
    Ok(writer.finish_into()?.1.into_bytes())
}

#[inline(never)]
pub fn read(bytes: Vec<u8>) -> rntuple::Result<Vec<Event>> {
    rntuple::Reader::<Event>::open(bytes, "Events")?.entries().collect()
}
"#;

const SERDE: &str = r#"#[inline(never)]
pub fn write(events: &[Event]) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(events)
}

#[inline(never)]
pub fn read(bytes: Vec<u8>) -> serde_json::Result<Vec<Event>> {
    serde_json::from_slice(&bytes)
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_libraries_get_the_same_structs() {
        let structs = |library, shape: &Shape| {
            let source = source(library, shape);
            let lines = source.lines().filter(|line| !line.starts_with("#[derive"));
            lines.take_while(|line| !line.starts_with("#[inline")).map(str::to_owned).collect::<Vec<_>>()
        };
        for shape in SHAPES {
            let lines = structs(Library::Rntuple, shape);
            assert_eq!(lines, structs(Library::Serde, shape));
            let members = lines.iter().filter(|line| line.starts_with("    pub ")).count();
            assert_eq!(members, shape.members + shape.structs * (INNER + 1));
        }
    }

    #[test]
    fn names_differ() {
        let mut names: Vec<_> =
            SHAPES.iter().chain([&EMPTY]).map(|shape| name(Library::Serde, shape)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SHAPES.len() + 1);
    }
}
