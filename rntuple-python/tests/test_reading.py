"""What a user of uproot would call, and gets."""

import errno
import os
import pickle
import re
import subprocess
import sys

import awkward as ak
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import uproot

import rntuple
from rntuple import _libraries
from test_writing import ARRAYS


def test_open_says_what_there_is(ntuple, path, capsys):
    assert (ntuple.name, ntuple.num_entries, len(ntuple), ntuple.files) == ("Events", 1000, 1000, [str(path)])
    assert ntuple.keys() == ["number", "met", "tag", "muons", "muons.pt", "muons.charge"]
    assert ntuple.keys(recursive=False) == ["number", "met", "tag", "muons"]
    assert ntuple.keys(filter_name="muons.*") == ["muons.pt", "muons.charge"]
    assert ntuple.keys(filter_name="/PT|met/i") == ["met", "muons.pt"]
    assert ntuple.keys(filter_name=["met", lambda name: name.endswith("charge")]) == ["met", "muons.charge"]
    assert ntuple.keys(filter_typename="float") == ["met", "muons.pt"]
    # The last name of a path, or all of it.
    assert ntuple.keys(filter_name="pt") == ntuple.keys(filter_name="p*") == ["muons.pt"]
    assert ntuple.keys(filter_name="muons") == ["muons"] and ntuple.keys(filter_name="*.met") == ["met"]
    # A regular expression is for the beginning.
    assert ntuple.keys(filter_name="/harge/") == [] and ntuple.keys(filter_name="/char/") == ["muons.charge"]
    assert ntuple.keys(filter_name="/M.T/ui") == ["met"]
    assert ntuple.typenames(filter_name="n*") == {"number": "std::uint64_t"}
    assert "muons.pt" in ntuple and "jets" not in ntuple
    ntuple.show()
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["name", "|", "typename", "|", "description"]
    assert shown[2].split() == ["number", "|", "std::uint64_t", "|"]


def test_what_a_file_says_does_not_move_the_cursor(tmp_path, capsys):
    path = f"{tmp_path}/events.root:Events"
    description = "two\nlines \x1b[2J\x9b2J \u202eµ"
    field = pa.field("x", pa.int64(), False, {"rntuple.description": description})
    rntuple.write(path, pa.table({"x": [1]}, schema=pa.schema([field])))
    events = rntuple.open(path)
    assert [field.description for field in events.fields()] == [description]
    events.show()
    shown = capsys.readouterr().out
    assert shown.splitlines()[2] == r"x    | std::int64_t | two\nlines \x1b[2J\x9b2J \u202eµ"
    assert len(shown.splitlines()) == 3


def test_arrays_are_those_that_were_written(ntuple, array):
    found = ntuple.arrays()
    assert found.fields == ["number", "met", "tag", "muons"]
    assert ak.array_equal(found, array, dtype_exact=True)
    assert str(found.type) == str(array.type)


def test_fields_and_entries_are_chosen(ntuple, array):
    found = ntuple.arrays(["met", "muons.pt"], entry_start=10, entry_stop=-10)
    assert found.fields == ["met", "muons"] and found.muons.fields == ["pt"]
    assert ak.array_equal(found.muons.pt, array.muons.pt[10:-10])
    assert ak.array_equal(ntuple["muons.pt"], array.muons.pt)
    assert ntuple.arrays(filter_name="/^m/").fields == ["met", "muons"]
    assert len(ntuple.arrays(entry_start=5, entry_stop=5)) == 0
    assert ntuple.arrays(entry_start=5, entry_stop=5).type.content == ntuple.arrays().type.content
    with pytest.raises(KeyError, match="did you mean 'muons.pt'"):
        ntuple.arrays("muon.pt")
    with pytest.raises(ValueError, match="no field is chosen"):
        ntuple.arrays(filter_name="nothing")
    with pytest.raises(ValueError, match="library is one of"):
        ntuple.arrays(library="xx")


def test_members_of_pairs_and_maps_have_keys(tmp_path):
    path = f"{tmp_path}/pairs.root:Events"
    pair = pa.struct([pa.field("_0", pa.int64(), False), pa.field("_1", pa.float64(), False)])
    table = pa.table(
        {"p": [{"_0": 1, "_1": 1.5}, {"_0": 2, "_1": 2.5}], "m": [[(7, 0.5)], []]},
        schema=pa.schema(
            [
                pa.field("p", pair, False, {"rntuple.type": "std::pair<std::int64_t,double>"}),
                pa.field("m", pa.map_(pa.int64(), pa.field("value", pa.float64(), False)), False),
            ]
        ),
    )
    rntuple.write(path, table)
    events = rntuple.open(path)
    assert events.typenames()["p"] == "std::pair<std::int64_t,double>"
    assert {key: events[key].to_list() for key in events.keys()} == {
        "p": [(1, 1.5), (2, 2.5)],
        "p._0": [1, 2],
        "p._1": [1.5, 2.5],
        "m": [[(7, 0.5)], []],
        "m._0": [[7], []],
        "m._1": [[0.5], []],
    }
    # One of two is not a tuple, in which it would be the first one.
    for lazy in (False, True):
        assert events.arrays(["p._1"], lazy=lazy).to_list() == [{"p": {"_1": 1.5}}, {"p": {"_1": 2.5}}]
    assert events.arrays(["p._1"], library="np")["p"].dtype.names == ("_1",)


