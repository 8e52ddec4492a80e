"""Small faults that `mutation.py` plants in a module: what they are and where they can go."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
LARGEST_NUMBER = 1000
"""Larger numbers are bounds; which one exactly is a choice that no test has to pin down."""

Node = ast.expr | ast.stmt


@dataclass(slots=True)
class Mutant:
    """One fault: the text between two places of a line-and-column span, and what replaces it."""

    module: str
    line: int
    start: int
    end: int
    old: str
    new: str
    at_import: bool
    """Whether the line runs when the module is imported, not when a function is called."""

    def applied(self, source: str) -> str:
        """Return the module's source with the fault in it."""
        data = source.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()

    def __str__(self) -> str:
        """Return `file:line: old -> new`, each on one short line."""
        old, new = (" ".join(text.split())[:70] for text in (self.old, self.new))
        return f"{self.module}:{self.line}: {old}  ->  {new}"


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Yield every fault that can be planted in a module, in the order of its text."""
    starts = line_starts(source)
    tree = ast.parse(source)
    called = {line for node in ast.walk(tree) for line in body_of(node)}
    for node in decisive_nodes(tree):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        old = source.encode()[begin:end].decode()
        for new in replacements(node):
            yield Mutant(module, node.lineno, begin, end, old, new, node.lineno not in called)


def body_of(node: ast.AST) -> range:
    """Return the lines of a function's body; of other nodes, none."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return range(0)
    return range(node.body[0].lineno, (node.end_lineno or 0) + 1)


def line_starts(source: str) -> list[int]:
    """Return at which byte each line begins."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def decisive_nodes(node: ast.AST) -> Iterator[Node]:
    """Yield expressions and statements that run: no annotations, docstrings or f-strings' texts."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if not isinstance(child, ast.AST) or is_idle(child):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            if not isinstance(child, ast.JoinedStr):
                yield from decisive_nodes(child)


def is_idle(node: ast.AST) -> bool:
    """Return whether a node does nothing when the program runs: texts alone, type checking."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
        return node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Import | ast.ImportFrom)


def replacements(node: Node) -> Iterator[str]:
    """Yield the texts that can stand in a node's place: one fault each."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            yield unparsed(ast.Compare(node.left, [COMPARISONS[type(op)]()], node.comparators))
        case ast.BoolOp(op=ast.And()):
            yield unparsed(ast.BoolOp(ast.Or(), node.values))
        case ast.BoolOp(op=ast.Or()):
            yield unparsed(ast.BoolOp(ast.And(), node.values))
        case ast.UnaryOp(op=ast.Not()):
            yield unparsed(node.operand)
        case ast.BinOp(op=op) if type(op) in ARITHMETIC:
            yield unparsed(ast.BinOp(node.left, ARITHMETIC[type(op)](), node.right))
        case ast.IfExp():
            yield unparsed(ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse))
        case ast.Constant(value=bool()):
            yield repr(not node.value)
        case ast.Constant(value=int(number)) if number < LARGEST_NUMBER:
            yield repr(number + 1)
        case ast.Constant(value=str(text)) if text and " " not in text:
            yield repr(text + "X")
        case ast.Return(value=ast.expr() as value) if not is_none(value):
            yield "return None"
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.Raise() | ast.AugAssign():
            yield "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "pass"
        case ast.Break():
            yield "continue"
        case ast.Continue():
            yield "break"


def unparsed(node: ast.expr) -> str:
    """Return an expression as text that keeps its meaning wherever it is put."""
    return f"({ast.unparse(ast.fix_missing_locations(node))})"


def is_none(node: ast.expr) -> bool:
    """Return whether an expression is the constant None."""
    return isinstance(node, ast.Constant) and node.value is None
