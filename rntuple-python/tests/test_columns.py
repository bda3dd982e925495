"""Columns of data sets that are computed, dropped and renamed: what is read is what the functions have returned."""

import pathlib

import awkward as ak
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
import uproot

import rntuple


def rows(first, count):
    """Rows whose values follow from their numbers."""
    number = np.arange(first, first + count)
    pt = ak.unflatten(np.repeat(number, number % 4).astype(np.float32), number % 4)
    muons = ak.zip({"pt": pt, "charge": ak.values_astype(pt % 2, np.int8)})
    return ak.zip({"number": number, "met": number / 2, "muons": muons}, depth_limit=1)


@pytest.fixture
def dataset(tmp_path):
    """Files of 1000, none and 500 rows in clusters of some hundred, of which every fifth row is deleted."""
    dataset = rntuple.Dataset.create(tmp_path / "events.rnds", rows(0, 1000), cluster_size=4000)
    dataset.append(rows(0, 0))
    dataset.append(rows(1000, 500), cluster_size=4000)
    drop = " or ".join(f"number == {number}" for number in range(0, 1500, 5))
    assert dataset.delete(drop) == 4
    return dataset


LIVE = np.flatnonzero(np.arange(1500) % 5)


def files(dataset):
    return sorted(path.name for path in (pathlib.Path(dataset.url) / "data").iterdir())


def test_columns_of_all_kinds_are_computed(dataset):
    seen = []

    def compute(events):
        seen.append(events)
        return {
            "twice": 2 * events.met,
            "is_even": ak.to_numpy(events.number % 2 == 0),
            "name": [f"event {number}" for number in events.number],
            "hard": events.muons.pt[events.muons.pt > 700],
            "leading": ak.firsts(events.muons.pt),
            "four": np.repeat(ak.to_numpy(events.number)[:, None], 4, axis=1),
            "jets": ak.zip({"pt": 2 * events.muons.pt}),
        }

    before = files(dataset)
    assert dataset.add_columns(compute, step_size=70) == 5
    # All rows, in their order, some at a time; those that are deleted as well.
    assert np.concatenate([batch.number for batch in seen]).tolist() == list(range(1500))
    assert max(map(len, seen)) == 70 and len(seen) > 1500 // 70
    expected = compute(rows(0, 1500)[LIVE])
    found = rntuple.open_dataset(dataset.url)
    assert found.keys(recursive=False) == ["number", "met", "muons", *expected]
    for name, column in expected.items():
        assert found[name].to_list() == ak.to_list(column), name
    types = {path: name for path, name in found.typenames().items() if path in expected}
    assert types["twice"] == "double" and types["is_even"] == "bool" and types["name"] == "std::string"
    assert types["hard"] == "std::vector<float>" and types["leading"] == "std::optional<float>"
    # Statistics are written with them.
    assert dataset.delete("twice < 1400") == 6
    assert rntuple.open_dataset(dataset.url)["number"].tolist() == [n for n in LIVE if n >= 1400]
    # uproot opens the files, which have the new columns alone and all rows.
    sides = [pathlib.Path(dataset.url) / "data" / name for name in files(dataset) if name not in before]
    assert len(sides) == 3
    values = {}
    for side in sides:
        with uproot.open(side) as file:
            assert file["Events"].keys(recursive=False) == list(expected)
            arrays = file["Events"].arrays(["twice", "name", "hard"])
            values[len(arrays)] = arrays
    assert sorted(values) == [0, 500, 1000]
    assert values[500].twice.to_list() == [float(number) for number in range(1000, 1500)]
    assert values[500].hard.to_list() == ak.to_list(expected_hard(1000, 500))
    assert values[1000].name[-1] == "event 999"
    # Compaction writes one file with everything.
    dataset.compact(deleted=0)
    (file,) = rntuple.open_dataset(dataset.url).files
    assert rntuple.open(file)["twice"].tolist() == [float(n) for n in LIVE if n >= 1400]


def expected_hard(first, count):
    pt = rows(first, count).muons.pt
    return pt[pt > 700]


@pytest.mark.parametrize("library", ["ak", "np", "pd", "pl", "arrow"])
def test_the_function_works_with_any_library(dataset, library):
    def compute(batch):
        if library == "arrow":
            import pyarrow.compute

            return pa.table({"twice": pyarrow.compute.multiply(batch["met"], 2)})
        if library == "pl":
            return batch.select(twice=pl.col("met") * 2)
        return {"twice": batch["met"] * 2}

    dataset.add_columns(compute, "met", library=library, step_size="4 kB")
    assert rntuple.open_dataset(dataset.url)["twice"].tolist() == LIVE.tolist()


def test_the_function_may_return_lists_as_numpy_has_them(dataset):
    dataset.add_columns(lambda batch: {"again": batch["muons"]}, "muons.pt", library="np")
    found = rntuple.open_dataset(dataset.url)
    assert found["again"].to_list() == found.arrays("muons.pt").muons.to_list()


