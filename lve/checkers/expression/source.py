"""Parses the text of an expression. Errors name the column of what is outside the subset."""

from __future__ import annotations

import ast
import warnings

from lve.checkers.expression.meter import MAX_SOURCE
from lve.documents.position_types import MAX_NESTING
from lve.errors import CheckerError


class ExpressionError(CheckerError, code="expression"):
    """An expression can't be used.

    Attributes:
        column: the column in the expression, from 1; None if it is unknown.
        hint: how to fix it.
    """

    def __init__(self, message: str, *, column: int | None = None, hint: str | None = None) -> None:
        place = "" if column is None else f" (column {column} of the expression)"
        super().__init__(message + place)
        self.column = column
        self.hint = hint


def as_lambda(text: str, parameters: str) -> str:
    """Return an expression as a lambda with these parameters; a lambda is returned unchanged. The
    expression is on a separate line, so that columns in errors are those of `text`."""
    text = text.strip()
    is_whole = not text or text.startswith("lambda")
    return text if is_whole else f"lambda {parameters}: \\\n{text}"


def parse_lambda(source: str) -> ast.Lambda:
    """Return the syntax tree of a text such as `lambda r, a: int(r) == int(a)`.

    Raises:
        ExpressionError: `source` is no lambda, too long, or nested too deeply.
    """
    if len(source) > MAX_SOURCE:
        raise ExpressionError(f"the expression has more than {MAX_SOURCE:,} characters")
    tree = _parse(source.strip())
    # Shorter texts can't be that deep: each level except root and leaf needs a character.
    if len(source) > MAX_NESTING - 10 and _depth(tree) > MAX_NESTING:
        raise ExpressionError(f"the expression is nested more than {MAX_NESTING} deep")
    if not isinstance(tree, ast.Lambda):
        raise ExpressionError(
            "expected a lambda", hint="write it as `lambda r, NAME, ...: EXPRESSION`"
        )
    return tree


def _parse(source: str) -> ast.expr:
    with warnings.catch_warnings():
        # Python warns about '\d' in a plain string
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


def refused(node: ast.AST, what: str | None = None) -> ExpressionError:
    """Return the error for a node outside the subset, which is what it says or what its type is."""
    column = getattr(node, "col_offset", None)
    what = what or _NAMES.get(type(node).__name__, type(node).__name__)
    return ExpressionError(
        f"{what} can't be used in a checker's expression",
        column=None if column is None else column + 1,
        hint="put it into a custom checker (docs/checkers.md)",
    )


_NAMES = {
    "Lambda": "a lambda that isn't a sort key or the function of map() or filter()",
    "GeneratorExp": "a generator that isn't the argument of a function",
    "Await": "await",
    "Yield": "yield",
    "YieldFrom": "yield",
    "BinOp": "@",
    "Constant": "a constant that isn't a text, a number, a truth value or None",
}
