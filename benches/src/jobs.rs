//! The table of jobs: who does what, with which codecs, on how many threads.

use std::path::Path;

use crate::limits::{self, Pages};
use crate::peers::{
    arrow_ipc, bitcode, bound, lent, ours, oxyroot, parquet, parquet_flat, rkyv, serde_arrow, to_arrow,
    untyped,
};
use crate::{Codec, Data, Sink};

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// The nested events into a file.
    Write,
    /// The nested events into nothing.
    WriteNull,
    /// All columns of a file of nested events.
    ReadColumns,
    /// A file of nested events, as structs.
    ReadStructs,
    /// One leaf of a file, which is opened for it.
    JetPt,
    /// The sum of a leaf of a file, which is opened for it.
    MuonPt,
    /// The flat events into a file.
    FlatWrite,
    /// The flat events into nothing.
    FlatWriteNull,
    /// All columns of a file of flat events.
    FlatColumns,
    /// A file of flat events, as structs.
    FlatRead,
    /// What the machine can do with the nested events.
    Limit,
}

impl Work {
    /// In the order of the tables.
    pub const ALL: &[Self] = &[
        Self::Write,
        Self::WriteNull,
        Self::ReadColumns,
        Self::ReadStructs,
        Self::JetPt,
        Self::MuonPt,
        Self::FlatWrite,
        Self::FlatWriteNull,
        Self::FlatColumns,
        Self::FlatRead,
        Self::Limit,
    ];

    /// Whether it writes to [`Sink::Null`].
    pub const fn is_null(self) -> bool {
        matches!(self, Self::WriteNull | Self::FlatWriteNull)
    }

    /// For `--only`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::WriteNull => "write-null",
            Self::ReadColumns => "read-columns",
            Self::ReadStructs => "read-structs",
            Self::JetPt => "jets.pt",
            Self::MuonPt => "muons.pt",
            Self::FlatWrite => "flat-write",
            Self::FlatWriteNull => "flat-write-null",
            Self::FlatColumns => "flat-columns",
            Self::FlatRead => "flat-read",
            Self::Limit => "limit",
        }
    }

    /// For the heading of a table.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Write => "Write nested events to a file",
            Self::WriteNull => "Write nested events to a null sink",
            Self::ReadColumns => "Read every column",
            Self::ReadStructs => "Read into structs",
            Self::JetPt => "Open, and read `jets.pt`",
            Self::MuonPt => "Open, and sum `muons.pt`",
            Self::FlatWrite => "Write flat events to a file",
            Self::FlatWriteNull => "Write flat events to a null sink",
            Self::FlatColumns => "Read every column of flat events",
            Self::FlatRead => "Read flat events into structs",
            Self::Limit => "What the machine can do: the same bytes without a format",
        }
    }

    /// Whether it is about the flat events.
    pub const fn is_flat(self) -> bool {
        matches!(self, Self::FlatWrite | Self::FlatWriteNull | Self::FlatColumns | Self::FlatRead)
    }

    /// The number of events that it writes or reads.
    pub fn events(self, data: &Data) -> u64 {
        if self.is_flat() { data.flat_count() } else { data.count() }
    }

    /// The digest that a reader must return.
    pub const fn expected(self, data: &Data) -> Option<u64> {
        match self {
            Self::ReadColumns | Self::ReadStructs => Some(data.digest),
            Self::JetPt => Some(data.jet_pt),
            Self::MuonPt => Some(data.muon_pt),
            Self::FlatColumns | Self::FlatRead => Some(data.flat_digest),
            Self::Write | Self::WriteNull | Self::FlatWrite | Self::FlatWriteNull | Self::Limit => None,
        }
    }
}

/// Writes the events that it is made for.
pub type WriteJob = fn(&Data, Codec, Sink<'_>);

/// Reads a file and returns the digest of what it read.
pub type ReadJob = fn(&Path, Codec) -> u64;

/// Makes the file that a reader reads.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Of the file: readers that name the same one share it.
    pub name: &'static str,
    /// Its writer.
    pub write: WriteJob,
}

