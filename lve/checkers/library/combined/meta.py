"""Checks that combine others: `all`, `any`, `not`, `weighted`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import CheckContext, Part, Verdict
from lve.checkers.limits import LimitError
from lve.errors import LveError
from lve.escape import excerpt

TOLD = 5
"""Parts whose reasons are told."""
TOLD_CHARACTERS = 1000


class Combining(Check):
    """A check whose main value is another check, or a list of them."""

    __slots__ = ()

    combines: ClassVar[bool] = True
    beside: ClassVar[tuple[str, ...]] = ()
    """Keys beside each check that are not its own."""
    needs_all: ClassVar[bool] = True
    """Whether it needs what any of its checks needs, or only what all of them need."""

    @classmethod
    def part(cls, part: Part, given: Mapping[str, Any]) -> Part:
        """Return a check with what stands beside it.

        Raises:
            ArgumentError: that is wrong.
        """
        return part

    def verdicts(self, context: CheckContext) -> list[Verdict]:
        """Return the verdict of each check. One that can't tell is an `error` and stops none."""
        return [verdict_of_part(part, context) for part in self.values()]

    def work(self, context: CheckContext) -> int | None:
        works = [part.work(context) for part in self.values()]
        return None if None in works else sum(work for work in works if work is not None)


def verdict_of_part(part: Part, context: CheckContext) -> Verdict:
    """Return the verdict of a check inside of another one; `error` if it can't tell.

    Raises:
        LimitError: it may take too long here.
    """
    try:
        return part.check_fully(context)
    except LimitError:
        raise
    except LveError as error:
        return Verdict("error", str(error))


def _told(verdicts: list[Verdict]) -> str:
    """Return the first reasons. Checks can be many, and stand inside of others."""
    more = [f"and {len(verdicts) - TOLD:,} more"] if len(verdicts) > TOLD else []
    shown = "; ".join([*(verdict.reason for verdict in verdicts[:TOLD]), *more])
    return excerpt(shown, TOLD_CHARACTERS)


def _decided(verdicts: list[Verdict], decisive: str, otherwise: str) -> Verdict:
    """Return `decisive` if one of the verdicts is that, else what is uncertain, else
    `otherwise`."""
    for outcome in (decisive, "error", "inconclusive"):
        found = [verdict for verdict in verdicts if verdict.outcome == outcome]
        if found:
            return Verdict(found[0].outcome, _told(found))
    return judged(otherwise == "passed", _told(verdicts))


def _check_not_empty(name: str, parts: tuple[Part, ...]) -> None:
    if not parts:
        raise ArgumentError(name, f"'{name}' is empty: there is nothing to check")


@dataclass(frozen=True, slots=True)
class All(Combining):
    """Passes if all of the checks pass."""

    all: tuple[Part, ...]
    """The checks."""

    examples: ClassVar = (
        CheckExample(
            {"all": [{"contains": "Paris"}, {"not_contains": "Lyon"}]},
            ("It is Paris.",),
            ("It is Paris or Lyon.", "It is Rome."),
        ),
    )

    def __post_init__(self) -> None:
        _check_not_empty("all", self.all)

    def check(self, context: CheckContext) -> Verdict:
        return _decided(self.verdicts(context), "failed", "passed")


@dataclass(frozen=True, slots=True)
class Any_(Combining):
    """Passes if one of the checks passes."""

    needs_all: ClassVar[bool] = False

    any: tuple[Part, ...]
    """The checks."""

    examples: ClassVar = (
        CheckExample(
            {"any": [{"contains": "Paris"}, {"contains": "París"}]},
            ("Es París.",),
            ("Es Roma.",),
        ),
    )

    def __post_init__(self) -> None:
        _check_not_empty("any", self.any)

    def check(self, context: CheckContext) -> Verdict:
        return _decided(self.verdicts(context), "passed", "failed")


@dataclass(frozen=True, slots=True)
class Not(Combining):
    """Passes if the check fails. A check that can't tell remains an error."""

    not_: Part
    """The check."""

    examples: ClassVar = (
        CheckExample({"not": {"starts_with": "Sorry"}}, ("Paris.",), ("Sorry, no.",)),
    )

    def check(self, context: CheckContext) -> Verdict:
        (verdict,) = self.verdicts(context)
        if verdict.outcome not in ("passed", "failed"):
            return verdict
        return judged(verdict.outcome == "failed", f"not: {verdict.reason}")


@dataclass(frozen=True, slots=True)
class WeightedPart:
    """A check and its weight."""

    part: Part
    weight: float

    def check_fully(self, context: CheckContext) -> Verdict:
        """Return the check's verdict."""
        return self.part.check_fully(context)

    def work(self, context: CheckContext) -> int | None:
        """Return the check's work."""
        return self.part.work(context)


@dataclass(frozen=True, slots=True)
class Weighted(Combining):
    """Passes if the checks that pass have enough weight together.

    Each check may have a `weight` beside it (1 by default).
    """

    beside: ClassVar[tuple[str, ...]] = ("weight",)

    weighted: tuple[Part, ...]
    """The checks."""
    threshold: float = 0.5
    """The share of the weight that has to pass, from 0 to 1."""

    examples: ClassVar = (
        CheckExample(
            {
                "weighted": [{"contains": "Paris", "weight": 3}, {"contains": "Seine"}],
                "threshold": 0.7,
            },
            ("Paris is in France.",),
            ("The Seine flows there.",),
        ),
    )

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            message = f"'threshold' is more than 0 and at most 1, not {self.threshold}"
            raise ArgumentError("threshold", message)
        _check_not_empty("weighted", self.weighted)

    @classmethod
    def part(cls, part: Part, given: Mapping[str, Any]) -> Part:
        weight = given.get("weight", 1)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight > 0:
            raise ArgumentError("weight", f"'weight' is a number above 0, not {weight!r}")
        return WeightedPart(part, weight)

    def check(self, context: CheckContext) -> Verdict:
        verdicts = self.verdicts(context)
        unsure = [one for one in verdicts if one.outcome not in ("passed", "failed")]
        if unsure:
            return Verdict(unsure[0].outcome, _told(unsure))
        weights = [part.weight for part in self.weighted if isinstance(part, WeightedPart)]
        passed = sum(w for w, one in zip(weights, verdicts, strict=True) if one.passed)
        score = passed / sum(weights)
        reason = f"score {score:.3g} (threshold {self.threshold:g}): {_told(verdicts)}"
        return judged(score >= self.threshold - 1e-9, reason, score)