def test_only_the_fields_that_are_chosen_are_read(dataset):
    found = []

    def compute(batch):
        found.append((batch.fields, batch.muons.fields))
        return {f"n{len(dataset.versions())}": ak.num(batch.muons)}

    dataset.add_columns(compute, ["muons.pt"])
    dataset.add_columns(compute, filter_name="muons*")
    assert set(map(str, found)) == {str((["muons"], ["pt"])), str((["muons"], ["pt", "charge"]))}
    events = rntuple.open_dataset(dataset.url)
    assert events["n4"].tolist() == events["n5"].tolist() == (LIVE % 4).tolist()
    with pytest.raises(KeyError, match="did you mean 'muons'"):
        dataset.add_columns(compute, "muon")
    with pytest.raises(ValueError, match="no field is chosen"):
        dataset.add_columns(compute, filter_name="nothing*")


def test_columns_are_replaced_only_if_asked(dataset):
    before = dataset.versions()[-1].version
    with pytest.raises(ValueError, match="met: the data set has such a field; replace=True replaces it"):
        dataset.add_columns(lambda events: {"met": events.met + 1})
    assert dataset.versions()[-1].version == before
    # Of another type.
    dataset.add_columns(lambda events: {"met": ak.values_astype(events.met + 1, np.float32)}, replace=True)
    events = rntuple.open_dataset(dataset.url)
    assert events.typenames()["met"] == "float" and events.keys(recursive=False) == ["number", "muons", "met"]
    assert events["met"].tolist() == (LIVE / 2 + 1).tolist()
    assert rntuple.open_dataset(dataset.url, version=before)["met"].tolist() == (LIVE / 2).tolist()
    # Rows that come later have all columns.
    dataset.append({"number": [1500], "muons": rows(0, 1).muons, "met": np.array([0.5], np.float32)})
    assert rntuple.open_dataset(dataset.url)["met"][-1] == 0.5


def test_nothing_is_committed_of_columns_that_fail(dataset):
    before = files(dataset)

    def late(result):
        return lambda events: result if events.number[0] > 1200 else {"x": events.met}

    def fail(events):
        if events.number[-1] == 1499:
            raise ZeroDivisionError("in the last rows")
        return {"x": events.met}

    refused = [
        (fail, ZeroDivisionError, "in the last rows"),
        (lambda events: {"x": events.met[1:]}, ValueError, "has returned [0-9]+ values for [0-9]+ rows"),
        (late({"x": [1.0]}), ValueError, "has returned 1 values for [0-9]+ rows"),
        (lambda events: {"x": events.met, "y": [1]}, ValueError, "y: the column has 1 values, and others have"),
        (lambda events: {}, ValueError, "has returned no columns"),
        (late({}), ValueError, "x: the batch has no such field"),
        (late({"x": [1.0], "y": [1.0]}), ValueError, "y: the function has not returned this column before"),
        (late({"x": ["a"]}), ValueError, "x: the field holds other values"),
        (lambda events: None, TypeError, "a table"),
        (lambda events: events.met, TypeError, "an awkward array of records is needed"),
        (lambda events: {"a.b": events.met}, ValueError, "a.b"),
    ]
    for function, kind, message in refused:
        with pytest.raises(kind, match=message):
            dataset.add_columns(function, step_size=50)
        assert files(dataset) == before, message
    with pytest.raises(ValueError, match="compression"):
        dataset.add_columns(lambda events: {"x": events.met}, compression="zip")
    assert dataset.versions()[-1].version == 4
    assert "x" not in rntuple.open_dataset(dataset.url)


def test_rows_that_come_meanwhile_are_a_conflict(dataset):
    def compute(events):
        if events.number[-1] == 1499:
            rntuple.Dataset(dataset.url).append(rows(1500, 10))
        return {"x": events.met}

    with pytest.raises(rntuple.ConflictError, match="do it again"):
        dataset.add_columns(compute)
    dataset.add_columns(lambda events: {"x": events.met})
    assert rntuple.open_dataset(dataset.url)["x"].tolist() == [*LIVE / 2, *np.arange(1500, 1510) / 2]


def test_a_data_set_without_rows_gets_columns(tmp_path):
    dataset = rntuple.Dataset.create(tmp_path / "empty.rnds", {"x": np.zeros(0)})
    dataset.add_columns(lambda batch: {"y": batch.x.to_numpy().astype(np.int16)})
    assert rntuple.open_dataset(dataset.url).typenames() == {"x": "double", "y": "std::int16_t"}


def test_columns_are_dropped_and_renamed(dataset):
    assert dataset.rename_column("muons.pt", "momentum") == 5
    assert dataset.drop_columns("met", "muons.charge") == 6
    events = rntuple.open_dataset(dataset.url)
    assert events.keys() == ["number", "muons", "muons.momentum"]
    assert events["muons.momentum"].to_list() == rows(0, 1500).muons.pt[LIVE].to_list()
    for use in (lambda: dataset.drop_columns("number", "met"), lambda: dataset.rename_column("muons.pt", "x")):
        with pytest.raises(rntuple.RNTupleError, match="the data set has no field"):
            use()
    with pytest.raises(ValueError, match='there is a field "muons"'):
        dataset.rename_column("number", "muons")
    assert dataset.versions()[-1].version == 6
