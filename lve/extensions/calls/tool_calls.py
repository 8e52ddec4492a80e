"""Checks of single tool calls: whether a tool was called, and with which arguments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin.lambdas import LambdaChecker
from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.expression.source import as_lambda
from lve.checkers.judging_limits import MAX_SHOWN
from lve.checkers.library.formats.json_value import check_schema, why_unfit
from lve.checkers.usable_names import ArgNames
from lve.data_classes import dataclass, field
from lve.errors import PlaceholderError
from lve.escape import excerpt
from lve.messages import ToolCall, Transcript
from lve.plurals import amount
from lve.prompts.tools.calls import arguments_of, has_values, is_equal
from lve.prompts.tools.mocks import filled_value, placeholders_of
from lve.spec.spec import Spec
from lve.suggest import did_you_mean

MAX_CALL_CHARACTERS = 80
"""The most characters of a call that a reason shows."""


class CallsCheck(Check):
    """Base of checks of a run's tool calls. All runs must pass."""

    __slots__ = ()

    @abstractmethod
    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        """Return the verdict on the calls of one run."""

    def work(self, context: CheckContext) -> int | None:
        calls = [call for run in context.transcripts for call in calls_of(run)]
        return 100_000 + sum(2_000 + 100 * len(call.arguments) for call in calls)

    def check(self, context: CheckContext) -> Verdict:
        runs = context.transcripts
        verdicts = [self.check_calls(calls_of(run), context) for run in runs]
        for number, verdict in enumerate(verdicts, 1):
            if not verdict.passed:
                where = f"run {number} of {len(runs)}: " if len(runs) > 1 else ""
                return Verdict(verdict.outcome, where + verdict.reason, verdict.score)
        return verdicts[0]

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        if spec.tools is None or spec.tools.servers:  # a server's tools are unknown until it runs
            return []
        own, tools = self.shown_name(), [tool.name for tool in spec.tools.tools]
        return [
            ArgumentError(
                own, f"there is no tool '{excerpt(name)}'", hint=did_you_mean(name, tools)
            )
            for name in self.tool_names()
            if name not in tools
        ]

    def tool_names(self) -> Iterable[str]:
        """Return the names of tools in the check's arguments."""
        return ()


def calls_of(run: Transcript) -> list[ToolCall]:
    """Return the model's calls in a run, in order."""
    return [call for index in run.filled for call in run.messages[index].tool_calls]


def shown_calls(calls: Sequence[ToolCall]) -> str:
    """Return calls as reasons show them."""
    if not calls:
        return "no tool was called"
    texts = [excerpt(call.as_text, MAX_CALL_CHARACTERS) for call in calls[:MAX_SHOWN]]
    more = f" and {len(calls) - MAX_SHOWN:,} more" if len(calls) > MAX_SHOWN else ""
    return f"called {', '.join(texts)}{more}"


@dataclass(frozen=True, slots=True)
class ArgumentConditions:
    """The arguments that a call must have."""

    args: Mapping[str, Any]
    exact: bool
    schema: Mapping[str, Any] | None
    where: LambdaChecker | None

    @classmethod
    def checked(
        cls,
        args: Mapping[str, object],
        exact: bool,
        schema: Mapping[str, object] | None,
        where: str | None,
    ) -> ArgumentConditions:
        """Check a checker's arguments and return the conditions that they describe.

        Raises:
            ArgumentError: an argument is invalid.
        """
        check_placeholders("args", args)
        if schema is not None:
            check_schema("args_schema", schema)
        return cls(args, exact, schema, _condition(where))

    def fits(self, call: ToolCall, context: CheckContext) -> bool:
        """Return whether a call's arguments meet the conditions. Arguments that are no JSON object
        don't meet any."""
        if not (self.args or self.exact or self.schema is not None or self.where):
            return True
        arguments = arguments_of(call.arguments)
        if arguments is None:
            return False
        expected = filled_value(self.args, {**context.args, **context.parameters})
        if not (is_equal if self.exact else has_values)(arguments, expected):
            return False
        if self.schema is not None and why_unfit(self.schema, arguments) is not None:
            return False
        return self.where is None or self.where.compute(arguments, context).passed

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        """Same as `BuiltinChecker.name_errors`."""
        errors = unknown_placeholders("args", self.args, arg_names)
        inner = self.where.name_errors(spec, arg_names) if self.where is not None else []
        return errors + [ArgumentError("where", str(error), hint=error.hint) for error in inner]

    def needed_names(self, spec: Spec, arg_names: ArgNames | None) -> frozenset[str]:
        """Same as `BuiltinChecker.needed_names`."""
        names = frozenset(placeholder.name for placeholder in placeholders_of(self.args))
        return names if self.where is None else names | self.where.needed_names(spec, arg_names)


def check_placeholders(argument: str, value: object) -> None:
    """Check the placeholders in the texts of a JSON value.

    Raises:
        ArgumentError: a placeholder is malformed.
    """
    try:
        placeholders_of(value)
    except PlaceholderError as error:
        raise ArgumentError(argument, str(error)) from error


def unknown_placeholders(
    argument: str, value: object, arg_names: ArgNames | None
) -> list[ArgumentError]:
    """Return an error for each placeholder in `value` that no instance has a value for."""
    if arg_names is None:
        return []
    names = dict.fromkeys(placeholder.name for placeholder in placeholders_of(value))
    return [
        ArgumentError(
            argument,
            f"{{{name}}} names no {arg_names.noun}",
            hint=did_you_mean(name, sorted(arg_names.names)),
            code="unknown_variable",
        )
        for name in names
        if name not in arg_names
    ]


