//! What is to be reached, as data. Target 7, memory, is that of the program `memory`.

use crate::Codec::{self, Lz4, None, Zstd1, Zstd5};
use crate::Data;
use crate::jobs::Work;
use crate::run::Figures;

/// A job of [`crate::jobs::ROWS`].
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// What.
    pub work: Work,
    /// Who.
    pub peer: &'static str,
    /// With what.
    pub codec: Codec,
    /// On how many threads.
    pub threads: u32,
}

const fn key(work: Work, peer: &'static str, codec: Codec) -> Key {
    Key { work, peer, codec, threads: 1 }
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// How many times as fast ours is.
    Speed,
    /// The size of our file over theirs.
    Size,
}

/// A target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Targets of a number belong together.
    pub number: u32,
    /// What is compared with whom.
    pub sentence: &'static str,
    /// What is compared.
    pub measure: Measure,
    /// Ours.
    pub ours: Key,
    /// What it is compared with.
    pub peer: Key,
    /// The ratio at least, or for [`Measure::Size`] at most.
    pub wanted: f64,
}

const fn speed(
    number: u32,
    sentence: &'static str,
    (work, codec): (Work, Codec),
    peer: &'static str,
    wanted: f64,
) -> Target {
    let (ours, peer) = (key(work, "ours", codec), key(work, peer, codec));
    Target { number, sentence, measure: Measure::Speed, ours, peer, wanted }
}

const fn size(number: u32, sentence: &'static str, codec: Codec, peer: &'static str, wanted: f64) -> Target {
    let (ours, peer) = (key(Work::Write, "ours", codec), key(Work::Write, peer, codec));
    Target { number, sentence, measure: Measure::Size, ours, peer, wanted }
}

/// Ours on two threads against ours on one.
const fn threads(number: u32, sentence: &'static str, (work, codec): (Work, Codec), wanted: f64) -> Target {
    let one = key(work, "ours", codec);
    Target { number, sentence, measure: Measure::Speed, ours: Key { threads: 2, ..one }, peer: one, wanted }
}

/// Ours on eight threads against ours on two: more threads than processors cost nothing.
const fn many_threads(number: u32, sentence: &'static str, (work, codec): (Work, Codec)) -> Target {
    let one = key(work, "ours", codec);
    let (ours, peer) = (Key { threads: 8, ..one }, Key { threads: 2, ..one });
    Target { number, sentence, measure: Measure::Speed, ours, peer, wanted: 1.0 }
}

/// Ours with a pool of one thread against ours without.
const fn pool(number: u32, sentence: &'static str, (work, codec): (Work, Codec), wanted: f64) -> Target {
    let (ours, peer) = (key(work, "ours, with a pool", codec), key(work, "ours", codec));
    Target { number, sentence, measure: Measure::Speed, ours: Key { threads: 2, ..ours }, peer, wanted }
}

/// On this many threads, against the bound on the same number.
const fn bound(number: u32, sentence: &'static str, work: (Work, Codec), threads: u32) -> Target {
    let target = speed(number, sentence, work, "bound", 0.95);
    Target { ours: Key { threads, ..target.ours }, peer: Key { threads, ..target.peer }, ..target }
}

/// On this many threads, against the bound that gives its caller all columns at once, as ours does.
const fn lent(number: u32, sentence: &'static str, work: (Work, Codec), threads: u32) -> Target {
    let target = bound(number, sentence, work, threads);
    Target { peer: Key { peer: "bound, lent", ..target.peer }, ..target }
}

/// On one thread, as fast as the bound itself.
const fn whole_bound(number: u32, sentence: &'static str, work: (Work, Codec)) -> Target {
    Target { wanted: 1.0, ..bound(number, sentence, work, 1) }
}

const BARE: Key = key(Work::Limit, "bare write to the folder", None);

