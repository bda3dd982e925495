"""What `datasets.rs` measures, with pylance on the same rows. Arguments: path, count of rows, count of commits."""

import statistics
import sys
import time

import lance
import numpy as np
import pyarrow as pa

path, rows, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def batch(first, end):
    number = np.arange(first, end, dtype=np.uint64)
    noise = (number * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    met = noise.astype(np.float32) / np.float32(65536.0)
    counts = (noise % np.uint64(5)).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)
    pt = np.repeat(met, counts) + within.astype(np.float32)
    return pa.table({
        "run": (number // np.uint64(100_000)).astype(np.uint32),
        "number": number,
        "met": met,
        "weight": met.astype(np.float64) * 0.5,
        "pt": pa.ListArray.from_arrays(offsets, pa.array(pt, pa.float32())),
    })


def median(runs, work):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return f"{statistics.median(times) * 1e3:.1f} ms"


part = rows // files
batches = [batch(i * part, (i + 1) * part) for i in range(files)]
start = time.perf_counter()
for i, table in enumerate(batches):
    lance.write_dataset(table, path, mode="create" if i == 0 else "append", enable_stable_row_ids=True)
print(f"pylance: write {rows} rows in {files} commits: {(time.perf_counter() - start) * 1e3:.1f} ms")
print("pylance: scan:", median(9, lambda: lance.dataset(path).to_table()))
print("pylance: scan one column:", median(9, lambda: lance.dataset(path).to_table(columns=["met"])))
for condition in ["met > 250", "number >= 500000 and number < 510000"]:
    time_of_filter = median(5, lambda: lance.dataset(path).to_table(filter=condition))
    print(f"pylance: filtered scan ({condition}):", time_of_filter)
ids = [number * 7_919_317 % rows for number in range(1000)]
print("pylance: take 1 000 rows, data set opened each time:", median(9, lambda: lance.dataset(path).take(ids)))
opened = lance.dataset(path)
print("pylance: take 1 000 rows, same data set:", median(9, lambda: opened.take(ids)))
one = batch(0, 1)
print("pylance: commit one row:", median(21, lambda: lance.write_dataset(one, path + "2", mode="append")))
