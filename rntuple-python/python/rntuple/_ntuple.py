"""Ntuples that are read."""

from __future__ import annotations

import dataclasses
import datetime
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from . import _files, _libraries, _rntuple
from ._filter import Filter, test, test_path
from ._libraries import BATCH


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of an ntuple."""

    path: str
    typename: str
    description: str
    #: Another name of values that are there under their own.
    is_view: bool
    #: Whether it is a record, or a collection of records.
    has_parts: bool


def open(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    threads: int | None = None,
    memory_budget: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_size: int | str = "20 GB",
) -> NTuple:
    """Opens the ntuple of a file, or of many files that follow each other.

    ``files`` is a path, a pattern (``"run*.root"``) or a list of these. The ntuple is named after a colon, as in
    ``"events.root:Events"``; without a name it is the only one of the first file.

    A path may be a URL: ``root://host//data/run*.root``, ``https://``, ``s3://``, ``gs://`` or ``az://``. What is read from
    there is kept in the folder ``cache``, if one is given, up to ``cache_size``: the next time it is read from there.

    ``threads`` decompress (default: as many as there are processors), within ``memory_budget`` bytes.

    Raises ``FileNotFoundError``, ``PermissionError``, ``TimeoutError`` or another ``OSError``, or ``RNTupleError`` for a file
    that is damaged or has no such ntuple.
    """
    paths, ntuple = _files.expand(files)
    options = _options(threads, memory_budget, cache, cache_size)
    return NTuple(_rntuple.Source(paths, ntuple, **options), paths, options)


def open_dataset(
    url: str | os.PathLike[str],
    *,
    version: int | None = None,
    tag: str | None = None,
    at: datetime.datetime | None = None,
    threads: int | None = None,
    memory_budget: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_size: int | str = "20 GB",
) -> NTuple:
    """Opens a version of a data set: the newest one, or that of a number, of a ``tag``, or of a time (``at``).

    >>> import rntuple
    >>> dataset = rntuple.Dataset.create("opened.rnds", {"run": [1, 1, 2], "met": [20.0, 60.0, 70.0]})
    >>> dataset.delete("run == 2")
    2
    >>> rntuple.open_dataset("opened.rnds")["met"].tolist()
    [20.0, 60.0]
    >>> rntuple.open_dataset("opened.rnds", version=1).num_entries
    3

    The entries are the rows that are not deleted, counted from 0, with all columns of the version. They stay as they are,
    whatever is committed later. A time without a zone is a local one.

    ``url`` is a path or a URL, and the other options are those of :func:`open`. :class:`Dataset` changes data sets.

    Raises ``FileNotFoundError`` if there is no data set, or ``RNTupleError`` if it has no such version.
    """
    if sum(choice is not None for choice in (version, tag, at)) > 1:
        raise ValueError("a version is chosen by its number, by a tag or by a time: give one of them")
    place = os.fspath(url)
    options = _options(threads, memory_budget, cache, cache_size)
    time = None if at is None else at.astimezone(datetime.timezone.utc)
    return NTuple(_rntuple.Source.of_dataset(place, version, tag, time, **options), [place], options)


def _options(
    threads: int | None, memory_budget: int | None, cache: str | os.PathLike[str] | None, cache_size: int | str
) -> dict[str, Any]:
    options: dict[str, Any] = {"threads": threads, "memory_budget": memory_budget}
    if cache is not None:
        options |= {"cache": os.path.abspath(os.path.expanduser(cache)), "cache_size": _bytes(cache_size, "cache_size")}
    return options


class NTuple:
    """An ntuple of one file or of many, or a version of a data set: what :func:`open` and :func:`open_dataset` return."""

    def __init__(self, source: _rntuple.Source, files: list[str], options: Mapping[str, Any]) -> None:
        #: Where it is: files, or the data set.
        self._files = files
        #: How it was opened.
        self._options = options
        self._ntuple = source.ntuple
        self._all = source
        self._sources: dict[tuple[str, ...] | None, _rntuple.Source] = {None: self._all}
        self._fields = [Field(*field) for field in self._all.fields()]

    def _source(self, fields: tuple[str, ...] | None) -> _rntuple.Source:
        if fields not in self._sources:
            self._sources[fields] = self._all.with_fields(None if fields is None else list(fields))
        return self._sources[fields]

    @property
    def name(self) -> str:
        """The path of the ntuple in its file."""
        return self._ntuple

    @property
    def files(self) -> list[str]:
        """The files, in their order."""
        return list(self._files) if self.version is None else self._all.files

    @property
    def version(self) -> int | None:
        """The number of the version of a data set; ``None`` for files."""
        return self._all.version

    @property
    def num_entries(self) -> int:
        """The number of entries in all files, without rows that are deleted."""
        return self._all.num_entries

    def __len__(self) -> int:
        return self.num_entries

    def __repr__(self) -> str:
        more = f" and {len(self._files) - 1} more" if len(self._files) > 1 else ""
        if self.version is not None:
            more = f", version {self.version}"
        return f"<NTuple {self._ntuple!r} of {self._shown()!r}{more}: {self.num_entries} entries>"

    def _shown(self) -> str:
        """What messages call the first file."""
        return _rntuple.without_secrets(self._files[0])

    def fields(self) -> list[Field]:
        """All fields, those in records and collections too."""
        return list(self._fields)

    def keys(
        self,
        *,
        filter_name: Filter = None,
        filter_typename: Filter = None,
        recursive: bool = True,
    ) -> list[str]:
        """The paths of the fields: ``muons``, ``muons.pt``.

        ``filter_name`` and ``filter_typename`` are a name, a pattern (``"Muon_*"``), a regular expression for the beginning of
        a name (``"/Muon_(pt|eta)/"``), a function or a list of these. The text of a ``filter_name`` may be about a path or about
        its last name: ``"pt"`` finds ``muons.pt``. A function is called with the path, and a compiled expression is searched
        for in all of it.
        """
        by_name, by_type = test_path(filter_name), test(filter_typename)
        return [
            field.path
            for field in self._fields
            if (recursive or "." not in field.path) and by_name(field.path) and by_type(field.typename)
        ]

    def typenames(self, *, filter_name: Filter = None) -> dict[str, str]:
        """The types of the fields in C++, by their paths."""
        keep = test_path(filter_name)
        return {field.path: field.typename for field in self._fields if keep(field.path)}

    def __contains__(self, path: object) -> bool:
        return any(field.path == path for field in self._fields)

    def show(self, *, filter_name: Filter = None, stream: Any = None) -> None:
        """Prints the fields with their types and descriptions."""
        keep = test_path(filter_name)
        rows = [("name", "typename", "description")]
        chosen = [(f.path, f.typename, f.description) for f in self._fields if keep(f.path)]
        rows += [(_printable(name), _printable(kind), _printable(text)) for name, kind, text in chosen]
        wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
        lines = [f"{name:{wide[0]}} | {kind:{wide[1]}} | {text}".rstrip() for name, kind, text in rows]
        lines.insert(1, f"{'-' * wide[0]}-+-{'-' * wide[1]}-+-{'-' * 11}")
        print("\n".join(lines), file=stream)

    @property
    def schema(self) -> Any:
        """The schema of Arrow: an object with ``__arrow_c_schema__``, or one of pyarrow where that is installed."""
        return _libraries.arrow_schema(self._all.stream([], BATCH))

    def _chosen(
        self, expressions: str | Iterable[str] | None, filter_name: Filter, filter_typename: Filter
    ) -> tuple[str, ...] | None:
        """The paths to read; ``None``: all."""
        if expressions is not None:
            wanted = [expressions] if isinstance(expressions, str) else list(expressions)
            known = {field.path for field in self._fields}
            for path in wanted:
                if path not in known:
                    raise KeyError(f"no field {path!r} in {self._ntuple!r} of {self._shown()}{_near(path, known)}")
        elif filter_name is None and filter_typename is None:
            return None
        else:
            by_name, by_type = test_path(filter_name), test(filter_typename)
            wanted = [f.path for f in self._fields if by_name(f.path) and by_type(f.typename)]
        # What is above another one has it already.
        kept = [path for path in wanted if not any(path.startswith(above + ".") for above in wanted)]
        return tuple(dict.fromkeys(kept))

    def _range(self, start: int | None, stop: int | None) -> tuple[int, int]:
        return slice(start, stop).indices(self.num_entries)[:2]

    def arrays(
        self,
        expressions: str | Iterable[str] | None = None,
        *,
        filter_name: Filter = None,
        filter_typename: Filter = None,
        entry_start: int | None = None,
        entry_stop: int | None = None,
        library: str = "ak",
        lazy: bool = False,
    ) -> Any:
        """Reads fields of all entries, or of a range of them.

        ``library``: ``"ak"`` (an awkward array of records), ``"np"`` (a dict of arrays), ``"pd"`` and ``"pl"`` (a data
        frame), ``"arrow"`` (a table of pyarrow). With ``lazy=True`` an awkward array reads each field when it is needed.
        """
        fields = self._chosen(expressions, filter_name, filter_typename)
        start, stop = self._range(entry_start, entry_stop)
        if fields == ():
            raise ValueError("no field is chosen")
        return _libraries.convert(self, fields, start, max(start, stop), library, lazy)

    def __getitem__(self, path: str) -> Any:
        """One field as an awkward array: ``events["muons.pt"]``."""
        array = self.arrays([path])
        for name in path.split("."):
            # What is ``_1`` in the file is the member "1" of a tuple.
            array = array[name[1:] if array.is_tuple else name]
        return array

    def iterate(
        self,
        expressions: str | Iterable[str] | None = None,
        *,
        filter_name: Filter = None,
        filter_typename: Filter = None,
        entry_start: int | None = None,
        entry_stop: int | None = None,
        step_size: int | str = "100 MB",
        library: str = "ak",
    ) -> Iterator[Any]:
        """Reads one range of entries after the other, each as :meth:`arrays` does.

        ``step_size`` is how many entries it has, or how many bytes they take in memory (``"100 MB"``).
        """
        fields = self._chosen(expressions, filter_name, filter_typename)
        start, stop = self._range(entry_start, entry_stop)
        step = _steps(step_size, self._source(fields).entry_length())
        for first in range(start, stop, step):
            yield _libraries.convert(self, fields, first, min(first + step, stop), library, False)

    def to_arrow(self, expressions: str | Iterable[str] | None = None, *, batch_size: int = BATCH) -> Any:
        """A stream of Arrow, which can be taken once: an object with ``__arrow_c_stream__``, which is not an iterator."""
        source = self._source(self._chosen(expressions, None, None))
        return source.stream([(0, self.num_entries)], batch_size)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self._all.stream([], BATCH).__arrow_c_schema__()

    def batches(
        self, batch_size: int = 1024, expressions: str | Iterable[str] | None = None, **options: Any
    ) -> Any:
        """Batches of entries for training: see :func:`rntuple.batches`."""
        from ._training import batches

        return batches(self, batch_size, expressions, **options)

    def _fingerprint(self) -> str:
        import hashlib

        return hashlib.sha256(self._all.fingerprint()).hexdigest()

    def parts(
        self, count: int, expressions: str | Iterable[str] | None = None, *, filter_name: Filter = None
    ) -> list[Part]:
        """About ``count`` parts that make up all entries, to be read elsewhere: they can be pickled.

        A part is opened with the options of this ntuple. Its ``threads`` are those of each process, and its ``cache`` is the
        folder of that name on the machine that reads it.
        """
        fields = self._chosen(expressions, filter_name, None)
        fingerprint = self._fingerprint()
        files = tuple(file if _files.is_url(file) else os.path.abspath(file) for file in self._files)
        return [
            Part(files, self._ntuple, fields, start, stop, fingerprint, self.version, tuple(self._options.items()))
            for start, stop in self._all.partitions(count)
        ]


@dataclasses.dataclass(frozen=True)
class Part:
    """A range of entries of an ntuple, which can be pickled and read elsewhere.

    One of a data set reads the rows of its version, whatever is committed later.
    """

    #: The files, or the data set.
    files: tuple[str, ...]
    ntuple: str
    #: Paths of fields; ``None``: all.
    fields: tuple[str, ...] | None
    start: int
    stop: int
    #: What the files were like.
    fingerprint: str
    #: The version of the data set.
    version: int | None = None
    #: The options of :func:`open` with which these are opened, by their names.
    options: tuple[tuple[str, Any], ...] = ()

    def _open(self) -> NTuple:
        files, options = list(self.files), dict(self.options)
        if self.version is None:
            source = _rntuple.Source(files, self.ntuple, **options)
        else:
            source = _rntuple.Source.of_dataset(files[0], self.version, **options)
        ntuple = NTuple(source, files, options)
        if ntuple._fingerprint() != self.fingerprint:
            what = "file" if self.version is None else "data set"
            raise _rntuple.RNTupleError(f"{ntuple._shown()} is not the {what} that it was when its parts were made")
        return ntuple

    def __repr__(self) -> str:
        shown = _rntuple.without_secrets(self.files[0])
        return f"<Part of {self.ntuple!r} of {shown!r}: entries {self.start} to {self.stop}>"

    def arrays(self, *, library: str = "ak") -> Any:
        """The entries, as :meth:`NTuple.arrays` gives them."""
        ntuple = self._open()
        return _libraries.convert(ntuple, self.fields, self.start, self.stop, library, False)

    def typetracer(self) -> Any:
        """An array of awkward that has their type and no values: what dask-awkward calls ``meta``."""
        return _libraries.typetracer(self._open()._source(self.fields))

    def to_arrow(self, *, batch_size: int = BATCH) -> Any:
        """The entries as a stream of Arrow."""
        return self._open()._source(self.fields).stream([(self.start, self.stop)], batch_size)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return self.stop - self.start


def iterate(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    expressions: str | Iterable[str] | None = None,
    **options: Any,
) -> Iterator[Any]:
    """Opens files and reads one range of entries after the other: see :meth:`NTuple.iterate`."""
    return open(files).iterate(expressions, **options)


_UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "ki": 1024, "mi": 1024**2, "gi": 1024**3}


def _steps(step_size: int | str, entry_length: float) -> int:
    if isinstance(step_size, int):
        if step_size < 1:
            raise ValueError("step_size must be at least 1")
        return step_size
    return max(1, int(_bytes(step_size, "step_size") / max(entry_length, 1e-9)))


def _bytes(size: int | str, what: str) -> int:
    if isinstance(size, int):
        return size
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kmg]i?|)b\s*", size, re.IGNORECASE)
    if not found:
        raise ValueError(f'{what} is a number of bytes such as "100 MB", not {size!r}')
    return int(float(found[1]) * _UNITS[found[2].lower()])


#: What ends a line, moves the cursor of a terminal, or turns the direction of the text around it.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def _printable(text: str) -> str:
    """The text with unsafe characters spelled out: it comes from a file, and files come from strangers."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _near(path: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(path, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""

