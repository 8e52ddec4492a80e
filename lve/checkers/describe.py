"""Describes checkers for `lve show checker`, the documentation and the schema of test documents."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
import textwrap
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from types import ModuleType

from lve.checkers.arguments import argument_name, fields_of, type_hints_of, type_in_words
from lve.checkers.binding.find_kind import plugin_kind
from lve.checkers.builtin_checker import CheckExample
from lve.checkers.by_name import BUILTIN_CHECKERS, load_builtin
from lve.data_classes import dataclass
from lve.spec.check_names import CHECKS

NAMES = (*CHECKS, *BUILTIN_CHECKERS)
"""Names of all checkers that ship with lve, those of the short form first."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a checker."""

    name: str
    kind: str
    """Its type in words."""
    default: object
    """`...` if the argument is required."""
    description: str


@dataclass(frozen=True, slots=True)
class Description:
    """A checker and its arguments."""

    name: str
    summary: str
    """The first paragraph of the class' docstring."""
    details: str
    """The rest of the docstring."""
    tier: str
    """`data`, `expr` or `code` (docs/concepts.md)."""
    is_check: bool
    """Whether it has a short form."""
    takes_on: bool
    """Whether `on` can choose the answers that it judges."""
    arguments: tuple[Argument, ...]
    examples: tuple[CheckExample, ...]


def describe(name: str) -> Description | None:
    """Return the description of one of lve's checkers, or of an installed plugin's, which is
    loaded; None if there is no checker of that name.

    Raises:
        PluginError: the plugin can't be loaded.
    """
    kind = load_builtin(name) or plugin_kind(name)
    if kind is None:
        return None
    summary, _, details = inspect.cleandoc(kind.__doc__ or "").partition("\n\n")
    hints, docs = type_hints_of(kind), _field_docs(kind)
    arguments = [
        Argument(argument, type_in_words(hints[argument]), _default(field), docs.get(argument, ""))
        for argument, field in fields_of(kind).items()
    ]
    return Description(
        name,
        " ".join(summary.split()),
        " ".join(details.split()),
        kind.tier if name in NAMES else "code",
        name in CHECKS,
        kind.takes_on,
        tuple(arguments),
        kind.examples,
    )


def _default(field: dataclasses.Field[object]) -> object:
    return ... if field.default is dataclasses.MISSING else field.default


def _field_docs(kind: type) -> Mapping[str, str]:
    """Return name -> docstring of the fields of a class and its bases."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if dataclasses.is_dataclass(base):  # others have no fields
            docs.update(_docs_in_source(base))
    return docs


def _docs_in_source(kind: type) -> Mapping[str, str]:
    """Return name -> docstring of the fields that a class itself has."""
    try:
        if "." in kind.__qualname__:  # in another class, or in a function
            return _docs_in(ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0])
        return _docs_by_class(sys.modules[kind.__module__]).get(kind.__name__, {})
    except (KeyError, OSError, TypeError, SyntaxError):  # no source, as in a frozen program
        return {}


@cache
def _docs_by_class(module: ModuleType) -> Mapping[str, Mapping[str, str]]:
    """Return class -> name -> docstring of its fields, for all classes of a module.

    For a single class, `inspect` parses the whole module, so all of them together cost seconds.
    """
    tree = ast.parse(inspect.getsource(module))
    return {node.name: _docs_in(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _docs_in(node: ast.stmt) -> Mapping[str, str]:
    docs = {}
    body = node.body if isinstance(node, ast.ClassDef) else []
    for field, text in pairwise(body):  # a field's docstring is the statement after it
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            docs[argument_name(field.target.id)] = " ".join(str(text.value.value).split())
    return docs
