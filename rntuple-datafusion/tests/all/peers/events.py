"""Writes the events of `sample.rs` as Parquet, made here again: `events.py FILE`.

Nothing of this repository has read or written what the engines then read. The file has no statistics: those of Parquet ignore
NaN, and DuckDB 2.0 uses them to skip rows of which a filter is true (`met > 1000`, `isnan(met)`). Here rows are compared.
"""

import math
import sys

import polars as pl

RUNS = (1, 2, 3)
PER_FILE = 400

MUON = pl.Struct({"pt": pl.Float32, "eta": pl.Float32, "charge": pl.Int8})
VERTEX = pl.Struct({"x": pl.Float64, "tracks": pl.List(pl.UInt16)})
# An enum of Rust: which alternative it is, from 1, and the values of each.
DECAY = pl.Struct({"tag": pl.UInt8, "_0": pl.UInt8, "_1": pl.Float32})

SCHEMA = {
    "run": pl.UInt32,
    "number": pl.UInt64,
    "met": pl.Float32,
    "name": pl.String,
    "muons": pl.List(MUON),
    "vertex": VERTEX,
    "triggered": pl.Boolean,
    "weight": pl.Float64,
    "hits": pl.List(pl.Float32),
    "position": pl.Array(pl.Float32, 3),
    "decay": DECAY,
}


def event(run, number):
    """All of it is exact in the types of the columns, but for `vertex.x`, which has 64 bits as here."""
    special = {7: math.nan, 8: -0.0, 9: 0.0}
    is_even = number % 2 == 0
    return {
        "run": run,
        "number": run * 1000 + number,
        "met": special.get(number % 50, float(number * 7 % 100)),
        "name": f"event {number % 13}",
        "muons": [
            {"pt": float(number + i * 10), "eta": i - 1.5, "charge": 1 if i % 2 == 0 else -1} for i in range(number % 4)
        ],
        "vertex": {"x": number / 3.0, "tracks": list(range(number % 3))},
        "triggered": number % 3 == 0,
        "weight": None if number % 5 == 0 else float(number),
        "hits": [math.nan if i == 5 else float(i + number) for i in range(number % 6)],
        "position": [float(number), 1.0, -float(number)],
        "decay": {
            "tag": 1 if is_even else 2,
            "_0": number % 256 if is_even else None,
            "_1": None if is_even else float(number),
        },
    }


events = [event(run, number) for run in RUNS for number in range(PER_FILE)]
pl.DataFrame(events, schema=SCHEMA, strict=True).write_parquet(sys.argv[1], statistics=False)
