"""Counts of passed and judged results per row, in a few bytes each.

A row of a data set is told by its file and line, one of `instances/` by its args: several recorded
answers may be repeats of it.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable

from lve.data.row_places import INSTANCES
from lve.data_classes import dataclass, field
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import InstanceResult
from lve.spec.recorded_row import row_key
from lve.verdicts.rates.clusters import Counts, Estimate, Means, mean_interval, share_interval

MAX_LINES = 4_000_000
"""Lines per file, to limit the memory. Results of later lines aren't counted."""
MAX_ROWS = 1_000_000
"""Rows of `instances/` that are told by their args; they take some 200 bytes each. Later lines
count as rows of their own."""
_FILE = 1 << 40
"""More lines than a file has."""
STEP = 64
"""The arrays begin at a multiple of so many lines."""
MAX_RESULTS = 65_535
"""Results per instance, which fit into two bytes."""


class Flakiness(NamedTuple):
    """Numbers of instances by how steady their results are."""

    always_passed: int
    always_failed: int
    flaky: int
    """Some results passed and some failed."""
    once: int
    """Only one result."""


@dataclass(slots=True, repr=False, eq=False)
class _File:
    """Counts of the instances of one file, by line, from `first` on: an item of pytest has only one
    of many."""

    place: int = 0
    """Added to a line, it tells the line from those of other files."""
    first: int = 0
    """A little before the first line that has a result."""
    began: bytearray = field(default_factory=bytearray)
    """1 where there is a result, also one without a verdict."""
    passed: array[int] = field(default_factory=lambda: array("H"))
    judged: array[int] = field(default_factory=lambda: array("H"))
    scored: array[int] | None = None
    """None until there is a score."""
    scores: array[float] | None = None
    """Sums of scores."""

    def index(self, line: int) -> int:
        """Return the place of a line in the arrays, which are made long enough for it."""
        length = len(self.judged)
        if not length:
            self.first = line & -STEP
        if line < self.first:
            before = min(self.first, -(-max(self.first - line, length // 4) // STEP) * STEP)
            self.first -= before
            self._insert(0, before)
        elif line - self.first >= length:
            self._insert(length, max(line - self.first + 1 - length, length // 4))
        return line - self.first

    def _insert(self, place: int, count: int) -> None:
        self.began[place:place] = bytes(count)
        for counts in (self.passed, self.judged, self.scored, self.scores):
            if counts is not None:
                zeros = bytes(counts.itemsize * count)
                counts[place:place] = array(counts.typecode, zeros)


@dataclass(slots=True, repr=False, eq=False)
class PerInstance:
    """Counts of every instance of a test: 5 bytes each, 15 with scores."""

    files: dict[str, _File] = field(default_factory=dict)
    order: list[_File] = field(default_factory=list)
    """The same, in the order of their `place`."""
    places: dict[int, int] = field(default_factory=dict)
    """Key of a row in `instances/` -> line, with the file's `place`, under which its results are
    counted."""
    first_repeats: int = 0
    """Results of first repeats."""

    def add(self, result: InstanceResult) -> None:
        """Count a result, and the score of one that passed or failed."""
        verdict, source, line = result.verdict, result.source, result.line
        self.first_repeats += result.repeat == 0
        file = self.files.get(source) or self._new_file(source)
        if source.startswith(INSTANCES) and len(self.places) < MAX_ROWS and line < _FILE:
            key = row_key(result.args) if result.row is None else result.row
            own = file.place + line
            if (place := self.places.setdefault(key, own)) != own:
                file, line = self.order[place // _FILE], place % _FILE
        if line >= MAX_LINES:
            return
        index = line - file.first
        if index < 0 or index >= len(file.judged):
            index = file.index(line)  # rarely, in large steps
        file.began[index] = 1
        results = file.judged[index]
        if verdict in ("passed", "failed") and results < MAX_RESULTS:
            file.judged[index] = results + 1
            if verdict == "passed":
                file.passed[index] += 1
            if result.score is not None:
                _add_score(file, index, result.score)

    def _new_file(self, source: str) -> _File:
        self.files[source] = file = _File(len(self.files) * _FILE)
        self.order.append(file)
        return file

    def counts(self) -> Counts:
        """Return (passed, judged) -> number of instances with these results."""
        instances: Counter[tuple[int, int]] = Counter()
        for file in self.files.values():
            instances.update(zip(file.passed, file.judged, strict=True))
        return {key: times for key, times in instances.items() if key[1]}

    def rows(self) -> int:
        """Return how many instances have a result."""
        return rows_of((self,))

    def score(self, *, confidence: float = 0.95, is_share: bool = False) -> Estimate | None:
        """Return the mean score of the population; None for fewer than two instances.

        Args:
            confidence: of the interval.
            is_share: whether every score is between 0 and 1.
        """
        pairs = [
            (total / scored, 1)
            for file in self.files.values()
            for total, scored in zip(file.scores or (), file.scored or (), strict=True)
            if scored
        ]
        if any(not math.isfinite(value) for value, _ in pairs):
            return None
        if is_share and len(pairs) > 1:
            return share_interval(pairs, confidence=confidence)
        return mean_interval(Means.of(pairs), confidence=confidence)


def rows_of(counts: Iterable[PerInstance]) -> int:
    """Return how many instances have a result with any of several models.

    That is the number of their lines. Where rows were put in before a session was resumed, a line
    has had several instances, each with a first repeat; and rows with equal args share a line.
    """
    several = [*counts]
    first_repeats = max((each.first_repeats for each in several), default=0)
    first = min((file.first for each in several for file in each.order), default=0)
    bits_of_file: dict[str, int] = {}
    for results in several:
        for source, file in results.files.items():
            bits = int.from_bytes(file.began, "little") << 8 * (file.first - first)
            bits_of_file[source] = bits_of_file.get(source, 0) | bits
    return max(first_repeats, sum(bits.bit_count() for bits in bits_of_file.values()))


def flakiness(counts: Counts) -> Flakiness:
    """Count steady and flaky instances. Repeats at temperature 0 hide flakiness."""
    passed = failed = flaky = once = 0
    for (good, total), times in counts.items():
        if total == 1:
            once += times
        elif good == total:
            passed += times
        elif good == 0:
            failed += times
        else:
            flaky += times
    return Flakiness(passed, failed, flaky, once)


def _add_score(file: _File, index: int, score: float) -> None:
    if score != score:  # NaN
        return
    if file.scored is None or file.scores is None:
        file.scored = array("H", bytes(2 * len(file.judged)))
        file.scores = array("d", bytes(8 * len(file.judged)))
    file.scored[index] += 1
    file.scores[index] += score
