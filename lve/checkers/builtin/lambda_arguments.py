"""Whether a lambda's arguments fit the test's parameters."""

from __future__ import annotations

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin.lambdas import PARSED, REFERENCE, LambdaChecker, MultiRunLambdaChecker
from lve.checkers.contract import Checker
from lve.spec.model import Spec
from lve.suggest import did_you_mean


def lambda_errors(
    checker: Checker | None, spec: Spec, known: frozenset[str] | None
) -> list[ArgumentError]:
    """Return what is wrong with a lambda's argument names; nothing for other checkers.

    Args:
        checker: any checker.
        spec: the test.
        known: names that instances can have, None if that can't be said.
    """
    if not isinstance(checker, LambdaChecker | MultiRunLambdaChecker):
        return []
    function = checker.function
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
