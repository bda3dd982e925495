"""Batches for training."""

import awkward as ak
import numpy as np
import pytest

import rntuple
from rntuple import _libraries, _rntuple

COUNT = 30_000


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of one ntuple, the entries of which are numbered."""
    folder = tmp_path_factory.mktemp("training")
    paths = [str(folder / name) for name in ("run1.root", "run2.root")]
    for path, first, last in zip(paths, (0, 20_000), (20_000, COUNT)):
        numbers = np.arange(first, last)
        x = np.stack([numbers, numbers * 2], axis=1).astype(np.float32)
        rntuple.write(f"{path}:Events", {"number": numbers, "x": x}, cluster_size=50_000)
    return [f"{paths[0]}:Events", f"{paths[1]}:Events"]


def numbers(batches):
    return np.concatenate([batch["number"] for batch in batches])


def test_every_entry_comes_once_in_each_epoch(files):
    batches = rntuple.open(files).batches(1000, "number")
    assert len(batches) == 30
    first, second = numbers(batches), numbers(batches)
    for epoch in (first, second):
        assert np.array_equal(np.sort(epoch), np.arange(COUNT))
    assert not np.array_equal(first, second)
    # Of neighbours in a random order, a third of all is the mean distance.
    assert abs(np.abs(np.diff(first)).mean() / COUNT - 1 / 3) < 0.02
    assert np.array_equal(first, numbers(rntuple.batches(files, 777, "number")))
    assert np.array_equal(second, numbers(rntuple.batches(files, 777, "number", epoch=1)))
    assert not np.array_equal(first, numbers(rntuple.batches(files, 777, "number", seed=1)))
    assert np.array_equal(numbers(rntuple.batches(files, 777, shuffle=False)), np.arange(COUNT))


def test_the_order_is_that_of_the_library_in_rust():
    # As in the tests of the core.
    [(ranges, order)] = _rntuple.Windows(100_000, 42, 1, 100_000, (0.0, 1.0))
    assert ranges == [(0, 100_000)]
    assert order[:8].tolist() == [39_037, 37_559, 62_238, 31_487, 37_481, 48_255, 82_031, 28_848]


def test_columns_stay_together(files):
    for batch in rntuple.batches(files, 512, seed=3):
        assert batch["x"].shape == (len(batch["number"]), 2)
        assert np.array_equal(batch["x"][:, 0], batch["number"].astype(np.float32))
        assert np.array_equal(batch["x"][:, 1], 2 * batch["x"][:, 0])


def test_nested_fields_are_arrays_of_awkward(path, array):
    batches = list(rntuple.batches(path, 300, ["number", "muons.pt"], library="ak"))
    assert [len(batch) for batch in batches] == [300, 300, 300, 100]
    found = ak.concatenate(batches)
    found = found[ak.argsort(found.number)]
    assert ak.array_equal(found.muons.pt, array.muons.pt)


def test_parts_are_disjoint(files):
    train = rntuple.batches(files, 1000, "number", split=(0.0, 0.75), seed=1)
    validate = rntuple.batches(files, 1000, "number", split=(0.75, 1.0), seed=2)
    assert train.num_entries + validate.num_entries == COUNT
    assert abs(train.num_entries - 0.75 * COUNT) < 4
    both = np.concatenate([numbers(train), numbers(validate)])
    assert np.array_equal(np.sort(both), np.arange(COUNT))


def test_classes_are_mixed(files):
    signal, background = files[1], files[0]
    batches = rntuple.batches({"signal": signal, "background": background}, 300, "number")
    assert batches.num_entries == COUNT
    for batch in batches:
        assert np.array_equal(batch["label"], (batch["number"] < 20_000).astype(np.int64))
        assert abs((batch["label"] == 0).sum() - 100) <= 1
    assert np.array_equal(np.sort(numbers(batches)), np.arange(COUNT))


def test_weights_make_the_rare_class_come_again(files):
    data = {"signal": files[1], "background": files[0]}
    batches = rntuple.batches(data, 1000, "number", weights={"signal": 0.5, "background": 0.5}, label="y")
    assert (len(batches), batches.num_entries) == (40, 40_000)
    found = list(batches)
    assert all((batch["y"] == 0).sum() == 500 for batch in found)
    # Not always in the same places of a batch.
    assert len({int(batch["y"][0]) for batch in found}) == 2
    every, counts = np.unique(numbers(found), return_counts=True)
    assert np.array_equal(every, np.arange(COUNT))
    assert np.array_equal(counts, np.where(every < 20_000, 1, 2))
    again = rntuple.batches(data, 1000, "number", weights={"signal": 1, "background": 1}, label="y")
    assert np.array_equal(numbers(found), numbers(again))


def test_arrays_go_to_other_libraries(files):
    class Foreign:
        """An array of a library that takes others by DLPack."""

        def __init__(self, values):
            self.values = np.from_dlpack(values)

    batch = next(iter(rntuple.batches(files, 10, library=Foreign)))
    assert isinstance(batch["x"], Foreign) and batch["x"].values.shape == (10, 2)


def test_times_go_to_other_libraries_as_integers(path):
    times = np.array(["2026-01-01", "2026-01-02"], "datetime64[us]")
    rntuple.write(path, {"time": times})
    batch = next(iter(rntuple.batches(path, 2, shuffle=False, library=np.from_dlpack)))
    assert np.array_equal(batch["time"], times.view("int64"))
    batch = next(iter(rntuple.batches(path, 2, shuffle=False)))
    assert batch["time"].dtype == times.dtype


def test_the_last_batch_may_be_left_out(files):
    batches = rntuple.batches(files, 7000, "number", drop_last=True)
    assert len(batches) == len(list(batches)) == 4
    assert len(rntuple.batches(files, 7000, "number")) == 5


def test_what_makes_no_sense_is_refused(files, path):
    refused = [
        (dict(data=files, batch_size=0), "batch_size"),
        (dict(data=files, split=(0.5, 0.1)), "a part is within"),
        (dict(data=files, library="torch"), "library is"),
        (dict(data={"a": files[0], "b": path}), "different fields"),
        (dict(data={"a": files[0]}, label="x"), "there is a field 'x'"),
        (dict(data={"a": files[0]}, weights={"b": 1}), "weights are a dict"),
        (dict(data={"a": files[0], "b": files[1]}, weights={"a": -1, "b": 1}), "negative"),
        (dict(data={}), "no classes"),
        (dict(data=files, filter_name="nothing"), "no field"),
    ]
    for options, message in refused:
        with pytest.raises(ValueError, match=message):
            rntuple.batches(**options)


def test_damage_is_told(files, tmp_path):
    damaged = tmp_path / "damaged.root"
    with open(files[0].rsplit(":", 1)[0], "rb") as file:
        content = bytearray(file.read())
    content[2000:3000] = bytes(1000)
    damaged.write_bytes(content)
    with pytest.raises(rntuple.RNTupleError, match="checksum"):
        for _ in rntuple.batches(f"{damaged}:Events"):
            pass


def test_empty_files_have_no_batches(tmp_path):
    rntuple.write(f"{tmp_path}/empty.root:Events", {"x": np.zeros(0)})
    batches = rntuple.batches(f"{tmp_path}/empty.root")
    assert len(batches) == 0 and list(batches) == []


def test_nothing_is_read_twice_in_an_epoch(files, monkeypatch):
    read = []
    flat = _libraries.flat
    monkeypatch.setattr(_libraries, "flat", lambda source, ranges: read.append(ranges) or flat(source, ranges))
    for buffer, count in ((COUNT, 1), (20_000, 2)):
        batches = rntuple.batches(files, 1000, "number", buffer=buffer)
        for _ in range(2):
            read.clear()
            assert np.array_equal(np.sort(numbers(batches)), np.arange(COUNT))
            assert len(read) == count
