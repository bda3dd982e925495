//! What the crate shows to its users: the names at its root, one path for each definition, and what is hidden.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::source::{Crate, Target, attributes, is_hidden, name_of};
use super::{CRATES, assert_none, repository};

/// The names at the root: the nouns that everyone needs.
const NAMES: &[&str] = &[
    "Compression",
    "Dataset",
    "Entries",
    "Entry",
    "EntryList",
    "Error",
    "ErrorKind",
    "Files",
    "Limits",
    "ParallelWriter",
    "Pool",
    "RNTuple",
    "ReadOptions",
    "Reader",
    "Result",
    "RootFile",
    "RootFileWriter",
    "Value",
    "WriteOptions",
    "Writer",
];

/// The modules at the root, in which the rest is.
const MODULES: &[&str] = &[
    "attributes",
    "check",
    "checkpoint",
    "columns",
    "compression",
    "cxx",
    "encoding",
    "error",
    "extend",
    "field",
    "filter",
    "join",
    "lock",
    "merge",
    "parallel",
    "predicate",
    "recover",
    "root",
    "schema",
    "series",
    "statistics",
    "storage",
    "summary",
    "training",
];

/// What is public for the derive and for macros, and hidden from the documentation, unless a module at the root hides it:
/// by file.
const HIDDEN: &[(&str, &[&str])] = &[
    (
        "encoding/element.rs",
        &[
            "Conversion",
            "reads_with_losses",
            "outside",
            "misfit",
            "observe",
            "ranks",
            "decode_as",
            "view",
            "bytes",
            "Scalar",
        ],
    ),
    ("encoding/mod.rs", &["use", "use"]),
    ("encoding/observe.rs", &["Observed"]),
    ("field/build.rs", &["record_of"]),
    ("field/columnar/mod.rs", &["check_columns", "UNCOUNTED"]),
    ("field/columnar/variant.rs", &["clear", "push", "get", "part", "append", "check"]),
    ("field/entry.rs", &["MEMBERS"]),
    ("field/foreign/bitflags.rs", &["use"]),
    (
        "field/mod.rs",
        &[
            "declare_member",
            "array_type_name",
            "declare_array",
            "IS_OPTION",
            "connect_member",
            "connect_array",
            "ReadLent",
            "check",
            "reclaim",
            "spare_list",
            "keep_list",
        ],
    ),
    (
        "field/node/members.rs",
        &[
            "Connecting",
            "flattened",
            "alternative",
            "place_of",
            "is_absent",
            "stated_version",
            "in_unit",
            "deny_others",
            "subfield_of",
            "members",
        ],
    ),
    ("field/node/shape.rs", &["lossy"]),
    ("field/node/when.rs", &["When", "first_that_holds"]),
    ("field/project.rs", &["declare_view"]),
    ("lib.rs", &["__private_0_1"]),
    ("lock/file.rs", &["assert_file_in"]),
    ("lock/mod.rs", &["use", "assert_lock"]),
    ("private.rs", &["schema_lock", "check_file"]),
    ("schema/type_name.rs", &["known", "known_untyped"]),
    ("storage/by_blocks.rs", &["block_by_blocks", "read_by_blocks"]),
    ("storage/find.rs", &["is_url_pattern"]),
    ("storage/mod.rs", &["use", "use", "use", "use", "use", "block_in", "blocks_in"]),
    ("writer/file/unknown.rs", &["put_unknown_feature"]),
];

/// Definitions with two paths: they are in the module of their subject, and among the names at the root.
const TWICE: &[&str] = &[
    "Compression = compression::Compression",
    "Error = error::Error",
    "ErrorKind = error::ErrorKind",
    "Result = error::Result",
    "RootFile = root::RootFile",
];

/// Deeper than modules are.
const MOST_DEEP: usize = 8;

fn library() -> &'static Crate {
    &CRATES["rntuple"][0]
}

#[test]
fn the_root_has_the_names_and_modules_that_are_listed() {
    let (tree, mut names, mut modules) = (library(), BTreeSet::new(), BTreeSet::new());
    for shown in tree.shown(0) {
        let name = shown.name.as_deref().expect("no `*` at the root");
        match tree.target(0, &shown.path) {
            Some(Target::Module(_)) => modules.insert(name),
            // What the derive brings has no target here.
            Some(Target::Item(_)) | None => names.insert(name),
        };
    }
    assert_eq!(names.into_iter().collect::<Vec<_>>(), NAMES);
    assert_eq!(modules.into_iter().collect::<Vec<_>>(), MODULES);
}

/// A definition: its module, and its name there.
type Definition = (usize, String);

