"""Promises of pages: each is on its page, word for word, and is tried.

`says` marks a line of a page; the function below it tries the line in an empty workspace.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.command_line import call
from support.folders import workspace

DOCS = Path(__file__).parents[2] / "docs"
Try = Callable[[Path], None]


class Statement(NamedTuple):
    """Lines of a page, and what tries them."""

    page: str
    lines: tuple[str, ...]
    tried: Try

    def hold(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Find the lines on the page, and try them in a new workspace."""
        text = " ".join((DOCS / f"{self.page}.md").read_text(encoding="utf-8").split())
        for line in self.lines:
            assert " ".join(line.split()) in text
        monkeypatch.chdir(workspace(root))
        self.tried(root)


class Statements(list[Statement]):
    """The statements of a file of tests."""

    def says(self, page: str, *lines: str) -> Callable[[Try], Try]:
        """Return a decorator: the function tries lines of a page."""

        def mark(tried: Try) -> Try:
            self.append(Statement(page, lines, tried))
            return tried

        return mark

    def cases(self) -> Iterator[Any]:
        """Yield a parameter of pytest for each."""
        for statement in self:
            yield pytest.param(statement, id=f"{statement.page}: {statement.tried.__name__}")


def rows(count: int) -> list[dict[str, Any]]:
    return [{"name": f"n{number}"} for number in range(1, count + 1)]


def write(folder: Path, **document: Any) -> Path:
    """Write a test that passes with the model `dummy/dummy`, changed by `document`."""
    folder.mkdir(parents=True)
    whole = {"description": "d", "prompt": "Hi {name}", "check": {"contains": "Hello"}}
    whole |= {"dataset": rows(4), **document}
    (folder / "test.json").write_text(json.dumps(whole), encoding="utf-8")
    return folder


def results(*options: str) -> list[dict[str, Any]]:
    """Run the test `t` and return its results."""
    _, out, _ = call("run", "t", "--model", "dummy/dummy", "--json", *options)
    return [row for test in json.loads(out)["tests"] for row in test["instances"]]


def lines_of(*options: str) -> list[int]:
    return sorted(row["line"] for row in results(*options))