@pytest.mark.parametrize(
    "wanted",
    [
        "pt",
        "p*",
        "*.p?",
        "*.met",
        "muons",
        "muons.*",
        "*u*",
        "/m/",
        "/t/",
        "/.*t$/",
        "/.*T/iu",
        ["met", "/CHAR/i"],
    ],
)
def test_filters_choose_what_uproot_chooses(path, ntuple, wanted):
    theirs = uproot.open(path)["Events"]
    assert set(ntuple.keys(filter_name=wanted)) == set(theirs.keys(filter_name=wanted))


def test_functions_and_compiled_expressions_get_the_path_alone(ntuple):
    top = ["number", "met", "tag", "muons"]
    assert ntuple.keys(filter_name=lambda path: "." not in path) == top
    assert ntuple.keys(filter_name=[lambda path: not path.startswith("muons."), "tag"]) == top
    seen = []
    ntuple.typenames(filter_name=lambda path: seen.append(path))
    assert seen == ntuple.keys()
    assert ntuple.keys(filter_name=re.compile("^pt")) == []
    assert ntuple.keys(filter_name=[re.compile("ns.p"), "met"]) == ["met", "muons.pt"]
    assert ntuple.keys(filter_typename=re.compile("uint64")) == ["number"]


def test_a_flag_that_texts_cannot_have_is_refused(ntuple):
    with pytest.raises(ValueError, match="LOCALE"):
        ntuple.keys(filter_name="/pt/L")


def test_lazy_arrays_read_what_is_touched(ntuple, array):
    found = ntuple.arrays(lazy=True, entry_start=100)
    assert ak.array_equal(found.met, array.met[100:])
    assert ak.array_equal(found.muons.pt[found.met > 20], array.muons.pt[100:][array.met[100:] > 20])
    assert ak.array_equal(ak.materialize(found), array[100:])


def test_steps_follow_each_other(ntuple, array):
    steps = list(ntuple.iterate(["met"], step_size=300))
    assert [len(step) for step in steps] == [300, 300, 300, 100]
    assert ak.array_equal(ak.concatenate(steps).met, array.met)
    assert len(list(ntuple.iterate(step_size="1 GB"))) == 1
    assert len(list(ntuple.iterate(step_size="4 kB"))) > 5
    assert sum(len(step["met"]) for step in ntuple.iterate("met", step_size=256, library="np")) == 1000
    with pytest.raises(ValueError, match="step_size"):
        next(ntuple.iterate(step_size="many"))
    with pytest.raises(ValueError, match="step_size"):
        next(ntuple.iterate(step_size=0))


def test_numpy_and_pandas(ntuple, array):
    found = ntuple.arrays(library="np")
    assert found["met"].dtype == np.float32 and np.array_equal(found["met"], ak.to_numpy(array.met))
    frame = ntuple.arrays(["number", "met", "muons.pt"], library="pd")
    assert list(frame.columns) == ["number", "met", "muons"] and len(frame) == 1000
    assert frame["met"].sum() == pytest.approx(float(ak.sum(array.met)), rel=1e-5)


def test_texts_and_bytes_keep_their_last_zeros(tmp_path):
    path = f"{tmp_path}/texts.root:Events"
    columns = {
        "text": ak.Array(["a\0", "", "\0"]),
        "option": ak.Array(["a\0", None, "b"]),
        "bytes": ak.Array([b"a\0", b"\0\0", b""]),
        "lists": ak.Array([["a\0", "b"], [], ["c"]]),
        "options": ak.Array([["a\0", None], [], ["c"]]),
        "records": ak.Array([{"name": "a\0"}, {"name": ""}, {"name": "c"}]),
        "same_lengths": ak.Array([[["a\0"]], [["b"]], [["c"]]]),
    }
    # Bytes of awkward are objects that ROOT streams, which are not written here.
    rntuple.write(path, {name: values for name, values in columns.items() if name != "bytes"})
    for found in (rntuple.open(path).arrays(library="np"), _libraries.numpy_of(ak.Array(columns))):
        assert found["text"].dtype == object
        for name, values in found.items():
            lists = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
            assert lists == columns[name].to_list(), name
    assert found["lists"][0].dtype == object
    frame = rntuple.open(path).arrays(["text", "lists"], library="pd")
    assert frame["text"].tolist() == ["a\0", "", "\0"] and list(frame["lists"][0]) == ["a\0", "b"]
    # In any order, as for training.
    (batch,) = rntuple.batches(path, 3, ["text"])
    assert sorted(batch["text"]) == sorted(["a\0", "", "\0"])


