//! What the core depends on, by whatever path: nothing that is asynchronous, and no network.

use std::collections::{BTreeMap, BTreeSet};

use super::repository;

/// What must not be among the dependencies of the core. Of a row that ends with `*`, the beginning of the name.
/// `futures-util` is not here: what binds to JavaScript needs it, on WebAssembly alone.
const FOREIGN: &[&str] =
    &["arrow*", "async-*", "hyper*", "mio", "object_store", "reqwest", "rustls*", "socket2", "tokio*", "url"];

/// A package of a lock file.
#[derive(Debug, Default, PartialEq)]
struct Package {
    name: String,
    version: String,
    /// Packages by name, with the version where there are several.
    needs: Vec<String>,
    /// Whether it is a member of the workspace: then `needs` has those of its tests as well.
    is_member: bool,
}

/// The packages of a lock file.
fn packages(lock: &str) -> Vec<Package> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.map(|value| value.trim_matches('"').to_owned())
    };
    let package = |block: &str| {
        let needs =
            block.split_once("dependencies = [").map_or("", |(_, list)| list.split(']').next().unwrap());
        Package {
            name: value(block, "name").unwrap(),
            version: value(block, "version").unwrap(),
            needs: needs.split('"').skip(1).step_by(2).map(str::to_owned).collect(),
            is_member: value(block, "source").is_none(),
        }
    };
    lock.split("[[package]]").skip(1).map(package).collect()
}

/// The names of the packages in a manifest that are not for tests alone, optional ones and those of some platforms included.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let is_of_tests = section.contains("dev-dependencies");
            is_inside = section.ends_with("dependencies") && !is_of_tests;
            if let Some((start, name)) = section.rsplit_once('.')
                && start.ends_with("dependencies")
                && !is_of_tests
            {
                found.insert(name.to_owned());
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| is_inside && !line.starts_with('#')) else {
            continue;
        };
        let key = key.trim().split('.').next().unwrap().trim_matches('"');
        // The end of a value that has several lines.
        if !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            continue;
        }
        // Another name in the code than that of the package.
        let package = value.split_once("package = \"").map(|(_, rest)| rest.split('"').next().unwrap());
        found.insert(package.unwrap_or(key).to_owned());
    }
    found
}

/// The packages that one needs outside of its tests, each with the path that leads there. `manifest` gives that of a
/// member.
fn needed(packages: &[Package], name: &str, manifest: impl Fn(&str) -> String) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![(name.to_owned(), name.to_owned())];
    while let Some((spelled, path)) = waiting.pop() {
        let (name, version) = spelled.split_once(' ').unwrap_or((&spelled, ""));
        let own =
            packages.iter().filter(|it| it.name == name && (version.is_empty() || it.version == version));
        for package in own {
            let permitted = package.is_member.then(|| dependencies(&manifest(name)));
            for next in &package.needs {
                let next_name = next.split(' ').next().unwrap();
                if permitted.as_ref().is_none_or(|permitted| permitted.contains(next_name))
                    && !found.contains_key(next)
                {
                    let path = format!("{path} > {next_name}");
                    found.insert(next.clone(), path.clone());
                    waiting.push((next.clone(), path));
                }
            }
        }
    }
    found
}

fn foreign(needed: &BTreeMap<String, String>) -> Vec<&String> {
    let is_foreign = |name: &str| {
        FOREIGN.iter().any(|row| row.strip_suffix('*').map_or(name == *row, |start| name.starts_with(start)))
    };
    needed
        .iter()
        .filter(|(name, _)| is_foreign(name.split(' ').next().unwrap()))
        .map(|(_, path)| path)
        .collect()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap()
}

#[test]
fn the_core_is_synchronous_and_knows_no_network() {
    let packages = packages(&read("Cargo.lock"));
    let manifest = |name: &str| read(&format!("{name}/Cargo.toml"));
    let core = needed(&packages, "rntuple", manifest);
    let derive = needed(&packages, "rntuple-derive", manifest);
    // All features: each optional dependency has a package in the lock file.
    for name in dependencies(&manifest("rntuple")) {
        assert!(core.keys().any(|needed| needed.split(' ').next() == Some(&name)), "{name}: {core:?}");
    }
    assert!(core.contains_key("zstd-sys") && core.contains_key("rayon-core"), "{core:?}");
    assert!(derive.keys().any(|needed| needed.starts_with("syn")), "{derive:?}");
    for needed in [&core, &derive] {
        assert!(foreign(needed).is_empty(), "{:?}", foreign(needed));
    }
    // What the walk would find.
    let store = needed(&packages, "rntuple-object-store", manifest);
    let tokio = foreign(&store).into_iter().filter(|path| path.ends_with("> tokio")).count();
    assert_eq!(tokio, 1, "{store:?}");
}

#[test]
fn dependencies_are_followed_by_any_path() {
    let lock = r#"
version = 4

[[package]]
name = "a"
version = "1.0.0"
dependencies = [
 "b 1.0.0",
 "of-tests",
]

[[package]]
name = "b"
version = "1.0.0"
source = "registry"
dependencies = [
 "tokio-util",
]

[[package]]
name = "b"
version = "2.0.0"
source = "registry"
dependencies = [
 "mio",
]

[[package]]
name = "of-tests"
version = "1.0.0"
source = "registry"
dependencies = [
 "hyper",
]

[[package]]
name = "tokio-util"
version = "1.0.0"
source = "registry"
"#;
    let packages = packages(lock);
    assert_eq!(packages.len(), 5);
    let with = |manifest: &str| {
        let needed = needed(&packages, "a", |_| manifest.to_owned());
        foreign(&needed).into_iter().cloned().collect::<Vec<_>>()
    };
    let tests = "[dev-dependencies]\nof-tests = \"1\"\n";
    assert_eq!(with(tests), [""; 0]);
    for own in [
        "[dependencies]\nb.workspace = true\n",
        "[dependencies]\nother = { package = \"b\", version = \"1\", optional = true }\n",
        "[target.'cfg(unix)'.dependencies]\nb = \"1\"\n",
        "[build-dependencies.b]\nversion = \"1\"\n",
    ] {
        assert_eq!(with(&format!("{own}{tests}")), ["a > b > tokio-util"], "{own}");
    }
    assert_eq!(with("[dependencies]\nof-tests = \"1\"\n"), ["a > of-tests > hyper"]);
    assert_eq!(with("[features]\nb = []\n"), [""; 0]);
}
