"""Has the modules of a copy of lve say which of their statements run, in whatever process."""

from __future__ import annotations

import ast
import importlib.util
import marshal
from collections.abc import Iterator
from pathlib import Path

UNCHECKED_HASH = (1).to_bytes(4, "little")
"""Bytecode that Python takes whatever the text is (PEP 552)."""
PRELUDE = """
try:
    from reached_marks import MARKS as _reached_marks
except ImportError:
    _reached_marks = {}
"""


def mark_modules(copy: Path, rooms: list[str]) -> list[list[str]]:
    """Write bytecode for the modules of some rooms of a copy of the tree. Their texts stay.

    Returns: for each mark the places (`module:line`) that run when it is set.
    """
    places: list[list[str]] = []
    for path in modules_of(copy, rooms):
        module = path.relative_to(copy).as_posix()
        tree = ast.parse(path.read_text())
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                mark_block(function.body, module, places)
        begin = sum(map(is_first, tree.body[:2]))
        tree.body[begin:begin] = ast.parse(PRELUDE).body
        code = compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)
        cached = Path(importlib.util.cache_from_source(str(path)))
        cached.parent.mkdir(exist_ok=True)
        head = importlib.util.MAGIC_NUMBER + UNCHECKED_HASH
        text_hash = importlib.util.source_hash(path.read_bytes())
        cached.write_bytes(head + text_hash + marshal.dumps(code))
    return places


def modules_of(tree: Path, rooms: list[str]) -> Iterator[Path]:
    """Yield the modules of rooms; `.` are those at the top."""
    lve = tree / "lve"
    for room in rooms:
        yield from sorted(lve.glob("*.py") if room == "." else (lve / room).rglob("*.py"))


def is_first(statement: ast.stmt) -> bool:
    """Return whether a statement must stay at the beginning of a module or function."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def mark_block(block: list[ast.stmt], module: str, places: list[list[str]]) -> None:
    """Put a mark before each statement of a block and of the blocks in it."""
    for statement in list(block):
        if is_first(statement) or isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            continue  # a function in this one has its own turn
        inner = list(blocks_of(statement))
        last = min((part[0].lineno - 1 for part in inner), default=statement.end_lineno or 0)
        lines = range(statement.lineno, max(last, statement.lineno) + 1)
        mark = ast.parse(f"_reached_marks[{len(places)}] = 1").body[0]
        for node in ast.walk(mark):
            if isinstance(node, ast.stmt | ast.expr):
                node.lineno = node.end_lineno = statement.lineno
        places.append([f"{module}:{line}" for line in lines])
        for part in inner:
            mark_block(part, module, places)
        block.insert(next(i for i, other in enumerate(block) if other is statement), mark)


def blocks_of(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(statement, name, None):
            yield block
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body
