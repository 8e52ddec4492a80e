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
    """Counts of the instances of one file, by line."""

    place: int = 0
    """Added to a line, it tells the line from those of other files."""
    began: bytearray = field(default_factory=bytearray)
    """1 where there is a result, also one without a verdict."""
    passed: array[int] = field(default_factory=lambda: array("H"))
    judged: array[int] = field(default_factory=lambda: array("H"))
    scored: array[int] | None = None
    """None until there is a score."""
    scores: array[float] | None = None
    """Sums of scores."""

    def grow(self, line: int) -> None:
        """Make the arrays long enough for a line."""
        length = len(self.judged)
        more = bytes(2 * max(line + 1 - length, length // 4))
        self.judged.frombytes(more)
        self.began.extend(bytes(len(more) // 2))
        self.passed.frombytes(more)


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
        if line >= len(file.judged):
            file.grow(line)  # rarely, in large steps
        file.began[line] = 1
        results = file.judged[line]
        if verdict in ("passed", "failed") and results < MAX_RESULTS:
            file.judged[line] = results + 1
            if verdict == "passed":
                file.passed[line] += 1
            if result.score is not None:
                _add_score(file, line, result.score)

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
    bits_of_file: dict[str, int] = {}
    first_repeats = 0
    for results in counts:
        first_repeats = max(first_repeats, results.first_repeats)
        for source, file in results.files.items():
            bits_of_file[source] = bits_of_file.get(source, 0) | int.from_bytes(
                file.began, "little"
            )
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


def _add_score(file: _File, line: int, score: float) -> None:
    if score != score:  # NaN
        return
    if file.scored is None or file.scores is None:
        file.scored, file.scores = array("H"), array("d")
    missing = len(file.judged) - len(file.scored)
    if missing:
        file.scored.frombytes(bytes(2 * missing))
        file.scores.frombytes(bytes(8 * missing))
    file.scored[line] += 1
    file.scores[line] += score