def _condition(where: str | None) -> LambdaChecker | None:
    if where is None:
        return None
    try:
        return LambdaChecker(as_lambda(where, "args, **kw"))
    except ArgumentError as error:
        raise ArgumentError("where", str(error), hint=error.hint) from error


class _WithArguments(CallsCheck):
    """Base of checks that look for calls with certain arguments."""

    __slots__ = ()

    fills_objects: ClassVar[bool] = True
    tier: ClassVar = "expr"
    own_templates: ClassVar[frozenset[str]] = frozenset({"where"})

    conditions: ArgumentConditions

    def tool_names(self) -> Iterable[str]:
        return [name for name in self.values() if isinstance(name, str)]

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        return [
            *CallsCheck.name_errors(self, spec, arg_names),
            *self.conditions.name_errors(spec, arg_names),
        ]

    def needed_names(self, spec: Spec, arg_names: ArgNames | None) -> frozenset[str]:
        return self.conditions.needed_names(spec, arg_names)


@dataclass(frozen=True, slots=True)
class Called(_WithArguments):
    """Passes if the model called the tool. Conditions for the call's arguments are optional.

    If `called` is a list, every tool in it must have been called.
    """

    called: str | tuple[str, ...]
    """Name of the tool, or a list of names."""
    args: Mapping[str, object] = field(default_factory=dict)
    """Arguments that the call must have, at any depth. It may have others."""
    exact: bool = False
    """Whether arguments other than those in `args` are forbidden."""
    args_schema: Mapping[str, object] | None = None
    """JSON Schema that the call's arguments must fit."""
    where: str | None = None
    """Expression that must be true for the call's arguments, `args`: `args['n'] > 3`. Parameters
    are arguments of a lambda: `lambda args, n: args['n'] > int(n)`."""
    times: int | None = None
    """The exact number of such calls for each tool; by default one or more."""
    conditions: ArgumentConditions = field(init=False, repr=False, compare=False)

    examples: ClassVar = (
        CheckExample({"called": "search"}, ('search({"q": "tea"})',), ("open({})", "")),
        CheckExample(
            {"called": "book", "args": {"to": "Oslo"}, "where": "args['seats'] <= 2", "times": 1},
            ('book({"to": "Oslo", "seats": 2})',),
            ('book({"to": "Oslo", "seats": 3})', 'book({"seats": 1})', "book(Oslo)"),
        ),
    )

    def __post_init__(self) -> None:
        if not self.called:
            raise ArgumentError("called", "'called' names no tool")
        if self.times is not None and self.times < 1:
            message = f"'times' is at least 1, not {self.times}"
            raise ArgumentError("times", message, hint="use not_called")
        conditions = ArgumentConditions.checked(self.args, self.exact, self.args_schema, self.where)
        object.__setattr__(self, "conditions", conditions)

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        for name in self.values():
            own = [call for call in calls if call.name == name]
            fitting = [call for call in own if self.conditions.fits(call, context)]
            if self.times is not None and len(fitting) != self.times:
                count = f"{amount(len(fitting), 'such call')} of {name}, wanted {self.times}"
                return judged(False, f"{count}: {shown_calls(calls)}")
            if not fitting:
                problem = f"{name} was called with other arguments" if own else f"no {name}"
                return judged(False, f"{problem}: {shown_calls(own or calls)}")
        return judged(True, shown_calls(calls))


@dataclass(frozen=True, slots=True)
class NotCalled(_WithArguments):
    """Passes if the model didn't call the tool, or not with such arguments.

    `true` stands for all tools: the model must not call any.
    """

    not_called: bool | str | tuple[str, ...]
    """Name of the tool, a list of names, or `true`."""
    args: Mapping[str, object] = field(default_factory=dict)
    """Only calls with these arguments, at any depth, are forbidden."""
    exact: bool = False
    """Only calls without arguments other than those in `args` are forbidden."""
    args_schema: Mapping[str, object] | None = None
    """Only calls whose arguments fit this JSON Schema are forbidden."""
    where: str | None = None
    """Only calls for which this expression about `args` is true are forbidden."""
    conditions: ArgumentConditions = field(init=False, repr=False, compare=False)

    examples: ClassVar = (
        CheckExample({"not_called": "delete"}, ("read({})", ""), ('delete({"all": true})',)),
        CheckExample({"not_called": True}, ("",), ("read({})",)),
        CheckExample(
            {"not_called": "send", "args": {"to": "eve"}},
            ('send({"to": "bob"})',),
            ('send({"to": "eve", "text": "x"})',),
        ),
    )

    def __post_init__(self) -> None:
        if not self.not_called:
            message = "'not_called' is true, or names a tool"
            raise ArgumentError("not_called", message, hint="use min_calls: 1 for any call")
        conditions = ArgumentConditions.checked(self.args, self.exact, self.args_schema, self.where)
        object.__setattr__(self, "conditions", conditions)

    def check_calls(self, calls: Sequence[ToolCall], context: CheckContext) -> Verdict:
        names = self.values()
        own = [call for call in calls if self.not_called is True or call.name in names]
        forbidden = [call for call in own if self.conditions.fits(call, context)]
        return judged(not forbidden, shown_calls(forbidden or calls))
