"""Where the variables of an expression stand, shared by the parts of the compiler."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from lve.checkers.expression.source import ExpressionError

Frame = list[Any]
"""The meter, then one place per variable."""
Closure = Callable[[Frame], Any]
_NODES_PER_UNIT = 16
UNSET = object()
"""What a place holds before it gets a value."""


class Scopes(ABC):
    """The names that are known while an expression is compiled, innermost scope last."""

    def __init__(self) -> None:
        self.size = 1
        self.compiled = 0
        """Nodes so far."""
        self.scopes: list[dict[str, int]] = [{}]
        self.walrus: set[int] = set()

    @abstractmethod
    def compile(self, node: ast.AST) -> Closure:
        """Return a function of a frame that computes the node.

        Raises:
            ExpressionError: the node is outside the subset.
        """

    def turn_cost(self, before: int) -> int:
        """Return what a turn costs that computes all nodes compiled since there were `before`: an
        operation on small values takes too little to pay for itself, many in a row don't."""
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
    """The error for a node outside the subset."""
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
