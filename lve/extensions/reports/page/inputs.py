"""Which parameters of the tests have columns of their own in the page's table, and which of them
the reader sees first: those that tell rows apart, in few words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from lve.data_classes import dataclass, field
from lve.documents.json_lines import json_line
from lve.escape import head
from lve.extensions.reports.columns import parameters_in
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_tests import SessionTest

MOST_PARAMETERS = 100
"""Parameters that can have a column."""
SHOWN = 3
"""Parameters that have one without being asked for."""
MOST_RESULTS = 1_000
"""Results of a test that are looked at: the first ones show what its rows are like."""
MOST_VALUES = 50
"""Different values that are counted."""
SHORT, LONG = 80, 300
"""Characters that a value has on average: up to so many it is easily read in a column, and from so
many on hardly."""


@dataclass(slots=True)
class _Values:
    """The values of a parameter."""

    rows: int = 0
    characters: int = 0
    different: set[str] = field(default_factory=set)

    def add(self, value: object) -> None:
        text = value if isinstance(value, str) else json_line(value)
        self.rows += 1
        self.characters += len(text)
        if len(self.different) < MOST_VALUES:
            self.different.add(head(text, LONG))

    def join(self, other: _Values) -> None:
        self.rows += other.rows
        self.characters += other.characters
        self.different |= other.different

    @property
    def weight(self) -> float:
        """How much a column of the parameter tells: nothing if all rows have the same value."""
        if self.rows > 1 and len(self.different) < 2:
            return 0.0
        average = self.characters / self.rows
        legible = 1.0 if average <= SHORT else 0.9 if average < LONG else 0.3
        return legible * (0.2 + 0.8 * len(self.different) / min(self.rows, MOST_VALUES))


class Inputs:
    """Collects the parameters of results, and the variants of prompts."""

    def __init__(self) -> None:
        self._tests: dict[str, dict[str, _Values]] = {}
        self._results: dict[str, int] = {}
        self.variants: dict[str, str] = {}
        """Test -> the variant of its prompt that it is; tests without variants are left out."""

    def add(self, result: InstanceResult, test: SessionTest) -> None:
        """Add a result.

        Args:
            result: the result.
            test: its test, which knows which args are parameters.
        """
        seen = self._results[result.test] = self._results.get(result.test, 0) + 1
        if seen > MOST_RESULTS:
            return
        if result.variant is not None:
            self.variants[result.test] = result.variant
        parameters = self._tests.setdefault(result.test, {})
        for name in islice(parameters_in(result.args, test), MOST_PARAMETERS):
            parameters.setdefault(name, _Values()).add(result.args[name])

    def names(self) -> list[str]:
        """Return the parameters that can have a column, in their order."""
        names = dict.fromkeys(name for _, own in sorted(self._tests.items()) for name in own)
        return [*islice(names, MOST_PARAMETERS)]

    def shown(self) -> list[int]:
        """Return the numbers of the parameters that are shown where all tests are: at least half of
        the results have them."""
        together: dict[str, _Values] = {}
        for own in self._tests.values():
            for name, values in own.items():
                together.setdefault(name, _Values()).join(values)
        total = sum(min(count, MOST_RESULTS) for count in self._results.values())
        common = {name: own for name, own in together.items() if 2 * own.rows >= total}
        return self._numbers(common)

    def shown_of(self, test: str) -> list[int]:
        """Return the numbers of the parameters that are shown where only one test is."""
        return self._numbers(self._tests.get(test, {}))

    def _numbers(self, parameters: Mapping[str, _Values]) -> list[int]:
        numbers = {name: number for number, name in enumerate(self.names())}
        return sorted(numbers[name] for name in _telling(parameters) if name in numbers)


def _telling(parameters: Mapping[str, _Values]) -> Iterator[str]:
    """Yield the names of the parameters that tell most."""
    weights = {name: values.weight for name, values in parameters.items()}
    varied = sorted((name for name in weights if weights[name]), key=lambda name: -weights[name])
    yield from islice(varied, SHOWN)
