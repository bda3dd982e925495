"""RNTuple files as arrays: awkward, numpy, pandas, polars and Arrow.

>>> import rntuple
>>> events = rntuple.open("events.root:Events")
>>> events.arrays(["met", "muons.pt"])

Names and defaults are those of uproot. An ntuple is a stream of Arrow (``__arrow_c_stream__``), so that
``polars.DataFrame(events)``, ``pyarrow.table(events)`` and ``duckdb.sql("from events")`` work as they are.
"""

from __future__ import annotations

from ._rntuple import RNTupleError, __version__
from ._ntuple import NTuple, Part, iterate, open
from ._polars import scan_polars
from ._training import Batches, batches
from ._write import write

__all__ = [
    "Batches",
    "NTuple",
    "Part",
    "RNTupleError",
    "__version__",
    "batches",
    "iterate",
    "open",
    "scan_polars",
    "write",
]
