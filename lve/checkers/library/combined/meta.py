"""Checks that combine others: `all`, `any`, `not`, `weighted`."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar, Literal

from lve.checkers.arguments import ArgumentError, check_threshold
from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import (
    CheckContext,
    InnerCheck,
    Outcome,
    Verdict,
    all_parts,
    common_code,
    first_labels,
)
from lve.checkers.judging_limits import MAX_SHOWN, LimitError, total_work
from lve.data_classes import dataclass
from lve.errors import LveError
from lve.escape import excerpt

MAX_REASON_CHARACTERS = 1000
"""The most characters of these reasons together."""


class Combining(Check):
    """Base of checks whose main value is another check, or a list of checks."""

    __slots__ = ()

    combines: ClassVar[bool] = True
    outer_keys: ClassVar[tuple[str, ...]] = ()
    """Keys in an inner check's object that belong to the combining check: `weight`."""
    needs_all: ClassVar[bool] = True
    """Whether an instance must have what any of its checks needs (true), or only what all of them
    need (false)."""

    @classmethod
    def inner_check(cls, check: InnerCheck, document: Mapping[str, object]) -> InnerCheck:
        """Return an inner check with the outer keys from `document`, the object that describes it.

        Raises:
            ArgumentError: the value of such a key is invalid.
        """
        return check

    def verdicts(self, context: CheckContext) -> list[Verdict]:
        """Return the verdict of each inner check; `error` for one that fails to judge."""
        return [inner_verdict(part, context) for part in self.values()]

    def work(self, context: CheckContext) -> int | None:
        return total_work(part.work(context) for part in self.values())


def inner_verdict(part: InnerCheck, context: CheckContext) -> Verdict:
    """Return the verdict of an inner check; `error` if it fails to judge.

    Raises:
        LimitError: the judgement exceeds the limits of this process.
    """
    try:
        return part.check_fully(context)
    except LimitError:
        raise
    except LveError as error:
        return Verdict.of_error(error)


def _reasons(verdicts: list[Verdict]) -> str:
    """Return the first reasons in one line. There can be many checks, at several levels."""
    more = [f"and {len(verdicts) - MAX_SHOWN:,} more"] if len(verdicts) > MAX_SHOWN else []
    reasons = "; ".join([*(verdict.reason for verdict in verdicts[:MAX_SHOWN]), *more])
    return excerpt(reasons, MAX_REASON_CHARACTERS)


def _decided(verdicts: list[Verdict], decisive: Outcome, otherwise: Outcome) -> Verdict:
    """Return the verdict `decisive`, `error` or `inconclusive` if one of `verdicts` has that
    outcome, in this order; else `otherwise`."""
    labels, parts = first_labels(verdicts, is_any=decisive == "passed"), all_parts(verdicts)
    for outcome in (decisive, "error", "inconclusive"):
        decided = [verdict for verdict in verdicts if verdict.outcome == outcome]
        if decided:
            code = common_code(decided)
            return Verdict(decided[0].outcome, _reasons(decided), None, code, labels, parts)
    return Verdict(otherwise, _reasons(verdicts), None, None, labels, parts)


def _check_not_empty(name: str, parts: tuple[InnerCheck, ...]) -> None:
    if not parts:
        raise ArgumentError(name, f"'{name}' is empty: there is nothing to check")


@dataclass(frozen=True, slots=True)
class All(Combining):
    """Passes if all of the checks pass."""

    all: tuple[InnerCheck, ...]
    """The list of checks."""

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
    """Passes if at least one of the checks passes."""

    needs_all: ClassVar[bool] = False

    any: tuple[InnerCheck, ...]
    """The list of checks."""

    examples: ClassVar = (
        CheckExample(
            {"any": [{"contains": "Paris"}, {"contains": "París"}]}, ("Es París.",), ("Es Roma.",)
        ),
    )

    def __post_init__(self) -> None:
        _check_not_empty("any", self.any)

    def check(self, context: CheckContext) -> Verdict:
        return _decided(self.verdicts(context), "passed", "failed")


@dataclass(frozen=True, slots=True)
class Not(Combining):
    """Passes if the check fails. If the check can't judge the answer, the verdict is still an
    error."""

    not_: InnerCheck
    """The check that must fail."""

    examples: ClassVar = (
        CheckExample({"not": {"starts_with": "Sorry"}}, ("Paris.",), ("Sorry, no.",)),
    )

    def check(self, context: CheckContext) -> Verdict:
        (verdict,) = self.verdicts(context)
        if verdict.outcome not in ("passed", "failed"):
            return verdict
        return judged(verdict.outcome == "failed", f"not: {verdict.reason}")


@dataclass(frozen=True, slots=True)
class WeightedCheck:
    """A check with its weight."""

    part: InnerCheck
    weight: float

    def check_fully(self, context: CheckContext) -> Verdict:
        """Return the check's verdict."""
        return self.part.check_fully(context)

    def work(self, context: CheckContext) -> int | None:
        """Return the check's work."""
        return self.part.work(context)


@dataclass(frozen=True, slots=True)
class Weighted(Combining):
    """Passes if the checks that pass have a large enough share of the total weight.

    Each check may have a `weight` next to its name; the default is 1.
    """

    outer_keys: ClassVar[tuple[str, ...]] = ("weight",)

    weighted: tuple[InnerCheck, ...]
    """The list of checks."""
    threshold: float = 0.5
    """The lowest share of the total weight that passes, above 0 and up to 1."""
    by: Literal["verdict", "score"] = "verdict"
    """What a check has of its weight: all if it passes, or its score's share if it has a score."""

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
        check_threshold(self.threshold)
        _check_not_empty("weighted", self.weighted)

    @classmethod
    def inner_check(cls, check: InnerCheck, document: Mapping[str, Any]) -> InnerCheck:
        weight = document.get("weight", 1)
        is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
        if not is_number or not 0 < weight < inf:
            raise ArgumentError("weight", f"'weight' is a number above 0, not {weight!r}")
        return WeightedCheck(check, weight)

    def check(self, context: CheckContext) -> Verdict:
        verdicts = self.verdicts(context)
        unsure = [verdict for verdict in verdicts if verdict.outcome not in ("passed", "failed")]
        if unsure:
            return Verdict(unsure[0].outcome, _reasons(unsure), None, common_code(unsure))
        weights = [part.weight for part in self.weighted if isinstance(part, WeightedCheck)]
        by_score = self.by == "score"
        shares = [v.score if by_score and v.score is not None else v.passed for v in verdicts]
        score = sum(w * s for w, s in zip(weights, shares, strict=True)) / sum(weights)
        reason = f"score {score:.3g} (threshold {self.threshold:g}): {_reasons(verdicts)}"
        return judged(score >= self.threshold - 1e-9, reason, score, first_labels(verdicts))
