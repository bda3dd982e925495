#!/usr/bin/env python3
"""Writes a set of RNTuple files with uproot, each with the values that a reader must find.

    uproot_write.py DIR

For every NAME.root in DIR there is a NAME.json:

    {"writer": "uproot", "version": "5.7.7", "streamer_info": false,
     "ntuples": {"dir/name": {"entries": n, "clusters": [entries of each], "num_cluster_groups": n,
                              "values": {top-level field: [value of every entry]}}}}

with the values in the form that uproot_read.py describes. They are taken from the Python lists that
the arrays were made of, never read back. The values are the same on every run (files differ in UUID
and dates). Existing files of the same names are replaced.

What uproot writes: plain columns only (no split encodings), one page per column and cluster, one
cluster and one cluster group per `extend`, no page checksums, uncompressed envelopes, offsets in
Index64, untyped records and collections for Awkward records, no streamer info of the anchor (which
JSROOT insists on). It cannot write half floats, bitsets,
maps, bytes, chars or an invalid variant.
"""

import argparse
import json
import math
import pathlib
import struct
import sys

import awkward as ak
import numpy as np
import uproot

COMPRESSIONS = {
    "none": None,
    "zlib": uproot.ZLIB(6),
    "lz4": uproot.LZ4(4),
    "zstd": uproot.ZSTD(5),
    "lzma": uproot.LZMA(6),
}
TEXTS = [
    "", "a", "Zürich", "日本語", "🎼 µ⁺µ⁻", "nul\0inside", "line\nbreak", '"quoted" \\', "x" * 300,
]  # fmt: skip


# --- values -----------------------------------------------------------------------------------


class Numbers:
    """Pseudo-random numbers that do not depend on the version of any library (SplitMix64)."""

    def __init__(self, seed):
        self.state = seed

    def bits(self, count):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % 2**64
        return (mixed ^ (mixed >> 31)) >> (64 - count)

    def below(self, limit):
        return self.bits(32) % limit


