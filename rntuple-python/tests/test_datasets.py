"""Data sets: what is read is what a list of rows has after the same changes."""

import datetime
import doctest
import functools
import http.server
import multiprocessing
import os
import pathlib
import pickle
import shutil
import threading

import awkward as ak
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import rntuple
from rntuple import _dataset, _ntuple
from servers import Folder


def rows(first, count):
    """Rows whose values follow from their numbers: `step` is `number % 100`."""
    number = np.arange(first, first + count)
    return ak.zip(
        {
            "number": number,
            "step": (number % 100).astype(np.float32),
            "hits": ak.unflatten(np.repeat(number, number % 4), number % 4),
        },
        depth_limit=1,
    )


def equal(found, expected):
    return ak.array_equal(found, expected, dtype_exact=True)


class Model:
    """A data set, and the rows that it must have."""

    def __init__(self, folder):
        self.place = f"{folder}/events.rnds"
        self.rows = rows(0, 2000)
        # Clusters of some hundred rows.
        self.dataset = rntuple.Dataset.create(self.place, self.rows, cluster_size=2000)
        self.append(2000, 1000)
        self.append(3000, 2000)

    def append(self, first, count):
        self.dataset.append(rows(first, count), cluster_size=2000)
        self.rows = ak.concatenate([self.rows, rows(first, count)])

    def delete(self, predicate, condition):
        version = self.dataset.delete(predicate)
        self.rows = self.rows[~condition(self.rows)]
        return version

    def open(self, **options):
        return rntuple.open_dataset(self.place, **options)


@pytest.fixture
def model(tmp_path):
    return Model(tmp_path)


DELETIONS = {
    "nothing": ("number < 0", lambda rows: rows.number < 0),
    "single rows": (
        "step == 7 or number == 0 or number == 4999",
        lambda rows: (rows.step == 7) | (rows.number == 0) | (rows.number == 4999),
    ),
    "half of them": ("step >= 50", lambda rows: rows.step >= 50),
    "the first file": ("number < 2000", lambda rows: rows.number < 2000),
    "a file between others": (
        "number >= 2000 and number < 3000",
        lambda rows: (rows.number >= 2000) & (rows.number < 3000),
    ),
    "all but the end": ("number < 4990", lambda rows: rows.number < 4990),
    "all": ("number >= 0", lambda rows: rows.number >= 0),
}


@pytest.mark.parametrize("name", DELETIONS)
def test_deleted_rows_are_seen_nowhere(model, name):
    model.delete(*DELETIONS[name])
    events, expected = model.open(), model.rows
    numbers = ak.to_numpy(expected.number)
    count = len(expected)
    assert (len(events), events.num_entries) == (count, count)
    assert equal(events.arrays(), expected)
    assert equal(events["hits"], expected.hits)
    assert equal(ak.materialize(events.arrays(lazy=True)), expected)
    assert equal(events.arrays(["number"], entry_start=3, entry_stop=-5).number, expected.number[3:-5])
    assert np.array_equal(events.arrays("number", library="np")["number"], numbers)
    assert events.arrays("number", library="pd")["number"].tolist() == numbers.tolist()
    lengths = [len(step) for step in events.iterate(step_size=300)]
    assert lengths == [len(expected[start : start + 300]) for start in range(0, count, 300)]
    for library, column in (("ak", lambda step: step.number), ("np", lambda step: step["number"])):
        steps = [column(step) for step in events.iterate("number", step_size=300, library=library)]
        assert ak.to_list(ak.concatenate(steps)) == numbers.tolist() if steps else count == 0
    table = pa.table(events)
    assert ak.to_list(ak.from_arrow(table)) == ak.to_list(expected) if count else table.num_rows == 0
    assert pa.table(events.to_arrow("number", batch_size=128))["number"].to_pylist() == numbers.tolist()
    found = duckdb.sql("select count(*), sum(number) from events").fetchall()
    assert found == [(count, numbers.sum() if count else None)]
    frame = rntuple.scan_polars(events)
    found = frame.filter(pl.col("step") < 60).select("number").collect()
    assert found["number"].to_list() == ak.to_list(expected.number[expected.step < 60])
    assert frame.head(10).collect().height == min(10, count)
    batches = events.batches(250, "number", shuffle=False)
    assert np.array_equal(np.concatenate([np.zeros(0, int), *(batch["number"] for batch in batches)]), numbers)
    shuffled = [batch["number"] for batch in events.batches(250, "number", seed=3)]
    assert np.array_equal(np.sort(np.concatenate([np.zeros(0, int), *shuffled])), numbers)
    parts = pickle.loads(pickle.dumps(events.parts(7)))
    assert sum(len(part) for part in parts) == count and all(len(part) > 0 for part in parts)
    assert [part.start for part in parts] == [0, *(part.stop for part in parts)][: len(parts)]
    assert all(equal(part.arrays(), expected[part.start : part.stop]) for part in parts)
    assert sum(pa.table(part).num_rows for part in parts) == count