/// Adds the public paths of all that a module shows.
fn add_paths(
    tree: &Crate,
    module: usize,
    path: &[String],
    paths: &mut BTreeMap<Definition, BTreeSet<String>>,
) {
    assert!(path.len() < MOST_DEEP, "{path:?}");
    for shown in tree.shown(module) {
        let path: Vec<String> = path.iter().chain(&shown.name).cloned().collect();
        match (tree.target(module, &shown.path), shown.path.last()) {
            (Some(Target::Module(inner)), _) => add_paths(tree, inner, &path, paths),
            (Some(Target::Item(of)), Some(name)) => {
                paths.entry((of, name.clone())).or_default().insert(path.join("::"));
            }
            _ => {}
        }
    }
}

/// The definitions with several public paths, and these.
fn with_several_paths(tree: &Crate) -> Vec<String> {
    let mut paths = BTreeMap::new();
    add_paths(tree, 0, &[], &mut paths);
    let several = paths.into_values().filter(|paths| paths.len() > 1);
    several.map(|paths| paths.into_iter().collect::<Vec<_>>().join(" = ")).collect()
}

#[test]
fn a_definition_has_one_public_path() {
    assert_eq!(with_several_paths(library()), TWICE);

    let files = [
        (
            "lib.rs",
            "pub mod a; mod b; pub use a::One; pub use b::Two; pub mod c { pub use crate::b::*; } #[doc(hidden)] pub use a::Four;",
        ),
        ("a.rs", "pub struct One; pub struct Three; pub struct Four;"),
        (
            "b.rs",
            "pub struct Two; #[doc(hidden)] pub struct Five; pub(crate) struct Six; pub mod inner { pub fn f() {} }",
        ),
    ];
    let load = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| (*text).to_owned());
    let found = with_several_paths(&Crate::read("lib.rs", &load));
    assert_eq!(found, ["One = a::One", "Two = c::Two"]);
}

/// What is hidden from the documentation in one file.
#[derive(Default)]
struct Hidden(Vec<String>);

impl Hidden {
    fn add(&mut self, attributes: &[syn::Attribute], name: &syn::Ident) {
        if is_hidden(attributes) {
            self.0.push(name.to_string());
        }
    }
}

/// Is it compiled for benchmarks and the tests of this repository alone?
fn is_internal(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        list.path.is_ident("cfg") && list.tokens.to_string().contains("\"internals\"")
    })
}

impl<'ast> Visit<'ast> for Hidden {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_internal(attributes(item)) {
            return;
        }
        if is_hidden(attributes(item)) {
            self.0.extend(match item {
                syn::Item::Mod(item) => Some(item.ident.to_string()),
                syn::Item::Use(_) => Some("use".to_owned()),
                _ => name_of(item),
            });
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.attrs, &item.sig.ident);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.add(&item.attrs, &item.ident);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.add(&item.attrs, &item.sig.ident);
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.add(&item.attrs, &item.ident);
    }

    fn visit_trait_item_type(&mut self, item: &'ast syn::TraitItemType) {
        self.add(&item.attrs, &item.ident);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.add(&field.attrs, name);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.add(&variant.attrs, &variant.ident);
    }
}

#[test]
fn what_is_hidden_is_listed() {
    let mut found = BTreeMap::new();
    for file in library().files() {
        let text = std::fs::read_to_string(repository().join("rntuple/src").join(file)).unwrap();
        let mut hidden = Hidden::default();
        hidden.visit_file(&syn::parse_file(&text).unwrap());
        if !hidden.0.is_empty() {
            found.insert(file, hidden.0);
        }
    }
    let mut faults = Vec::new();
    for (file, names) in &found {
        let listed = HIDDEN.iter().find(|(listed, _)| listed == file).map_or(&[][..], |(_, names)| names);
        if names != listed {
            faults.push(format!("{file}: {names:?} are hidden, and in the list are {listed:?}"));
        }
    }
    let gone = HIDDEN.iter().filter(|(file, _)| !found.contains_key(file));
    faults.extend(gone.map(|(file, _)| format!("{file}: nothing is hidden there, remove the row")));
    assert_none(&faults);
}

/// Expansions of another version's derive find no module of that name, instead of another function.
#[test]
fn the_door_of_the_derive_has_the_version_in_its_name() {
    let mut version = env!("CARGO_PKG_VERSION").split('.');
    let (major, minor) = (version.next().unwrap(), version.next().unwrap());
    let door = format!("__private_{major}_{minor}");
    for (file, line) in [
        ("rntuple/src/lib.rs", format!("pub mod {door};")),
        ("rntuple-derive/src/ast.rs", format!("::rntuple::{door})")),
    ] {
        let text = std::fs::read_to_string(repository().join(file)).unwrap();
        assert!(text.contains(&line), "{file} lacks `{line}`");
    }
}
