"""docs/error-kinds.md has each kind of error that lve's code can give, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from lve.extensions.batch import openai as batches
from lve.models.error_kinds import (
    CHECKER_ERROR,
    MODEL_WIDE_KINDS,
    NOT_ASKED,
    NOT_RECORDED,
    STALE_RECORDING,
)
from lve.models.http import failures
from lve.models.scripted import ERRORS
from lve.sessions.instance_result import UNEXPECTED

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/error-kinds.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
PLACES = {"_not_answered": 0, "_permanent": 0, "Judged": 2}
"""Functions that take the kind by its place."""


def words(node: ast.AST) -> Iterator[str]:
    """The texts that an expression may be: `"a" if x else "b"` is two."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from words(node.body)
        yield from words(node.orelse)


def kinds_of(call: ast.Call) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
    if name in PLACES:
        yield from words(call.args[PLACES[name]])
    if name.endswith("Error") or name == "failed_result":
        for keyword in call.keywords:
            if keyword.arg == "kind":
                yield from words(keyword.value)


def kinds_in_code() -> set[str]:
    found = {
        CHECKER_ERROR,
        NOT_ASKED,
        NOT_RECORDED,
        STALE_RECORDING,
        UNEXPECTED,
        *MODEL_WIDE_KINDS,
        *ERRORS,
    }
    found |= {*failures._TRANSIENT.values(), *failures._PERMANENT.values(), *failures._HINTS}
    found |= {kind for kind, _ in batches._NO_ANSWER.values()}
    for file in (ROOT / "lve").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if not any(word in text for word in ("kind=", *PLACES)):
            continue  # parsing all takes seconds
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                found.update(kinds_of(node))
    return found


def test_the_page_has_each_kind_once_and_no_other() -> None:
    named = [kind for kind, _, _ in ROWS]
    assert len(named) == len(set(named))
    assert set(named) == kinds_in_code()


def test_a_kind_is_found_in_either_branch_and_in_either_place() -> None:
    source = "ModelError(x, kind='a' if y else 'b')\n_not_answered('c', x)\nother(kind='d')"
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    assert {kind for call in calls for kind in kinds_of(call)} == {"a", "b", "c"}
