"""The checkers that ship with lve, by the name that a test uses."""

from __future__ import annotations

from importlib import import_module

from lve.checkers.per_run import BuiltinChecker

BUILTIN_CHECKERS: dict[str, str] = {
    "LambdaChecker": "lve.checkers.lambdas",
    "MultiRunLambdaChecker": "lve.checkers.lambdas",
    "RegexChecker": "lve.checkers.match",
    "ExactMatchChecker": "lve.checkers.match",
    "FuzzyMatchChecker": "lve.checkers.match",
    "RefuseChecker": "lve.checkers.refuse",
    "MonotonicityChecker": "lve.checkers.monotonicity",
    "PII_Checker": "lve.checkers.pii",
    "AnswerChecker": "lve.checkers.answer",
    "ChoiceChecker": "lve.checkers.answer",
    "BiasChecker": "lve.checkers.classifiers",
    "ToxicityChecker": "lve.checkers.classifiers",
}
"""Name -> the module that has a class of that name. Imported when a test needs it."""

LAMBDA_CHECKERS = frozenset({"LambdaChecker", "MultiRunLambdaChecker"})


def load_builtin(name: str) -> type[BuiltinChecker] | None:
    """Return a built-in checker's class, None if there is none of that name."""
    if name not in BUILTIN_CHECKERS:
        return None
    kind: type[BuiltinChecker] = getattr(import_module(BUILTIN_CHECKERS[name]), name)
    return kind
