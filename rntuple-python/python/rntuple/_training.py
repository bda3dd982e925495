"""Entries in batches, for training."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _libraries, _ntuple, _rntuple
from ._filter import Filter

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Files = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def batches(
    data: _ntuple.NTuple | Files | Mapping[Any, _ntuple.NTuple | Files],
    batch_size: int = 1024,
    expressions: str | Iterable[str] | None = None,
    *,
    filter_name: Filter = None,
    filter_typename: Filter = None,
    shuffle: bool = True,
    seed: int = 0,
    epoch: int = 0,
    split: tuple[float, float] | None = None,
    weights: Mapping[Any, float] | None = None,
    label: str = "label",
    buffer: int | str = "100 MB",
    library: str | Callable[[Any], Any] = "np",
    drop_last: bool = False,
) -> Batches:
    """Batches of entries for training, in an order that looks random and is the same for the same seed.

    Blocks of neighbouring entries are shuffled, as many of them are read as fit into ``buffer`` (a number of entries, or of
    bytes such as ``"100 MB"``), and their entries are shuffled again. Each iteration over what this returns is another
    epoch, from number ``epoch`` on. With ``shuffle=False`` entries come in their own order.

    ``split=(0.0, 0.8)`` limits it to a part of the entries, ``(0.8, 1.0)`` to the others, whatever the seed is.

    ``data`` is an ntuple, or files as :func:`open` takes them. If it is a dict of these, each of them is a class: a batch
    has entries of all of them, and their numbers from 0 on as ``label``. Classes are mixed by their numbers of entries, or
    by ``weights``: those that have too few entries for their weight come again, newly shuffled, until the others have all
    come once.

    ``library``: ``"np"`` (a dict of arrays), ``"ak"``, or a function that is called with each array, such as
    ``torch.from_dlpack``, to which times are integers. ``drop_last`` leaves out the last batch if it is shorter than the others.
    """
    if batch_size < 1:
        raise ValueError("batch_size must be at least 1")
    if library not in ("np", "ak") and not callable(library):
        raise ValueError(f"library is 'np', 'ak' or a function, not {library!r}")
    by_class = dict(data) if isinstance(data, Mapping) else {None: data}
    if not by_class:
        raise ValueError("there are no classes")
    classes = []
    for item in by_class.values():
        ntuple = item if isinstance(item, _ntuple.NTuple) else _ntuple.open(item)
        fields = ntuple._chosen(expressions, filter_name, filter_typename)
        if fields == ():
            raise ValueError("no field is chosen")
        classes.append(_Class(ntuple._source(fields), seed, split or (0.0, 1.0), buffer, shuffle))
    if isinstance(data, Mapping) and len({tuple(each.names) for each in classes}) > 1:
        raise ValueError("the classes have different fields: choose those that they share")
    if isinstance(data, Mapping) and label in classes[0].names:
        raise ValueError(f"there is a field {label!r}: choose another name for the label")
    if weights is not None and set(weights) != set(by_class):
        raise ValueError("weights are a dict with the classes of the data")
    shares = [each.count for each in classes] if weights is None else [weights[name] for name in by_class]
    return Batches(
        classes,
        shares,
        batch_size=batch_size,
        seed=seed,
        epoch=epoch,
        shuffle=shuffle,
        label=label if isinstance(data, Mapping) else None,
        library=library,
        drop_last=drop_last,
    )


class Batches:
    """What :func:`batches` returns: each iteration is another epoch."""

    #: The number of the next epoch.
    epoch: int

    def __init__(
        self,
        classes: list[_Class],
        shares: Iterable[float],
        *,
        batch_size: int,
        seed: int,
        epoch: int,
        shuffle: bool,
        label: str | None,
        library: str | Callable[[Any], Any],
        drop_last: bool,
    ) -> None:
        from fractions import Fraction

        exact = [Fraction(share) for share in shares]
        if any(share < 0 for share in exact):
            raise ValueError("weights must not be negative")
        # Classes without entries are in no batch.
        exact = [share if each.count else Fraction(0) for share, each in zip(exact, classes)]
        total = sum(exact)
        self._ends = [sum(exact[: i + 1], Fraction(0)) / total if total else Fraction(0) for i in range(len(exact))]
        longest = (each.count * total / share for each, share in zip(classes, exact) if share)
        #: The number of entries of an epoch.
        self.num_entries = int(max(longest, default=0))
        self._classes = classes
        self._batch_size = batch_size
        self._seed = seed
        self._shuffle = shuffle
        self._label = label
        self._library = library
        self._drop_last = drop_last
        self.epoch = epoch

    def __len__(self) -> int:
        """The number of batches of an epoch."""
        whole, rest = divmod(self.num_entries, self._batch_size)
        return whole + (1 if rest and not self._drop_last else 0)

    def __iter__(self) -> Iterator[Any]:
        epoch = self.epoch
        self.epoch += 1
        return self._batches(epoch)

    def _batches(self, epoch: int) -> Iterator[Any]:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as executor:
            streams = [_Stream(each, epoch, executor) for each in self._classes]
            for number in range(len(self)):
                start = number * self._batch_size
                stop = min(start + self._batch_size, self.num_entries)
                counts = self._counts(start, stop)
                parts = [stream.take(count) for stream, count in zip(streams, counts) if count]
                rows = parts[0] if len(parts) == 1 else _Rows.join(parts)
                labels = [index for index, count in enumerate(counts) for _ in range(count)]
                if self._shuffle and len(streams) > 1:
                    order = _order(stop - start, self._seed, (epoch << 32) + number)
                    rows = rows.take(order)
                    labels = [labels[position] for position in order]
                yield self._convert(rows, labels)

    def _counts(self, start: int, stop: int) -> list[int]:
        """How many entries of each class are in a batch, so that all batches up to there have their shares."""
        before, after = ([0] + [int(end * at) for end in self._ends] for at in (start, stop))
        return [after[i + 1] - after[i] - (before[i + 1] - before[i]) for i in range(len(self._ends))]

    def _convert(self, rows: _Rows, labels: list[int]) -> Any:
        import numpy

        extra = {} if self._label is None else {self._label: numpy.array(labels, dtype=numpy.int64)}
        if self._library == "ak":
            array = rows.awkward()
            for name, values in extra.items():
                array[name] = values
            return array
        found = {**rows.numpy(), **extra}
        if callable(self._library):
            return {name: self._library(_numbers(values)) for name, values in found.items()}
        return found


def _numbers(values: Any) -> Any:
    """Times as the integers that they are: other libraries have no times in their arrays."""
    return values.view("int64") if values.dtype.kind in "mM" else values


def _order(count: int, seed: int, number: int) -> Any:
    """The numbers to ``count`` in a random order."""
    _, order = next(_rntuple.Windows(count, seed, number, count, (0.0, 1.0)))
    return order


class _Class:
    """Entries that have the same label."""

    def __init__(
        self, source: Any, seed: int, split: tuple[float, float], buffer: int | str, shuffle: bool
    ) -> None:
        self.source = source
        self.names = source.names
        self.count = _rntuple.Windows.entries_of(source.num_entries, split)
        self._seed = seed if shuffle else None
        self._split = split
        self._buffer = _ntuple._steps(buffer, source.entry_length())
    def windows(self, number: int) -> Iterator[tuple[list[tuple[int, int]], Any]]:
        return _rntuple.Windows(self.source.num_entries, self._seed, number, self._buffer, self._split)

    def read(self, window: tuple[list[tuple[int, int]], Any]) -> _Rows:
        ranges, order = window
        found = _libraries.flat(self.source, ranges)
        rows = _Rows(_libraries.awkward_of(self.source, ranges) if found is None else found)
        return rows if self._seed is None else rows.take(order)


class _Stream:
    """The entries of a class, pass after pass; the next of them are read while the last ones are used."""

    def __init__(self, of: _Class, epoch: int, executor: ThreadPoolExecutor) -> None:
        self._of = of
        self._epoch = epoch
        self._again = 0
        self._executor = executor
        self._windows = of.windows(epoch)
        self._rows: list[_Rows] = []
        self._next = self._ask() if of.count else None

    def _ask(self) -> Future[_Rows] | None:
        """The next entries of this pass."""
        window = next(self._windows, None)
        return None if window is None else self._executor.submit(self._of.read, window)

    def take(self, count: int) -> _Rows:
        while sum(map(len, self._rows)) < count:
            if self._next is None:
                # Another pass, which few epochs need, is not begun before.
                self._again += 1
                self._windows = self._of.windows(self._epoch + (self._again << 32))
                self._next = self._ask()
            assert self._next is not None
            self._rows.append(self._next.result())
            self._next = self._ask()
        taken = []
        while count:
            rows = self._rows[0]
            taken.append(rows.cut(0, count))
            count -= len(taken[-1])
            if len(taken[-1]) == len(rows):
                self._rows.pop(0)
            else:
                self._rows[0] = rows.cut(len(taken[-1]), len(rows))
        return taken[0] if len(taken) == 1 else _Rows.join(taken)


class _Rows:
    """Entries: a dict of arrays of numpy if their fields are numbers, or else an array of awkward."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(next(iter(self._data.values()))) if isinstance(self._data, dict) else len(self._data)

    def take(self, order: Any) -> _Rows:
        if isinstance(self._data, dict):
            return _Rows({name: values[order] for name, values in self._data.items()})
        return _Rows(self._data[order])

    def cut(self, start: int, stop: int) -> _Rows:
        if isinstance(self._data, dict):
            return _Rows({name: values[start:stop] for name, values in self._data.items()})
        return _Rows(self._data[start:stop])

    @staticmethod
    def join(parts: list[_Rows]) -> _Rows:
        if isinstance(parts[0]._data, dict):
            import numpy

            names = parts[0]._data
            return _Rows({name: numpy.concatenate([part._data[name] for part in parts]) for name in names})
        import awkward

        return _Rows(awkward.concatenate([part._data for part in parts]))

    def numpy(self) -> dict[str, Any]:
        # A part of what was read must not keep all of it.
        if isinstance(self._data, dict):
            return {name: values.copy() for name, values in self._data.items()}
        return _libraries.numpy_of(self._data)

    def awkward(self) -> Any:
        import awkward

        return awkward.Array(self.numpy()) if isinstance(self._data, dict) else self._data
