"""Reads the `extract` argument of a checker."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lve.checkers.arguments import fields_of
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.contract import RunnableChecker
from lve.checkers.extract.first_or_last_number import EXTRACTS


def is_own_extract(kind: type[BuiltinChecker], args: Mapping[str, object]) -> bool:
    """Return whether the checker itself handles its `extract`: lambdas extract numbers
    (`int_last`, ...)."""
    if "extract" not in fields_of(kind):
        return False
    return args.get("extract") in (None, *EXTRACTS)


def extracting(extract: object) -> Callable[[BuiltinChecker], RunnableChecker]:
    """Return a function that wraps a checker so that it judges only what `extract` finds in the
    answers.

    Raises:
        ArgumentError: `extract` is invalid.
    """
    if extract is None:
        return lambda checker: checker
    from lve.checkers.extract.extractors import ExtractingChecker, finds_number, make_extractor

    find, is_number = make_extractor(extract), finds_number(extract)
    return lambda checker: ExtractingChecker(checker, find, is_number)