/// All targets.
pub const TARGETS: &[Target] = &[
    speed(1, "write, uncompressed: parquet plain", (Work::Write, None), "parquet plain", 2.7),
    speed(1, "write, uncompressed: parquet defaults", (Work::Write, None), "parquet defaults", 9.0),
    speed(1, "write, uncompressed: oxyroot's TTree", (Work::Write, None), "oxyroot", 10.0),
    Target {
        peer: BARE,
        ..speed(1, "write, uncompressed: a bare `write` of the same bytes", (Work::Write, None), "", 0.55)
    },
    speed(1, "write to a null sink: parquet plain", (Work::WriteNull, None), "parquet plain", 5.0),
    bound(1, "write, uncompressed: the bound", (Work::Write, None), 1),
    whole_bound(1, "write to a null sink: the bound", (Work::WriteNull, None)),
    bound(1, "write to a null sink, lz4: the bound", (Work::WriteNull, Lz4), 1),
    whole_bound(1, "write to a null sink, zstd 1: the bound", (Work::WriteNull, Zstd1)),
    whole_bound(1, "write to a null sink, zstd 5: the bound", (Work::WriteNull, Zstd5)),
    bound(1, "write to a null sink, two threads: the bound", (Work::WriteNull, None), 2),
    bound(1, "write to a null sink, zstd 1, two threads: the bound", (Work::WriteNull, Zstd1), 2),
    many_threads(1, "write to a null sink: eight threads over two", (Work::WriteNull, None)),
    many_threads(1, "write to a null sink, zstd 1: eight threads over two", (Work::WriteNull, Zstd1)),
    speed(2, "write, zstd 1: parquet plain", (Work::Write, Zstd1), "parquet plain", 2.7),
    size(2, "bytes, zstd 1: parquet plain", Zstd1, "parquet plain", 0.87),
    speed(2, "write, zstd 1: bitcode", (Work::Write, Zstd1), "bitcode", 0.95),
    size(2, "bytes, zstd 1: bitcode", Zstd1, "bitcode", 0.85),
    speed(2, "write, zstd 1: uproot", (Work::Write, Zstd1), "uproot", 1.6),
    speed(2, "write, lz4: parquet plain", (Work::Write, Lz4), "parquet plain", 3.0),
    speed(2, "write, zstd 5: parquet plain", (Work::Write, Zstd5), "parquet plain", 2.2),
    threads(2, "write, zstd 1: two threads over one", (Work::Write, Zstd1), 1.85),
    pool(2, "write to a null sink, zstd 1: a pool of one thread over none", (Work::WriteNull, Zstd1), 1.5),
    speed(2, "write, uncompressed: bitcode", (Work::Write, None), "bitcode", 1.0),
    size(2, "bytes, uncompressed: bitcode", None, "bitcode", 1.0),
    speed(2, "write, lz4: bitcode", (Work::Write, Lz4), "bitcode", 1.0),
    size(2, "bytes, lz4: bitcode", Lz4, "bitcode", 1.0),
    speed(2, "write, zstd 5: bitcode", (Work::Write, Zstd5), "bitcode", 1.0),
    size(2, "bytes, zstd 5: bitcode", Zstd5, "bitcode", 1.0),
    speed(3, "read columns, uncompressed: parquet plain", (Work::ReadColumns, None), "parquet plain", 4.5),
    speed(3, "read columns, uncompressed: uproot", (Work::ReadColumns, None), "uproot", 6.5),
    speed(3, "read columns, uncompressed: Arrow IPC", (Work::ReadColumns, None), "arrow ipc", 1.2),
    speed(3, "read columns, zstd 1: parquet plain", (Work::ReadColumns, Zstd1), "parquet plain", 3.0),
    threads(3, "read columns, zstd 1: two threads over one", (Work::ReadColumns, Zstd1), 1.8),
    bound(3, "read columns, uncompressed: the bound", (Work::ReadColumns, None), 1),
    bound(3, "read columns, lz4: the bound", (Work::ReadColumns, Lz4), 1),
    bound(3, "read columns, zstd 1: the bound", (Work::ReadColumns, Zstd1), 1),
    bound(3, "read columns, zstd 5: the bound", (Work::ReadColumns, Zstd5), 1),
    bound(3, "read columns, uncompressed, two threads: the bound", (Work::ReadColumns, None), 2),
    bound(3, "read columns, zstd 1, two threads: the bound", (Work::ReadColumns, Zstd1), 2),
    lent(3, "read columns, uncompressed: the bound that lends", (Work::ReadColumns, None), 1),
    lent(3, "read columns, lz4: the bound that lends", (Work::ReadColumns, Lz4), 1),
    lent(3, "read columns, zstd 1: the bound that lends", (Work::ReadColumns, Zstd1), 1),
    lent(3, "read columns, zstd 5: the bound that lends", (Work::ReadColumns, Zstd5), 1),
    lent(3, "read columns, uncompressed, two threads: the bound that lends", (Work::ReadColumns, None), 2),
    lent(3, "read columns, zstd 1, two threads: the bound that lends", (Work::ReadColumns, Zstd1), 2),
    speed(4, "read structs: parquet plain, by hand", (Work::ReadStructs, None), "parquet plain", 2.3),
    speed(4, "read structs: parquet with serde_arrow", (Work::ReadStructs, None), "parquet serde_arrow", 5.0),
    speed(4, "read structs: bitcode", (Work::ReadStructs, None), "bitcode", 1.2),
    speed(4, "read structs, lz4: bitcode", (Work::ReadStructs, Lz4), "bitcode", 1.0),
    speed(4, "read structs: rkyv", (Work::ReadStructs, None), "rkyv", 1.2),
    speed(4, "read structs: oxyroot's TTree", (Work::ReadStructs, None), "oxyroot", 6.0),
    speed(5, "`jets.pt`, uncompressed: parquet plain", (Work::JetPt, None), "parquet plain", 4.5),
    speed(5, "`jets.pt`, uncompressed: uproot", (Work::JetPt, None), "uproot", 5.0),
    speed(5, "`jets.pt`, zstd 1: parquet plain", (Work::JetPt, Zstd1), "parquet plain", 3.0),
    speed(5, "`jets.pt`, zstd 1: uproot", (Work::JetPt, Zstd1), "uproot", 3.0),
    speed(6, "flat write, uncompressed: parquet_derive", (Work::FlatWrite, None), "parquet_derive", 1.3),
    speed(6, "flat write, zstd 1: parquet_derive", (Work::FlatWrite, Zstd1), "parquet_derive", 1.6),
    bound(6, "flat write to a null sink: the bound", (Work::FlatWriteNull, None), 1),
    bound(6, "flat write to a null sink, lz4: the bound", (Work::FlatWriteNull, Lz4), 1),
    bound(6, "flat write to a null sink, zstd 1: the bound", (Work::FlatWriteNull, Zstd1), 1),
    bound(6, "flat write to a null sink, zstd 5: the bound", (Work::FlatWriteNull, Zstd5), 1),
    bound(6, "flat columns, uncompressed: the bound", (Work::FlatColumns, None), 1),
    bound(6, "flat columns, zstd 1: the bound", (Work::FlatColumns, Zstd1), 1),
    lent(6, "flat columns, uncompressed: the bound that lends", (Work::FlatColumns, None), 1),
    lent(6, "flat columns, zstd 1: the bound that lends", (Work::FlatColumns, Zstd1), 1),
    speed(6, "flat structs, uncompressed: parquet_derive", (Work::FlatRead, None), "parquet_derive", 2.0),
    speed(6, "flat structs, zstd 1: parquet_derive", (Work::FlatRead, Zstd1), "parquet_derive", 2.0),
];

