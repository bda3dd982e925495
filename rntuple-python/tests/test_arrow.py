"""The libraries that speak Arrow."""

import datetime
import decimal

import awkward as ak
import numpy as np
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import rntuple


def test_an_ntuple_is_a_stream(ntuple, array):
    table = pa.table(ntuple)
    assert table.num_rows == 1000
    assert table.schema.field("muons").type == pa.large_list(
        pa.field("item", pa.struct([pa.field("pt", pa.float32(), False), pa.field("charge", pa.int8(), False)]), False)
    )
    assert not any(field.nullable for field in table.schema)
    assert ak.array_equal(ak.from_arrow(table), array)
    frame = pl.DataFrame(ntuple)
    assert frame.shape == (1000, 4)
    assert pa.table(ntuple.to_arrow(["met"], batch_size=100)).column("met").num_chunks == 10
    assert ntuple.schema.names == ["number", "met", "tag", "muons"]
    assert ntuple.arrays(["met"], library="arrow").equals(table.select(["met"]))


def test_duckdb_asks_it(ntuple, array):
    found = duckdb.sql("select count(*), sum(met), sum(len(muons)) from ntuple").fetchall()[0]
    assert found == (1000, pytest.approx(float(ak.sum(array.met)), rel=1e-4), int(ak.sum(ak.num(array.muons))))


def test_polars_scans_lazily(path, array):
    frame = rntuple.scan_polars(f"{path}:Events")
    assert frame.collect_schema().names() == ["number", "met", "tag", "muons"]
    found = frame.filter(pl.col("met") > 50).select("number", "tag").collect()
    assert found["number"].to_list() == ak.to_list(array.number[array.met > 50])
    assert frame.head(7).collect().shape == (7, 4)
    assert frame.select(pl.col("muons").list.len().sum()).collect().item() == int(ak.sum(ak.num(array.muons)))


def table():
    return pa.table(
        {
            "integer": pa.array([1, 2, 3], pa.int16()),
            "text": pa.array(["a", None, "µ"]),
            "date": pa.array([datetime.date(2026, 11, 24)] * 3),
            "time": pa.array([datetime.datetime(2026, 11, 24, 1, 2, 3)] * 3, pa.timestamp("us", "UTC")),
            "list": pa.array([[1.5], [], [2.5, None]], pa.large_list(pa.float64())),
            "record": pa.array([{"x": 1, "y": [True]}, {"x": 2, "y": []}, {"x": 3, "y": [False]}]),
            "flag": pa.array([True, False, True]),
            "bytes": pa.array([b"\xff", b"", b"a"]),
        }
    )


def test_tables_come_back(tmp_path):
    written = table()
    assert rntuple.write(f"{tmp_path}/table.root:Table", written) == 3
    found = pa.table(rntuple.open(f"{tmp_path}/table.root:Table"))
    assert found.to_pylist() == written.to_pylist()
    assert [field.name for field in found.schema if field.nullable] == ["text"]
    assert found.schema.field("time").type == pa.timestamp("us", "UTC")
    # Through Parquet and back, nothing is lost.
    pyarrow.parquet.write_table(found, tmp_path / "table.parquet")
    again = pyarrow.parquet.read_table(tmp_path / "table.parquet")
    assert again.equals(found)
    rntuple.write(f"{tmp_path}/again.root:Table", again)
    assert pa.table(rntuple.open(f"{tmp_path}/again.root:Table")).equals(found)


def test_frames_and_dicts_are_written(tmp_path, array):
    path = f"{tmp_path}/out.root:Events"
    frame = pl.DataFrame({"x": [1, 2], "y": ["a", "b"], "z": [[1.0], []]})
    rntuple.write(path, frame)
    assert rntuple.open(path).typenames() == {"x": "std::int64_t", "y": "std::string", "z": "std::vector<double>"}
    assert pl.DataFrame(rntuple.open(path)).equals(frame)
    rntuple.write(path, pd.DataFrame({"x": [1, 2]}))
    assert rntuple.open(path).typenames() == {"x": "std::int64_t"}
    rntuple.write(path, {"x": [1, 2], "jagged": array.muons.pt[:2], "pair": np.array([[1, 2], [3, 4]])})
    assert rntuple.open(path).typenames()["jagged"] == "std::vector<float>"
    assert rntuple.open(path).typenames()["pair"] == "std::array<std::int64_t,2>"
    rntuple.write(path, (array[start : start + 100] for start in range(0, 1000, 100)), compression="lz4")
    assert ak.array_equal(rntuple.open(path).arrays().met, array.met)


