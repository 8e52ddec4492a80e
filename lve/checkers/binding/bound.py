"""A checker of a test together with its arguments, which each instance may fill differently."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from lve.allowance import SECONDS, SECONDS_OF_EACH, Allowance
from lve.checkers.arguments import ArgumentError, ArgumentErrors
from lve.checkers.contract import CheckContext, MeasuredChecker, Verdict
from lve.checkers.limits import BRIEFLY_HERE, HELD, HERE, UNHURRIED, LimitError, TooMuchHereError
from lve.checkers.names import REFERENCE, KnownNames, Needs, placeholder_names
from lve.checkers.processes.aside import Aside
from lve.checkers.turns import Turns
from lve.errors import PlaceholderError
from lve.prompts.fill import fill
from lve.prompts.size import CharacterBudget
from lve.suggest import did_you_mean


@dataclass(slots=True, repr=False, eq=False)
class BoundChecker:
    """A checker class and its arguments as the test has them.

    Text arguments are templates: `{name}` is filled with the instance's args, `{{` is a brace.
    """

    name: str
    make: Callable[[Mapping[str, Any]], MeasuredChecker]
    """Makes the checker from filled arguments."""
    args: Mapping[str, Any]
    templates: frozenset[str]
    """Text arguments to fill."""
    constant: MeasuredChecker | None
    """The checker, if its arguments are the same for every instance."""
    needs: Needs
    """What it needs of an instance."""
    roles: tuple[str, ...] = ()
    """Roles of the models that it asks."""
    redacts: bool = True
    """Whether it may change answers before they are written to files."""
    is_slow: bool = False
    """Whether it loads a model or a large library."""
    stop: Callable[[], None] | None = None
    """Ends its process, if it always runs in one of its own."""
    aside: Aside | None = None
    """Judges in another process what may take long; None if `check_fully` does everything."""
    turns: Turns | None = None
    """What it looks at; None: what it looks at by itself."""
    late: frozenset[str] = frozenset()
    """Names of placeholders that may be variables of answers, or `reference`."""
    patterns: frozenset[str] = frozenset()
    """Arguments that are regular expressions."""
    _latest: MeasuredChecker | None = field(default=None, init=False)
    """The checker of the latest instance."""
    _allowance: Allowance = field(default_factory=Allowance, init=False)
    """The time that it has in this process."""

    def prepare(self) -> None:
        """Load models and libraries before the first judgement.

        Raises:
            CheckerError: that fails.
            MissingExtraError: a package or a model is not installed.
        """
        if self.is_slow and self.aside is not None:
            self.aside.prepare()
        elif self.constant is not None:
            self.constant.prepare()

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict, judged here if that is quick and in the other process otherwise.

        Raises:
            PromptError: an argument can't be filled.
            CheckerError: the checker can't be made from the filled arguments, or crashed.
        """
        if self.aside is None:
            return self.check_fully(context)
        try:
            return self.check_here(context)
        except TooMuchHereError:
            return self.aside.check(context)

    def check_here(self, context: CheckContext) -> Verdict:
        """Return the verdict if judging is known to be quick.

        Raises:
            TooMuchHereError: it may take longer.
            PromptError: as `check`.
            CheckerError: as `check`.
        """
        if self.turns is None:
            return self._check_here(context)
        return self.turns.judged(context, self._check_here, here=True)

    def _check_here(self, context: CheckContext) -> Verdict:
        allowance = self._allowance
        limits = HERE if allowance.left > 0 else BRIEFLY_HERE
        began = perf_counter()
        HELD.limits = limits
        try:
            if self.constant is None and limits is BRIEFLY_HERE and not self.roles:
                raise TooMuchHereError  # making a checker may take a while, too
            checker = self.constant or self._made(context)
            work = checker.work(context)
            if work is None or work > limits.work:
                raise TooMuchHereError
            return checker.check(context)
        except LimitError:
            raise TooMuchHereError from None
        finally:
            HELD.limits = UNHURRIED
            seconds = perf_counter() - began
            if seconds > SECONDS_OF_EACH or allowance.left < SECONDS:  # else it takes nothing
                allowance.take(seconds)

    def check_fully(self, context: CheckContext) -> Verdict:
        """Return the verdict, however long it takes.

        Raises:
            PromptError: as `check`.
            CheckerError: as `check`.
        """
        if self.turns is None:
            return self._check_fully(context)
        return self.turns.judged(context, self._check_fully, here=False)

    def _check_fully(self, context: CheckContext) -> Verdict:
        return self._made(context).check(context)

    def work(self, context: CheckContext) -> int | None:
        """As `MeasuredChecker.work`."""
        if self.turns is None:
            return self._made(context).work(context)
        views = self.turns.views(context)
        works = [self._made(view.context).work(view.context) for view in views]
        return None if None in works else sum(work for work in works if work is not None)

    def _made(self, context: CheckContext) -> MeasuredChecker:
        if self.constant is not None:
            return self.constant
        args = filled(self.args, self.templates, context, late=self.late, patterns=self.patterns)
        self._latest = self.make(args)
        return self._latest

    def postprocess(self, text: str) -> str:
        """Return an answer with everything removed that must not be written to files.

        Raises:
            CheckerError: the checker crashed.
        """
        if not self.redacts:
            return text
        if self.is_slow and self.aside is not None:
            return self.aside.redact(text)
        # What an instance fills in can't be known here; what to redact rarely depends on it.
        checker = self.constant or self._latest or self.make(self.args)
        return checker.postprocess_response(text)


