"""Parts of an ntuple as partitions of dask-awkward."""

import awkward as ak
import pytest

import rntuple

dask_awkward = pytest.importorskip("dask_awkward")


def test_parts_are_partitions(tmp_path, array):
    path = f"{tmp_path}/events.root:Events"
    rntuple.write(path, array, cluster_size=5000)
    parts = rntuple.open(path).parts(4, ["met", "muons.pt"])
    # No partition is read to learn the type.
    meta = parts[0].typetracer()
    events = dask_awkward.from_map(rntuple.Part.arrays, parts, meta=meta, label="events")
    assert events.npartitions == len(parts) > 1
    assert ak.array_equal(events.muons.pt.compute(scheduler="processes"), array.muons.pt)
    leading = dask_awkward.max(events.muons.pt, axis=1)
    chosen = leading[events.met > 20].compute(scheduler="threads")
    assert ak.array_equal(chosen, ak.max(array.muons.pt, axis=1)[array.met > 20])
