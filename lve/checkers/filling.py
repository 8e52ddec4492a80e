"""Fills text arguments of checkers with an instance's args."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.checkers.arguments import ArgumentError, ArgumentErrors
from lve.checkers.contract import CheckContext
from lve.errors import PlaceholderError
from lve.model_arg_names import KNOWN_MODEL_ARGS
from lve.prompts.fill import fill, parse_template
from lve.prompts.size import Room
from lve.spec.model import Spec


def known_names(spec: Spec) -> frozenset[str] | None:
    """Return the names that instances' args can have; None if a data set decides that."""
    if spec.dataset is not None:
        return None
    return frozenset((*spec.parameters, *spec.model_args, *KNOWN_MODEL_ARGS))


def template_names(
    args: Mapping[str, Any],
    known: frozenset[str] | None,
    *,
    own: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """Return the arguments that are texts to fill.

    Args:
        args: the checker's.
        known: names that an instance will have; None if that can't be said.
        own: texts that the checker itself fills.

    Raises:
        ArgumentErrors: something is wrong with their placeholders.
    """
    templates = frozenset(n for n, v in args.items() if isinstance(v, str) and n not in own)
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
    if errors:
        raise ArgumentErrors(errors)
    return templates


def with_placeholders(args: Mapping[str, Any], templates: frozenset[str]) -> frozenset[str]:
    """Return the templates whose text depends on the instance."""
    return frozenset(n for n in templates if parse_template(args[n]).placeholders())


def filled(
    args: Mapping[str, Any], templates: frozenset[str], context: CheckContext | None = None
) -> dict[str, Any]:
    """Return the arguments with texts filled from an instance's args.

    Args:
        args: the checker's.
        templates: its texts.
        context: has the instance's args; None if no text has a placeholder.

    Raises:
        PromptError: a value is missing or can't be formatted, or the arguments would be too long.
    """
    values = {} if context is None else {**context.args, **context.parameters}
    result, room = dict(args), Room()
    for name in args:
        if name in templates:
            result[name] = text = fill(args[name], values)
            room.take(len(text))
    return result
