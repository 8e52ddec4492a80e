"""Finds for each result of one side the result of the other side that it is compared with.

Pairs are, in this order: the same place and args; the same args elsewhere (rows have moved), those
of equal args in the order of the files; the same place with other args (somebody has changed them).
Of a result some fifty bytes are kept, whatever its answers are: a million pairs fit in 300 MB.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lve.comparison.side import Row

MISSING = 3
"""In place of a verdict: this side has no such result."""
NOWHERE = -1
TestAndModel = tuple[str, str]


class Pair(NamedTuple):
    """Two results that are compared; one of them may be missing."""

    group: int
    """Index of its test and model in `Pairing.groups`."""
    instance: int
    """Equal for the repeats of an instance; 0 where there are none, or nothing to compare."""
    before: int
    """Verdict, as in `Row`, or `MISSING`."""
    now: int
    before_at: int
    """Where its side has the result; `NOWHERE`."""
    now_at: int
    is_advisory: bool


@dataclass(slots=True)
class _Rows:
    """Many results, in columns."""

    group: array[int] = field(default_factory=lambda: array("l"))
    place: array[int] = field(default_factory=lambda: array("q"))
    """Hash of source and line."""
    args: array[int] = field(default_factory=lambda: array("q"))
    repeat: array[int] = field(default_factory=lambda: array("q"))
    where: array[int] = field(default_factory=lambda: array("q"))
    verdict: bytearray = field(default_factory=bytearray)
    advisory: bytearray = field(default_factory=bytearray)
    known: dict[int, int] = field(default_factory=dict)
    """Key of a result -> its index."""

    def put(
        self,
        key: int,
        found: tuple[int, int, int, int],
        verdict: int,
        where: int,
        is_advisory: bool,
    ) -> None:
        """Add a result, or put it in the place of an earlier one with its key.

        Args:
            key: hash of what identifies it.
            found: group, place, args and repeat.
            verdict: as in `Row`.
            where: as in `Row`.
            is_advisory: as in `Row`.
        """
        index = self.known.setdefault(key, len(self.verdict))
        if index < len(self.verdict):
            self.where[index] = where
            self.verdict[index] = verdict
            self.advisory[index] = is_advisory
            return
        group, place, args, repeat = found
        self.group.append(group)
        self.place.append(place)
        self.args.append(args)
        self.repeat.append(repeat)
        self.where.append(where)
        self.verdict.append(verdict)
        self.advisory.append(is_advisory)

    def forget_keys(self) -> None:
        """Free the memory of the keys. Nothing can be put after that."""
        self.known = {}

    def instance(self, index: int) -> int:
        """Return what the repeats of an instance have in common."""
        return hash((self.group[index], self.place[index], self.args[index]))

    def same_args(self, index: int) -> tuple[int, int, int]:
        """Return what results with the same args have in common."""
        return self.group[index], self.args[index], self.repeat[index]

    def same_place(self, index: int) -> tuple[int, int, int]:
        """Return what results at the same place have in common."""
        return self.group[index], self.place[index], self.repeat[index]


class Pairing:
    """All pairs of two sides, and what is left over."""

    def __init__(
        self, before: Iterable[Row], now: Iterable[Row], models: Mapping[str, str]
    ) -> None:
        """Pair the results of two sides.

        Args:
            before: results of one side.
            now: results of the other.
            models: model now -> model before. Results of other models are left out.
        """
        self.groups: list[TestAndModel] = []
        """Tests with the models that they ran against before."""
        self.repeated: set[int] = set()
        """Those that have instances with several results."""
        self._numbers: dict[TestAndModel, int] = {}
        self._before, self._new = _Rows(), _Rows()
        self._add_before(before, frozenset(models.values()))
        count = len(self._before.verdict)
        self._now_verdict = bytearray([MISSING]) * count
        self._now_advisory = bytearray(count)
        self._now_at = array("q", [NOWHERE]) * count
        self._add_now(now, models)
        self._before.forget_keys()
        self._new.forget_keys()
        self._left = list(range(len(self._new.verdict)))
        self._pair_left(_Rows.same_args)
        self._pair_left(_Rows.same_place)

    def __iter__(self) -> Iterator[Pair]:
        """Yield all pairs, then what is there on one side only."""
        before, new = self._before, self._new
        found = zip(before.group, before.verdict, before.where, strict=True)
        for index, (group, verdict, where) in enumerate(found):
            now, now_at = self._now_verdict[index], self._now_at[index]
            is_advisory = bool(self._now_advisory[index])
            instance = before.instance(index) if group in self.repeated else 0
            yield Pair(group, instance, verdict, now, where, now_at, is_advisory)
        for index in self._left:
            is_advisory = bool(new.advisory[index])
            now, at = new.verdict[index], new.where[index]
            yield Pair(new.group[index], 0, MISSING, now, NOWHERE, at, is_advisory)

    def _add_before(self, rows: Iterable[Row], wanted: frozenset[str]) -> None:
        put, group_of, numbers = self._before.put, self._group, self._numbers
        for test, model, source, line, repeat, args, verdict, where, is_advisory in rows:
            if model in wanted:
                group = numbers.get((test, model))
                if group is None or repeat:
                    group = group_of(test, model, repeat)
                found = (group, hash((source, line)), args, repeat)
                put(hash(found), found, verdict, where, is_advisory)

    def _add_now(self, rows: Iterable[Row], models: Mapping[str, str]) -> None:
        """Pair what has the same place and args; note the rest."""
        find, group_of, numbers = self._before.known.get, self._group, self._numbers
        for test, model_now, source, line, repeat, args, verdict, where, is_advisory in rows:
            model = models.get(model_now)
            if model is None:
                continue
            group = numbers.get((test, model))
            if group is None or repeat:
                group = group_of(test, model, repeat)
            found = (group, hash((source, line)), args, repeat)
            index = find(hash(found))
            if index is None:
                self._new.put(hash(found), found, verdict, where, is_advisory)
            else:
                self._now_verdict[index] = verdict
                self._now_at[index] = where
                self._now_advisory[index] = is_advisory

    def _pair_left(self, common: Callable[[_Rows, int], tuple[int, int, int]]) -> None:
        """Pair what is left and has something in common."""
        if not self._left:
            return
        free: dict[tuple[int, int, int], list[int]] = {}
        for other in reversed(self._left):
            free.setdefault(common(self._new, other), []).append(other)
        new = self._new
        for index, verdict in enumerate(self._now_verdict):
            if verdict == MISSING and (found := free.get(common(self._before, index))):
                other = found.pop()
                self._now_verdict[index] = new.verdict[other]
                self._now_at[index] = new.where[other]
                self._now_advisory[index] = new.advisory[other]
        self._left = sorted(other for found in free.values() for other in found)

    def _group(self, test: str, model: str, repeat: int) -> int:
        number = self._numbers.get((test, model))
        if number is None:
            number = self._numbers[test, model] = len(self.groups)
            self.groups.append((test, model))
        if repeat:
            self.repeated.add(number)
        return number