def test_large_columns_are_read_by_several_threads(tmp_path):
    """Groups of fields are read by themselves, and fit together."""
    values = {"number": np.arange(400_000), "twice": 2 * np.arange(400_000), "half": np.arange(400_000) / 2}
    dataset = rntuple.Dataset.create(f"{tmp_path}/large.rnds", values)
    dataset.delete("number >= 100 and number < 100000 or number == 7")
    live = np.delete(values["number"], np.r_[7, 100:100_000])
    for threads in (1, 3):
        found = rntuple.open_dataset(dataset.url, threads=threads, memory_budget=200 << 20).arrays(library="np")
        assert np.array_equal(found["number"], live)
        assert np.array_equal(found["twice"], 2 * live) and np.array_equal(found["half"], live / 2)


def test_an_opened_version_says_what_it_is(model):
    events = model.open()
    assert (events.name, events.version, events.keys()) == ("Events", 3, ["number", "step", "hits"])
    assert repr(events) == f"<NTuple 'Events' of {model.place!r}, version 3: 5000 entries>"
    files = [pathlib.Path(file) for file in events.files]
    assert [file.parent for file in files] == [pathlib.Path(model.place) / "data"] * 3
    assert sum(rntuple.open(file).num_entries for file in files) == 5000
    assert rntuple.open(files).version is None
    with pytest.raises(KeyError, match="did you mean 'step'.*"):
        events["stap"]


def test_columns_that_were_added_are_seen(tmp_path):
    """In a data set by Rust: `write_the_data_set_of_the_python_package` has made it."""
    place = tmp_path / "columns.rnds"
    shutil.copytree(pathlib.Path(__file__).parent / "data" / "columns.rnds", place)
    number = np.r_[0:5, 12:30]
    expected = {"number": number, "raw": 1.0 * number, "calibrated": 2.0 * number}
    hits = [[1, 2] if n >= 20 else [] for n in number]
    events = rntuple.open_dataset(place)
    assert events.keys() == ["number", "raw", "calibrated", "hits"]
    found = events.arrays()
    assert {name: found[name].to_list() for name in expected} == {name: of.tolist() for name, of in expected.items()}
    assert found.hits.to_list() == hits == pa.table(events)["hits"].to_pylist()
    for batch in events.batches(7, ["number", "calibrated"]):
        assert np.array_equal(batch["calibrated"], 2.0 * batch["number"])
    parts = pickle.loads(pickle.dumps(events.parts(5, ["calibrated", "hits"])))
    assert np.array_equal(ak.concatenate([part.arrays().calibrated for part in parts]), 2.0 * number)
    assert np.array_equal(rntuple.open_dataset(place, version=5)["energy"], 1.0 * number)
    assert rntuple.open_dataset(place, version=4).keys() == ["number", "energy"]
    # Rows that come later have all columns in one file.
    dataset = rntuple.Dataset(place)
    with pytest.raises(ValueError, match="calibrated: the batch has no such field"):
        dataset.append({"number": np.array([30], np.uint64), "raw": [30.0]})
    hits_of_one = ak.values_astype([[3]], np.uint8)
    dataset.append({"number": np.array([30], np.uint64), "raw": [30.0], "calibrated": [60.0], "hits": hits_of_one})
    dataset.delete("calibrated < 30")
    events = rntuple.open_dataset(place)
    assert events["raw"].tolist() == list(range(15, 31)) and events["hits"].tolist() == [*hits[8:], [3]]
    dataset.compact(deleted=0)
    (file,) = rntuple.open_dataset(place).files
    assert rntuple.open(file)["calibrated"].tolist() == [2.0 * n for n in range(15, 31)]


