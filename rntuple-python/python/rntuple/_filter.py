"""Which fields: names, patterns, regular expressions, functions."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable
from typing import Union

Filter = Union[None, str, "re.Pattern[str]", Callable[[str], bool], Iterable["Filter"]]

_FLAGS = {
    "i": re.IGNORECASE,
    # Of a text, `re` refuses it, as it does for uproot.
    "L": re.LOCALE,
    "m": re.MULTILINE,
    "s": re.DOTALL,
    "u": re.UNICODE,
    "x": re.VERBOSE,
}


def test_path(filter: Filter) -> Callable[[str], bool]:
    """The function of :func:`test` for paths. As in uproot, a text is about the last name of a path, about all of it, or
    about all of it after a dot. A function or a compiled expression gets the path alone: one that excludes ``muons.pt`` need
    not exclude ``pt``."""
    if isinstance(filter, str):
        wanted = test(filter)
        return lambda path: any(wanted(name) for name in (path.rpartition(".")[2], path, f".{path}"))
    if filter is None or isinstance(filter, re.Pattern) or callable(filter):
        return test(filter)
    tests = [test_path(one) for one in filter]
    return lambda path: any(one(path) for one in tests)


def test(filter: Filter) -> Callable[[str], bool]:
    """A function that says whether a name is wanted: as in uproot, ``"/regex/i"`` is a regular expression for the beginning of
    a name. One that is compiled is for any place in it."""
    if filter is None:
        return lambda name: True
    if isinstance(filter, re.Pattern):
        return lambda name: filter.search(name) is not None
    if isinstance(filter, str):
        expression = re.fullmatch(r"/(.*)/([iLmsux]*)", filter, re.DOTALL)
        if expression:
            flags = 0
            for flag in expression[2]:
                flags |= _FLAGS[flag]
            compiled = re.compile(expression[1], flags)
            return lambda name: compiled.match(name) is not None
        if any(character in filter for character in "*?["):
            return lambda name: fnmatch.fnmatchcase(name, filter)
        return lambda name: name == filter
    if callable(filter):
        return filter
    tests = [test(one) for one in filter]
    return lambda name: any(one(name) for one in tests)
