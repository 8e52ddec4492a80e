"""Pairs the results of two sides.

First come pairs with the same place (file and line) and args. Then pairs with the same args at
another place, because rows may have moved; equal args are paired in file order. Then pairs at the
same place with other args, because args may have been edited.

A result takes some fifty bytes, whatever its answers: a million pairs fit in 300 MB.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping

from lve.comparison.side import Row
from lve.data.row_places import INSTANCES
from lve.data_classes import dataclass, field
from lve.named_tuples import NamedTuple

MISSING = 3
"""Instead of a verdict: the side has no such result."""
NOWHERE = -1
TestAndModel = tuple[str, str]


class Pair(NamedTuple):
    """An earlier and a later result; one of them may be missing."""

    group: int
    """Index of its test and model in `Pairing.groups`."""
    instance: int
    """The same for all repeats of an instance; 0 without repeats or for a lone result."""
    before: int
    """Verdict as in `Row`, or `MISSING`."""
    now: int
    before_at: int
    """`Row.where` of the result, or `NOWHERE`."""
    now_at: int
    is_advisory: bool


@dataclass(slots=True)
class _Rows:
    """Many results, stored in columns to save memory."""

    group: array[int] = field(default_factory=lambda: array("l"))
    place: array[int] = field(default_factory=lambda: array("q"))
    """Hash of source and line."""
    args: array[int] = field(default_factory=lambda: array("q"))
    repeat: array[int] = field(default_factory=lambda: array("q"))
    where: array[int] = field(default_factory=lambda: array("q"))
    verdict: bytearray = field(default_factory=bytearray)
    advisory: bytearray = field(default_factory=bytearray)
    recorded: bytearray = field(default_factory=bytearray)
    """1 where the row is in `instances/`, whose rows are told by their args."""
    index_of: dict[int, int] = field(default_factory=dict)
    """Key of a result -> its index."""

    def put(
        self,
        key: int,
        columns: tuple[int, int, int, int],
        verdict: int,
        where: int,
        is_advisory: bool,
        is_recorded: bool,
    ) -> None:
        """Add a result, or replace an earlier one with the same key.

        Args:
            key: hash of group, place, args and repeat.
            columns: group, place, args and repeat.
            verdict: as in `Row`.
            where: as in `Row`.
            is_advisory: as in `Row`.
            is_recorded: whether the row is in `instances/`.
        """
        index = self.index_of.setdefault(key, len(self.verdict))
        if index < len(self.verdict):
            self.where[index] = where
            self.verdict[index] = verdict
            self.advisory[index] = is_advisory
            return
        group, place, args, repeat = columns
        self.group.append(group)
        self.place.append(place)
        self.args.append(args)
        self.repeat.append(repeat)
        self.where.append(where)
        self.verdict.append(verdict)
        self.advisory.append(is_advisory)
        self.recorded.append(is_recorded)

    def forget_keys(self) -> None:
        """Free the memory of the keys. Call no `put` afterwards."""
        self.index_of = {}

    def instance(self, index: int) -> int:
        """Return a key that all repeats of an instance share."""
        place = 0 if self.recorded[index] else self.place[index]
        return hash((self.group[index], place, self.args[index]))

    def same_args(self, index: int) -> tuple[int, int, int]:
        """Return a key that results with the same args share."""
        return self.group[index], self.args[index], self.repeat[index]

    def same_place(self, index: int) -> tuple[int, int, int]:
        """Return a key that results at the same place share."""
        return self.group[index], self.place[index], self.repeat[index]


class Pairing:
    """All pairs of two sides, and the results without a partner."""

    def __init__(
        self, before: Iterable[Row], now: Iterable[Row], models: Mapping[str, str]
    ) -> None:
        """Pair the results of two sides.

        Args:
            before: results of the earlier side.
            now: results of the later side.
            models: model now -> model before. Results of other models are left out.
        """
        self.groups: list[TestAndModel] = []
        """Test and earlier model of each group."""
        self.repeated: set[int] = set()
        """Indexes of the groups with repeats."""
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
        """Yield pairs and lone results of the earlier side, then lone results of the later."""
        before, new = self._before, self._new
        results = zip(before.group, before.verdict, before.where, strict=True)
        for index, (group, verdict, where) in enumerate(results):
            now, now_at = self._now_verdict[index], self._now_at[index]
            is_advisory = bool(self._now_advisory[index])
            instance = before.instance(index) if group in self.repeated else 0
            yield Pair(group, instance, verdict, now, where, now_at, is_advisory)
        for index in self._left:
            is_advisory = bool(new.advisory[index])
            now, at = new.verdict[index], new.where[index]
            yield Pair(new.group[index], 0, MISSING, now, NOWHERE, at, is_advisory)

    def _add_before(self, rows: Iterable[Row], models: frozenset[str]) -> None:
        put, group_of, numbers = self._before.put, self._group, self._numbers
        for test, model, source, line, repeat, args, verdict, where, is_advisory in rows:
            if model in models:
                group = numbers.get((test, model))
                if group is None or repeat:
                    group = group_of(test, model, repeat)
                columns = (group, hash((source, line)), args, repeat)
                is_recorded = source.startswith(INSTANCES)
                put(hash(columns), columns, verdict, where, is_advisory, is_recorded)

    def _add_now(self, rows: Iterable[Row], models: Mapping[str, str]) -> None:
        """Pair results with the same place and args; collect the others in `_new`."""
        find, group_of, numbers = self._before.index_of.get, self._group, self._numbers
        for test, model_now, source, line, repeat, args, verdict, where, is_advisory in rows:
            model = models.get(model_now)
            if model is None:
                continue
            group = numbers.get((test, model))
            if group is None or repeat:
                group = group_of(test, model, repeat)
            columns = (group, hash((source, line)), args, repeat)
            index = find(hash(columns))
            if index is None:
                is_recorded = source.startswith(INSTANCES)
                self._new.put(hash(columns), columns, verdict, where, is_advisory, is_recorded)
            else:
                self._now_verdict[index] = verdict
                self._now_at[index] = where
                self._now_advisory[index] = is_advisory

    def _pair_left(self, common: Callable[[_Rows, int], tuple[int, int, int]]) -> None:
        """Pair unpaired results that have the same key.

        Args:
            common: returns the key of a result.
        """
        if not self._left:
            return
        free: dict[tuple[int, int, int], list[int]] = {}
        for other in reversed(self._left):
            free.setdefault(common(self._new, other), []).append(other)
        new = self._new
        for index, verdict in enumerate(self._now_verdict):
            if verdict == MISSING and (partners := free.get(common(self._before, index))):
                other = partners.pop()
                self._now_verdict[index] = new.verdict[other]
                self._now_at[index] = new.where[other]
                self._now_advisory[index] = new.advisory[other]
        self._left = sorted(other for partners in free.values() for other in partners)

    def _group(self, test: str, model: str, repeat: int) -> int:
        number = self._numbers.get((test, model))
        if number is None:
            number = self._numbers[test, model] = len(self.groups)
            self.groups.append((test, model))
        if repeat:
            self.repeated.add(number)
        return number
