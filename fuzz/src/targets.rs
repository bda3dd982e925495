//! The table of targets.

use std::fs;
use std::path::{Path, PathBuf};

use rntuple::__internals::compress;
use rntuple::{Compression, Result};

use crate::allocation::peak;
use crate::corpus::Description;
use crate::mutator::Mutator;
use crate::{anatomy, archive, corpus, plan, records, small, text, tiny, ways, whole, wire};

/// Inputs of a target.
type Inputs = Vec<Vec<u8>>;

/// Something that bytes are given to.
#[derive(Debug)]
pub struct Target {
    /// What to call it, which is the name of its program as well.
    pub name: &'static str,
    /// What must not panic.
    run: fn(&[u8]),
    /// How an input becomes another one, of at most some bytes.
    mutate: fn(&mut Vec<u8>, usize, &mut Mutator),
    /// Sound inputs, of our files and of those of others.
    seeds: fn(&[Vec<u8>]) -> Result<Inputs>,
    /// The longest input, in bytes.
    pub longest: usize,
    /// How many bytes may be held at once, for each of the input and in addition.
    most_memory: (usize, usize),
}

/// What the limits of `ways::limits` allow a walk: one entry, decoded pages, those that are being decoded, and
/// envelopes, which take a few times their length once they are parsed. Some targets hold two readers.
const WALK: (usize, usize) = (32 * 8, 96 << 20);

/// Header and footer: their items, and the schema that they describe.
pub const ENVELOPES: Target = Target {
    name: "envelopes",
    run: small::envelopes,
    mutate: small::mutate_envelopes,
    seeds: envelope_seeds,
    longest: 4096,
    most_memory: (128, 64 << 10),
};

/// Page lists: their items.
pub const PAGE_LIST: Target = Target {
    name: "page_list",
    run: small::page_list,
    mutate: small::mutate_page_list,
    seeds: page_list_seeds,
    longest: 4096,
    most_memory: (64, 16 << 10),
};

/// Pages of each encoding, read as each type.
pub const PAGE: Target = Target {
    name: "page",
    run: small::page,
    mutate: small::mutate_page,
    seeds: page_seeds,
    longest: 1024,
    most_memory: (2048, 64 << 10),
};

/// Compressed blocks.
pub const BLOCK: Target = Target {
    name: "block",
    run: small::block,
    mutate: small::mutate_block,
    seeds: block_seeds,
    longest: 1024,
    most_memory: (64, 8 << 20),
};

/// Answers of XRootD servers.
pub const WIRE: Target = Target {
    name: "wire",
    run: wire::answers,
    mutate: wire::mutate,
    seeds: |_| Ok(wire::recorded()),
    longest: 1024,
    most_memory: (1024, 1 << 20),
};

/// Manifests, transactions, deleted rows and row ids of data sets.
pub const RECORDS: Target = Target {
    name: "records",
    run: records::read,
    mutate: records::mutate,
    seeds: |_| Ok(records::seeds()),
    longest: 4096,
    // A run of rows takes two bytes, and a row that is deleted a bit.
    most_memory: (1024, 1 << 20),
};

/// Parts of plans of DataFusion.
pub const PLAN: Target = Target {
    name: "plan",
    run: plan::read,
    mutate: plan::mutate,
    seeds: |_| Ok(plan::seeds()),
    longest: 4096,
    // A name without letters takes two bytes, and the place of a text in memory; there are three of each.
    most_memory: (512, 64 << 10),
};

/// Predicates as text.
pub const PREDICATE: Target = Target {
    name: "predicate",
    run: text::predicate,
    mutate: |bytes, max, mutator| mutator.bytes(bytes, max),
    seeds: |_| Ok(text::predicates()),
    longest: 1024,
    most_memory: (1024, 64 << 10),
};

/// The ROOT file around ntuples.
pub const CONTAINER: Target = Target {
    name: "container",
    run: ways::container,
    mutate: anatomy::mutate_container,
    seeds: small_file_seeds,
    longest: 4096,
    most_memory: (64, 1 << 20),
};

/// Reading structs.
pub const TYPED: Target = of_files("typed", tiny::typed);

/// Reading columns of structs.
pub const COLUMNAR: Target = of_files("columnar", tiny::columnar);

/// Reading a schema that is known when the program runs.
pub const DYNAMIC: Target = of_files("dynamic", ways::dynamic);

/// Checking a file.
pub const CHECK: Target = of_files("check", ways::check);

/// Saving what is left of a file.
pub const RECOVER: Target = of_files("recover", ways::recover);

