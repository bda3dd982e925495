"""Tables and arrays that are written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from . import _files, _rntuple


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
    which is written piece by piece.

    ``compression`` is ``"none"``, ``"lz4"``, ``"zstd:5"``, .. A column of a table becomes one of options if it has a null;
    those of an iterator, and of a stream, if their type may have one.
    """
    path, name = _files.split(file)
    stream, is_whole = _stream(data)
    return _rntuple.write(path, name or "Events", stream, compression, is_whole, cluster_size, description)


def _stream(data: Any) -> tuple[Any, bool]:
    """An object of Arrow, and whether all of it is in memory."""
    if isinstance(data, Mapping):
        return _table(data), True
    if type(data).__module__.split(".")[0] == "awkward":
        return _of_awkward(data), True
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return data, type(data).__name__ in ("DataFrame", "RecordBatch", "Table")
    if isinstance(data, Iterator):
        return _of_iterator(data), False
    wanted = "a table, an awkward array, a dict of arrays or an iterator of these is needed"
    raise TypeError(f"{wanted}, not {type(data).__name__}")


def _table(columns: Mapping[str, Any]) -> Any:
    import pyarrow

    arrays = {name: _of_awkward_column(column) for name, column in columns.items()}
    return pyarrow.table(arrays)


def _of_awkward_column(column: Any) -> Any:
    import numpy
    import pyarrow

    if type(column).__module__.startswith("awkward"):
        import awkward

        return awkward.to_arrow(column, extensionarray=False)
    if hasattr(column, "__arrow_c_array__") or hasattr(column, "__arrow_c_stream__"):
        return column
    array = numpy.asarray(column)
    if array.ndim > 1:
        import awkward

        return awkward.to_arrow(awkward.from_numpy(array, regulararray=True), extensionarray=False)
    return pyarrow.array(array)


def _of_awkward(array: Any) -> Any:
    import awkward

    if not array.fields:
        raise TypeError("an awkward array of records is needed: its fields become those of the entries")
    return awkward.to_arrow_table(array, extensionarray=False)


def _of_iterator(tables: Iterator[Any]) -> Any:
    import pyarrow

    first = next(tables, None)
    if first is None:
        raise ValueError("the iterator has no tables")
    reader = pyarrow.RecordBatchReader.from_stream(_stream(first)[0])
    schema = reader.schema

    def batches() -> Iterator[Any]:
        yield from reader
        for table in tables:
            yield from pyarrow.RecordBatchReader.from_stream(_stream(table)[0]).cast(schema)

    return pyarrow.RecordBatchReader.from_batches(schema, batches())