def template_names(
    args: Mapping[str, Any],
    known: KnownNames | None,
    *,
    own: frozenset[str] = frozenset(),
    lists: bool = False,
) -> frozenset[str]:
    """Return the arguments that are texts to fill.

    Args:
        args: the checker's.
        known: names that an instance will have; None if that can't be said.
        own: texts that the checker itself fills.
        lists: whether lists of texts are filled, too.

    Raises:
        ArgumentErrors: something is wrong with their placeholders.
    """
    templates = text_arguments(args, own, lists=lists)
    if errors := placeholder_errors(args, templates, known):
        raise ArgumentErrors(errors)
    return templates


def text_arguments(
    args: Mapping[str, Any], own: frozenset[str], *, lists: bool = False
) -> frozenset[str]:
    """Return the arguments that are texts to fill; arguments as `template_names`."""
    return frozenset(n for n, v in args.items() if n not in own and _is_text(v, lists=lists))


def placeholder_errors(
    args: Mapping[str, Any],
    templates: frozenset[str],
    known: KnownNames | None,
    *,
    answers: bool = True,
) -> list[ArgumentError]:
    """Return what is wrong with the placeholders of a checker's texts.

    Args:
        args: the checker's.
        templates: its texts.
        known: as for `template_names`.
        answers: whether the texts may hold answers of the tested model.
    """
    errors = []
    for name in sorted(templates):
        try:
            names = placeholder_names(args[name])
        except PlaceholderError as error:
            errors.append(ArgumentError(name, str(error)))
            continue
        if known is None:
            continue
        late = [n for n in names if n not in known and known.is_late(n)]
        for answer in [n for n in late if n != REFERENCE and not answers]:
            message = f"{{{answer}}} is an answer, which must not tell the judge what to do"
            hint = "the judge gets the answers that `on` names, marked as such"
            errors.append(ArgumentError(name, message, hint=hint))
        for unknown in [n for n in names if n not in known and n not in late]:
            errors.append(
                ArgumentError(
                    name,
                    f"{{{unknown}}} names no {known.what}, and no turn's variable",
                    hint=did_you_mean(unknown, sorted(known.names))
                    or "write {{ and }} for braces that are meant literally",
                    code="unknown_variable",
                )
            )
    return errors


def with_placeholders(args: Mapping[str, Any], templates: frozenset[str]) -> frozenset[str]:
    """Return the templates whose text depends on the instance."""
    return frozenset(n for n in templates if placeholder_names(args[n]))


def _is_text(value: object, *, lists: bool) -> bool:
    return isinstance(value, str) or (
        lists and isinstance(value, list) and any(isinstance(one, str) for one in value)
    )


def filled(
    args: Mapping[str, Any],
    templates: frozenset[str],
    context: CheckContext | None = None,
    *,
    late: frozenset[str] = frozenset(),
    patterns: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """Return the arguments with texts filled from an instance's args.

    Args:
        args: the checker's.
        templates: its texts.
        context: has the instance's args; None if no text has a placeholder.
        late: names of placeholders that may be variables of answers, or `reference`.
        patterns: arguments that are regular expressions, in which an answer stands for itself.

    Raises:
        PromptError: a value is missing or can't be formatted, or the arguments would be too long.
    """
    values = {} if context is None else {**context.args, **context.parameters}
    said: Mapping[str, Any] = {}
    if context is not None and late:
        said = context.variables if context.transcripts else {}
        # A column of that name with one value for all turns is not the right answer of this one.
        if REFERENCE in late and isinstance(values.get(REFERENCE), list | None):
            values[REFERENCE] = context.reference
    result, budget = dict(args), CharacterBudget()
    for name in args:
        if name in templates:
            answers = _escaped(said) if said and name in patterns else said
            result[name] = _filled(args[name], {**answers, **values} if said else values, budget)
    return result


def _escaped(answers: Mapping[str, str]) -> dict[str, str]:
    return {name: re.escape(text) for name, text in answers.items()}


def _filled(value: Any, values: Mapping[str, Any], budget: CharacterBudget) -> Any:
    if isinstance(value, list):
        return [_filled(one, values, budget) for one in value]
    if not isinstance(value, str):
        return value
    text = fill(value, values)
    budget.take(len(text))
    return text
