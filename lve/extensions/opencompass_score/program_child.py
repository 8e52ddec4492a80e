"""The process in the sandbox that runs a model's program and its tests, once."""

from __future__ import annotations

import ast
import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from types import CodeType
from typing import Any

from lve.child.child_side import serve
from lve.escape import head
from lve.json_types import JsonObject, JsonValue

_SAME = "__lve_same"
MAX_WHY = 300


def main(lifeline: int) -> None:
    """Answer requests: `{}` says that the process is ready, the next one has the program."""
    serve(lifeline, answer)


def answer(request: JsonObject) -> dict[str, JsonValue]:
    """Return `{passed, why}`.

    Args:
        request: `program`, and `tests`, whose `assert a == b` only hold for values of one type.
    """
    if "program" not in request:
        return {}
    names: dict[str, Any] = {}
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            exec(_code(str(request["program"])), names)
            if request["tests"]:
                names[_SAME] = same
                exec(_code(with_types(str(request["tests"]))), names)
    except BaseException as error:  # also SystemExit: whatever a program does, it is judged
        return {"passed": False, "why": head(f"{type(error).__name__}: {error}", MAX_WHY)}
    return {"passed": True, "why": ""}


def _code(program: str) -> CodeType:
    """Return compiled Python whose asserts hold whatever PYTHONOPTIMIZE says."""
    return compile(program, "<string>", "exec", dont_inherit=True, optimize=0)


def with_types(tests: str) -> str:
    """Return tests whose equality is that of `same`: an object of the program can't be equal to
    everything. Tests that are no Python stay as they are."""
    try:
        tree = ast.parse(tests)
    except SyntaxError:
        return tests
    return ast.unparse(ast.fix_missing_locations(_Typed().visit(tree)))


class _Typed(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        self.generic_visit(node)
        test = node.test
        if isinstance(test, ast.Compare) and [type(each) for each in test.ops] == [ast.Eq]:
            own = ast.Name(_SAME, ast.Load())
            node.test = ast.Call(own, [test.left, *test.comparators], [])
        return node


def same(actual: object, expected: object) -> bool:
    """Return whether two values, and the values in them, have the same types and are equal."""
    if type(actual) is not type(expected):
        return False
    match actual, expected:
        case (list() | tuple(), list() | tuple()):
            pairs = zip(actual, expected, strict=False)
            return len(actual) == len(expected) and all(same(*pair) for pair in pairs)
        case Mapping(), Mapping():
            return _same_in_any_order(list(actual.items()), list(expected.items()))
        case (set() | frozenset(), set() | frozenset()):
            return _same_in_any_order(list(actual), list(expected))
    try:
        return (actual == expected) is True
    except Exception:
        return False


def _same_in_any_order(actual: Sequence[object], expected: list[object]) -> bool:
    if len(actual) != len(expected):
        return False
    for value in actual:
        place = next((at for at, other in enumerate(expected) if same(value, other)), None)
        if place is None:
            return False
        del expected[place]
    return True
