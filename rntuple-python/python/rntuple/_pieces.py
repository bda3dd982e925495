"""Buffers of pieces that follow each other, as those of one."""

from __future__ import annotations

import json
from typing import Any


def read(source: Any, ranges: list[tuple[int, int]]) -> tuple[int, dict[str, Any]]:
    """The number of entries of ranges, and their buffers by their keys."""
    count = 0
    found: dict[str, Any] = {}
    # Groups of fields have pieces of their own, which may end anywhere.
    for form, pieces in source.buffers(ranges):
        count = sum(entries for entries, _ in pieces)
        buffers = [own for _, own in pieces]
        if form is not None:
            found |= joined(json.loads(form), buffers)
        elif buffers:
            found |= buffers[0]
    return count, found


def joined(form: dict[str, Any], pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """The buffers of all pieces, which have this form; of one piece, its own."""
    if len(pieces) == 1:
        return pieces[0]
    found: dict[str, Any] = {}
    _join(form, pieces, found)
    return found


def _join(form: dict[str, Any], pieces: list[dict[str, Any]], found: dict[str, Any]) -> None:
    import numpy

    key, kind = form["form_key"], form["class"]
    contents = form["contents"] if "contents" in form else [form["content"]] if "content" in form else []
    if kind == "NumpyArray":
        found[f"{key}-data"] = _concatenated([piece[f"{key}-data"] for piece in pieces])
    elif kind == "ListOffsetArray":
        offsets = [piece[f"{key}-offsets"].astype(numpy.int64) for piece in pieces]
        begins = numpy.cumsum([0] + [own[-1] for own in offsets])
        found[f"{key}-offsets"] = _concatenated(
            [offsets[0][:1]] + [own[1:] + begin for own, begin in zip(offsets, begins)]
        )
    elif kind == "IndexedOptionArray":
        indices = [piece[f"{key}-index"] for piece in pieces]
        begins = numpy.cumsum([0] + [(own >= 0).sum() for own in indices])
        found[f"{key}-index"] = _concatenated(
            [numpy.where(own >= 0, own + begin, -1) for own, begin in zip(indices, begins)]
        )
    elif kind == "UnionArray":
        # Alternatives are options or lists.
        lengths = [[_length(content, piece) for content in contents] for piece in pieces]
        begins = numpy.cumsum([[0] * len(contents)] + lengths, axis=0)
        tags = [piece[f"{key}-tags"] for piece in pieces]
        indices = [piece[f"{key}-index"].astype(numpy.int64) for piece in pieces]
        found[f"{key}-tags"] = _concatenated(tags)
        found[f"{key}-index"] = _concatenated(
            [index + begin[tag] for index, begin, tag in zip(indices, begins, tags)]
        )
    for content in contents:
        _join(content, pieces, found)


def _length(form: dict[str, Any], piece: dict[str, Any]) -> int:
    if form["class"] == "ListOffsetArray":
        return len(piece[f"{form['form_key']}-offsets"]) - 1
    return len(piece[f"{form['form_key']}-index"])


def _concatenated(parts: list[Any]) -> Any:
    import numpy

    # Where there are no values, their type is not known.
    parts = [part for part in parts if len(part)] or parts[:1]
    return numpy.concatenate(parts)
