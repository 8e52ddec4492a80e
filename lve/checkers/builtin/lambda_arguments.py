"""Checks that a lambda's arguments fit the test's parameters."""

from __future__ import annotations

from lve.checkers.arguments import ArgumentError
from lve.checkers.expression.function import Function
from lve.spec.model import Spec
from lve.suggest import did_you_mean

REFERENCE = "reference"
"""A lambda's argument of this name gets the data set's right answer."""
PARSED = "parsed"
"""A lambda's argument of this name gets the JSON value of a prompt object's answer."""


def lambda_errors(
    function: Function, spec: Spec, known: frozenset[str] | None
) -> list[ArgumentError]:
    """Return what is wrong with a lambda's argument names.

    Args:
        function: the lambda.
        spec: the test.
        known: names that instances can have, None if that can't be said.
    """
    errors = [
        ArgumentError("func", f"{{{p.name}}} names no parameter of the test")
        for p in function.placeholders.values()
        if known is not None and p.name not in known
    ]
    if function.first in spec.parameters:
        errors.append(
            ArgumentError(
                "func",
                f"the lambda's first argument is the response, and '{function.first}' is a"
                " parameter",
                hint=f"write `lambda r, {function.first}: ...`",
            )
        )
    if known is None:
        return errors
    given = {REFERENCE} if spec.prompt_object is None else {REFERENCE, PARSED}
    for name in function.required:
        if name not in known and name not in given:
            errors.append(_missing(name, spec.parameters))
    return errors


def _missing(name: str, parameters: tuple[str, ...]) -> ArgumentError:
    listed = f"the test's parameters: {', '.join(parameters) or 'none'}"
    hint = did_you_mean(name, parameters) or listed
    return ArgumentError("func", f"the lambda's argument '{name}' is no parameter", hint=hint)
