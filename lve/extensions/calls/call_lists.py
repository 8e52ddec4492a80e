"""Checks of all tool calls of a run: their order, number and schemas, and how many are expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from lve.checkers.arguments import ArgumentError, check_threshold
from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judging_limits import MAX_ITEMS
from lve.checkers.library.formats.json_value import check_schema, why_unfit
from lve.checkers.usable_names import ArgNames
from lve.data_classes import dataclass
from lve.extensions.calls.tool_calls import (
    CallsCheck,
    check_placeholders,
    shown_calls,
    unknown_placeholders,
)
from lve.messages import ToolCall
from lve.plurals import amount
from lve.prompts.tools.calls import arguments_of, is_equal
from lve.prompts.tools.mocks import filled_value, placeholders_of
from lve.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class CalledInOrder(CallsCheck):
    """Passes if the model called these tools in this order. There may be other calls between
    them."""

    called_in_order: tuple[str, ...]
    """Names of tools. A name may occur several times."""
    exact: bool = False
    """Whether other calls are forbidden."""

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
        rest = iter(names)  # each `in` consumes the calls up to the name
        missing = next((name for name in self.called_in_order if name not in rest), None)
        if missing is None:
            return judged(True, shown_calls(calls))
        return judged(False, f"no {missing} where it should come: {shown_calls(calls)}")


@dataclass(frozen=True, slots=True)
class CallsF1(CallsCheck):
    """Passes if the model's calls match the expected ones well enough, in any order.

    The score is F1: the harmonic mean of precision (the share of the calls that are expected) and
    recall (the share of the expected calls that were made). A call matches an expected one if tool
    and arguments are equal.
    """

    calls_f1: tuple[Mapping[str, object], ...]
    """The expected calls: `{name: search, args: {q: tea}}`. One without `args` matches any
    arguments."""
    threshold: float = 1.0
    """The lowest score that passes, above 0 and up to 1."""

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
        check_threshold(self.threshold)
        if not 0 < len(self.calls_f1) <= MAX_ITEMS:
            raise ArgumentError("calls_f1", f"'calls_f1' has from 1 to {MAX_ITEMS} calls")
        for call in self.calls_f1:
            has_args = isinstance(call.get("args", {}), Mapping)
            if (
                not isinstance(call.get("name"), str)
                or call.keys() - {"name", "args"}
                or not has_args
            ):
                message = "an expected call is {name: ..., args: {...}}; `args` is optional"
                raise ArgumentError("calls_f1", message)
        check_placeholders("calls_f1", self.calls_f1)

    def tool_names(self) -> Iterable[str]:
        names = [str(call["name"]) for call in self.calls_f1]
        return [name for name in names if "{" not in name]

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        errors = CallsCheck.name_errors(self, spec, arg_names)
        return [*errors, *unknown_placeholders("calls_f1", self.calls_f1, arg_names)]

    def needed_names(self, spec: Spec, arg_names: ArgNames | None) -> frozenset[str]:
        return frozenset(placeholder.name for placeholder in placeholders_of(self.calls_f1))

    def work(self, context: CheckContext) -> int | None:
        once = CallsCheck.work(self, context)
        return None if once is None else once * len(self.calls_f1)

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        values = {**context.args, **context.parameters}
        expected = [filled_value(pattern, values) for pattern in self.calls_f1]
        expected.sort(
            key=lambda pattern: "args" not in pattern
        )  # those with arguments match fewer calls
        unmatched = [(call.name, arguments_of(call.arguments)) for call in calls]
        hits = 0
        for pattern in expected:
            for index, (name, arguments) in enumerate(unmatched):
                if name == pattern["name"] and _is_same(arguments, pattern):
                    del unmatched[index]
                    hits += 1
                    break
        score = 2 * hits / (len(expected) + len(calls))
        reason = f"F1 {score:.3g} (threshold {self.threshold:g}): {shown_calls(calls)}"
        return judged(score >= self.threshold - 1e-9, reason, score)


def _is_same(arguments: object, expected: Mapping[str, object]) -> bool:
    return "args" not in expected or (
        arguments is not None and is_equal(arguments, expected["args"])
    )


def _refuse_below(least: int, name: str, value: int) -> None:
    """Refuse a number below `least`, with which every answer would pass, or none."""
    if value < least:
        raise ArgumentError(name, f"'{name}' is at least {least}, not {value}")


@dataclass(frozen=True, slots=True)
class MaxCalls(CallsCheck):
    """Passes if the model made at most this number of calls."""

    max_calls: int
    """The number of calls, 0 or more."""

    examples: ClassVar = (CheckExample({"max_calls": 1}, ("f({})", ""), ("f({})\nf({})",)),)

    def __post_init__(self) -> None:
        _refuse_below(0, "max_calls", self.max_calls)

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        count = amount(len(calls), "call")
        reason = f"{count}, wanted at most {self.max_calls}: {shown_calls(calls)}"
        return judged(len(calls) <= self.max_calls, reason)


@dataclass(frozen=True, slots=True)
class MinCalls(CallsCheck):
    """Passes if the model made at least this number of calls."""

    min_calls: int
    """The number of calls, 1 or more."""

    examples: ClassVar = (CheckExample({"min_calls": 1}, ("f({})",), ("",)),)

    def __post_init__(self) -> None:
        _refuse_below(1, "min_calls", self.min_calls)

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        count = amount(len(calls), "call")
        reason = f"{count}, wanted at least {self.min_calls}: {shown_calls(calls)}"
        return judged(len(calls) >= self.min_calls, reason)


@dataclass(frozen=True, slots=True)
class ValidCalls(CallsCheck):
    """Passes if the model called a tool, and all its calls name one of these tools and have
    arguments that fit its schema."""

    valid_calls: Mapping[str, Any]
    """Name of a tool -> JSON Schema of its arguments; `{}` takes any."""

    examples: ClassVar = (
        CheckExample(
            {"valid_calls": {"search": {"required": ["q"]}, "stop": {}}},
            ('search({"q": "tea"})', "stop({})"),
            ("search({})", "open({})", 'search({"q": "tea"})\nsearch(tea)', ""),
        ),
    )

    def __post_init__(self) -> None:
        if not self.valid_calls:
            raise ArgumentError("valid_calls", "'valid_calls' names no tool")
        for schema in self.valid_calls.values():
            check_schema("valid_calls", schema)

    def tool_names(self) -> Iterable[str]:
        return self.valid_calls

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        for call in calls:
            if call.name not in self.valid_calls:
                return judged(False, f"there is no tool {call.name}: {shown_calls(calls)}")
            arguments = arguments_of(call.arguments)
            why = "its arguments are no JSON object"
            if arguments is not None:
                why = why_unfit(self.valid_calls[call.name], arguments) or ""
            if why:
                return judged(False, f"{shown_calls([call])}: {why}")
        return judged(bool(calls), shown_calls(calls))


@dataclass(frozen=True, slots=True)
class MaxTurns(Check):
    """Passes if the model took at most this number of turns. A turn has calls or an answer."""

    max_turns: int
    """The number of turns, 1 or more. A call and the answer after its result are two turns."""

    examples: ClassVar = (CheckExample({"max_turns": 1}, ("f({})", ""), ("f({})\n\nf({})",)),)

    def __post_init__(self) -> None:
        _refuse_below(1, "max_turns", self.max_turns)

    def work(self, context: CheckContext) -> int | None:
        return 1000

    def check(self, context: CheckContext) -> Verdict:
        most = max(len(run.filled) for run in context.transcripts)
        reason = f"{amount(most, 'turn')}, wanted at most {self.max_turns}"
        return judged(most <= self.max_turns, reason)