def test_the_index_of_a_frame_is_a_column_if_it_has_a_name(tmp_path):
    path = f"{tmp_path}/out.root:Events"
    frame = pd.DataFrame({"x": [1, 2, 0, 3]})
    # An index that is not a range.
    chosen = frame[frame.x > 0]
    assert list(chosen.index) == [0, 1, 3]
    rntuple.write(path, chosen)
    assert rntuple.open(path).keys() == ["x"] and rntuple.open(path)["x"].to_list() == [1, 2, 3]
    dataset = rntuple.Dataset.create(tmp_path / "out.rnds", frame)
    dataset.append(chosen)
    assert rntuple.open_dataset(dataset.url)["x"].to_list() == [1, 2, 0, 3, 1, 2, 3]
    rntuple.write(path, chosen.rename_axis("row"))
    assert rntuple.open(path)["row"].to_list() == [0, 1, 3] and rntuple.open(path)["x"].to_list() == [1, 2, 3]
    # A range with a name, and what is left of it.
    numbered = frame.rename_axis("row")
    dataset = rntuple.Dataset.create(tmp_path / "numbered.rnds", numbered)
    dataset.append(numbered[numbered.x > 0])
    assert rntuple.open_dataset(dataset.url)["row"].to_list() == [0, 1, 2, 3, 0, 1, 3]
    rntuple.write(path, numbered.assign(run=7).set_index("run", append=True))
    assert sorted(rntuple.open(path).keys()) == ["row", "run", "x"]
    levels = pd.MultiIndex.from_arrays([[7, 7, 8], [2, 1, 5]], names=["run", None])
    rntuple.write(path, chosen.set_axis(levels))
    assert sorted(rntuple.open(path).keys()) == ["run", "x"]
    assert rntuple.open(path)["run"].to_list() == [7, 7, 8] and rntuple.open(path)["x"].to_list() == [1, 2, 3]


def test_a_skim_is_a_stream_of_another_file(ntuple, tmp_path, array):
    path = f"{tmp_path}/skim.root:Events"
    rntuple.write(path, ntuple.to_arrow(["met", "muons.pt"]), compression="zstd:5", description="A skim")
    skim = rntuple.open(path)
    assert skim.keys() == ["met", "muons", "muons.pt"]
    assert ak.array_equal(skim.arrays().muons.pt, array.muons.pt)


def test_a_damaged_source_is_not_a_wrong_argument(tmp_path):
    numbers = np.arange(200, dtype=np.uint8)
    file = tmp_path / "damaged.root"
    rntuple.write(f"{file}:Events", {"x": numbers}, compression="none")
    whole = bytearray(file.read_bytes())
    whole[whole.index(numbers.tobytes())] ^= 1
    file.write_bytes(whole)
    events = rntuple.open(f"{file}:Events")
    dataset = rntuple.Dataset.create(tmp_path / "good.rnds", {"x": numbers})
    out = f"{tmp_path}/out.root:Events"
    uses = [
        lambda: events.arrays(),
        lambda: rntuple.write(out, events),
        lambda: rntuple.write(out, events.to_arrow(["x"])),
        lambda: rntuple.write(out, iter(events.parts(1))),
        lambda: rntuple.Dataset.create(tmp_path / "bad.rnds", events),
        lambda: dataset.append(events.to_arrow()),
        lambda: dataset.add_columns(lambda rows: events.to_arrow(), replace=True),
    ]
    for use in uses:
        with pytest.raises(rntuple.RNTupleError, match="checksum"):
            use()
    assert len(dataset.versions()) == 1 and not (tmp_path / "out.root").exists()


def test_a_stream_is_taken_once(ntuple, tmp_path):
    stream = ntuple.to_arrow(["met"])
    assert pa.schema(stream).names == ["met"]
    assert pa.table(stream).num_rows == 1000
    with pytest.raises(OSError, match="taken before"):
        rntuple.write(f"{tmp_path}/out.root:Events", stream)
    with pytest.raises(OSError, match="taken before"):
        pa.table(stream)


def test_what_cannot_be_written_is_refused_by_name(tmp_path):
    bad = pa.table({"price": pa.array([decimal.Decimal("1.5")])})
    with pytest.raises(rntuple.RNTupleError, match="price: the type Decimal"):
        rntuple.write(f"{tmp_path}/bad.root:T", bad)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(TypeError, match="a table"):
        rntuple.write(f"{tmp_path}/bad.root:T", 5)
    with pytest.raises(ValueError, match="compression"):
        rntuple.write(f"{tmp_path}/bad.root:T", table(), compression="zip")
