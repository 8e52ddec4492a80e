"""Translates assertions in Python that are one expression to lambdas of the check `expression`."""

from __future__ import annotations

import ast

from lve.checkers.expression.source import ExpressionError, parse_lambda
from lve.extensions.importing.promptfoo.scripts.javascript import ANSWER, MAX_SCRIPT
from lve.extensions.importing.promptfoo.source import UnsupportedError

NUMBERS = ("abs", "float", "int", "len", "max", "min", "round", "sum")
"""Functions that return a number, of numbers."""
TRUTHS = ("all", "any", "bool", "isinstance")
TRUE_METHODS = ("endswith", "isdigit", "islower", "isupper", "startswith")


def python_lambda(script: str, *, threshold: float | None) -> tuple[str, list[str]]:
    """Return an expression in Python as a lambda, and the variables that it uses.

    Args:
        script: the expression, of `output` and `context['vars']['NAME']`.
        threshold: a number passes from here; None: above 0.

    Raises:
        UnsupportedError: it is no expression, or its result is neither a truth nor a number for
            certain.
    """
    if len(script) > MAX_SCRIPT:
        raise UnsupportedError(f"left out: its script has more than {MAX_SCRIPT:,} characters")
    try:
        body = parse_lambda(f"lambda {ANSWER}: ({script.strip()}\n)").body
    except ExpressionError:
        raise UnsupportedError("left out: its script isn't one expression") from None
    variables = _Variables()
    body = variables.visit(body)
    python = ast.unparse(body)
    if _is_number(body):
        python = f"({python}) {'> 0' if threshold is None else f'>= {threshold!r}'}"
    elif not _is_truth(body):
        raise UnsupportedError("left out: its script gives neither a truth nor a number")
    names = list(variables.names)
    return f"lambda {', '.join((ANSWER, *names))}: {python}", names


class _Variables(ast.NodeTransformer):
    """Replaces `context['vars']['NAME']` by `NAME`."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(
                value=ast.Subscript(value=ast.Name(id="context"), slice=ast.Constant(value="vars")),
                slice=ast.Constant(value=str(name)),
            ) if name.isidentifier() and name not in (ANSWER, "context"):
                self.names[name] = None
                return ast.Name(name, ast.Load())
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id == "context":
            raise UnsupportedError("left out: its script uses context")
        return node


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            return _is_number(left) and _is_number(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_number(operand)
        case ast.IfExp(body=body, orelse=other):
            return _is_number(body) and _is_number(other)
        case ast.Call(func=ast.Name(id="max" | "min"), args=args) if len(args) > 1:
            return all(map(_is_number, args))
        case ast.Call(func=ast.Name(id=name)):
            return name in NUMBERS and name not in ("max", "min")
    return False


def _is_truth(node: ast.expr) -> bool:
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
            return True
        case ast.BoolOp(values=values):
            return all(map(_is_truth, values))
        case ast.IfExp(body=body, orelse=other):
            return _is_truth(body) and _is_truth(other)
        case ast.Call(func=ast.Name(id=name)):
            return name in TRUTHS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in TRUE_METHODS
    return False
