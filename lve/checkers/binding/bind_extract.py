"""Reads the `extract` of a checker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lve.checkers.arguments import fields_of
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.contract import MeasuredChecker


def is_own_extract(kind: type[BuiltinChecker], args: Mapping[str, Any]) -> bool:
    """Return whether `extract` is meant for the checker itself: lambdas extract numbers
    (`int_last`, ...)."""
    if "extract" not in fields_of(kind):
        return False
    from lve.checkers.extract.numbers import EXTRACTS

    return args.get("extract") in (None, *EXTRACTS)


def extracting(extract: object) -> Callable[[BuiltinChecker], MeasuredChecker]:
    """Return a function that makes a checker judge only what `extract` finds in the answers.

    Raises:
        ArgumentError: `extract` is wrong.
    """
    if extract is None:
        return lambda checker: checker
    from lve.checkers.extract.extractors import ExtractingChecker, finds_number, make_extractor

    find, is_number = make_extractor(extract), finds_number(extract)
    return lambda checker: ExtractingChecker(checker, find, is_number)
