"""The checkers that ship with lve, by the name that a test uses: no other module imports them."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from lve.check_names import CHECKS
from lve.checkers.builtin_checker import BuiltinChecker

BUILTIN_CHECKERS: dict[str, str] = {
    "LambdaChecker": "lve.checkers.builtin.lambdas",
    "MultiRunLambdaChecker": "lve.checkers.builtin.lambdas",
    "RegexChecker": "lve.checkers.builtin.match",
    "ExactMatchChecker": "lve.checkers.builtin.match",
    "FuzzyMatchChecker": "lve.checkers.builtin.match",
    "RefuseChecker": "lve.checkers.builtin.refuse",
    "MonotonicityChecker": "lve.checkers.builtin.monotonicity",
    "PII_Checker": "lve.checkers.builtin.pii",
    "AnswerChecker": "lve.checkers.builtin.answer",
    "ChoiceChecker": "lve.checkers.builtin.answer",
    "BiasChecker": "lve.checkers.builtin.classifiers",
    "ToxicityChecker": "lve.checkers.builtin.classifiers",
}
"""Name -> the module that has a class of that name. Imported when a test needs it."""


def load_builtin(name: str) -> type[BuiltinChecker] | None:
    """Return a built-in checker's class, None if there is none of that name."""
    return _loaded(name) if name in BUILTIN_CHECKERS or name in CHECKS else None


@cache  # asked for several times per test
def _loaded(name: str) -> type[BuiltinChecker]:
    module, attribute = BUILTIN_CHECKERS.get(name), name
    if module is None:
        module = f"lve.checkers.library.{CHECKS[name]}"
        attribute = "".join(part.title() for part in name.split("_"))
    kind: type[BuiltinChecker] = _class_in(module, attribute)
    return kind


def _class_in(module: str, name: str) -> type[BuiltinChecker]:
    found = vars(import_module(module))
    kind: type[BuiltinChecker] = found.get(f"{name}_") or found[name]  # `Any` is taken
    return kind