def test_old_versions_stay(model):
    before = model.rows
    model.dataset.tag("paper")
    assert model.delete("step < 10", lambda rows: rows.step < 10) == 4
    assert model.dataset.append(rows(9000, 10)) == 5
    versions = model.dataset.versions()
    assert [(it.version, it.operation, it.num_entries, it.fragments, it.tags) for it in versions] == [
        (1, "Overwrite", 2000, 1, []),
        (2, "Append", 3000, 2, []),
        (3, "Append", 5000, 3, ["paper"]),
        (4, "Delete", 4500, 3, []),
        (5, "Append", 4510, 4, []),
    ]
    assert all(it.created.tzinfo is not None for it in versions)
    for options in ({"version": 3}, {"tag": "paper"}, {"at": versions[2].created}):
        assert equal(model.open(**options).arrays(), before)
    # Without a zone, a time is a local one.
    local = versions[3].created.astimezone().replace(tzinfo=None)
    assert equal(model.open(at=local).arrays(), model.rows)
    assert model.open().num_entries == 4510
    with pytest.raises(rntuple.RNTupleError, match="did not exist then"):
        model.open(at=versions[0].created - datetime.timedelta(seconds=1))


def test_parts_stay_with_their_version(model):
    model.delete("step < 10", lambda rows: rows.step < 10)
    expected = model.rows
    parts = pickle.loads(pickle.dumps(model.open().parts(5, ["number", "hits"])))
    model.delete("step < 50", lambda rows: rows.step < 50)
    model.append(7000, 100)
    model.dataset.compact(deleted=0)
    for part in parts:
        assert (part.files, part.version) == ((model.place,), 4)
        found = part.arrays()
        assert found.fields == ["number", "hits"]
        assert equal(found, expected[["number", "hits"]][part.start : part.stop])
    assert parts[0].typetracer().fields == ["number", "hits"]
    assert sum(len(part) for part in model.open().parts(5)) == len(model.rows)


def test_parts_of_another_data_set_are_refused(model):
    (part, *_) = model.open(version=1).parts(3)
    os.rename(model.place, f"{model.place}.old")
    rntuple.Dataset.create(model.place, rows(0, 2000), cluster_size=2000)
    with pytest.raises(rntuple.RNTupleError, match="is not the data set that it was"):
        part.arrays()


