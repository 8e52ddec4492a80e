"""docs/python-api.md: the examples give what the page shows, and every public name is there."""

from __future__ import annotations

import ast
import asyncio
import doctest
import inspect
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import lve

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python-api.md"


def test_examples_give_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "repository", tmp_path / "repository")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    failed, attempted = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert attempted >= 15
    assert failed == 0


def test_the_notebook_cell_runs_and_shows_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a notebook does: in an event loop, with `await` at the top, and the last value shown."""
    shutil.copytree(ROOT / "repository", tmp_path / "repository")
    monkeypatch.chdir(tmp_path)
    [cell] = re.findall(r"```python notebook\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    *statements, last = ast.parse(cell).body
    assert isinstance(last, ast.Expr)
    names: dict[str, Any] = {}

    async def run_cell() -> Any:
        for kind, tree in (
            ("exec", ast.Module(statements, [])),
            ("eval", ast.Expression(last.value)),
        ):
            code = compile(tree, "cell", kind, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            value = eval(code, names)  # IPython does the same
            value = await value if inspect.isawaitable(value) else value
        return value

    shown = asyncio.run(run_cell())._repr_html_()
    assert "<table" in shown
    assert "dummy/dummy" in shown


def test_every_public_name_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in lve.__all__ if f"lve.{name}" not in text] == []
