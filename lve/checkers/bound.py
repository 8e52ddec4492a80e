"""One checker of one test: its arguments, filled with an instance's args when they have to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lve.checkers.arguments import ArgumentError, argument_errors, build, converted
from lve.checkers.base import CheckContext, Checker, Verdict
from lve.checkers.per_run import BuiltinChecker
from lve.errors import PlaceholderError
from lve.prompts.fill import fill, parse_template

Make = Callable[[Mapping[str, Any]], Checker]


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
    constant: Checker | None = None
    """The checker, if every instance has the same."""

    latest: Checker | None = None
    """The one made last."""
    redacts: bool = True
    """Whether it may change answers before they are written."""
    is_slow: bool = False
    """Whether it asks a model of its own, or a library as large."""
    stop: Callable[[], None] | None = None
    """Ends the process that it runs in, where it has one of its own."""

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict.

        Raises:
            PromptError: an argument can't be filled.
            CheckerError: the checker can't be made from the filled arguments, or crashed.
        """
        checker = self.constant
        if checker is None:
            checker = self.make(filled(self.args, self.templates, context))
            self.latest = checker
        return checker.check(context)

    def postprocess(self, text: str) -> str:
        """Return an answer as it may be written.

        Raises:
            CheckerError: the checker crashed.
        """
        if not self.redacts:
            return text
        # What an instance fills in can't be known here; what to redact rarely depends on it.
        checker = self.constant or self.latest or self.make(self.args)
        return checker.postprocess_response(text)


def filled(
    args: Mapping[str, Any], templates: frozenset[str], context: CheckContext
) -> dict[str, Any]:
    """Return the arguments with texts filled from an instance's args.

    Raises:
        PromptError: a value is missing or can't be formatted.
    """
    values = {**context.args, **context.parameters}
    return {name: fill(v, values) if name in templates else v for name, v in args.items()}


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
    kind: type[BuiltinChecker], args: Mapping[str, Any], known: frozenset[str] | None
) -> BoundChecker:
    """Return a built-in checker with its arguments checked.

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

    def make(values: Mapping[str, Any]) -> Checker:
        texts = {n: converted(kind, n, v) for n, v in values.items() if n in with_values}
        return build(kind, {**values, **texts})

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