def _count(queue, part):
    queue.put(len(part.arrays()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
def test_processes_that_are_forked_read_parts(model):
    part = model.open().parts(1)[0]
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_count, args=(queue, part))
    process.start()
    process.join(60)
    if process.exitcode is None:
        process.kill()
    assert process.exitcode == 0
    assert queue.get(timeout=10) == 5000


def test_files_are_adopted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for run in range(3):
        rntuple.write(f"run{run}.root:Events", rows(run * 100, 100))
    dataset = rntuple.Dataset.create("in_place.rnds", "run[01].root:Events")
    assert dataset.url == rntuple.Dataset(f"../{tmp_path.name}/in_place.rnds").url == f"{tmp_path}/in_place.rnds"
    assert dataset.append(pathlib.Path("run2.root")) == 3
    assert rntuple.open_dataset("in_place.rnds").files == [f"{tmp_path}/run{run}.root" for run in range(3)]
    copied = rntuple.Dataset.create("copied.rnds", ["run0.root", "run1.root"], copy=True)
    copied.append("run2.root:Events", copy=True)
    copied.delete("number < 50")
    for run in range(3):
        os.remove(f"run{run}.root")
    assert equal(rntuple.open_dataset("copied.rnds").arrays(), rows(50, 250))
    with pytest.raises(FileNotFoundError, match="run0.root"):
        rntuple.open_dataset("in_place.rnds").arrays()


def test_tables_and_files_have_the_fields_of_the_data_set(tmp_path):
    place = f"{tmp_path}/events.rnds"
    first = {"x": ak.Array([1, None]), "y": np.array([1.5, 2.5])}
    dataset = rntuple.Dataset.create(place, first, ntuple="dir/Numbers")
    # What the data set has as options may be without nulls, and columns may come in another order and from Arrow.
    dataset.append({"y": [3.5], "x": [2]})
    dataset.append(pl.DataFrame({"x": [None, 3], "y": [4.5, 5.5]}))
    dataset.append(pa.table({"x": [4], "y": [6.5]}))
    dataset.append({"x": [first], "y": [first + 0.5]} for first in range(5, 8))
    # Files may have more fields.
    rntuple.write(f"{tmp_path}/more.root:dir/Numbers", {"z": [1, 2], "x": ak.Array([8, None]), "y": [8.5, 9.5]})
    dataset.append(f"{tmp_path}/more.root")
    events = rntuple.open_dataset(place)
    assert events.name == "dir/Numbers"
    assert events.typenames() == {"x": "std::optional<std::int64_t>", "y": "double"}
    assert events["x"].tolist() == [1, None, 2, None, 3, 4, 5, 6, 7, 8, None]
    assert events["y"].tolist() == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 5.5, 6.5, 7.5, 8.5, 9.5]
    assert dataset.versions()[-1].version == 6


def test_files_of_narrower_types_are_read_like_the_others(tmp_path):
    """In the first place, where the schema comes from, and after others."""
    place, number = f"{tmp_path}/events.rnds", np.arange(30)
    rntuple.write(f"{tmp_path}/wide.root:Events", {"number": number[:10], "met": number[:10] / 4})
    narrow = {"met": (number[10:20] / 4).astype(np.float32), "number": number[10:20].astype(np.int16)}
    rntuple.write(f"{tmp_path}/narrow.root:Events", narrow)
    dataset = rntuple.Dataset.create(place, f"{tmp_path}/wide.root")
    dataset.append(f"{tmp_path}/narrow.root")
    dataset.append({"number": number[20:], "met": number[20:] / 4})

    def check(expected):
        events = rntuple.open_dataset(place)
        assert events.typenames() == {"number": "std::int64_t", "met": "double"}
        found = events.arrays()
        assert found.number.to_numpy().dtype == np.int64 and found.met.to_numpy().dtype == np.float64
        for array in (found, events.arrays(library="pl"), pa.table(events), events.arrays(library="np")):
            assert np.array_equal(np.asarray(array["number"]), expected)
            assert np.array_equal(np.asarray(array["met"]), expected / 4)
        assert [step.met.tolist() for step in events.iterate(step_size=7)][0] == (expected[:7] / 4).tolist()
        assert ak.concatenate([part.arrays() for part in events.parts(4)]).met.tolist() == (expected / 4).tolist()
        assert duckdb.sql("select sum(met), max(number) from events").fetchall() == [(expected.sum() / 4, expected[-1])]

    check(number)
    dataset.add_columns(lambda rows: {"twice": 2 * rows.met}, "met")
    assert rntuple.open_dataset(place)["twice"].tolist() == (number / 2).tolist()
    dataset.drop_columns("twice")
    dataset.delete("number < 10 or met == 3.5")
    dataset.compact(deleted=0, target_size=1)
    assert rntuple.open(rntuple.open_dataset(place).files[-1]).num_entries in (9, 10)
    expected = np.sort(rntuple.open_dataset(place)["number"].to_numpy())
    assert expected.tolist() == [n for n in range(10, 30) if n != 14]
    # Rows that come later have the types of the data set.
    dataset.append({"number": [2**40], "met": [0.1]})
    assert rntuple.open_dataset(place)["met"][-1] == 0.1 and rntuple.open_dataset(place)["number"][-1] == 2**40
    # Others are refused when they come.
    rntuple.write(f"{tmp_path}/other.root:Events", {"number": [1], "met": [1]})
    with pytest.raises(rntuple.RNTupleError, match='met has the type "std::int64_t", expected "double"'):
        dataset.append(f"{tmp_path}/other.root")


