"""Finds lve's checkers by the names that tests use. No other module imports these checkers."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from lve.checkers.builtin_checker import BuiltinChecker
from lve.extension_table import CHECKERS
from lve.spec.check_names import CHECKS

BUILTIN_CHECKERS: dict[str, str] = {
    "LambdaChecker": "lve.checkers.builtin.lambdas",
    "MultiRunLambdaChecker": "lve.checkers.builtin.lambdas",
    "RegexChecker": "lve.checkers.builtin.match",
    "ExactMatchChecker": "lve.checkers.builtin.match",
    "FuzzyMatchChecker": "lve.checkers.builtin.match",
    "RefuseChecker": CHECKERS["RefuseChecker"],
    "MonotonicityChecker": CHECKERS["MonotonicityChecker"],
    "PII_Checker": CHECKERS["PII_Checker"],
    "AnswerChecker": CHECKERS["AnswerChecker"],
    "ChoiceChecker": CHECKERS["ChoiceChecker"],
    "BiasChecker": CHECKERS["BiasChecker"],
    "ToxicityChecker": CHECKERS["ToxicityChecker"],
}
"""Name -> module with a class of that name, which is imported on demand."""


def load_builtin(name: str) -> type[BuiltinChecker] | None:
    """Return the class of a built-in checker; None if there is none of that name."""
    return _loaded(name) if name in BUILTIN_CHECKERS or name in CHECKS else None


@cache  # called several times per test
def _loaded(name: str) -> type[BuiltinChecker]:
    module, class_name = BUILTIN_CHECKERS.get(name), name
    if module is None:
        module = CHECKERS.get(name) or f"lve.checkers.library.{CHECKS[name]}"
        class_name = "".join(part.title() for part in name.split("_"))
    classes = vars(import_module(module))
    # `any` is the class `Any_`, as `Any` is typing's.
    kind: type[BuiltinChecker] = classes.get(f"{class_name}_") or classes[class_name]
    return kind