def test_many_files_are_one(tmp_path, array):
    for number in range(3):
        rntuple.write(f"{tmp_path}/run{number}.root:Events", array[number * 300 : (number + 1) * 300])
    for files in [
        f"{tmp_path}/run*.root:Events",
        [f"{tmp_path}/run{number}.root:Events" for number in range(3)],
        [tmp_path / f"run{number}.root" for number in range(3)],
    ]:
        ntuple = rntuple.open(files)
        assert (ntuple.num_entries, len(ntuple.files)) == (900, 3)
        assert ak.array_equal(ntuple.arrays(), array[:900])
    assert sum(len(step) for step in rntuple.iterate(f"{tmp_path}/run*.root", step_size=250)) == 900


def test_parts_are_read_elsewhere(ntuple, array, path):
    parts = pickle.loads(pickle.dumps(ntuple.parts(4, ["met"])))
    assert parts[0].start == 0 and parts[-1].stop == 1000
    assert ak.array_equal(ak.concatenate([part.arrays() for part in parts]).met, array.met)
    assert sum(len(part) for part in parts) == 1000


def test_a_part_of_another_file_is_refused(tmp_path, array):
    path = f"{tmp_path}/events.root:Events"
    rntuple.write(path, array[:100], compression="none")
    (part,) = rntuple.open(path).parts(1)
    # As many entries, and as many bytes.
    rntuple.write(path, ak.with_field(array, array.met + 1, "met")[:100], compression="none")
    with pytest.raises(rntuple.RNTupleError, match="is not the file that it was"):
        part.arrays()


def test_errors_are_exceptions(tmp_path, path):
    with pytest.raises(FileNotFoundError):
        rntuple.open(tmp_path / "nothing.root:Events")
    with pytest.raises(FileNotFoundError, match="no file matches"):
        rntuple.open(f"{tmp_path}/*.root:Events")
    with pytest.raises(Exception, match="Event"):
        rntuple.open(f"{path}:Nothing")
    broken = tmp_path / "broken.root"
    broken.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(rntuple.RNTupleError):
        rntuple.open(f"{broken}:Events")
    with pytest.raises(ValueError, match="no file is given"):
        rntuple.open([])


def test_errors_of_storage_have_their_kind_and_number(tmp_path, path):
    for place, kind, number in [
        (tmp_path / "nothing.root", FileNotFoundError, errno.ENOENT),
        (path / "below.root", NotADirectoryError, errno.ENOTDIR),
    ]:
        with pytest.raises(kind, match=place.name) as raised:
            rntuple.open(f"{place}:Events")
        assert raised.value.errno == number
        assert not str(raised.value).startswith("[Errno")


def test_the_only_ntuple_needs_no_name(path):
    assert rntuple.open(path).name == "Events"


