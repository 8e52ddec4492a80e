"""Parses the text of an expression, and refuses what is outside the subset, with its column."""

from __future__ import annotations

import ast
import warnings

from lve.checkers.expression.meter import MAX_DEPTH, MAX_SOURCE
from lve.errors import CheckerError


class ExpressionError(CheckerError, code="expression"):
    """An expression can't be used.

    Attributes:
        column: from 1, in characters of the expression, where that is known.
        hint: what to do about it.
    """

    def __init__(self, message: str, *, column: int | None = None, hint: str | None = None) -> None:
        place = "" if column is None else f" (column {column} of the expression)"
        super().__init__(message + place)
        self.column = column
        self.hint = hint


def as_lambda(text: str, parameters: str) -> str:
    """Return an expression as a lambda with these parameters; as it is if it is one. It gets a line
    of its own, so that columns are those that its author sees."""
    text = text.strip()
    is_whole = not text or text.startswith("lambda")
    return text if is_whole else f"lambda {parameters}: \\\n{text}"


def parse_lambda(source: str) -> ast.Lambda:
    """Return the syntax tree of a text such as `lambda r, a: int(r) == int(a)`.

    Raises:
        ExpressionError: it isn't one, or it is too long or too deeply nested.
    """
    if len(source) > MAX_SOURCE:
        raise ExpressionError(f"the expression has more than {MAX_SOURCE:,} characters")
    tree = _parse(source.strip())
    # Each level takes a character, but for those of the root and of a leaf.
    if len(source) > MAX_DEPTH - 10 and _depth(tree) > MAX_DEPTH:
        raise ExpressionError(f"the expression is nested more than {MAX_DEPTH} deep")
    if not isinstance(tree, ast.Lambda):
        raise ExpressionError(
            "expected a lambda", hint="write it as `lambda r, NAME, ...: EXPRESSION`"
        )
    return tree


def _parse(source: str) -> ast.expr:
    with warnings.catch_warnings():
        # '\d' in a plain string: Python warns, we take it as written
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source, mode="eval").body
        except SyntaxError as error:
            at_end = len(source.rpartition("\n")[2]) + 1
            raise ExpressionError(
                f"not a Python expression: {error.msg}", column=error.offset or at_end
            ) from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise ExpressionError(f"not a Python expression: {error or 'too complex'}") from error


def _depth(tree: ast.AST) -> int:
    """Return the nesting of a tree, without recursion."""
    deepest = 0
    stack: list[tuple[ast.AST, int]] = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return deepest


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
