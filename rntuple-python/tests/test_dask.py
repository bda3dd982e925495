"""Parts of an ntuple as partitions of dask-awkward, and files through uproot's own way to them."""

import awkward as ak
import pytest
import uproot
from packages import needed

import rntuple

dask_awkward = needed("dask_awkward")


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


def test_parts_of_many_files_are_partitions(tmp_path, array):
    for run in range(3):
        rntuple.write(f"{tmp_path}/run{run}.root:Events", array[run * 100 : run * 300 + 100], cluster_size=5000)
    parts = rntuple.open(f"{tmp_path}/run*.root:Events").parts(6, ["number", "muons.pt"])
    events = dask_awkward.from_map(rntuple.Part.arrays, parts, meta=parts[0].typetracer(), label="events")
    expected = ak.concatenate([array[run * 100 : run * 300 + 100] for run in range(3)])
    # Tasks are sent to other processes, and only what they compute comes back.
    total = ak.sum(events.muons.pt) + ak.sum(events.number)
    assert total.compute(scheduler="processes") == pytest.approx(ak.sum(expected.muons.pt) + ak.sum(expected.number))
    assert ak.array_equal(events.number.compute(scheduler="threads"), expected.number)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_uproot_makes_partitions_of_our_files(tmp_path, array, scheduler):
    paths = [f"{tmp_path}/run{run}.root" for run in range(2)]
    for path in paths:
        rntuple.write(f"{path}:Events", array, cluster_size=5000)
    # Files that are open already cannot be sent to other processes by uproot 5.7.7.
    events = uproot.dask({path: "Events" for path in paths}, steps_per_file=3, open_files=False)
    assert events.npartitions == 6
    expected = ak.concatenate([array, array])
    assert ak.array_equal(events.number.compute(scheduler=scheduler), expected.number)
    chosen = events.muons.pt[(events.met > 20) & (ak.num(events.muons) > 1)]
    found = chosen.compute(scheduler=scheduler)
    assert ak.array_equal(found, expected.muons.pt[(expected.met > 20) & (ak.num(expected.muons) > 1)])
    assert len(found) > 100