def test_nothing_is_committed_of_tables_that_fail(tmp_path):
    place = f"{tmp_path}/events.rnds"

    def tables():
        yield {"x": [1]}
        raise ZeroDivisionError("in the middle")

    with pytest.raises(ZeroDivisionError, match="in the middle"):
        rntuple.Dataset.create(place, tables())
    dataset = rntuple.Dataset.create(place, {"x": [1]})
    refused = [
        (tables(), ZeroDivisionError, "in the middle"),
        ({"y": [1]}, ValueError, "y: the data set has no such field"),
        ({"x": [1], "y": [1]}, ValueError, "y: the data set has no such field"),
        ({"x": [1.5]}, ValueError, "x: the field holds other values"),
        ({"x": ak.Array([1, None])}, ValueError, "x: a null"),
        (iter([{"x": [1]}, {"x": ["a"]}]), ValueError, "x: the field holds other values"),
        (iter([]), ValueError, "no tables"),
        ([], ValueError, "no file is given"),
        (5, TypeError, "a table"),
        (f"{tmp_path}/none.root", FileNotFoundError, "none.root"),
        (f"{tmp_path}/none*.root", FileNotFoundError, "no file matches"),
        (f"{tmp_path}/none.root:Muons", ValueError, "the ntuple of the data set is 'Events', not 'Muons'"),
    ]
    for data, kind, message in refused:
        with pytest.raises(kind, match=message):
            dataset.append(data)
    rntuple.write(f"{tmp_path}/other.root:Events", {"y": [1]})
    with pytest.raises(rntuple.RNTupleError, match='has no field "x"'):
        dataset.append(f"{tmp_path}/other.root")
    with pytest.raises(ValueError, match="compression"):
        dataset.append({"x": [1]}, compression="zip")
    assert [version.version for version in dataset.versions()] == [1]
    data = pathlib.Path(place) / "data"
    assert [str(file) for file in data.glob("*.root")] == rntuple.open_dataset(place).files


def test_versions_have_names(model):
    dataset = model.dataset
    dataset.tag("first", 1)
    dataset.tag("last")
    assert dataset.tags() == {"first": 1, "last": 3}
    with pytest.raises(ValueError, match='there is a tag "first", for version 1'):
        dataset.tag("first", 2)
    dataset.tag("first", 2, move=True)
    dataset.untag("last")
    assert dataset.tags() == {"first": 2}
    assert model.open(tag="first").version == 2
    for use in (lambda: dataset.untag("last"), lambda: model.open(tag="last"), lambda: dataset.restore("last")):
        with pytest.raises(rntuple.RNTupleError, match='there is no tag "last"'):
            use()
    with pytest.raises(rntuple.RNTupleError, match="there is no version 9"):
        dataset.tag("none", 9)
    with pytest.raises(ValueError, match="cannot be a tag"):
        dataset.tag("a/b")


def test_an_old_version_is_restored(model):
    before = model.rows
    model.delete("step < 50", lambda rows: rows.step < 50)
    assert model.dataset.restore(3) == 5
    assert equal(model.open().arrays(), before)
    model.dataset.tag("deleted", 4)
    assert model.dataset.restore("deleted") == 6
    assert equal(model.open().arrays(), model.rows)
    with pytest.raises(rntuple.RNTupleError, match="there is no version 99"):
        model.dataset.restore(99)


