"""Data sets: many files with versions, which are changed here and opened by :func:`open_dataset`."""

from __future__ import annotations

import dataclasses
import datetime
import os
from collections.abc import Callable, Iterable
from typing import Any

from . import _files, _libraries, _ntuple, _rntuple, _write
from ._filter import Filter

#: The compression of files that are written, unless another one is asked for.
COMPRESSION = "zstd:1"


@dataclasses.dataclass(frozen=True)
class Version:
    """What is known of a version of a data set."""

    version: int
    #: When it was committed, as the clock of its writer said.
    created: datetime.datetime | None
    #: What made it: ``"Append"``, ``"Delete"``, ..; ``None``: that is not known.
    operation: str | None
    #: The number of rows that are not deleted.
    num_entries: int
    #: The number of groups of rows, each of which has a data file, and files with its later columns.
    fragments: int
    tags: list[str]


@dataclasses.dataclass(frozen=True)
class Cleaned:
    """What was cleaned up."""

    #: Versions that were removed, the oldest first.
    versions: list[int]
    #: Files that were removed, below the folder of the data set.
    files: list[str]
    #: Their size, in bytes.
    bytes: int


class Dataset:
    """A data set: files, versions of what belongs to them, and what may be done to all of it.

    >>> import rntuple
    >>> dataset = rntuple.Dataset.create("data2026.rnds", {"run": [1, 1, 2], "met": [20.0, 60.0, 70.0]})
    >>> dataset.append({"run": [3, 3], "met": [30.0, 80.0]})
    2
    >>> dataset.tag("paper")
    >>> dataset.delete("run == 2 or met > 75")
    3
    >>> rntuple.open_dataset("data2026.rnds")["met"].tolist()
    [20.0, 60.0, 30.0]
    >>> rntuple.open_dataset("data2026.rnds", tag="paper").num_entries
    5
    >>> [(version.version, version.operation, version.num_entries) for version in dataset.versions()]
    [(1, 'Overwrite', 3), (2, 'Append', 5), (3, 'Delete', 3)]

    ``url`` is a path or a URL. Raises ``FileNotFoundError`` if there is no data set: :meth:`create` makes a new one.

    Every change is a commit: a new version, which exists as a whole or not at all. Methods that change rows return the
    number of the newest version. If other programs commit at the same time, a change is applied to what they made. Where
    that is not possible, nothing is committed: a :class:`ConflictError` says that the change can be tried again, and
    another ``RNTupleError`` that what it was meant for is gone.

    Programs that read a data file by itself see rows that are deleted. :meth:`compact` writes files without them.
    """

    def __init__(self, url: str | os.PathLike[str]) -> None:
        self._dataset = _rntuple.Dataset(os.fspath(url))

    @classmethod
    def create(
        cls,
        url: str | os.PathLike[str],
        data: Any,
        *,
        ntuple: str | None = None,
        copy: bool = False,
        compression: str | None = None,
        cluster_size: int | None = None,
    ) -> Dataset:
        """Creates a data set where there is none, with the rows and fields of ``data``.

        ``data`` is a table or an array, as :func:`write` takes them, or existing files, as :func:`open` takes them: a path, a
        pattern or a list of these. Files stay where they are, and the data set must not lose them; with ``copy=True`` they
        are copied into it. The fields are those of the first file. If a later file does not fit, the data set has the first
        one alone.

        ``ntuple`` is the path of the ntuple in files that are written. Default: ``"Events"``. The ntuple of existing files is
        named after a colon.

        ``compression`` (default: ``"zstd:1"``) and ``cluster_size`` are those of files that are written, as in :func:`write`.

        >>> import rntuple
        >>> rntuple.write("run1.root:Events", {"met": [20.0, 60.0]})
        2
        >>> dataset = rntuple.Dataset.create("adopted.rnds", "run*.root:Events")
        >>> rntuple.open_dataset("adopted.rnds").num_entries
        2

        Raises ``FileExistsError`` if there is a data set, or ``ValueError`` for an option without an effect on ``data``.
        """
        _refuse_without_effect(data, copy, compression, cluster_size)
        place = os.fspath(url)
        self = cls.__new__(cls)
        if _are_files(data):
            if ntuple is not None:
                raise ValueError(f'the ntuple of files is named after a colon, as in "events.root:{ntuple}"')
            paths, name = _files.expand(data)
            self._dataset = _rntuple.Dataset.create_from(place, name, paths, copy)
        else:
            tables, is_in_memory = _write.streams(data)
            name = "Events" if ntuple is None else ntuple
            codec = COMPRESSION if compression is None else compression
            self._dataset = _rntuple.Dataset.create(place, name, tables, codec, is_in_memory, cluster_size)
        return self

    @property
    def url(self) -> str:
        """The URL, or the absolute path."""
        return self._dataset.url

    def __repr__(self) -> str:
        return f"<Dataset {_rntuple.without_secrets(self.url)!r}>"

    def append(
        self,
        data: Any,
        *,
        copy: bool = False,
        compression: str | None = None,
        cluster_size: int | None = None,
    ) -> int:
        """Appends the rows of a table or an array, or those of files, as :meth:`create` takes them.

        The fields and types are those of the data set. A column of a table may have nulls if it had one when the data set was
        created. Files may have more fields, which are not seen. All rows are one commit.
        """
        _refuse_without_effect(data, copy, compression, cluster_size)
        if not _are_files(data):
            tables, _ = _write.streams(data)
            codec = COMPRESSION if compression is None else compression
            return self._dataset.append(tables, codec, cluster_size)
        paths, name = _files.listed(data)
        if name is not None and name != self._dataset.ntuple():
            raise ValueError(f"the ntuple of the data set is {self._dataset.ntuple()!r}, not {name!r}")
        return self._dataset.append_files(paths, copy)

    def delete(self, predicate: str) -> int:
        """Deletes the rows for which a predicate is true: ``"run == 42 and met > 50"``.

        Files stay as they are. If no row matches, there is no new version.
        """
        return self._dataset.delete(predicate)

    def add_columns(
        self,
        function: Callable[[Any], Any],
        expressions: str | Iterable[str] | None = None,
        *,
        filter_name: Filter = None,
        filter_typename: Filter = None,
        step_size: int | str = "100 MB",
        library: str = "ak",
        replace: bool = False,
        compression: str = "zstd:1",
    ) -> int:
        """Adds columns that ``function`` computes from those that exist, in files next to the data files, which stay as they
        are.

        ``function`` gets the fields that are chosen, as :meth:`NTuple.iterate` chooses and gives them, for some rows that
        follow each other. It returns as many rows of new columns, in the same order: a dict of arrays, or another table that
        :func:`write` takes. Rows that are deleted are among them, as the files have them. A range of rows ends where a
        cluster of a file ends, or before, so that there is one of them in memory, and the new columns of one cluster.

        >>> import rntuple
        >>> dataset = rntuple.Dataset.create("calibrated.rnds", {"run": [1, 1, 2], "raw": [20.0, 60.0, 70.0]})
        >>> dataset.add_columns(lambda rows: {"energy": 1.5 * rows.raw, "tags": [["new"]] * len(rows)}, ["raw"])
        2
        >>> rntuple.open_dataset("calibrated.rnds")["energy"].tolist()
        [30.0, 90.0, 105.0]
        >>> dataset.drop_columns("raw")
        3

        The types are those of the first rows. Columns of Arrow are of options if their type may have nulls, whether it has
        some or not. Fields of the same names are an error; with ``replace=True`` the new ones take their places.

        All rows are one commit. If ``function`` raises, or returns more or fewer rows, nothing is committed. If other
        programs append or delete rows meanwhile, a :class:`ConflictError` says that it can be done again.
        """
        rows = _ntuple.NTuple(self._dataset.all_rows(), [self.url], {})
        fields = rows._chosen(expressions, filter_name, filter_typename)
        if fields == ():
            raise ValueError("no field is chosen")
        step = _ntuple._steps(step_size, rows._source(fields).entry_length())

        def compute(start: int, stop: int) -> Any:
            return _write._stream(function(_libraries.convert(rows, fields, start, stop, library, False)))

        return self._dataset.add_columns(rows._all, compute, step, replace, compression)

    def drop_columns(self, *paths: str) -> int:
        """Removes columns: fields, or members of records (``"muons.charge"``). Files stay as they are."""
        return self._dataset.drop_columns(list(paths))

    def rename_column(self, path: str, name: str) -> int:
        """Gives a field, or a member of a record, another name: ``rename_column("muons.pt", "momentum")``."""
        return self._dataset.rename_column(path, name)

    def versions(self) -> list[Version]:
        """What is known of all versions, the oldest first."""
        return [Version(*version) for version in self._dataset.versions()]

    def tags(self) -> dict[str, int]:
        """The tags, and the version that each names."""
        return dict(self._dataset.tags())

    def tag(self, name: str, version: int | None = None, *, move: bool = False) -> None:
        """Names a version, the newest one without a number. Versions that have a name are not cleaned up.

        Raises ``ValueError`` if the name is in use, unless it is to ``move`` from the version that has it.
        """
        self._dataset.tag(name, version, move)

    def untag(self, name: str) -> None:
        """Removes a tag; the version stays until it is cleaned up."""
        self._dataset.untag(name)

    def restore(self, version: int | str) -> int:
        """Makes an old version, by its number or a tag, the newest one. What came after it stays readable."""
        if isinstance(version, str):
            return self._dataset.restore(tag=version)
        return self._dataset.restore(version)

    def compact(self, *, target_size: int | str = "1 GiB", deleted: float = 0.1) -> int:
        """Writes small files together, and files without rows that are deleted.

        New files have about ``target_size`` bytes. A file is written again, whatever its size, if ``deleted`` of its rows or
        more are deleted. Rows of new files come after those of files that stay as they are.
        """
        return self._dataset.compact(_ntuple._bytes(target_size, "target_size"), deleted)

    def cleanup(
        self,
        older_than: datetime.timedelta,
        *,
        unreferenced_after: datetime.timedelta = datetime.timedelta(days=7),
        dry_run: bool = False,
    ) -> Cleaned:
        """Removes versions that were made over ``older_than`` ago, and files that no version needs.

        The newest version and those that have tags stay. Files that no version names are kept for ``unreferenced_after``: a
        program may be writing them. If it takes longer until it commits, its files may be removed, and its commit is refused.
        Files outside of the folder of the data set are never removed. With ``dry_run=True`` nothing is removed, and the
        result is what would be.
        """
        return Cleaned(*self._dataset.cleanup(older_than, unreferenced_after, dry_run))


def _refuse_without_effect(data: Any, copy: bool, compression: str | None, cluster_size: int | None) -> None:
    if not _are_files(data):
        if copy:
            raise ValueError("copy is for files: a table is written to the data set in any case")
    elif compression is not None or cluster_size is not None:
        raise ValueError("compression and cluster_size are for tables: files stay or are copied as they are")


def _are_files(data: Any) -> bool:
    paths = data if isinstance(data, (list, tuple)) else [data]
    return all(isinstance(path, (str, os.PathLike)) for path in paths)