/// A target and what was measured for it.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// ns or bytes per event of ours.
    pub ours: f64,
    /// Of the peer.
    pub peer: f64,
    /// As the target is stated.
    pub ratio: f64,
    /// Whether it is reached.
    pub met: bool,
}

impl Target {
    /// What the figures say, if both jobs were run.
    pub fn outcome(&self, figures: &Figures, data: &Data) -> Option<Outcome> {
        let events = self.ours.work.events(data);
        // With threads, both on the wall.
        let wall = self.ours.threads.max(self.peer.threads) > 1;
        let value = |key: Key| {
            let figure = figures.find(key.work, key.peer, key.codec, key.threads)?;
            match self.measure {
                Measure::Speed if wall => Some(figure.wall(events)),
                Measure::Speed => Some(figure.time(events)),
                Measure::Size => figure.bytes.map(|bytes| bytes as f64 / events as f64),
            }
        };
        let (ours, peer) = (value(self.ours)?, value(self.peer)?);
        let (ratio, met) = match self.measure {
            Measure::Speed => (peer / ours, peer / ours >= self.wanted),
            Measure::Size => (ours / peer, ours / peer <= self.wanted),
        };
        Some(Outcome { ours, peer, ratio, met })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::ROWS;

    /// A misspelt peer would be "not measured" for ever.
    #[test]
    fn every_target_names_a_job() {
        for target in TARGETS {
            let of_theirs = target.peer.peer != "ours";
            let there = |key: Key| {
                ROWS.iter().any(|row| {
                    (row.work, row.peer, row.threads) == (key.work, key.peer, key.threads)
                        && row.codecs.contains(&key.codec)
                })
            };
            assert!(!of_theirs || there(target.peer), "{}", target.sentence);
        }
    }
}
