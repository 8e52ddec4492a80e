"""docs/security.md, docs/sandbox.md: every promise has tests, and every test named there exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE, SANDBOX = (
    (TESTS.parent / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("security", "sandbox")
)
NO_PROMISES = ("In short", "What is not promised", "What it doesn't stop", "The tests")
"""Sections that say what to do, or what lve doesn't do."""
LEAD = re.compile(r"(\n\n|^)[^\n](?:(?!\n\n).)*:$", re.DOTALL)
"""The paragraph that leads to a table or a list."""
MARK = re.compile(r"\[\^([\w-]+)\](?!:)")
NOTE = re.compile(r"^\[\^([\w-]+)\]: (.+)$", re.MULTILINE)
FILE = re.compile(r"`([\w/]+\.py)` \(([\w, ]+)\)")
PAGES = pytest.mark.parametrize("page", [PAGE, SANDBOX], ids=["security", "sandbox"])


def promises(page: str) -> Iterator[str]:
    """Yield each row, each list item, and the paragraphs between tables and lists, that promise
    something."""
    text = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        if title in NO_PROMISES:
            continue
        blocks = body.strip().split("\n\n")
        for is_prose, some in groupby(blocks, lambda block: block[:2] not in ("| ", "* ")):
            if not is_prose:
                yield from _of_lists(some)
            elif text := LEAD.sub("", "\n\n".join(some)).strip():
                yield text


def _of_lists(blocks: Iterable[str]) -> Iterator[str]:
    for block in blocks:
        yield from block.split("\n")[2:] if block[0] == "|" else re.split(r"\n(?=\* )", block)


@cache
def functions(file: str) -> frozenset[str]:
    """Return the names of the functions of a test file that pytest collects."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(one.name for one in tree.body if isinstance(one, kinds))


def missing(notes: dict[str, str]) -> list[str]:
    """Return what notes name and nobody finds."""
    wrong = []
    for name, note in notes.items():
        files = FILE.findall(note)
        if not files or FILE.sub("", note).strip(", "):
            wrong.append(f"{name}: {note}")
        for file, tests in files:
            known = functions(file) if (TESTS / file).is_file() else frozenset()
            wrong += [
                f"{name}: {file}: {one}" for one in tests.split(", ") if f"test_{one}" not in known
            ]
    return wrong


@PAGES
def test_every_promise_has_a_test(page: str) -> None:
    assert [one for one in promises(page) if not MARK.search(one)] == []


def test_the_pages_promise_much() -> None:
    assert len(list(promises(PAGE))) > 45
    assert len(list(promises(SANDBOX))) >= 9


@PAGES
def test_every_test_exists(page: str) -> None:
    assert missing(dict(NOTE.findall(page))) == []


@PAGES
def test_marks_and_notes_belong_together(page: str) -> None:
    notes = NOTE.findall(page)
    assert len(notes) == len(dict(notes)), "a note is there twice"
    assert set(MARK.findall(NOTE.sub("", page))) == set(dict(notes))


@pytest.mark.parametrize(
    ("note", "count"),
    [
        ("`docs/test_security_page.py` (every_test_exists)", 0),
        ("`docs/test_security_page.py` (every_test_exists, no_such_test)", 1),
        ("`docs/test_no_such_page.py` (every_test_exists)", 1),
        ("by hand", 1),
        ("`docs/test_security_page.py` (every_test_exists) and by hand", 1),
    ],
)
def test_what_does_not_exist_is_found(note: str, count: int) -> None:
    assert len(missing({"a": note})) == count


def test_promises_are_rows_items_and_paragraphs() -> None:
    table, code = "| d |\n|---|\n| e |\n| f |", "As in:\n\n```sh\nj\n```"
    page = f"# A\n\nb\n\n## C\n\nk\n\nAs:\n\n{table}\n\n* g\n  h\n* i\n\n{code}\n\nk\n\nl"
    assert list(promises(page)) == [
        "k",
        "| e |",
        "| f |",
        "* g\n  h",
        "* i",
        "As in:\n\n\n\nk\n\nl",
    ]
    assert list(promises("# A\n\n## In short\n\nb\n\n## C\n\nd")) == ["d"]
