"""Which files, and which ntuple in them: ``"run*.root:Events"``."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable

from . import _rntuple


def split(file: str | os.PathLike[str]) -> tuple[str, str | None]:
    """The path of the file, and that of the ntuple, which is after the last colon: not one of ``C:\\`` or ``host:1094``.

    A URL may have a query after it: ``https://host/a.root:Events?token=x``.
    """
    text = os.fspath(file)
    if is_url(text):
        rest = text.partition(":")[2]
        host = rest.removeprefix("//")
        start = text.find("/", len(text) - len(host))
        end = _query(text)
        path, colon, ntuple = text[start:end].rpartition(":")
        return (text[:start] + path + text[end:], ntuple) if start > 0 and colon else (text, None)
    path, colon, ntuple = text.rpartition(":")
    is_part = colon and path and not ntuple.startswith(("/", "\\")) and len(path) > 1
    # A file may have a colon in its name.
    if is_part and not os.path.exists(text):
        return path, ntuple
    return text, None


def is_url(path: str) -> bool:
    """Whether the path is a URL: ``root://``, ``https://``, ``s3://``, .., ``file:/``."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://|file:/", path, re.IGNORECASE) is not None


def _query(url: str) -> int:
    """Where the query of a URL begins; its end if it has none, or if question marks are wildcards."""
    if not re.match(r"(x?roots?|https?)://", url, re.IGNORECASE):
        return len(url)
    named = re.search(r"\?[\w.~%-]+=", url, re.ASCII)
    found = named.start() if named else -1 if _rntuple.is_url_pattern(url) else url.find("?")
    return len(url) if found < 0 else found


def expand(files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> tuple[list[str], str]:
    """The paths of all files, and that of the ntuple: the one that is named, or the only one of the first file."""
    paths, name = listed(files)
    if name is not None:
        return paths, name
    found = _rntuple.ntuples(paths[0])
    if len(found) != 1:
        shown = _rntuple.without_secrets(paths[0])
        if not found:
            raise ValueError(f"{shown} has no ntuples")
        example = f"{shown}:{found[0]}"
        raise ValueError(f"{shown} has {len(found)} ntuples ({', '.join(found)}): name one, as in {example!r}")
    return paths, found[0]


def listed(files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> tuple[list[str], str | None]:
    """The paths of all files, and that of the ntuple if it is named."""
    given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    if not given:
        raise ValueError("no file is given")
    paths: list[str] = []
    names: set[str] = set()
    for file in given:
        path, name = split(file)
        if name is not None:
            names.add(name)
        if is_url(path):
            paths.extend(_rntuple.find_files(path) if _rntuple.is_url_pattern(path) else [path])
        elif glob.has_magic(path) and not os.path.exists(path):
            found = sorted(glob.glob(path, recursive=True))
            if not found:
                raise FileNotFoundError(f"no file matches {path!r}")
            paths.extend(found)
        elif os.path.isdir(os.path.join(path, "_versions")):
            raise ValueError(f"{path} is a data set, which open_dataset opens")
        else:
            paths.append(path)
    if len(names) > 1:
        raise ValueError(f"several ntuples are named: {', '.join(sorted(names))}")
    return paths, names.pop() if names else None
