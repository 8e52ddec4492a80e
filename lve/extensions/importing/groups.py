"""The key `groups` of imported tests: groups of tests with a score, as their tool has them."""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import dirname, relpath

from lve.json_types import JsonObject
from lve.named_tuples import NamedTuple

MAX_GROUPS = 50
"""Scores of groups that a test is part of."""
MAX_MENTIONS = 250_000
"""Tests that all tests name together: each of a group names all of it."""


class GroupScore(NamedTuple):
    """A score of a group, by its tests."""

    name: str
    metric: str
    tests: Mapping[str, str]
    """Folder of each test -> what counts of it."""
    form: JsonObject
    """How the score is put together, as in schemas/test.schema.json."""
    weights: Mapping[str, float] = {}
    """Folder of a test -> how much it counts; empty if none has a weight."""

    def seen_from(self, above: str) -> JsonObject:
        """Return it as a test says it that is in a folder below another one."""
        tests: JsonObject = {relpath(home, above): score for home, score in self.tests.items()}
        weights: JsonObject = {relpath(home, above): each for home, each in self.weights.items()}
        own: JsonObject = {"weights": weights} if weights else {}
        return {"name": self.name, "metric": self.metric, **self.form, **own, "tests": tests}


class Memberships:
    """The groups that tests are part of."""

    def __init__(self) -> None:
        self._groups: dict[str, list[GroupScore]] = {}
        self._mentions = 0
        self._seen: dict[tuple[int, str], JsonObject] = {}

    def add(self, score: GroupScore) -> str:
        """Add a score to its tests; if there are too many, return that."""
        if any(len(self._groups.get(folder, ())) >= MAX_GROUPS for folder in score.tests):
            return f"a test has more than {MAX_GROUPS} scores of groups"
        mentions = len(score.tests) ** 2
        if self._mentions + mentions > MAX_MENTIONS:
            return f"the tests would name each other more than {MAX_MENTIONS:,} times"
        self._mentions += mentions
        for folder in score.tests:
            self._groups.setdefault(folder, []).append(score)
        return ""

    def keys_of(self, folder: str) -> JsonObject:
        """Return what a test's document gets: `groups`, or nothing."""
        above = dirname(folder) or "."
        own = list[JsonObject]()
        for score in self._groups.get(folder, ()):
            key = id(score), above  # which all tests there have in common
            if key not in self._seen:
                self._seen[key] = score.seen_from(above)
            own.append(self._seen[key])
        return {"groups": own} if own else {}