def test_files_are_compacted_and_cleaned_up(model):
    model.delete("step < 50", lambda rows: rows.step < 50)
    model.dataset.tag("kept", 2)
    assert model.dataset.compact(target_size="1 GB", deleted=0.2) == 5
    events = model.open()
    # Plain readers of the new file see the rows that are left, and no others.
    (file,) = events.files
    assert equal(events.arrays(), model.rows) and equal(rntuple.open(file).arrays(), model.rows)
    assert model.dataset.compact() == 5
    now = datetime.timedelta(0)
    planned = model.dataset.cleanup(now, unreferenced_after=now, dry_run=True)
    assert planned.versions == [1, 3, 4] and model.open(version=4).num_entries == 2500
    cleaned = model.dataset.cleanup(now, unreferenced_after=now)
    assert cleaned.versions == planned.versions
    # The third file: versions 2 and 5 do not have it.
    assert len([name for name in cleaned.files if name.startswith("data/")]) == 1 and cleaned.bytes > 0
    assert [version.version for version in model.dataset.versions()] == [2, 5]
    assert equal(model.open(tag="kept").arrays(), rows(0, 3000)) and equal(model.open().arrays(), model.rows)
    with pytest.raises(rntuple.RNTupleError, match="there is no version 4, or it was cleaned up"):
        model.open(version=4)
    with pytest.raises(ValueError, match="target_size is a number of bytes"):
        model.dataset.compact(target_size="large")


def test_what_other_programs_commit_is_kept_or_reported(model):
    """Rows are appended while others work on the same data set."""
    other = rntuple.Dataset(model.place)

    def tables(change):
        yield rows(6000, 10)
        change()
        yield rows(6010, 10)

    assert model.dataset.append(tables(lambda: other.delete("step < 50"))) == 5
    expected = ak.concatenate([model.rows[model.rows.step >= 50], rows(6000, 20)])
    assert equal(model.open().arrays(), expected)
    message = "Append of version 5 conflicts with Restore of version 6"
    with pytest.raises(rntuple.RNTupleError, match=message) as raised:
        model.dataset.append(tables(lambda: other.restore(1)))
    # It cannot be tried again without a decision.
    assert not isinstance(raised.value, rntuple.ConflictError)
    assert equal(model.open().arrays(), rows(0, 2000))


def test_a_conflict_can_be_tried_again(tmp_path):
    place, lost = f"{tmp_path}/events.rnds", []
    data = pathlib.Path(place) / "data"
    dataset = rntuple.Dataset.create(place, {"number": np.arange(500_000)})

    def change(method, *arguments, **options):
        try:
            getattr(rntuple.Dataset(place), method)(*arguments, **options)
        except rntuple.ConflictError as error:
            lost.append(str(error))

    # Both need the same file. Each of them begins before the other one is done, but for bad luck.
    for attempt in range(1, 30):
        dataset.delete(f"number < {10 * attempt}")
        files = len(os.listdir(data))
        compact = threading.Thread(target=change, args=("compact",), kwargs={"deleted": 0.0})
        compact.start()
        while compact.is_alive() and len(os.listdir(data)) == files:
            pass
        change("delete", f"number == {10 * attempt + 5}")
        compact.join()
        if lost:
            break
    assert "do it again on the newest version" in lost[0]
    assert issubclass(rntuple.ConflictError, rntuple.RNTupleError)
    if "Delete" in lost[0].split(" conflicts ")[0]:
        dataset.delete(f"number == {10 * attempt + 5}")
    expected = np.delete(np.arange(500_000), np.r_[: 10 * attempt, 10 * attempt + 5])
    assert np.array_equal(np.sort(rntuple.open_dataset(place)["number"]), expected)


def test_what_makes_no_sense_is_refused(model, tmp_path):
    with pytest.raises(ValueError, match="give one of them"):
        model.open(version=1, tag="paper")
    for use in (lambda: rntuple.open_dataset(tmp_path / "none.rnds"), lambda: rntuple.Dataset(tmp_path / "none.rnds")):
        with pytest.raises(FileNotFoundError, match="none.rnds: there is no data set"):
            use()
    for data in ({"x": [1]}, model.open().files):
        with pytest.raises(FileExistsError, match="there is a data set already"):
            rntuple.Dataset.create(model.place, data)
    for path in (model.place, f"{model.place}:Events"):
        with pytest.raises(ValueError, match="events.rnds is a data set, which open_dataset opens"):
            rntuple.open(path)
    with pytest.raises(ValueError, match="named after a colon"):
        rntuple.Dataset.create(f"{tmp_path}/new.rnds", model.open().files, ntuple="Events")
    create = functools.partial(rntuple.Dataset.create, f"{tmp_path}/new.rnds")
    for use in (create, model.dataset.append):
        for option in ({"compression": "zstd:1"}, {"cluster_size": 2000}):
            with pytest.raises(ValueError, match="compression and cluster_size are for tables"):
                use(model.open().files, copy=True, **option)
        with pytest.raises(ValueError, match="copy is for files"):
            use(rows(0, 1), copy=True)
    assert not os.path.exists(f"{tmp_path}/new.rnds") and model.open().version == 3
    with pytest.raises(ValueError, match='no field "nothing"'):
        model.dataset.delete("nothing == 1")
    with pytest.raises(ValueError, match="predicate"):
        model.dataset.delete("number ==")
    with pytest.raises(OSError, match="gopher"):
        rntuple.open_dataset("gopher://host/events.rnds")
    with pytest.raises(TypeError, match="threads cannot be given"):
        rntuple.scan_polars(model.open(), threads=1)
    assert model.delete("number < 0", lambda rows: rows.number < 0) == 3


