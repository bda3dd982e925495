"""Entries as the arrays of some library, which is imported when it is asked for."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ._pieces import read

if TYPE_CHECKING:
    from ._ntuple import NTuple

#: Entries of a batch of Arrow.
BATCH = 65_536

LIBRARIES = ("ak", "np", "pd", "pl", "arrow")


def convert(
    ntuple: NTuple, fields: tuple[str, ...] | None, start: int, stop: int, library: str, lazy: bool
) -> Any:
    """Entries ``start`` to ``stop`` of the fields at these paths."""
    if lazy and library != "ak":
        raise ValueError('only arrays of awkward can be lazy: library="ak"')
    source, entries = ntuple._source(fields), [(start, stop)]
    if library == "ak":
        return _lazy(ntuple, fields, start, stop) if lazy else awkward_of(source, entries)
    if library == "np":
        found = flat(source, entries)
        return numpy_of(awkward_of(source, entries)) if found is None else found
    if library == "pd":
        return _pandas(source, awkward_of(source, entries))
    stream = source.stream(entries, BATCH, library == "pl")
    if library == "arrow":
        import pyarrow

        return pyarrow.table(stream)
    if library == "pl":
        import polars

        return polars.DataFrame(stream)
    raise ValueError(f"library is one of {', '.join(map(repr, LIBRARIES))}, not {library!r}")


def awkward_of(source: Any, ranges: list[tuple[int, int]]) -> Any:
    """Entries of ranges as an array."""
    import awkward

    form = json.loads(source.form())
    count, found = read(source, ranges)
    if count == 0:
        return awkward.Array(awkward.forms.from_dict(form).length_zero_array(highlevel=False))
    return awkward.from_buffers(form, count, found)


def flat(source: Any, ranges: list[tuple[int, int]]) -> dict[str, Any] | None:
    """Entries of ranges as arrays of numpy, if all their fields are numbers."""
    import numpy

    form = json.loads(source.form())
    if any(content["class"] != "NumpyArray" for content in form["contents"]):
        return None
    count, found = read(source, ranges)
    columns = list(zip(form["fields"], form["contents"]))
    if count == 0:
        return {name: numpy.zeros(0, content["primitive"]) for name, content in columns}
    # Times are integers in the file.
    return {name: found[f"{content['form_key']}-data"].view(content["primitive"]) for name, content in columns}


def typetracer(source: Any) -> Any:
    """An array that has the type of the entries, and no values."""
    import awkward

    form = awkward.forms.from_dict(json.loads(source.form()))
    return awkward.Array(form.length_zero_array(highlevel=False).to_typetracer(forget_length=True))


def _lazy(ntuple: NTuple, fields: tuple[str, ...] | None, start: int, stop: int) -> Any:
    """An array whose fields are read when they are needed, each once."""
    import awkward

    if start >= stop:
        return awkward_of(ntuple._source(fields), [])
    form = awkward.forms.from_dict(json.loads(ntuple._source(fields).form()))
    found: dict[str, dict[str, Any]] = {}

    def buffers(name: str, paths: tuple[str, ...]) -> dict[str, Any]:
        if name not in found:
            _, found[name] = read(ntuple._source(paths), [(start, stop)])
        return found[name]

    container = {}
    for name in form.fields:
        own = (name,) if fields is None else tuple(p for p in fields if p == name or p.startswith(name + "."))
        part = awkward.forms.from_dict(json.loads(ntuple._source(own).form()))
        for key in part.expected_from_buffers():
            container[key] = lambda key=key, name=name, own=own: buffers(name, own)[key]
    return awkward.from_buffers(form, stop - start, container)


def numpy_of(array: Any) -> dict[str, Any]:
    """A dict of arrays: what is not a rectangle of numbers is an array of objects, as uproot makes it."""
    import numpy

    found = {}
    for name in array.fields:
        values = _column(_with_nat(array[name]))
        if values is None:
            values = numpy.empty(len(array), dtype=object)
            for index, value in enumerate(array[name]):
                values[index] = _plain(value)
        found[name] = values
    return found


def _column(array: Any) -> Any:
    """An array of numpy, or ``None`` if the values need objects of their own.

    Texts and bytes are objects in any case: numpy pads them to the longest one, and drops NULs at their ends.
    """
    import awkward
    import numpy

    if _is_text(array.layout):
        return numpy.array(awkward.to_list(array), dtype=object)
    if _has_texts(array.layout):
        return None
    try:
        return awkward.to_numpy(array, allow_missing=False)
    except (ValueError, TypeError):
        return None


def _is_text(layout: Any) -> bool:
    """Whether each value is a text or bytes, and none is missing."""
    while layout.is_indexed and not layout.is_option:
        layout = layout.content
    return layout.parameter("__array__") in ("string", "bytestring")


def _has_texts(layout: Any) -> bool:
    """Whether texts or bytes are anywhere in the values."""
    if layout.is_record or layout.is_union:
        return any(_has_texts(content) for content in layout.contents)
    if _is_text(layout):
        return True
    if layout.is_list or layout.is_option or layout.is_indexed:
        return _has_texts(layout.content)
    return False


def _with_nat(array: Any) -> Any:
    """The array, with ``NaT`` for times that are missing."""
    import awkward
    import numpy

    layout = array.layout
    if not layout.is_option or not layout.content.is_numpy or layout.content.dtype.kind not in "mM":
        return array
    return awkward.fill_none(array, numpy.array("NaT", layout.content.dtype)[()])


def _plain(value: Any) -> Any:
    import awkward

    if isinstance(value, awkward.Array):
        column = _column(value)
        return awkward.to_list(value) if column is None else column
    return awkward.to_list(value) if isinstance(value, awkward.Record) else value


def _pandas(source: Any, array: Any) -> Any:
    import pandas

    columns = numpy_of(array)
    frame = pandas.DataFrame({name: list(v) if v.ndim > 1 else v for name, v in columns.items()})
    for path, _, description, *_ in source.fields():
        zone = re.search(r"\[arrow:timestamp\(\w+,(.+)\)\]$", description)
        if zone and path in columns and columns[path].dtype.kind == "M":
            frame[path] = frame[path].dt.tz_localize("UTC").dt.tz_convert(zone[1])
    return frame


def arrow_schema(stream: Any) -> Any:
    """The schema as pyarrow has it, or as a stream that has it."""
    try:
        import pyarrow
    except ImportError:
        return stream
    return pyarrow.schema(stream)
