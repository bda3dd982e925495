"""RNTuple files as arrays: awkward, numpy, pandas, polars and Arrow.

>>> import rntuple
>>> events = rntuple.open("events.root:Events")
>>> events.arrays(["met", "muons.pt"])

Many files with versions are a data set: :class:`Dataset` changes it, and :func:`open_dataset` opens a version.

Names and defaults are those of uproot. An ntuple is a stream of Arrow (``__arrow_c_stream__``), so that
``polars.DataFrame(events)``, ``pyarrow.table(events)`` and ``duckdb.sql("from events")`` work as they are.
"""

from __future__ import annotations

from ._dataset import Dataset
from ._ntuple import NTuple, Part, iterate, open, open_dataset
from ._polars import scan_polars
from ._rntuple import ConflictError, RNTupleError, __version__
from ._training import Batches, batches
from ._write import write

__all__ = [
    "Batches",
    "ConflictError",
    "Dataset",
    "NTuple",
    "Part",
    "RNTupleError",
    "__version__",
    "batches",
    "iterate",
    "open",
    "open_dataset",
    "scan_polars",
    "write",
]
