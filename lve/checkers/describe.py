"""What is known of a checker: for `lve show checker`, the documentation and the
schema of test documents."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from lve.check_names import CHECKS
from lve.checkers.arguments import argument_name, fields_of, spelled, type_hints_of
from lve.checkers.binding.find_kind import plugin_kind
from lve.checkers.builtin_checker import BuiltinChecker, CheckExample
from lve.checkers.by_name import BUILTIN_CHECKERS, load_builtin

NAMES = (*CHECKS, *BUILTIN_CHECKERS)
"""Names of all checkers that ship with lve, those of the short form first."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a checker."""

    name: str
    kind: str
    """Its type in words."""
    default: object
    """`...` if it has to be given."""
    description: str


@dataclass(frozen=True, slots=True)
class Description:
    """A checker and its arguments."""

    name: str
    summary: str
    """A sentence or two."""
    details: str
    tier: str
    is_check: bool
    """Whether it has a short form."""
    takes_on: bool
    """Whether `on` can say which answers it looks at."""
    arguments: tuple[Argument, ...]
    examples: tuple[CheckExample, ...]


def describe(name: str) -> Description | None:
    """Return the description of a checker: lve's own or, then loaded, an installed plugin's; None
    if there is none of that name.

    Raises:
        PluginError: it is a plugin's, and can't be loaded.
    """
    kind = load_builtin(name) or plugin_kind(name)
    if kind is None:
        return None
    summary, _, details = inspect.cleandoc(kind.__doc__ or "").partition("\n\n")
    hints, told = type_hints_of(kind), _field_docs(kind)
    arguments = [
        Argument(argument, spelled(hints[argument]), _default(field), told.get(argument, ""))
        for argument, field in fields_of(kind).items()
    ]
    return Description(
        name,
        " ".join(summary.split()),
        " ".join(details.split()),
        _tier(name, kind),
        name in CHECKS,
        kind.takes_on,
        tuple(arguments),
        kind.examples,
    )


def _tier(name: str, kind: type[BuiltinChecker]) -> str:
    if name not in NAMES:
        return "code"
    return "expr" if name in _COMPUTING else kind.tier


_COMPUTING = ("LambdaChecker", "MultiRunLambdaChecker", "RegexChecker")


def _default(field: dataclasses.Field[Any]) -> object:
    return ... if field.default is dataclasses.MISSING else field.default


def _field_docs(kind: type) -> Mapping[str, str]:
    """Return the texts below the fields of a class and its bases."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError):  # no source, as in a frozen program
            continue
        body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
        for field, text in pairwise(body):
            if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
                continue
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                found[argument_name(field.target.id)] = " ".join(str(text.value.value).split())
    return found
