"""A checker with the arguments of its test, which each instance may fill differently."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from lve.checkers.answer_selection import AnswerSelection
from lve.checkers.arguments import ArgumentErrors
from lve.checkers.binding.placeholders import RowText, placeholder_errors, with_lists
from lve.checkers.contract import CheckContext, RunnableChecker, Verdict
from lve.checkers.judging_limits import (
    ACTIVE,
    BRIEFLY_IN_PROCESS,
    IN_PROCESS,
    OUT_OF_PROCESS,
    LimitError,
    NeedsProcessError,
    total_work,
)
from lve.checkers.processes.out_of_process import OutOfProcessChecker
from lve.checkers.usable_names import REFERENCE, ArgNames, Needs, placeholder_names
from lve.checkers.valid_verdict import checked_verdict
from lve.data_classes import dataclass, field
from lve.limits.effort import PER_INSTANCE_S, TOTAL_S, Allowance
from lve.named_tuples import NamedTuple
from lve.prompts.fill import fill
from lve.prompts.size import CharacterBudget
from lve.spec.check_names import CONTEXTS


class CheckerArguments(NamedTuple):
    """The arguments of a checker as the test has them.

    Text arguments are templates: `{name}` is filled with the instance's args, `{{` is a brace.
    """

    values: Mapping[str, Any]
    templates: frozenset[str] = frozenset()
    """The names of the text arguments to fill."""
    late: frozenset[str] = frozenset()
    """Placeholders that may stand for a variable of an answer, or for `reference`."""
    patterns: frozenset[str] = frozenset()
    """The names of the arguments that are regular expressions."""
    lists: bool = False
    """As for `filled`."""

    def filled(self, context: CheckContext) -> dict[str, object]:
        """Return the arguments filled from an instance; errors as `filled`."""
        values, templates, late, patterns, lists = self
        return filled(values, templates, context, late=late, patterns=patterns, lists=lists)


@dataclass(slots=True, repr=False, eq=False)
class BoundChecker:
    """A checker with its arguments as the test has them."""

    name: str
    make: Callable[[Mapping[str, Any]], RunnableChecker]
    """Makes the checker from filled arguments."""
    arguments: CheckerArguments
    constant: RunnableChecker | None
    """The checker, if its arguments are the same for every instance."""
    needs: Needs
    """What an instance must have for it."""
    roles: tuple[str, ...] = ()
    """Roles of the models that it asks."""
    postprocesses: bool = True
    """Whether it may change answers before they are written to files."""
    is_slow: bool = False
    """Whether it loads a model or a large library."""
    stop: Callable[[], None] | None = None
    """Stops the process of a checker that always runs in one; None for other checkers."""
    out_of_process: OutOfProcessChecker | None = None
    """Runs long judgements in another process; None runs all of them in this one."""
    selection: AnswerSelection | None = None
    """Which answers it judges; None for those that it judges by default."""
    _latest: RunnableChecker | None = field(default=None, init=False)
    """The checker of the latest instance."""
    _allowance: Allowance = field(default_factory=Allowance, init=False)
    """The time that it may use in this process."""

    def prepare(self) -> None:
        """Load models and libraries before the first judgement.

        Raises:
            CheckerError: loading fails.
            MissingExtraError: a package or a model is not installed.
        """
        if self.is_slow and self.out_of_process is not None:
            self.out_of_process.prepare()
        elif self.constant is not None:
            self.constant.prepare()

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict. A quick judgement runs in this process, a long one in another.

        Raises:
            PromptError: an argument can't be filled.
            CheckerError: the checker can't be made from the filled arguments, or crashed.
        """
        if self.out_of_process is None:
            return self.check_fully(context)
        try:
            return self.check_in_process(context)
        except NeedsProcessError:
            return self.out_of_process.check(context)

    def check_in_process(self, context: CheckContext) -> Verdict:
        """Return the verdict if the judgement is sure to be quick.

        Raises:
            NeedsProcessError: the judgement may take longer.
            PromptError: as for `check`.
            CheckerError: as for `check`.
        """
        if self.selection is None:
            return self._check_in_process(context)
        return self.selection.verdict(context, self._check_in_process, in_process=True)

    def _check_in_process(self, context: CheckContext) -> Verdict:
        allowance = self._allowance
        limits = IN_PROCESS if allowance.left > 0 else BRIEFLY_IN_PROCESS
        began = perf_counter()
        ACTIVE.limits = limits
        try:
            if self.constant is None and limits is BRIEFLY_IN_PROCESS and not self.roles:
                raise NeedsProcessError  # making a checker may take a while, too
            checker = self.constant or self._checker_for(context)
            work = checker.work(context)
            if work is None or work > limits.work:
                raise NeedsProcessError
            return checked_verdict(checker.check(context))
        except LimitError:
            raise NeedsProcessError from None
        finally:
            ACTIVE.limits = OUT_OF_PROCESS
            seconds = perf_counter() - began
            if seconds > PER_INSTANCE_S or allowance.left < TOTAL_S:  # else nothing is deducted
                allowance.take(seconds)

    def check_fully(self, context: CheckContext) -> Verdict:
        """Return the verdict, judged in this process however long it takes.

        Raises:
            PromptError: as for `check`.
            CheckerError: as for `check`.
        """
        if self.selection is None:
            return self._check_fully(context)
        return self.selection.verdict(context, self._check_fully, in_process=False)

    def _check_fully(self, context: CheckContext) -> Verdict:
        return checked_verdict(self._checker_for(context).check(context))

    def work(self, context: CheckContext) -> int | None:
        """Same as `RunnableChecker.work`."""
        if self.selection is None:
            return self._checker_for(context).work(context)
        views = self.selection.views(context)
        return total_work(self._checker_for(view.context).work(view.context) for view in views)

    def _checker_for(self, context: CheckContext) -> RunnableChecker:
        if self.constant is not None:
            return self.constant
        self._latest = self.make(self.arguments.filled(context))
        return self._latest

    def postprocess(self, text: str) -> str:
        """Return `text`, an answer, without what must not be written to files.

        Raises:
            CheckerError: the checker crashed.
        """
        if not self.postprocesses:
            return text
        if self.is_slow and self.out_of_process is not None:
            return self.out_of_process.postprocess(text)
        # The instance is unknown here; what it removes rarely depends on its args.
        checker = self.constant or self._latest or self.make(self.arguments.values)
        return checker.postprocess_response(text)


