"""Places of the variables of an expression, shared by the parts of the compiler."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from lve.checkers.expression.source import ExpressionError

Frame = list[Any]
"""The meter, followed by one place per variable."""
Closure = Callable[[Frame], Any]
_NODES_PER_UNIT = 16
UNSET = object()
"""Content of a place before it gets a value."""


class Scopes(ABC):
    """The names in scope while an expression is compiled, innermost scope last."""

    def __init__(self) -> None:
        self.size = 1
        self.compiled = 0
        """Number of nodes so far."""
        self.scopes: list[dict[str, int]] = [{}]
        self.walrus: set[int] = set()

    @abstractmethod
    def compile(self, node: ast.AST) -> Closure:
        """Return a function of a frame that computes the node.

        Raises:
            ExpressionError: the node is outside the subset.
        """

    def turn_cost(self, before: int) -> int:
        """Return the cost of a turn that computes all nodes compiled since there were `before`. A
        single operation on small values is too cheap to be charged, many in a row aren't."""
        return 1 + (self.compiled - before) // _NODES_PER_UNIT

    def declare(self, name: str) -> int:
        """Give a variable of the innermost scope a place in the frame."""
        self.scopes[-1][name] = self.size
        self.size += 1
        return self.size - 1

    def lookup(self, name: str) -> int | None:
        """Return a variable's place."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None


def refused(node: ast.AST) -> ExpressionError:
    """Return the error for a node outside the subset."""
    column = getattr(node, "col_offset", None)
    what = _NAMES.get(type(node).__name__, type(node).__name__)
    return ExpressionError(
        f"{what} can't be used in a checker's expression",
        column=None if column is None else column + 1,
        hint="put it into a custom checker (docs/checkers.md)",
    )


_NAMES = {
    "Attribute": "an attribute that isn't called",
    "Lambda": "a lambda that isn't a sort key or the function of map() or filter()",
    "GeneratorExp": "a generator that isn't the argument of a function",
    "Await": "await",
    "Yield": "yield",
    "YieldFrom": "yield",
    "MatMult": "@",
    "Dict": "** in a dict",
}