/// How.
#[derive(Clone, Copy)]
pub enum Run {
    /// To the sink that the [`Work`] is about.
    Write(WriteJob),
    /// From the file of a source.
    Read(Source, ReadJob),
    /// A task of the Python script, on the file that uproot wrote.
    Uproot(&'static str),
    /// A limit.
    #[expect(private_interfaces, reason = "limits are made here only")]
    Limit(fn(&Data, &Pages, Codec, &Path)),
}

/// A row of the table: a job for each of its codecs.
#[derive(Clone, Copy)]
pub struct Row {
    /// What.
    pub work: Work,
    /// Who.
    pub peer: &'static str,
    /// With what.
    pub codecs: &'static [Codec],
    /// On how many threads. One is measured by the time of its processor, more by the clock on the wall.
    pub threads: u32,
    /// How.
    pub run: Run,
}

const fn write(work: Work, peer: &'static str, codecs: &'static [Codec], job: WriteJob) -> Row {
    Row { work, peer, codecs, threads: 1, run: Run::Write(job) }
}

const fn read(work: Work, peer: &'static str, codecs: &'static [Codec], source: Source, job: ReadJob) -> Row {
    Row { work, peer, codecs, threads: 1, run: Run::Read(source, job) }
}

const fn uproot(work: Work, task: &'static str) -> Row {
    Row { work, peer: "uproot", codecs: ALL, threads: 1, run: Run::Uproot(task) }
}

const fn limit(peer: &'static str, codecs: &'static [Codec], job: fn(&Data, &Pages, Codec, &Path)) -> Row {
    Row { work: Work::Limit, peer, codecs, threads: 1, run: Run::Limit(job) }
}

const fn on_threads(threads: u32, row: Row) -> Row {
    Row { threads, ..row }
}

const fn on_two_threads(row: Row) -> Row {
    on_threads(2, row)
}

const ALL: &[Codec] = Codec::ALL;
const NONE: &[Codec] = &[Codec::None];
const PACKED: &[Codec] = &[Codec::Lz4, Codec::Zstd1, Codec::Zstd5];
const FLAT: &[Codec] = &[Codec::None, Codec::Zstd1];

const OURS: Source = Source { name: "ours", write: ours::write };
const OURS_FLAT: Source = Source { name: "ours-flat", write: ours::write_flat };
const BOUND: Source = Source { name: "bound", write: bound::write };
const BOUND_FLAT: Source = Source { name: "bound-flat", write: bound::write_flat };
const PLAIN: Source = Source { name: "parquet-plain", write: parquet::write_plain };
const DEFAULTS: Source = Source { name: "parquet-defaults", write: parquet::write_defaults };
const DERIVED: Source = Source { name: "parquet-derive", write: parquet_flat::write };
const IPC: Source = Source { name: "arrow-ipc", write: arrow_ipc::write };
const BITCODE: Source = Source { name: "bitcode", write: bitcode::write };
const RKYV: Source = Source { name: "rkyv", write: rkyv::write };
const OXYROOT: Source = Source { name: "oxyroot", write: oxyroot::write };

/// All jobs. A new one is a line here; a new target, one in [`crate::targets`].
pub const ROWS: &[Row] = &[
    write(Work::Write, "ours", ALL, ours::write),
    on_two_threads(write(Work::Write, "ours", ALL, ours::write_on_two_threads)),
    on_threads(4, write(Work::Write, "ours", FLAT, ours::write_on_4_threads)),
    on_threads(8, write(Work::Write, "ours", FLAT, ours::write_on_8_threads)),
    on_two_threads(write(Work::Write, "ours, with a pool", PACKED, ours::write_with_pool)),
    write(Work::Write, "bound", NONE, bound::write),
    write(Work::Write, "parquet plain", ALL, parquet::write_plain),
    on_two_threads(write(Work::Write, "parquet plain", ALL, parquet::write_plain_2)),
    write(Work::Write, "parquet defaults", ALL, parquet::write_defaults),
    write(Work::Write, "parquet serde_arrow", ALL, serde_arrow::write),
    write(Work::Write, "arrow ipc", arrow_ipc::CODECS, arrow_ipc::write),
    write(Work::Write, "bitcode", ALL, bitcode::write),
    write(Work::Write, "rkyv", ALL, rkyv::write),
    write(Work::Write, "oxyroot", NONE, oxyroot::write),
    uproot(Work::Write, "write"),
    write(Work::WriteNull, "ours", ALL, ours::write),
    on_two_threads(write(Work::WriteNull, "ours", ALL, ours::write_on_two_threads)),
    on_threads(8, write(Work::WriteNull, "ours", ALL, ours::write_on_8_threads)),
    on_two_threads(write(Work::WriteNull, "ours, with a pool", PACKED, ours::write_with_pool)),
    write(Work::WriteNull, "bound", ALL, bound::write),
    on_two_threads(write(Work::WriteNull, "bound", ALL, bound::write_2)),
    on_threads(8, write(Work::WriteNull, "bound", ALL, bound::write_8)),
    write(Work::WriteNull, "parquet plain", ALL, parquet::write_plain),
    write(Work::WriteNull, "parquet defaults", NONE, parquet::write_defaults),
    write(Work::WriteNull, "arrow ipc", NONE, arrow_ipc::write),
    read(Work::ReadColumns, "ours", ALL, OURS, ours::read_columns),
    on_two_threads(read(Work::ReadColumns, "ours", ALL, OURS, ours::read_columns_on_two_threads)),
    read(Work::ReadColumns, "ours, of any schema", ALL, OURS, untyped::read_columns),
    read(Work::ReadColumns, "ours, of any schema, owned", ALL, OURS, to_arrow::read_owned),
    read(Work::ReadColumns, "ours, as Arrow", ALL, OURS, to_arrow::read_columns),
    read(Work::ReadColumns, "bound", ALL, BOUND, bound::read_columns),
    on_two_threads(read(Work::ReadColumns, "bound", ALL, BOUND, bound::read_columns_2)),
    read(Work::ReadColumns, "bound, lent", ALL, BOUND, lent::read_columns),
    on_two_threads(read(Work::ReadColumns, "bound, lent", ALL, BOUND, lent::read_columns_2)),
    read(Work::ReadColumns, "parquet plain", ALL, PLAIN, parquet::read_columns),
    on_two_threads(read(Work::ReadColumns, "parquet plain", ALL, PLAIN, parquet::read_columns_2)),
    read(Work::ReadColumns, "parquet defaults", ALL, DEFAULTS, parquet::read_columns),
    read(Work::ReadColumns, "arrow ipc", arrow_ipc::CODECS, IPC, arrow_ipc::read_columns),
    uproot(Work::ReadColumns, "columns"),
    read(Work::ReadStructs, "ours", ALL, OURS, ours::read_structs),
    read(Work::ReadStructs, "ours, lent", ALL, OURS, ours::lend_structs),
    read(Work::ReadStructs, "parquet plain", ALL, PLAIN, parquet::read_structs),
    read(Work::ReadStructs, "parquet defaults", ALL, DEFAULTS, parquet::read_structs),
    read(Work::ReadStructs, "parquet serde_arrow", ALL, PLAIN, serde_arrow::read_structs),
    read(Work::ReadStructs, "arrow ipc", arrow_ipc::CODECS, IPC, arrow_ipc::read_structs),
    read(Work::ReadStructs, "bitcode", ALL, BITCODE, bitcode::read_structs),
    read(Work::ReadStructs, "rkyv", ALL, RKYV, rkyv::read_structs),
    read(Work::ReadStructs, "oxyroot", NONE, OXYROOT, oxyroot::read_structs),
    read(Work::JetPt, "ours", ALL, OURS, ours::jet_pt),
    read(Work::JetPt, "parquet plain", ALL, PLAIN, parquet::jet_pt),
    read(Work::JetPt, "parquet defaults", ALL, DEFAULTS, parquet::jet_pt),
    read(Work::JetPt, "oxyroot", NONE, OXYROOT, oxyroot::jet_pt),
    uproot(Work::JetPt, "jet_pt"),
    read(Work::MuonPt, "ours", ALL, OURS, ours::muon_pt),
    read(Work::MuonPt, "parquet plain", ALL, PLAIN, parquet::muon_pt),
    read(Work::MuonPt, "parquet defaults", ALL, DEFAULTS, parquet::muon_pt),
    read(Work::MuonPt, "oxyroot", NONE, OXYROOT, oxyroot::muon_pt),
    uproot(Work::MuonPt, "muon_pt"),
    write(Work::FlatWrite, "ours", FLAT, ours::write_flat),
    write(Work::FlatWrite, "parquet_derive", FLAT, parquet_flat::write),
    write(Work::FlatWriteNull, "ours", ALL, ours::write_flat),
    write(Work::FlatWriteNull, "bound", ALL, bound::write_flat),
    read(Work::FlatColumns, "ours", ALL, OURS_FLAT, ours::read_flat_columns),
    read(Work::FlatColumns, "bound", ALL, BOUND_FLAT, bound::read_flat_columns),
    read(Work::FlatColumns, "bound, lent", ALL, BOUND_FLAT, lent::read_flat_columns),
    read(Work::FlatRead, "ours", FLAT, OURS_FLAT, ours::read_flat),
    read(Work::FlatRead, "parquet_derive", FLAT, DERIVED, parquet_flat::read),
    limit("copy of all pages into new memory", NONE, limits::memcpy),
    limit("copy of all pages within the cache", NONE, limits::pack),
    limit("bare write to the folder", NONE, limits::write),
    limit("digest of the events in memory", NONE, limits::digest),
    limit("compress alone", PACKED, limits::pack),
    limit("decompress alone", PACKED, limits::unpack),
];
