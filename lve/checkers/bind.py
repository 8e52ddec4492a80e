"""Finding a built-in checker by its name and binding its arguments, problems with positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from lve.checkers.arguments import ArgumentError
from lve.checkers.bound import ArgumentErrors, BoundChecker, bind_builtin
from lve.checkers.builtin.names import BUILTIN_CHECKERS, LAMBDA_CHECKERS, load_builtin
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.contract import Checker
from lve.checkers.processes.aside import Aside
from lve.data.instances import KNOWN_MODEL_ARGS
from lve.documents.read import read_document
from lve.errors import Problem, SpecError
from lve.spec.model import CheckerConfig, Spec
from lve.suggest import did_you_mean


def bind_named(spec: Spec, config: CheckerConfig) -> BoundChecker:
    """Return a built-in checker with its arguments checked. Runs no foreign code.

    Raises:
        ArgumentErrors: the name or an argument is wrong.
    """
    kind = load_builtin(config.name)
    if kind is None:
        raise ArgumentErrors([_unknown_checker(spec, config.name)])
    folder = spec.file.parent
    bound = bind(config.name, config.args, folder, known=known_names(spec))
    if config.name in LAMBDA_CHECKERS:
        from lve.checkers.builtin.lambda_arguments import (
            lambda_errors,  # brings the expression compiler
        )

        errors = lambda_errors(_inner(bound.constant), spec, known_names(spec))
        if errors:
            raise ArgumentErrors(errors)
    bound.aside = Aside(kind, config.args, folder)
    return bound


def bind(
    name: str, args: Mapping[str, Any], folder: Path, *, known: frozenset[str] | None
) -> BoundChecker:
    """Return a built-in checker with its arguments.

    Args:
        name: of a built-in checker.
        args: as the test document has them.
        folder: the test's.
        known: names that instances' args can have, None if that can't be said.

    Raises:
        ArgumentErrors: an argument is wrong.
    """
    kind = load_builtin(name)
    assert kind is not None
    own = dict(args)
    extract = None if _is_own_extract(kind, own) else own.pop("extract", None)
    bound = bind_builtin(kind, own, known, folder)
    return bound if extract is None else _extracting(bound, extract)


def _inner(checker: Checker | None) -> Checker | None:
    """Return the checker that gets what another one extracts."""
    return getattr(checker, "checker", checker)


def _is_own_extract(kind: type[BuiltinChecker], args: Mapping[str, Any]) -> bool:
    """Whether `extract` is an argument of the checker's own: the numbers that lambdas extract
    (`int_last`, ...)."""
    if args.get("extract") is None:
        return "extract" in _arguments_of(kind)
    from lve.checkers.extract.numbers import EXTRACTS

    return "extract" in _arguments_of(kind) and args["extract"] in EXTRACTS


@cache
def _arguments_of(kind: type[BuiltinChecker]) -> frozenset[str]:
    return frozenset(field.name for field in fields(kind))  # type: ignore[arg-type]  # all are dataclasses


def _extracting(bound: BoundChecker, extract: Any) -> BoundChecker:
    """Return the checker, judging only what `extract` finds in the answers."""
    from lve.checkers.extract.extractors import ExtractingChecker, make_extractor

    try:
        find = make_extractor(extract)
    except ArgumentError as error:
        raise ArgumentErrors([error]) from error
    make = bound.make
    bound.make = lambda values: ExtractingChecker(make(values), find)
    if bound.constant is not None:
        bound.constant = ExtractingChecker(bound.constant, find)
    return bound


def known_names(spec: Spec) -> frozenset[str] | None:
    """Return the names that instances' args can have, None if a data set decides that."""
    if spec.dataset is not None:
        return None
    return frozenset((*spec.parameters, *spec.model_args, *KNOWN_MODEL_ARGS))


def _unknown_checker(spec: Spec, name: str) -> ArgumentError:
    from lve.checkers.custom.find import custom_names

    known = [*BUILTIN_CHECKERS, *custom_names(spec)]
    elsewhere = "docs/checkers.md lists the built-in ones; your own goes into checker/checker.py"
    hint = did_you_mean(name, known) or elsewhere
    return ArgumentError("checker_name", f"there is no checker '{name}'", hint=hint)


def argument_problem(spec: Spec, index: int, error: ArgumentError) -> Problem:
    """Return a problem with an argument of the test's checker number `index`, with its place."""
    position = spec.checkers[index].position
    is_list = position.path is not None and position.path.startswith("$.checkers")
    base: tuple[str | int, ...] = ("checkers", index) if is_list else ("checker_args",)
    path = base if error.argument is None else (*base, error.argument)
    try:
        document = read_document(spec.file)
    except (SpecError, OSError, KeyError):  # changed since, or a spec that is not from a file
        return Problem(str(error), position.file, path=position.path, hint=error.hint)
    return document.problem(str(error), path, hint=error.hint)
