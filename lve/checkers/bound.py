"""One checker of one test: its arguments, filled with an instance's args when they have to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lve.checkers.arguments import ArgumentError, argument_errors, build, converted
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.contract import CheckContext, MeasuredChecker, Verdict
from lve.checkers.limits import HELD, LimitError
from lve.checkers.processes.aside import HERE, SMALL_WORK, Aside, TooMuchHereError
from lve.errors import PlaceholderError
from lve.prompts.fill import fill, parse_template
from lve.prompts.size import Room

Make = Callable[[Mapping[str, Any]], MeasuredChecker]


@dataclass(slots=True)
class BoundChecker:
    """A checker class and its arguments as the test has them.

    Text arguments are templates: `{name}` is filled with the instance's args, `{{` is a brace.
    """

    name: str
    args: Mapping[str, Any]
    make: Make
    templates: frozenset[str]
    """Text arguments to fill."""
    constant: MeasuredChecker | None = None
    """The checker, if every instance has the same."""

    latest: MeasuredChecker | None = None
    """The one made last."""
    redacts: bool = True
    """Whether it may change answers before they are written."""
    is_slow: bool = False
    """Whether it asks a model of its own, or a library as large."""
    stop: Callable[[], None] | None = None
    """Ends the process that it runs in, where it always has one of its own."""
    aside: Aside | None = None
    """Judges what takes longer than a moment; None if it is all done by `check_fully`."""

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict, from here or from the process aside.

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
        """Return the verdict, if that is known to take but a moment.

        Raises:
            TooMuchHereError: it may take longer.
            PromptError: as `check`.
            CheckerError: as `check`.
        """
        checker = self.constant or self._made(context)
        work = checker.work(context)
        if work is None or work > SMALL_WORK:
            raise TooMuchHereError
        before, HELD.limits = HELD.limits, HERE
        try:
            return checker.check(context)
        except LimitError:
            raise TooMuchHereError from None
        finally:
            HELD.limits = before

    def check_fully(self, context: CheckContext) -> Verdict:
        """Return the verdict, however long it takes.

        Raises:
            PromptError: as `check`.
            CheckerError: as `check`.
        """
        return self._made(context).check(context)

    def _made(self, context: CheckContext) -> MeasuredChecker:
        if self.constant is not None:
            return self.constant
        self.latest = self.make(filled(self.args, self.templates, context))
        return self.latest

    def postprocess(self, text: str) -> str:
        """Return an answer as it may be written.

        Raises:
            CheckerError: the checker crashed.
        """
        if not self.redacts:
            return text
        if self.is_slow and self.aside is not None:
            return self.aside.redact(text)
        # What an instance fills in can't be known here; what to redact rarely depends on it.
        checker = self.constant or self.latest or self.make(self.args)
        return checker.postprocess_response(text)


def filled(
    args: Mapping[str, Any], templates: frozenset[str], context: CheckContext
) -> dict[str, Any]:
    """Return the arguments with texts filled from an instance's args.

    Raises:
        PromptError: a value is missing or can't be formatted, or the arguments would be too long.
    """
    values = {**context.args, **context.parameters}
    result, room = dict(args), Room()
    for name in args:
        if name in templates:
            result[name] = text = fill(args[name], values)
            room.take(len(text))
    return result


def template_names(args: Mapping[str, Any], *, own: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the arguments that are texts to fill; `own` are filled by the checker itself."""
    return frozenset(n for n, v in args.items() if isinstance(v, str) and n not in own)


def template_errors(
    args: Mapping[str, Any], templates: frozenset[str], known: frozenset[str] | None
) -> list[ArgumentError]:
    """Return what is wrong with placeholders.

    Args:
        args: the checker's.
        templates: its texts.
        known: names that an instance will have; None if that can't be said.
    """
    errors = []
    for name in sorted(templates):
        try:
            names = [p.name for p in parse_template(args[name]).placeholders()]
        except PlaceholderError as error:
            errors.append(ArgumentError(name, str(error)))
            continue
        for unknown in [n for n in names if known is not None and n not in known]:
            errors.append(
                ArgumentError(
                    name,
                    f"{{{unknown}}} names no parameter of the test",
                    hint="write {{ and }} for braces that are meant literally",
                )
            )
    return errors


def bind_builtin(
    kind: type[BuiltinChecker],
    args: Mapping[str, Any],
    known: frozenset[str] | None,
    folder: Path,
) -> BoundChecker:
    """Return a built-in checker of the test in a folder, with its arguments checked.

    Raises:
        ArgumentErrors: something is wrong with them.
    """
    templates = template_names(args, own=kind.own_templates)
    errors = template_errors(args, templates, known)
    if errors:
        raise ArgumentErrors(errors)
    with_values = frozenset(n for n in templates if parse_template(args[n]).placeholders())
    errors = argument_errors(kind, args, placeholders=with_values)
    if errors:
        raise ArgumentErrors(errors)

    def make(values: Mapping[str, Any]) -> BuiltinChecker:
        texts = {n: converted(kind, n, v) for n, v in values.items() if n in with_values}
        return build(kind, {**values, **texts}).in_folder(folder)

    bound = BoundChecker(kind.__name__, args, make, templates)
    bound.redacts = kind.postprocess_response is not BuiltinChecker.postprocess_response
    bound.is_slow = kind.needs_model
    if not with_values:
        try:
            bound.constant = make(filled(args, templates, CheckContext(())))
        except ArgumentError as error:
            raise ArgumentErrors([error]) from error
    return bound


class ArgumentErrors(Exception):
    """Everything that is wrong with one checker's arguments."""

    def __init__(self, errors: list[ArgumentError]) -> None:
        super().__init__("; ".join(map(str, errors)))
        self.errors = errors
