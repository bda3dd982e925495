"""Arrays that are written."""

import datetime
import signal
import subprocess
import sys

import awkward as ak
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rntuple

ARRAYS = {
    "numbers": ak.Array([1.5, 2.5, -0.0]),
    "flags": ak.Array([True, False, True]),
    "lists": ak.Array([[1, 2], [], [3]]),
    "lists of lists": ak.Array([[[1.5], []], [], [[2.5, 3.5]]]),
    "text": ak.Array(["a", "", "µ"]),
    "options": ak.Array([1, None, 3]),
    "options of lists": ak.Array([[1], None, []]),
    "options in lists": ak.Array([[1, None], [None], []]),
    "options of text": ak.Array(["a", None, "b"]),
    "records": ak.Array([{"x": 1, "y": [1.5]}, {"x": 2, "y": []}, {"x": 3, "y": [2.5]}]),
    "options of records": ak.Array([{"x": 1, "y": [1.5]}, None, {"x": 3, "y": [2.5]}]),
    "masked by bytes": ak.mask(ak.Array([1, 2, 3]), [True, False, True]),
    "masked lists": ak.mask(ak.Array([[1], [2, 3], [4]]), [False, True, True]),
    "last list masked": ak.mask(ak.Array([[1], [2, 3], [4]]), [True, True, False]),
    "last text masked": ak.mask(ak.Array(["a", "b", "c"]), [False, True, False]),
    "last record masked": ak.mask(
        ak.Array([{"x": [1], "y": "a"}, {"x": [], "y": "b"}, {"x": [2, 3], "y": "c"}]), [True, True, False]
    ),
    "masked by bits": ak.Array(ak.mask(ak.Array([1, 2, 3]), [True, False, True]).layout.to_BitMaskedArray(True, True)),
    "by high bits": ak.Array(ak.mask(ak.Array([1, 2, 3]), [True, False, True]).layout.to_BitMaskedArray(False, False)),
    "all valid": ak.Array(ak.contents.UnmaskedArray(ak.contents.NumpyArray(np.array([1, 2, 3])))),
    "arrays": ak.from_numpy(np.arange(12, dtype=np.int16).reshape(3, 2, 2), regulararray=True),
    "variants": ak.Array([1, "two", 3]),
    "variants with nulls": ak.Array([1.5, None, "three"]),
    "variants of records with options": ak.Array([{"option": None}, {"option": 5}, 3]),
    "picked": ak.Array([[1, 2], [3], [4, 5]])[[2, 0, 0]],
    "categories": ak.str.to_categorical(ak.Array(["a", "b", "a"])) if hasattr(ak, "str") else ak.Array(["a", "b", "a"]),
    "some categories": (
        ak.str.to_categorical(ak.Array(["a", "b", "a", "c"]))[:3] if hasattr(ak, "str") else ak.Array(["a", "b", "a"])
    ),
    "cut": ak.Array([[1, 2, 3], [4, 5], [6, 7, 8]])[:, 1:],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_comes_back(tmp_path, name):
    path = f"{tmp_path}/array.root:Events"
    assert rntuple.write(path, {"x": ARRAYS[name]}) == 3
    found = rntuple.open(path).arrays()["x"]
    assert ak.to_list(found) == ak.to_list(ARRAYS[name])
    whole = ak.zip({"x": ARRAYS[name], "n": np.arange(3)}, depth_limit=1)
    assert rntuple.write(path, whole[1:]) == 2
    assert ak.to_list(rntuple.open(path).arrays()) == ak.to_list(whole[1:])


@pytest.mark.parametrize("kind", "?bBhHiIlLfd")
def test_numbers_keep_their_type(tmp_path, kind):
    path = f"{tmp_path}/array.root:Events"
    values = np.array([0, 1, 100], dtype=kind)
    rntuple.write(path, {"x": values, "swapped": values.astype(values.dtype.newbyteorder(">"))})
    found = rntuple.open(path).arrays(library="np")
    for name in ("x", "swapped"):
        assert found[name].dtype == values.dtype and np.array_equal(found[name], values)


def test_nulls_make_options_and_nothing_else_does(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    rntuple.write(path, {"x": ak.Array([1, None]), "y": np.ma.array([1.5, 2.5], mask=[0, 1]), "z": [[1], [2, 3]]})
    types = {"x": "std::optional<std::int64_t>", "y": "std::optional<double>", "z": "std::vector<std::int64_t>"}
    assert rntuple.open(path).typenames() == types


def test_only_nulls_make_options_in_a_dict(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    columns = {
        "pandas": pd.Series([1, 2]),
        "arrow": pa.array([[1.5], []]),
        "text": pl.Series(["a", None]),
    }
    types = {
        "pandas": "std::int64_t",
        "arrow": "std::vector<double>",
        "text": "std::optional<std::string>",
    }
    rntuple.write(path, columns)
    assert rntuple.open(path).typenames() == types
    rntuple.write(path, pa.table(columns))
    assert rntuple.open(path).typenames() == types
    # What follows may have nulls, and so may what an array of awkward says of itself.
    rntuple.write(path, iter([{"x": pd.Series([1, 2])}, {"x": pa.array([3, None])}]))
    assert rntuple.open(path)["x"].to_list() == [1, 2, 3, None]
    rntuple.write(path, {"x": ak.Array([1, None])[:1]})
    assert rntuple.open(path).typenames() == {"x": "std::optional<std::int64_t>"}


def test_a_value_of_a_dictionary_may_be_null(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    values = pa.array(["a", None])
    columns = {"some": pa.DictionaryArray.from_arrays([0, 1], values), "none": pa.DictionaryArray.from_arrays([0, 0], values)}
    rntuple.write(path, pa.table(columns))
    assert rntuple.open(path).typenames() == {"some": "std::optional<std::string>", "none": "std::string"}
    assert rntuple.open(path)["some"].to_list() == ["a", None]


@pytest.mark.parametrize(
    "values",
    [[2**63 + 1, 5], [2**63, 2**53 + 1], [2**64 - 1, 2**63], [np.uint64(5), 3], [np.uint64(2**53 + 1), -3], [2**62 + 1, -1]],
)
def test_integers_stay_integers(tmp_path, values):
    path = f"{tmp_path}/array.root:Events"
    rntuple.write(path, {"x": values, "lists": [values, []], "deep": [[values], [[], values]]})
    kind = "std::uint64_t" if max(values) >= 2**63 else "std::int64_t"
    types = {"x": kind, "lists": f"std::vector<{kind}>", "deep": f"std::vector<std::vector<{kind}>>"}
    assert rntuple.open(path).typenames() == types
    found = rntuple.open(path).arrays()
    assert found.to_list() == [
        {"x": int(values[0]), "lists": values, "deep": [values]},
        {"x": int(values[1]), "lists": [], "deep": [[], values]},
    ]


@pytest.mark.parametrize("values", [[2**63 + 1, -1], [[2**63 + 1], [-1]], [2**64, 1], [[2**64]], [2**63, None]])
def test_integers_beyond_64_bits_are_refused_by_name(tmp_path, values):
    with pytest.raises(ValueError, match="^x: "):
        rntuple.write(f"{tmp_path}/array.root:Events", {"x": values})
    assert list(tmp_path.iterdir()) == []


def test_lists_of_python_are_vectors_whatever_their_sizes(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    lists = {
        "same": [[1, 2], [3, 4]],
        "other": [[1, 2], [3]],
        "float": [np.array([1, 2], np.float32), np.array([3, 4], np.float32)],
        "floats": [np.array([1, 2], np.float32), np.array([3], np.float32)],
        "null": [[1], [None]],
        "masked": [np.ma.array([1], mask=[True]), np.ma.array([2])],
        "unsigned": [np.array([2**63 + 1], np.uint64), np.array([5])],
        "times": [[np.datetime64(1, "us")], [np.datetime64(2, "us")]],
        "text": [["a"], ["b"]],
        "array": np.array([[1, 2], [3, 4]]),
    }
    assert rntuple.write(path, lists) == 2
    assert rntuple.open(path)["same"].to_list() == [[1, 2], [3, 4]]
    assert rntuple.open(path)["masked"].to_list() == [[None], [2]]
    assert list(rntuple.open(path).typenames().values()) == [
        "std::vector<std::int64_t>",
        "std::vector<std::int64_t>",
        "std::vector<float>",
        "std::vector<float>",
        "std::vector<std::optional<std::int64_t>>",
        "std::vector<std::optional<std::int64_t>>",
        "std::vector<std::uint64_t>",
        "std::vector<std::int64_t>",
        "std::vector<std::string>",
        "std::array<std::int64_t,2>",
    ]
    # So that pieces fit each other, also those of arrays and of lists without items.
    pieces = [[[1], [2, 3]], [[4, 5], [6, 7]], [[], []], np.array([[8, 9]]), [[]]]
    assert rntuple.write(path, ({"x": piece} for piece in pieces)) == 8
    assert rntuple.open(path)["x"].to_list() == [[1], [2, 3], [4, 5], [6, 7], [], [], [8, 9], []]
    pieces = [[1, None], [None, None], [2, 3]]
    assert rntuple.write(path, ({"x": piece} for piece in pieces)) == 6
    assert rntuple.open(path)["x"].to_list() == [1, None, None, None, 2, 3]


@pytest.mark.parametrize(
    "name",
    [
        "lists",
        "lists of lists",
        "text",
        "options",
        "options of lists",
        "options in lists",
        "options of text",
        "records",
        "options of records",
        "variants",
    ],
)
def test_what_numpy_has_as_objects_is_written(tmp_path, name):
    rntuple.write(f"{tmp_path}/array.root:Events", {"x": ARRAYS[name]})
    columns = rntuple.open(f"{tmp_path}/array.root").arrays(library="np")
    assert columns["x"].dtype == object
    columns["weight"] = np.arange(3.0)
    rntuple.write(f"{tmp_path}/again.root:Events", columns)
    found = rntuple.open(f"{tmp_path}/again.root").arrays()
    assert found["x"].to_list() == ARRAYS[name].to_list()
    assert found["weight"].to_list() == [0, 1, 2]


def test_lists_of_arrays_of_objects_are_lists(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    texts = [np.array(["a", "b"], dtype=object), np.array(["c"], dtype=object)]
    rntuple.write(path, {"x": texts, "wide": np.array([[1, None], [2, 3]], dtype=object)})
    assert rntuple.open(path).typenames() == {
        "x": "std::vector<std::string>",
        "wide": "std::vector<std::optional<std::int64_t>>",
    }
    assert rntuple.open(path)["x"].to_list() == [["a", "b"], ["c"]]


def test_later_pieces_have_no_columns_of_their_own(tmp_path):
    for later, name in [({"x": [4], "z": [1]}, "z"), ({"x": [4], "r": [{"a": 1, "b": 2}]}, "r.b")]:
        pieces = [{"x": [1], "r": [{"a": 1}]}, {"r": [{"a": 1}], **later}]
        with pytest.raises(ValueError, match=f"^{name}: .*has no such field"):
            rntuple.write(f"{tmp_path}/array.root:Events", iter(pieces))
    assert list(tmp_path.glob("*.root")) == []


def test_tuples_are_records(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    rntuple.write(path, {"x": ak.Array([(1, 2.5), (3, 4.5)])})
    assert ak.to_list(rntuple.open(path).arrays()["x"]) == [{"_0": 1, "_1": 2.5}, {"_0": 3, "_1": 4.5}]


def test_times_are_times(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    times = np.array(["2026-11-24T01:02:03", "1969-12-31"], "datetime64[us]")
    rntuple.write(path, {"t": times, "d": times - times[0]})
    frame = pl.DataFrame(rntuple.open(path))
    assert frame.schema == {"t": pl.Datetime("us"), "d": pl.Duration("us")}
    assert np.array_equal(frame["t"].to_numpy(), times)


def test_no_time_is_a_null(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    times = np.array(["2026-11-24T01:02:03", "NaT"], "datetime64[us]")
    rows = {"t": times, "d": times - times[0], "in": ak.Array([times, []]), "whole": times[:1].repeat(2)}
    rntuple.write(path, rows)
    assert rntuple.open(path).typenames() == {
        "t": "std::optional<std::int64_t>",
        "d": "std::optional<std::int64_t>",
        "in": "std::vector<std::optional<std::int64_t>>",
        "whole": "std::int64_t",
    }
    time = datetime.datetime(2026, 11, 24, 1, 2, 3)
    frame = pl.DataFrame(rntuple.open(path))
    assert frame["t"].to_list() == [time, None] and frame["in"].to_list() == [[time, None], []]
    assert frame["d"].to_list() == [datetime.timedelta(0), None]


def test_bytes_are_bytes_where_there_are_such(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    rntuple.write(path, {"x": ak.Array([b"a", b"", b"\xff"])})
    assert pl.DataFrame(rntuple.open(path))["x"].to_list() == [b"a", b"", b"\xff"]
    assert ak.to_list(rntuple.open(path).arrays()["x"]) == [[97], [], [255]]


def test_columns_may_come_from_different_libraries(tmp_path):
    path = f"{tmp_path}/array.root:Events"
    data = {"a": pl.Series([1, 2]), "b": np.array([1.5, 2.5]), "c": ak.Array([[1], []]), "d": range(2)}
    assert rntuple.write(path, data) == 2
    assert ak.to_list(rntuple.open(path).arrays()) == [
        {"a": 1, "b": 1.5, "c": [1], "d": 0},
        {"a": 2, "b": 2.5, "c": [], "d": 1},
    ]
    pieces = ({"x": np.arange(first, first + 10)} for first in range(0, 100, 10))
    assert rntuple.write(path, pieces) == 100
    assert rntuple.open(path).arrays(library="np")["x"].tolist() == list(range(100))


def test_what_is_no_column_is_refused_by_name(tmp_path):
    refused = [
        ({"x": np.zeros(2, complex)}, TypeError, "x: the type complex128"),
        ({"x": ak.Array([{"z": 1j}])}, TypeError, "x.z: the type complex128"),
        ({"x": [1, 2], "y": [1]}, ValueError, "y: the column has 1 values, and others have 2"),
        ({"x": ak.Array([None, None])}, rntuple.RNTupleError, "x"),
        (iter([]), ValueError, "no tables"),
        (ak.Array([1, 2]), TypeError, "records"),
        ({"muons": {"pt": [1.0, 2.0], "eta": [0.1, 0.2]}}, TypeError, "^muons: a dict is not a column"),
        ({"x": "abc"}, TypeError, "^x: a column is an array or a list, not str"),
        ({"x": b"abc"}, TypeError, "^x: .*not bytes"),
        ({"x": {1, 2}}, TypeError, "^x: .*not set"),
        ({"x": 5}, TypeError, "^x: .*not int"),
        ({"x": np.float64(5)}, TypeError, "^x: .*not float64"),
        ({"x": np.array(5)}, TypeError, "^x: .*not ndarray"),
        ({"x": [object()]}, (TypeError, ValueError), "^x: the values are not those of an array"),
    ]
    for data, kind, message in refused:
        with pytest.raises(kind, match=message):
            rntuple.write(f"{tmp_path}/bad.root:Events", data)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="x: the field holds other values"):
        rntuple.write(f"{tmp_path}/bad.root:Events", iter([{"x": [1]}, {"x": ["a"]}]))
    assert list(tmp_path.glob("*.root")) == []


def test_neither_pyarrow_nor_awkward_is_needed_for_numbers(tmp_path):
    code = f"""
import sys
sys.modules["pyarrow"] = sys.modules["awkward"] = None
import numpy, rntuple
rntuple.write("{tmp_path}/x.root:Events", {{"x": numpy.arange(5), "y": [1.5] * 5}})
print(rntuple.open("{tmp_path}/x.root").arrays(library="np")["y"].tolist())
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "[1.5, 1.5, 1.5, 1.5, 1.5]\n"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no such signals")
def test_a_signal_stops_writing(tmp_path):
    class Stopped(Exception):
        pass

    def stop(*_):
        raise Stopped

    rntuple.write(f"{tmp_path}/a.root:Events", {"x": np.arange(100_000)})
    dataset = rntuple.Dataset.create(tmp_path / "b.rnds", {"x": [1]})
    writes = [lambda data: rntuple.write(f"{tmp_path}/b.root:Events", data), dataset.append]
    before = signal.signal(signal.SIGALRM, stop)
    try:
        for write in writes:
            # To write all of these batches takes longer.
            batches = rntuple.open(f"{tmp_path}/a.root").to_arrow(batch_size=1)
            with pytest.raises(Stopped):
                signal.setitimer(signal.ITIMER_REAL, 0.03)
                write(batches)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # It was stopped before all was written.
    assert not (tmp_path / "b.root").exists() and len(dataset.versions()) == 1
