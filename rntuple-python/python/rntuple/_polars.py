"""Lazy frames of polars over files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from . import _ntuple

#: Entries that are read at once, unless polars asks for another number.
BATCH = 100_000


def scan_polars(
    files: _ntuple.NTuple | str | os.PathLike[str] | Iterable[str | os.PathLike[str]], **options: Any
) -> Any:
    """A lazy frame over files, or over an ntuple: only the columns that a query needs are read.

    >>> rntuple.scan_polars("run*.root:Events").filter(pl.col("met") > 50).select("met").collect()
    >>> rntuple.scan_polars(rntuple.open_dataset("data2026.rnds")).select("met").collect()

    Options are those of :func:`open`. polars has no unions: variants are structs with a ``tag``.
    """
    import polars
    from polars.io.plugins import register_io_source

    if isinstance(files, _ntuple.NTuple):
        if options:
            raise TypeError(f"an ntuple that is open has its options: {', '.join(options)} cannot be given")
        ntuple = files
    else:
        ntuple = _ntuple.open(files, **options)
    everything = ntuple._chosen(None, None, None)
    schema = polars.DataFrame(ntuple._source(everything).stream([], BATCH, True)).schema

    def read(
        with_columns: list[str] | None, predicate: Any, n_rows: int | None, batch_size: int | None
    ) -> Iterator[Any]:
        source = ntuple._source(everything if with_columns is None else tuple(with_columns))
        left = ntuple.num_entries if n_rows is None else min(n_rows, ntuple.num_entries)
        step = batch_size or BATCH
        for start in range(0, left, step):
            frame = polars.DataFrame(source.stream([(start, min(start + step, left))], step, True))
            if with_columns is not None:
                frame = frame.select(with_columns)
            yield frame if predicate is None else frame.filter(predicate)

    return register_io_source(read, schema=schema)