def test_a_file_without_entries_is_no_measure(tmp_path):
    """Steps have the bytes that they are asked to have, whatever the first file has."""
    dataset = rntuple.Dataset.create(f"{tmp_path}/events.rnds", {"x": np.zeros(0)})
    dataset.append({"x": np.arange(10_000.0)})
    steps = [len(step) for step in rntuple.open_dataset(dataset.url).iterate(step_size="8 kB")]
    assert steps == [1000] * 10


def test_a_data_set_at_a_url_is_read(model, tmp_path):
    model.delete("step < 50", lambda rows: rows.step < 50)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *args: Folder(*args, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/events.rnds"
        events = rntuple.open_dataset(url, cache=tmp_path / "cache", cache_size="1 GB")
        assert events.version == 4 and equal(events.arrays(), model.rows)
        part = pickle.loads(pickle.dumps(events.parts(3)[-1]))
        assert part.files == (url,) and equal(part.arrays(), model.rows[part.start :])
        options = {"threads": None, "memory_budget": None, "cache": f"{tmp_path}/cache", "cache_size": 10**9}
        assert dict(part.options) == part._open()._options == options
        assert [version.version for version in rntuple.Dataset(url).versions()] == [1, 2, 3, 4]
    finally:
        server.shutdown()


@pytest.mark.parametrize("module", [_dataset, _ntuple])
def test_the_examples_run(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(module)
    assert result.failed == 0 and result.attempted > 3


def test_times_that_are_appended_are_the_same_times(tmp_path):
    dataset = rntuple.Dataset.create(f"{tmp_path}/a.rnds", pl.DataFrame({"t": [datetime.datetime(2026, 1, 1)]}))
    for unit in ("s", "ms", "us", "ns"):
        dataset.append({"t": np.array(["2026-01-01"], f"M8[{unit}]")})
        dataset.append(pl.DataFrame({"t": [datetime.datetime(2026, 1, 1)]}).select(pl.col("t").dt.cast_time_unit("ms")))
    found = pl.DataFrame(rntuple.open_dataset(dataset.url))["t"]
    assert found.dtype == pl.Datetime("us") and found.unique().to_list() == [datetime.datetime(2026, 1, 1)]
    for other, message in [
        (np.array([1]), r"Timestamp\(.s\), not Int64"),
        (np.array([1], "m8[us]"), r"not Duration"),
        (np.array([1], "M8[ns]"), "a time of 1 ns, which the field cannot hold"),
        (pl.Series([datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)]), "UTC"),
    ]:
        with pytest.raises(ValueError, match=f"^.*t.*: .*{message}"):
            dataset.append({"t": other})
    assert pl.DataFrame(rntuple.open_dataset(dataset.url)).height == 9
    # The same of pieces, of new columns and of files.
    pieces = [{"u": np.array([1], f"M8[{unit}]")} for unit in ("us", "ns")]
    calls = iter(pieces)
    with pytest.raises(ValueError, match="u: a time of 1 ns"):
        dataset.add_columns(lambda rows: next(calls))
    with pytest.raises(ValueError, match="u: a time of 1 ns"):
        rntuple.write(f"{tmp_path}/b.root", iter(pieces))
