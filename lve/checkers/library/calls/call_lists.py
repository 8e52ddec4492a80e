"""Checks of all calls together: their order, their number, how many are the right ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.library.calls.tool_calls import (
    OfCalls,
    check_placeholders,
    shown_calls,
    unknown_names,
)
from lve.checkers.names import KnownNames
from lve.messages import ToolCall
from lve.prompts.tools.calls import arguments_of, is_equal
from lve.prompts.tools.filling import filled_value, placeholders_of
from lve.spec.model import Spec

MOST_WANTED = 100
"""Calls that `calls_f1` compares with."""


@dataclass(frozen=True, slots=True)
class CalledInOrder(OfCalls):
    """Passes if the model called these tools in this order. Others may come between."""

    called_in_order: tuple[str, ...]
    """Names of tools; one may stand there several times."""
    exact: bool = False
    """Whether there may be no other calls."""

    examples: ClassVar = (
        CheckExample(
            {"called_in_order": ["search", "open"]},
            ("search({})\nback({})\nopen({})",),
            ("open({})\nsearch({})", "search({})", ""),
        ),
        CheckExample(
            {"called_in_order": ["search", "open"], "exact": True},
            ("search({})\nopen({})",),
            ("search({})\nsearch({})\nopen({})",),
        ),
    )

    def __post_init__(self) -> None:
        if not self.called_in_order:
            raise ArgumentError("called_in_order", "'called_in_order' names no tool")

    def tool_names(self) -> Iterable[str]:
        return self.called_in_order

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        names = [call.name for call in calls]
        if self.exact:
            return judged(names == [*self.called_in_order], shown_calls(calls))
        left = iter(names)
        missing = next((name for name in self.called_in_order if name not in left), None)
        if missing is None:
            return judged(True, shown_calls(calls))
        return judged(False, f"no {missing} where it should come: {shown_calls(calls)}")


@dataclass(frozen=True, slots=True)
class CallsF1(OfCalls):
    """Passes if the calls are enough like the wanted ones, in any order.

    The score is F1: the harmonic mean of the share of calls that are wanted and the share of wanted
    calls that were made. A call is a wanted one if tool and arguments are the same.
    """

    calls_f1: tuple[Mapping[str, object], ...]
    """The wanted calls: `{name: search, args: {q: tea}}`; without `args`, any arguments will do."""
    threshold: float = 1.0
    """The least score, from 0 to 1."""

    examples: ClassVar = (
        CheckExample(
            {
                "calls_f1": [{"name": "search", "args": {"q": "tea"}}, {"name": "open"}],
                "threshold": 0.6,
            },
            ('open({"n": 1})\nsearch({"q": "tea"})', 'search({"q": "tea"})'),
            ('search({"q": "mate"})\nopen({})\nopen({})', ""),
        ),
    )

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            message = f"'threshold' is more than 0 and at most 1, not {self.threshold}"
            raise ArgumentError("threshold", message)
        if not 0 < len(self.calls_f1) <= MOST_WANTED:
            raise ArgumentError("calls_f1", f"'calls_f1' has from 1 to {MOST_WANTED} calls")
        for one in self.calls_f1:
            has_args = isinstance(one.get("args", {}), Mapping)
            if (
                not isinstance(one.get("name"), str)
                or one.keys() - {"name", "args"}
                or not has_args
            ):
                message = "a wanted call is {name: ..., args: {...}}, the arguments being optional"
                raise ArgumentError("calls_f1", message)
        check_placeholders("calls_f1", self.calls_f1)

    def tool_names(self) -> Iterable[str]:
        names = [str(one["name"]) for one in self.calls_f1]
        return [name for name in names if "{" not in name]

    def name_errors(self, spec: Spec, known: KnownNames | None) -> list[ArgumentError]:
        errors = OfCalls.name_errors(self, spec, known)
        return [*errors, *unknown_names("calls_f1", self.calls_f1, known)]

    def needed_names(self, spec: Spec, known: KnownNames | None) -> frozenset[str]:
        return frozenset(one.name for one in placeholders_of(self.calls_f1))

    def work(self, context: CheckContext) -> int | None:
        once = OfCalls.work(self, context)
        return None if once is None else once * len(self.calls_f1)

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        values = {**context.args, **context.parameters}
        wanted = [filled_value(one, values) for one in self.calls_f1]
        wanted.sort(key=lambda one: "args" not in one)  # the pickier ones choose first
        made = [(call.name, arguments_of(call.arguments)) for call in calls]
        hits = 0
        for one in wanted:
            for index, (name, arguments) in enumerate(made):
                if name == one["name"] and _is_same(arguments, one):
                    del made[index]
                    hits += 1
                    break
        score = 2 * hits / (len(wanted) + len(calls))
        told = f"F1 {score:.3g} (threshold {self.threshold:g}): {shown_calls(calls)}"
        return judged(score >= self.threshold - 1e-9, told, score)


def _is_same(arguments: object, wanted: Mapping[str, Any]) -> bool:
    return "args" not in wanted or (arguments is not None and is_equal(arguments, wanted["args"]))


def _refuse_below(least: int, name: str, value: int) -> None:
    """Refuse a number that every answer, or none, would keep to."""
    if value < least:
        raise ArgumentError(name, f"'{name}' is at least {least}, not {value}")


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


@dataclass(frozen=True, slots=True)
class MaxCalls(OfCalls):
    """Passes if the model made at most so many calls."""

    max_calls: int
    """The number."""

    examples: ClassVar = (CheckExample({"max_calls": 1}, ("f({})", ""), ("f({})\nf({})",)),)

    def __post_init__(self) -> None:
        _refuse_below(0, "max_calls", self.max_calls)

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        made = _counted(len(calls), "call")
        told = f"{made}, wanted at most {self.max_calls}: {shown_calls(calls)}"
        return judged(len(calls) <= self.max_calls, told)


@dataclass(frozen=True, slots=True)
class MinCalls(OfCalls):
    """Passes if the model made at least so many calls."""

    min_calls: int
    """The number."""

    examples: ClassVar = (CheckExample({"min_calls": 1}, ("f({})",), ("",)),)

    def __post_init__(self) -> None:
        _refuse_below(1, "min_calls", self.min_calls)

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        made = _counted(len(calls), "call")
        told = f"{made}, wanted at least {self.min_calls}: {shown_calls(calls)}"
        return judged(len(calls) >= self.min_calls, told)


@dataclass(frozen=True, slots=True)
class MaxTurns(Check):
    """Passes if the model took at most so many turns, each with calls or an answer."""

    max_turns: int
    """The number. A call and the answer to its result are two."""

    examples: ClassVar = (CheckExample({"max_turns": 1}, ("f({})", ""), ("f({})\n\nf({})",)),)

    def __post_init__(self) -> None:
        _refuse_below(1, "max_turns", self.max_turns)

    def work(self, context: CheckContext) -> int | None:
        return 1000

    def check(self, context: CheckContext) -> Verdict:
        most = max(len(run.filled) for run in context.transcripts)
        told = f"{_counted(most, 'turn')}, wanted at most {self.max_turns}"
        return judged(most <= self.max_turns, told)