def test_numbers_need_no_awkward(path, array):
    code = f"""
import sys
sys.modules["awkward"] = None
import rntuple
found = rntuple.open({str(path)!r}).arrays(["number", "met"], library="np", entry_stop=7)
empty = rntuple.open({str(path)!r}).arrays(["met"], library="np", entry_stop=0)
print(found["number"].tolist(), found["met"].dtype, empty["met"].shape, empty["met"].dtype)
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split("\n")[0] == "[0, 1, 2, 3, 4, 5, 6] float32 (0,) float32"


def test_times_have_their_unit(tmp_path):
    path = f"{tmp_path}/times.root:Events"
    times = np.array(["2026-11-24T01:02:03", "NaT"], "M8[us]")
    zoned = pd.Series(pd.to_datetime(times)).dt.tz_localize("Europe/Berlin")
    rows = {"t": times[:1].repeat(2), "n": times, "d": times - times[0], "in": ak.Array([times, []]), "z": zoned}
    rntuple.write(path, {**rows, "day": pa.array([1, 2], pa.date64()), "of_day": pa.array([1, 2], pa.time64("us"))})
    found = rntuple.open(path).arrays(library="np")
    for name in ("t", "n", "d"):
        assert found[name].dtype == rows[name].dtype and np.array_equal(found[name], rows[name], equal_nan=True)
    assert found["day"].dtype == "M8[ms]" and found["of_day"].dtype == np.int64
    # The instant.
    assert found["z"][0] == np.datetime64("2026-11-24T00:02:03")
    flat = rntuple.open(path).arrays(["t", "day"], library="np")
    assert np.array_equal(flat["t"], rows["t"]) and flat["day"].dtype == "M8[ms]"
    assert len(rntuple.open(path).arrays(["t"], library="np", entry_stop=0)["t"]) == 0
    frame = rntuple.open(path).arrays(library="pd")
    assert frame["n"].dtype == "M8[us]" and frame["n"].equals(pd.Series(times))
    assert str(frame["z"].dtype) == "datetime64[us, Europe/Berlin]" and frame["z"].equals(zoned)
    array = rntuple.open(path).arrays()
    assert array["in"][0, 0] == times[0] and array["in"][0, 1] is None
    # What is computed with them is written as times again.
    rntuple.write(f"{tmp_path}/again.root", ak.zip({"t": array.t + np.timedelta64(1, "s")}))
    again = rntuple.open(f"{tmp_path}/again.root").arrays(library="np")["t"]
    assert np.array_equal(again, rows["t"] + np.timedelta64(1, "s"))


def cut(source, ranges, length):
    """Pieces of this many entries, or fewer at the end."""
    parts = [(at, min(at + length, stop)) for start, stop in ranges for at in range(start, stop, length)]
    return [piece for part in parts for _, pieces in source.buffers([part]) for piece in pieces]


@pytest.mark.parametrize("name", ARRAYS)
def test_pieces_are_joined(tmp_path, monkeypatch, name):
    """What is much longer in memory than in its file comes in several pieces."""
    path = f"{tmp_path}/array.root:Events"
    whole = ak.zip({"x": ARRAYS[name]}, depth_limit=1)
    rntuple.write(path, whole[np.array([0, 0, 1, 2, 1, 2, 0, 1, 2, 1])])
    expected = rntuple.open(path).arrays()

    class InPieces:
        def __init__(self, source):
            self._source = source

        def __getattr__(self, name):
            return getattr(self._source, name)

        def buffers(self, ranges):
            return [(self.form(), cut(self._source, ranges, 4))]

    source = rntuple.NTuple._source
    monkeypatch.setattr(rntuple.NTuple, "_source", lambda self, fields: InPieces(source(self, fields)))
    found = rntuple.open(path)
    assert found.arrays().type == expected.type
    assert found.arrays().to_list() == expected.to_list()
    lazy = found.arrays(lazy=True)
    assert ak.materialize(lazy).to_list() == expected.to_list()
    if name == "numbers":
        assert found.arrays(library="np")["x"].tolist() == expected.x.to_list()


def test_groups_of_fields_have_pieces_of_their_own(ntuple, array, monkeypatch):
    """What several threads have read ends anywhere."""

    class InGroups:
        def __init__(self, source):
            self._source = source

        def __getattr__(self, name):
            return getattr(self._source, name)

        def buffers(self, ranges):
            groups = [(["muons.pt", "met"], 300), (["muons.charge", "tag"], 70), (["number"], 2000)]
            sources = [(self._source.with_fields(fields), length) for fields, length in groups]
            found = [(source.form(), cut(source, ranges, length)) for source, length in sources]
            return [(form if len(pieces) > 1 else None, pieces) for form, pieces in found]

    source = rntuple.NTuple._source
    monkeypatch.setattr(rntuple.NTuple, "_source", lambda self, fields: InGroups(source(self, fields)))
    assert ak.array_equal(ntuple.arrays(), array)
    assert ak.array_equal(ntuple.arrays(entry_start=7, entry_stop=900), array[7:900])


def test_groups_that_have_too_little_memory_are_one(tmp_path):
    path = f"{tmp_path}/events.root:Events"
    columns = {f"x{number}": np.random.default_rng(number).random(100_000) for number in range(16)}
    rntuple.write(path, columns)
    with pytest.raises(rntuple.RNTupleError, match="memory budget") as refused:
        rntuple.open(path, threads=8, memory_budget=1)
    # What all columns need at the same time. A part of it is needed by each thread.
    least = int(re.search(r"at least (\d+) bytes", str(refused.value))[1])
    for budget in (least, 2 * least):
        found = rntuple.open(path, threads=8, memory_budget=budget).arrays(library="np")
        assert all(np.array_equal(found[name], values) for name, values in columns.items())


def test_a_file_that_is_replaced_is_noticed_by_other_fields(tmp_path):
    """Of many files, few stay open."""

    def write(name, count):
        rntuple.write(f"{tmp_path}/{name}:Events", {"x": np.arange(count), "y": np.arange(count) / 2})

    for number in range(40):
        write(f"run{number:02}.root", 10)
    events = rntuple.open(f"{tmp_path}/run*.root:Events")
    assert events["x"].to_list() == list(range(10)) * 40
    assert events.arrays(entry_start=5, entry_stop=398).x.to_list() == (list(range(10)) * 40)[5:398]
    write("new.root", 30)
    os.replace(tmp_path / "new.root", tmp_path / "run05.root")
    with pytest.raises(OSError, match="run05.root.* was changed after the reader was opened"):
        events["y"]
