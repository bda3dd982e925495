"""The code of the chapter in the book runs as it stands there."""

import concurrent.futures
import operator
import pathlib
import re

import awkward as ak
import dask_awkward
import duckdb
import numpy as np
import polars
import pyarrow
import pytest

import rntuple

CHAPTER = pathlib.Path(__file__).parents[2] / "book" / "src" / "python.md"


def events(array, offset):
    array = array[["met", "muons"]]
    array["Muon_pt"] = array.met + offset
    array["weight"] = np.ones(len(array))
    return array


def test_the_code_of_the_chapter_runs(array, tmp_path, monkeypatch, capsys):
    if not CHAPTER.exists():
        pytest.skip("the book is not here")
    blocks = re.findall(r"^```python\n(.*?)^```$", CHAPTER.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 7
    monkeypatch.chdir(tmp_path)
    for name in ("run1", "run2", "signal1", "background1", "background2"):
        rntuple.write(f"{name}.root:Events", events(array, len(name)))
    trained = []
    names = {
        "concurrent": concurrent,
        "dask_awkward": dask_awkward,
        "duckdb": duckdb,
        "pl": polars,
        "polars": polars,
        "pyarrow": pyarrow,
        # Names that the text leaves to the reader.
        "analyse": operator.methodcaller("arrays"),
        "frame": polars.DataFrame({"x": [1.5, 2.5], "y": ["a", None]}),
        "tables": [pyarrow.table({"x": [1, 2]}), pyarrow.table({"x": [3]})],
        "step": lambda met, label: trained.append((len(met), int(label.sum()))),
    }
    for block in blocks:
        exec(block, names)
    assert names["events"].num_entries == 2000
    assert ak.array_equal(names["array"].met[:1000], array.met)
    assert "muons.pt" in capsys.readouterr().out
    assert rntuple.open("skim.root:Events").keys() == ["met", "muons", "muons.pt"]
    # Files that were adopted, and their entries once more.
    assert names["paper"].num_entries == 4000
    assert np.array_equal(names["latest"]["met"], np.tile(array.met[array.met <= 50], 4))
    operations = [version.operation for version in names["dataset"].versions()]
    assert operations == ["Overwrite", "Append", "Append", "Delete", "Merge", "Project", "Project", "Rewrite"]
    changed = rntuple.open_dataset("data2026.rnds")
    assert ak.all(changed["double_met"] == 2 * changed["met"]) and "hard" not in changed
    assert rntuple.open("out.root:Events").arrays(library="np")["x"].tolist() == [1, 2, 3]
    assert [len(part) for part in names["histograms"]] == [1000, 1000]
    # 1600 of the background, and the 800 of the signal twice.
    assert sum(count for count, _ in trained) == 3 * 3200 and sum(labels for _, labels in trained) == 3 * 1600
