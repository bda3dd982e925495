"""Files that ROOT wrote, as uproot reads them."""

import os
import pathlib

import awkward as ak
import pyarrow as pa
import pytest
import uproot

import rntuple

FOLDER = pathlib.Path(
    os.environ.get("RNTUPLE_REFERENCE_DIR", pathlib.Path(__file__).parents[2] / ".." / "shared" / "data" / "real")
)
FILES = sorted(FOLDER.glob("*.root")) if FOLDER.is_dir() else []


def ntuples(path):
    """The ntuples of layouts that uproot reads."""
    is_old = "epoch0" in path.name or "prototype" in path.name
    return [] if is_old else rntuple._rntuple.ntuples(str(path))


def comparable(kind, typename):
    """A type, without what the two call differently, each for a reason."""
    if "RNTupleCardinality" in typename:
        # uproot's sizes of collections are differences of offsets, ours of the type that the file declares.
        assert str(kind).endswith((" uint32", " uint64", " int64"))
        return "sizes"
    return (
        str(kind)
        # uproot has an alternative for variants without a value.
        .replace("union[?unknown, ", "union[")
        # Ours are of the type of the field, uproot's of that of its column.
        .replace("float16", "float32")
        # A struct without members.
        .replace("* {}", "* ()")
    )


def test_the_files_are_there_where_they_must_be():
    assert FILES or not os.environ.get("RNTUPLE_REFERENCE_REQUIRED")


@pytest.mark.skipif(not FILES, reason=f"no files by ROOT in {FOLDER}")
@pytest.mark.parametrize("path", [path for path in FILES if ntuples(path)], ids=lambda path: path.stem)
def test_values_are_those_of_uproot(path):
    for name in ntuples(path):
        ours = rntuple.open(f"{path}:{name}")
        theirs = uproot.open(path)[name]
        assert ours.num_entries == theirs.num_entries
        for key in ours.keys(recursive=False):
            found = ours[key]
            try:
                wanted = theirs.arrays([key])[key]
            except NotImplementedError as error:
                # Objects of ROOT's streamer.
                assert "Unsplit fields" in str(error), key
                continue
            # As they are shown: a NaN is no other's equal.
            assert repr(plain(ak.to_list(found))) == repr(plain(ak.to_list(wanted))), key
            kind = ours.typenames()[key]
            assert comparable(found.type, kind) == comparable(wanted.type, kind), key


@pytest.mark.parametrize("path", [path for path in FILES if "prototype" not in path.name], ids=lambda path: path.stem)
def test_every_form_has_the_same_values(path):
    for name in rntuple._rntuple.ntuples(str(path)):
        ntuple = rntuple.open(f"{path}:{name}")
        array = ntuple.arrays()
        assert len(array) == ntuple.num_entries
        # Views too.
        assert array.fields == ntuple.keys(recursive=False)
        assert repr(ak.to_list(ntuple.arrays(lazy=True))) == repr(ak.to_list(array))
        steps = [ak.to_list(step) for step in ntuple.iterate(step_size=max(1, len(array) // 3))]
        assert repr(sum(steps, [])) == repr(ak.to_list(array))
        table = pa.table(ntuple)
        assert (table.num_rows, table.column_names) == (len(array), array.fields)
        for key in array.fields:
            # Variants have nulls elsewhere, options of options are lists in both.
            if "variant" not in ntuple.typenames()[key] and "Variant" not in key:
                assert repr(table[key].to_pylist()) == repr(arrow_like(ak.to_list(array[key]))), key
        numbers = ntuple.arrays(library="np")
        assert set(numbers) == set(array.fields) and all(len(column) == len(array) for column in numbers.values())


def arrow_like(value):
    """Values as pyarrow shows them: members of tuples have names, halves and bytes are alike."""
    if isinstance(value, tuple):
        return {f"_{number}": arrow_like(item) for number, item in enumerate(value)}
    if isinstance(value, dict):
        return {name: arrow_like(item) for name, item in value.items()}
    if isinstance(value, list):
        return [arrow_like(item) for item in value]
    return value


def plain(value):
    """Values without what the two call differently: the members of tuples have names with uproot."""
    if isinstance(value, dict):
        if all(str(name).strip("_").isdigit() for name in value):
            return tuple(plain(item) for item in value.values())
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