/// Adding entries and columns.
pub const APPEND: Target = of_files("append", tiny::append);

/// Merging files.
pub const MERGE: Target = of_files("merge", tiny::merge);

/// Reading several files as one, and joining.
pub const CHAIN: Target = of_files("chain", tiny::chain);

/// All that is done with files, one after the other.
pub const FILE: Target = Target { longest: 8192, seeds: file_seeds, ..of_files("file", whole::file) };

/// All targets. Each has a program in `fuzz_targets/`, for libFuzzer.
pub const TARGETS: [Target; 18] = [
    ENVELOPES, PAGE_LIST, PAGE, BLOCK, WIRE, RECORDS, PLAN, PREDICATE, CONTAINER, TYPED, COLUMNAR, DYNAMIC,
    CHECK, RECOVER, APPEND, MERGE, CHAIN, FILE,
];

const fn of_files(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run, mutate: anatomy::mutate, seeds: small_file_seeds, longest: 4096, most_memory: WALK }
}

impl Target {
    /// Where the inputs are that the fuzzer found.
    fn archive(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name)
    }

    /// Replaces the inputs that the fuzzer found.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn keep(&self, inputs: &[Vec<u8>]) -> Result<()> {
        let archive = self.archive();
        fs::create_dir_all(archive.parent().unwrap_or(&archive))?;
        Ok(fs::write(archive, archive::pack(inputs)?)?)
    }

    /// Gives bytes to the target.
    ///
    /// # Panics
    /// If it takes more memory than it may. If it panics, of course.
    pub fn run(&self, bytes: &[u8]) {
        let (factor, constant) = self.most_memory;
        let limit = bytes.len() * factor + constant;
        let taken = peak(|| (self.run)(bytes));
        assert!(
            taken <= limit,
            "{}: {} bytes take {taken} bytes of memory, not {limit}",
            self.name,
            bytes.len()
        );
    }

    /// Changes an input.
    pub fn mutate(&self, bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
        (self.mutate)(bytes, max.min(self.longest), mutator);
    }

    /// Inputs to start from: sound ones, of our files and of `others`, and those that the fuzzer found.
    ///
    /// # Errors
    /// They cannot be made or read.
    pub fn seeds(&self, others: &[Vec<u8>]) -> Result<Inputs> {
        let mut seeds = (self.seeds)(others)?;
        let archive = self.archive();
        if archive.exists() {
            seeds.extend(archive::unpack(&fs::read(archive)?)?);
        }
        seeds.retain(|seed| seed.len() <= self.longest);
        Ok(seeds)
    }
}

/// Files of few and small entries.
fn small_file_seeds(others: &[Vec<u8>]) -> Result<Inputs> {
    Ok([&tiny::seeds()?, others].concat())
}

fn file_seeds(others: &[Vec<u8>]) -> Result<Inputs> {
    Ok([&corpus::files()?, others].concat())
}

fn descriptions(others: &[Vec<u8>]) -> Result<Vec<Description>> {
    corpus::descriptions(&[&corpus::files()?, &*tiny::seeds()?, others].concat())
}

fn envelope_seeds(others: &[Vec<u8>]) -> Result<Inputs> {
    let join = |of: &Description| small::join(of.version, &of.header, &of.footer);
    Ok(descriptions(others)?.iter().map(join).collect())
}

fn page_list_seeds(others: &[Vec<u8>]) -> Result<Inputs> {
    let mut seeds = Vec::new();
    for Description { version, lists, .. } in descriptions(others)? {
        seeds.extend(lists.iter().map(|(clusters, list)| [&[version, *clusters], &**list].concat()));
    }
    Ok(seeds)
}

fn page_seeds(_: &[Vec<u8>]) -> Result<Inputs> {
    let content: Vec<u8> = (0..240).collect();
    let (types, elements) = small::page_kinds();
    let kinds = (0..types).flat_map(|code| (0..elements).map(move |element| (code, element)));
    Ok(kinds.map(|(code, element)| small::page_of(code, element, &content)).collect())
}

fn block_seeds(_: &[Vec<u8>]) -> Result<Inputs> {
    let content: Vec<u8> = (0..600_u16).flat_map(|number| (number / 7).to_le_bytes()).collect();
    let settings = [
        Compression::zstd(1),
        Compression::zstd(19),
        Compression::lz4(1),
        Compression::zlib(6),
        Compression::lzma(1),
    ];
    settings.into_iter().map(|settings| Ok([&[0; 4], &*compress(settings, &content)?].concat())).collect()
}
