"""Tables and arrays that are written."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from . import _files, _ntuple, _rntuple


def write(
    file: str | os.PathLike[str],
    data: Any,
    *,
    compression: str = "zstd:1",
    cluster_size: int | None = None,
    description: str = "",
) -> int:
    """Writes a table to a new file, ``"out.root:Events"``; returns the number of entries.

    ``data`` is anything that speaks Arrow (``__arrow_c_stream__``: a table of pyarrow, a frame of polars or pandas, a
    relation of DuckDB, an :class:`NTuple`), an awkward array of records, a dict of arrays, or an iterator of any of these,
    which is written piece by piece. Arrays of objects are written as the lists, texts and missing values that they have. The
    index of a frame of pandas is a column if it has a name.

    ``compression`` is ``"none"``, ``"lz4"``, ``"zstd:5"``, .. A column of a table, or of a dict, becomes one of options if it
    has a null, such as ``NaT``; those of an iterator, of a stream and of an awkward array, if their type may have one. All
    pieces of an iterator have the fields of the first one.
    """
    path, name = _files.split(file)
    tables, exact_nulls = streams(data)
    return _rntuple.write(path, name or "Events", tables, compression, exact_nulls, cluster_size, description)


def streams(data: Any) -> tuple[Iterator[Any], bool | list[str]]:
    """Objects that speak Arrow, and which of the columns say by their values, not by their type, whether they have nulls: all,
    none or those of these names."""
    # A stream of Arrow may be an iterator, too.
    pieces = data if isinstance(data, Iterator) and not _is_arrow(data) else iter([data])
    exact_nulls: bool | list[str] = type(data).__name__ in ("DataFrame", "RecordBatch", "Table")
    if isinstance(data, Mapping):
        exact_nulls = [str(name) for name, column in data.items() if _is_arrow(column) and not _is_awkward(column)]
    return (_stream(piece) for piece in pieces), exact_nulls


def _is_arrow(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def _is_awkward(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "awkward"


def _is_pandas(data: Any) -> bool:
    """Whether this is a frame of pandas, which is imported then."""
    frame = getattr(sys.modules.get("pandas"), "DataFrame", None)
    return frame is not None and isinstance(data, frame)


def _with_columns(frame: Any) -> Any:
    """The frame with a column for each level of its index that has a name. In Arrow, a level becomes a column if it is not a
    range, whether it has a name or not."""
    unnamed = [level for level, name in enumerate(frame.index.names) if name is None]
    if unnamed:
        frame = frame.reset_index(level=unnamed, drop=True)
    # Where a column has the name of a level, pyarrow gives the level another one.
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return frame.reset_index(level=named) if named else frame


def _stream(data: Any) -> Any:
    """An object that speaks Arrow."""
    if isinstance(data, Mapping):
        return _rntuple.record_batch([str(name) for name in data], [_column(*item) for item in data.items()])
    if _is_awkward(data):
        if not data.fields:
            raise TypeError("an awkward array of records is needed: its fields become those of the entries")
        return _rntuple.record_batch(data.fields, [_of_awkward(data[name]) for name in data.fields])
    if isinstance(data, (_ntuple.NTuple, _ntuple.Part)):
        # A stream that keeps the kinds of its errors.
        return data.to_arrow()
    if _is_arrow(data):
        return _with_columns(data) if _is_pandas(data) else data
    wanted = "a table, an awkward array, a dict of arrays or an iterator of these is needed"
    raise TypeError(f"{wanted}, not {type(data).__name__}")


def _column(name: Any, values: Any) -> Any:
    """An array that speaks Arrow, or the form, the length and the buffers of one."""
    if _is_awkward(values):
        return _of_awkward(values)
    if _is_arrow(values):
        return values
    if isinstance(values, Mapping):
        raise TypeError(f"{name}: a dict is not a column: awkward.zip makes records of its arrays")
    if isinstance(values, (str, bytes, set, frozenset)) or not _has_items(values):
        raise TypeError(f"{name}: a column is an array or a list, not {type(values).__name__}")
    try:
        values = _without_objects(values)
        array = None if _are_lists(values) else _numpy(values)
        if array is not None and array.ndim == 1 and array.dtype.kind in "biuf":
            form = {"class": "NumpyArray", "primitive": array.dtype.name, "form_key": "node0"}
            return json.dumps(form), len(array), {"node0-data": array}
        return _of_awkward(_awkward(values, array))
    except (OverflowError, RuntimeError, TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: the values are not those of an array: {error}") from error


def _has_items(values: Any) -> bool:
    if hasattr(values, "__array__"):
        # A number of numpy is an array without axes.
        return getattr(values, "ndim", 1) > 0
    return hasattr(values, "__iter__") or hasattr(values, "__getitem__")


def _without_objects(values: Any) -> Any:
    """The values; of an array of objects, which ``arrays`` returns for what numpy has no type for, a list."""
    if getattr(getattr(values, "dtype", None), "kind", None) != "O":
        return values
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _awkward(values: Any, array: Any) -> Any:
    """An array of awkward for values, and for what they are as an array of numpy, if they are one."""
    import awkward
    import numpy

    if array is not None and (array.ndim == 1 or hasattr(values, "__array__")):
        # Those of two axes are lists of arrays.
        return awkward.from_numpy(array, regulararray=True)
    if not _are_lists(values):
        return awkward.Array(values if hasattr(values, "dtype") else list(values))
    # Whatever their sizes are, they are lists, whose numbers have the type that these have without them.
    counts = numpy.array([len(value) for value in values])
    items: Any
    if all(type(value) is numpy.ndarray and value.ndim == 1 and value.dtype == values[0].dtype for value in values):
        items = _without_objects(numpy.concatenate(values))
    else:
        masked = numpy.ma.MaskedArray
        items = [item for value in values for item in (value.tolist() if isinstance(value, masked) else value)]
    content = _awkward(items, None if _are_lists(items) else _numpy(items)) if len(items) else awkward.Array([])
    return awkward.unflatten(content, counts)


def _are_lists(values: Any) -> bool:
    """Whether this is a list of lists, or of arrays."""
    if hasattr(values, "__array__") or not hasattr(values, "__len__") or len(values) == 0:
        return False
    return all(isinstance(value, list) or getattr(value, "ndim", 0) > 0 for value in values)


def _numpy(values: Any) -> Any:
    """An array of numbers or times, or ``None`` if it cannot be one."""
    import numpy

    if isinstance(values, numpy.ma.MaskedArray):
        return None
    try:
        array = numpy.asarray(values)
    except ValueError:
        return None
    if array.dtype.kind == "f" and array.ndim == 1 and not hasattr(values, "__array__"):
        import numbers

        # Integers beyond those of int64 would become floats near them.
        if len(array) and all(isinstance(value, numbers.Integral) for value in values):
            integers = [int(value) for value in values]
            is_signed = max(integers) < 1 << 63
            if min(integers) < 0 and not is_signed:
                raise OverflowError("there are integers below 0, and others beyond those of int64")
            array = numpy.array(integers, dtype=numpy.int64 if is_signed else numpy.uint64)
    if array.dtype.kind not in "biufmM":
        return None
    return numpy.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


def _of_awkward(array: Any) -> tuple[str, int, dict[str, Any]]:
    import awkward

    form, length, buffers = awkward.to_buffers(awkward.to_packed(array))
    # Times are integers of their unit.
    plain = {key: buffer.view("i8") if buffer.dtype.kind in "mM" else buffer for key, buffer in buffers.items()}
    return json.dumps(form.to_dict(verbose=True)), length, plain
