"""How fast arrays and tables are read, next to uproot, Parquet and polars: a table for the book.

    python rntuple-python/benches/speed.py [--events 300000] [--rounds 7]

All jobs of a row are run in each round; the figures are medians, and the factors are those of the times to ours. Files are
in memory where there is /dev/shm.
"""

import argparse
import os
import statistics
import tempfile
import time

import awkward as ak
import numpy as np
import polars
import pyarrow
import pyarrow.parquet
import uproot

import rntuple

CODECS = [("none", {"compression": "none"}), ("lz4", {"compression": "lz4"})]
CODECS.append(("zstd:1", {"compression": "zstd", "compression_level": 1}))


def nested(count):
    """Events with muons, and jets that have cells."""
    random = np.random.default_rng(1)
    muons, jets = random.integers(0, 4, count), random.integers(0, 8, count)
    cells = random.integers(0, 12, int(jets.sum()))

    def real(size):
        return random.gamma(2, 20, int(size)).astype(np.float32)

    def lists(names, counts):
        return {name: ak.unflatten(real(counts.sum()), counts) for name in names}

    energies = random.integers(0, 1 << 30, int(cells.sum())).astype(np.uint32)
    of_jets = lists(("pt", "eta", "phi", "mass", "btag"), jets)
    of_jets["cells"] = ak.unflatten(ak.unflatten(energies, cells), jets)
    return ak.zip(
        {
            "run": np.full(count, 7, np.uint32),
            "event": np.arange(count, dtype=np.uint64),
            "weight": random.normal(size=count),
            "met": real(count),
            "label": ak.Array([f"process {index % 5}" for index in range(count)]),
            "muons": ak.zip(lists(("pt", "eta", "phi", "mass"), muons)),
            "jets": ak.zip(of_jets, depth_limit=2),
        },
        depth_limit=1,
    )


class Table:
    """Rows of times, ours first."""

    def __init__(self, rounds):
        self.rounds = rounds
        print("| job | here | uproot | Parquet | polars |\n| --- | --- | --- | --- | --- |")

    def row(self, job, **readers):
        times = {name: [] for name in readers}
        for _ in range(self.rounds):
            for name, read in readers.items():
                start = time.perf_counter()
                read()
                times[name].append(time.perf_counter() - start)
        median = {name: statistics.median(own) for name, own in times.items()}
        cells = [f"{1e3 * median['here']:.1f} ms"]
        for name in ("uproot", "parquet", "polars"):
            cells.append(f"{median[name] / median['here']:.1f}" if name in median else "")
        print(f"| {job} | {' | '.join(cells)} |", flush=True)


def read_nested(table, folder, count):
    events = nested(count)
    file, parquet = f"{folder}/nested.root", f"{folder}/nested.parquet"
    for codec, options in CODECS:
        rntuple.write(f"{file}:Events", events, compression=codec)
        pyarrow.parquet.write_table(rntuple.open(file).arrays(library="arrow"), parquet, **options)

        def theirs():
            return uproot.open(file)["Events"]

        def columns(*names):
            return pyarrow.parquet.ParquetFile(parquet).read(columns=list(names) or None)

        table.row(
            f"nested, {codec}: everything as awkward",
            here=lambda: rntuple.open(file).arrays(),
            uproot=lambda: theirs().arrays(),
        )
        table.row(
            f"nested, {codec}: everything in steps of 30 000",
            here=lambda: [None for _ in rntuple.open(file).iterate(step_size=30_000)],
            uproot=lambda: [None for _ in theirs().iterate(step_size=30_000)],
        )
        table.row(
            f"nested, {codec}: everything as Arrow",
            here=lambda: rntuple.open(file).arrays(library="arrow"),
            parquet=lambda: columns(),
        )
        table.row(
            f"nested, {codec}: everything in polars",
            here=lambda: rntuple.scan_polars(file).collect(),
            polars=lambda: polars.scan_parquet(parquet).collect(),
        )
        table.row(
            f"nested, {codec}: `jets.pt`",
            here=lambda: rntuple.open(file).arrays("jets.pt"),
            uproot=lambda: theirs().arrays("jets.pt"),
            parquet=lambda: columns("jets.list.element.pt"),
        )
        table.row(
            f"nested, {codec}: `met` in NumPy",
            here=lambda: rntuple.open(file).arrays("met", library="np"),
            uproot=lambda: theirs().arrays("met", library="np"),
            parquet=lambda: columns("met"),
        )


def read_wide(table, folder, entries=4833, clusters=20, fields=300):
    random = np.random.default_rng(2)
    columns = {f"f{i}": random.normal(size=clusters * entries).astype(np.float32) for i in range(fields)}
    file, parquet = f"{folder}/wide.root", f"{folder}/wide.parquet"
    for codec, options in CODECS:
        size = entries * fields * 4
        rntuple.write(f"{file}:Events", columns, compression=codec, cluster_size=size)
        pyarrow.parquet.write_table(pyarrow.table(columns), parquet, row_group_size=entries, **options)
        table.row(
            f"{fields} fields, {clusters} clusters, {codec}: NumPy",
            here=lambda: rntuple.open(file).arrays(library="np"),
            uproot=lambda: uproot.open(file)["Events"].arrays(library="np"),
            parquet=lambda: pyarrow.parquet.read_table(parquet),
        )
    table.row(
        f"{fields} fields: opening",
        here=lambda: rntuple.open(file).keys(),
        uproot=lambda: uproot.open(file)["Events"].keys(),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        table = Table(arguments.rounds)
        read_nested(table, folder, arguments.events)
        read_wide(table, folder)


if __name__ == "__main__":
    main()