def template_names(args: Mapping[str, object], arg_names: ArgNames | None) -> frozenset[str]:
    """Return the names of the text arguments to fill.

    Args:
        args: the checker's arguments.
        arg_names: names that instances can have; None if they are unknown.

    Raises:
        ArgumentErrors: a placeholder is invalid.
    """
    templates = text_arguments(args)
    if errors := placeholder_errors(args, templates, arg_names):
        raise ArgumentErrors(errors)
    return templates


def text_arguments(
    args: Mapping[str, object], own: frozenset[str] = frozenset(), *, lists: bool = False
) -> frozenset[str]:
    """Return the names of the text arguments to fill.

    Args:
        args: the checker's arguments.
        own: names of text arguments that the checker fills itself.
        lists: whether lists of texts are filled, too.
    """
    return frozenset(n for n, v in args.items() if n not in own and _is_text(v, lists=lists))


def with_placeholders(args: Mapping[str, Any], templates: frozenset[str]) -> frozenset[str]:
    """Return those of `templates` whose text has a placeholder."""
    return frozenset(n for n in templates if placeholder_names(args[n]))


def _is_text(value: object, *, lists: bool) -> bool:
    return isinstance(value, str) or (
        lists and isinstance(value, list) and any(isinstance(element, str) for element in value)
    )


def filled(
    args: Mapping[str, object],
    templates: frozenset[str],
    context: CheckContext | None = None,
    *,
    late: frozenset[str] = frozenset(),
    patterns: frozenset[str] = frozenset(),
    lists: bool = False,
) -> dict[str, object]:
    """Return the arguments with their texts filled from an instance.

    Args:
        args: the checker's arguments.
        templates: the names of the text arguments to fill.
        context: the instance; None if no text has a placeholder.
        late: placeholders that may stand for a variable of an answer, or for `reference`.
        patterns: names of the arguments that are regular expressions. Answers are escaped in them.
        lists: whether a list takes the place of a text that is only its placeholder: `{ideal}`.

    Raises:
        PromptError: a value is missing or can't be formatted, or the arguments get too long.
    """
    values = {} if context is None else {**context.args, **context.parameters}
    answers: Mapping[str, str] = {}
    if context is not None and late:
        answers = context.variables if context.transcripts else {}
        # A column `reference` with a list has one value for each turn: take this turn's.
        if CONTEXTS in late and context.transcripts:
            values.setdefault(CONTEXTS, context.returned[CONTEXTS])
        if REFERENCE in late and isinstance(values.get(REFERENCE), list | None):
            values[REFERENCE] = context.reference
    result, budget = dict(args), CharacterBudget()
    for name in args:
        if name in templates:
            is_pattern = name in patterns
            texts = {n: re.escape(t) for n, t in answers.items()} if is_pattern else answers
            value = args[name]
            merged = {**texts, **values} if texts else values
            if lists and isinstance(value, str | list):
                value = with_lists(value, merged, budget)
            result[name] = _filled(value, merged, budget)
    return result


def _filled(value: object, values: Mapping[str, object], budget: CharacterBudget) -> object:
    if isinstance(value, list):
        return [_filled(element, values, budget) for element in value]
    if isinstance(value, RowText) or not isinstance(value, str):
        return str(value) if isinstance(value, RowText) else value
    text = fill(value, values)
    budget.take(len(text))
    return text