def integers(width, signed, count):
    """The ends of the range and their neighbours, then anything."""
    numbers = Numbers(width)
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)
    ends = [low, low + 1, high - 1, high, 0, 1, high // 2]
    return (ends + [low + numbers.bits(width) for _ in range(count)])[:count]


def floats(width, count):
    """Zeros, infinities, not a number, subnormals, the ends of the range, then any finite value."""
    form, raw, fraction = ("<f", "<I", 23) if width == 32 else ("<d", "<Q", 52)
    sign = 1 << (width - 1)
    infinity = ((1 << (width - 1 - fraction)) - 1) << fraction
    patterns = [
        0, sign, infinity, sign | infinity, infinity | 1 << (fraction - 1),
        1, sign | 1, (1 << fraction) - 1, 1 << fraction, infinity - 1, sign | (infinity - 1),
    ]  # fmt: skip
    numbers = Numbers(width)
    while len(patterns) < count:
        pattern = numbers.bits(width)
        if pattern & infinity != infinity:
            patterns.append(pattern)
    return [struct.unpack(form, struct.pack(raw, pattern))[0] for pattern in patterns[:count]]


def lengths(count, limit, seed):
    """Lengths of lists: empty ones first, last, and in between."""
    numbers = Numbers(seed)
    return [0 if i in (0, 1, count - 1) else numbers.below(limit) for i in range(count)]


def chunks(values, counts):
    """Cuts `values` into lists of the given lengths."""
    lists, start = [], 0
    for count in counts:
        lists.append(values[start : start + count])
        start += count
    return lists


def canonical(value):
    """A value in the form of the JSON document."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (list, tuple)):
        return [canonical(item) for item in value]
    if isinstance(value, dict):
        return {key: canonical(item) for key, item in value.items()}
    return value


# --- arrays -----------------------------------------------------------------------------------
# Each is built from the same list that the JSON shows, and its type is spelled out, so that no
# array library can choose one.


def array_of(values, form):
    """An Awkward layout of the values; a form is a dtype, or a tuple of a shape and its parts."""
    if isinstance(form, str) and form == "string":
        return ak.from_iter(values, highlevel=False) if values else ak.from_iter([""], highlevel=False)[:0]
    if isinstance(form, str):
        return ak.contents.NumpyArray(np.array(values, dtype=form))
    shape = form[0]
    if shape == "list":
        offsets = np.cumsum([0] + [len(value) for value in values])
        content = array_of([item for value in values for item in value], form[1])
        return ak.contents.ListOffsetArray(ak.index.Index64(offsets), content)
    if shape == "array":
        content = array_of([item for value in values for item in value], form[2])
        return ak.contents.RegularArray(content, form[1], zeros_length=len(values))
    if shape == "optional":
        present = np.cumsum([value is not None for value in values]) - 1
        index = np.where([value is None for value in values], -1, present)
        content = array_of([value for value in values if value is not None], form[1])
        return ak.contents.IndexedOptionArray(ak.index.Index64(index), content)
    if shape == "record":
        contents = [array_of([value[name] for value in values], part) for name, part in form[1].items()]
        tuple_like = all(name == f"_{i}" for i, name in enumerate(form[1]))
        fields = None if tuple_like else list(form[1])
        return ak.contents.RecordArray(contents, fields, length=len(values))
    if shape == "variant":
        tags = np.array([value["variant"] - 1 for value in values], dtype=np.int8)
        index = [int(np.count_nonzero(tags[:i] == tag)) for i, tag in enumerate(tags)]
        contents = [
            array_of([value["value"] for value in values if value["variant"] == tag], part)
            for tag, part in enumerate(form[1], start=1)
        ]
        return ak.contents.UnionArray(
            ak.index.Index8(tags), ak.index.Index64(np.array(index, dtype=np.int64)), contents
        )
    raise ValueError(f"no such form: {form!r}")


def rows(fields, start=0, stop=None):
    """The record array of entries start..stop; `fields` is name -> (form, values)."""
    layouts = [array_of(values[start:stop], form) for form, values in fields.values()]
    return ak.Array(ak.contents.RecordArray(layouts, list(fields)))


# --- what is written --------------------------------------------------------------------------


def scalars(count):
    fields = {}
    for width in (8, 16, 32, 64):
        fields[f"i{width}"] = (f"int{width}", integers(width, True, count))
        fields[f"u{width}"] = (f"uint{width}", integers(width, False, count))
    fields["f32"] = ("float32", floats(32, count))
    fields["f64"] = ("float64", floats(64, count))
    fields["flag"] = ("bool", [i % 3 == 1 for i in range(count)])
    fields["text"] = ("string", [TEXTS[i % len(TEXTS)] for i in range(count)])
    fields["ramp"] = ("int32", [i // 7 for i in range(count)])
    return fields


def nested(count):
    def some(seed, limit, values):
        counts = lengths(count, limit, seed)
        return chunks(values(sum(counts)), counts)

    def twice(seed, values):
        outer = lengths(count, 4, seed)
        return chunks(some_of(sum(outer), seed + 1, values), outer)

    def some_of(number, seed, values):
        counts = lengths(number, 4, seed)
        return chunks(values(sum(counts)), counts)

    def singles(number):
        return floats(32, number)

    def words(number):
        return [TEXTS[i % len(TEXTS)] for i in range(number)]

    def shorts(number):
        return integers(16, True, number)

    muons = {"pt": "float32", "charge": "int32", "hits": ("list", "int16"), "tag": "string"}

    def muon(number):
        hits = some_of(number, 77, shorts)
        return [
            {"pt": pt, "charge": charge, "hits": hit, "tag": tag}
            for pt, charge, hit, tag in zip(
                singles(number), integers(32, True, number), hits, words(number), strict=True
            )
        ]

    alternatives = ["int64", "string", ("list", "float32")]

    def choice(number):
        picks = {1: integers(64, True, number), 2: words(number), 3: some_of(number, 5, singles)}
        return [{"variant": i % 3 + 1, "value": picks[i % 3 + 1][i]} for i in range(number)]

    doubles = floats(64, 2 * count)
    return {
        "floats": (("list", "float32"), some(1, 6, singles)),
        "bools": (("list", "bool"), some(2, 20, lambda n: [i % 5 == 0 for i in range(n)])),
        "words": (("list", "string"), some(3, 5, words)),
        "deep": (("list", ("list", "int16")), twice(4, shorts)),
        "deep_words": (("list", ("list", "string")), twice(6, words)),
        "muon": (("record", muons), muon(count)),
        "muons": (("list", ("record", muons)), some(7, 4, muon)),
        "pair": (
            ("record", {"_0": "int32", "_1": "string"}),
            [{"_0": i, "_1": word} for i, word in enumerate(words(count))],
        ),
        "outer": (
            ("record", {"inner": ("record", {"x": "float64", "flag": "bool"}), "n": "uint8"}),
            [
                {"inner": {"x": doubles[i], "flag": i % 2 == 0}, "n": i % 256}
                for i in range(count)
            ],
        ),
        "fixed": (("array", 3, "int32"), chunks(integers(32, True, 3 * count), [3] * count)),
        "matrix": (
            ("array", 2, ("array", 3, "float32")),
            chunks(chunks(singles(6 * count), [3] * (2 * count)), [2] * count),
        ),
        "fixed_words": (("array", 2, "string"), chunks(words(2 * count), [2] * count)),
        "maybe": (
            ("optional", "float64"),
            [None if i % 3 == 0 else value for i, value in enumerate(doubles[:count])],
        ),
        "maybe_text": (
            ("optional", "string"),
            [None if i % 4 == 1 else word for i, word in enumerate(words(count))],
        ),
        "maybes": (
            ("list", ("optional", "int32")),
            some(8, 5, lambda n: [None if i % 2 else i for i in range(n)]),
        ),
        "choice": (("variant", alternatives), choice(count)),
        "choices": (("list", ("variant", alternatives)), some(9, 5, choice)),
    }


class Set:
    """The files of one run."""

    def __init__(self, folder):
        self.folder = folder

    def file(self, name, ntuples, compression=uproot.ZLIB(1)):
        """`ntuples` is path -> (fields, clusters); a cluster is the number of its entries."""
        expected = {}
        with uproot.recreate(self.folder / f"{name}.root", compression=compression) as file:
            for path, (fields, clusters) in ntuples.items():
                ntuple = file.mkrntuple(path, rows(fields, 0, 0).layout.form, f"written to {name}.root")
                start = 0
                for entries in clusters:
                    ntuple.extend(rows(fields, start, start + entries))
                    start += entries
                expected[path] = self.expected(fields, clusters)
        self.describe(name, expected)

    def extended(self, name):
        """A schema extension: a field that exists from entry 40 on, zero before."""
        count, late = 100, 40
        fields = scalars(count)
        grown = {"late": ("int32", [0] * late + integers(32, True, count - late))}
        with uproot.recreate(self.folder / f"{name}.root", compression=uproot.ZSTD(3)) as file:
            ntuple = file.mkrntuple("grown", rows(fields, 0, late))
        with uproot.update(self.folder / f"{name}.root") as file:
            ntuple = file["grown"]
            ntuple.add_fields({"late": np.int32})
        with uproot.update(self.folder / f"{name}.root") as file:
            file["grown"].extend(rows(fields | grown, late, count))
        self.describe(name, {"grown": self.expected(fields | grown, [late, count - late])})

    def expected(self, fields, clusters):
        entries = sum(clusters)
        return {
            "entries": entries,
            "clusters": clusters,
            "num_cluster_groups": len(clusters),
            "values": {name: canonical(values[:entries]) for name, (_, values) in fields.items()},
        }

    def describe(self, name, ntuples):
        document = {
            "writer": "uproot",
            "version": uproot.__version__,
            "streamer_info": False,
            "ntuples": ntuples,
        }
        text = json.dumps(document, separators=(",", ":"), allow_nan=False)
        (self.folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def write(folder):
    files = Set(folder)
    for name, compression in COMPRESSIONS.items():
        files.file(f"scalars-{name}", {"scalars": (scalars(500), [500])}, compression)
        files.file(f"nested-{name}", {"nested": (nested(200), [200])}, compression)
    # An empty cluster in the middle, and one of a single entry: a bit page that is not full.
    files.file("clusters", {"scalars": (scalars(300), [100, 1, 0, 199]), "nested": (nested(90), [50, 3, 37])})
    files.file(
        "directories",
        {
            "top": (scalars(20), [20]),
            "dir/one": (scalars(30), [30]),
            "dir/sub/two": (nested(40), [40]),
            "other/one": (scalars(10), [10]),
        },
    )
    files.file("empty", {"nothing": (scalars(5), [])})
    files.file("names", {"größe": ({"länge": ("float32", floats(32, 12)), "名": ("string", TEXTS)}, [9])})
    files.extended("extended")


def main():
    parser = argparse.ArgumentParser(description="Writes RNTuple files and their values with uproot.")
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    write(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
