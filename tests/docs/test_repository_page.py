"""docs/repository.md has the figures of today's recorded answers."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest
from support.command_line import call

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "repository.md"
GENERATE = runpy.run_path(str(ROOT / "docs" / "generate_repository.py"))


def test_the_tables_are_those_of_today() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert GENERATE["page"](text) == text, "run `make docs`"


def test_tests_tell_a_tiny_model_from_good_answers() -> None:
    tests = [*GENERATE["recordings"]()]
    assert len(tests) >= 80
    assert all(verdict for test in tests for verdict in test.written)
    assert sum(test.tells_them_apart for test in tests) >= 0.8 * len(tests)


@pytest.mark.parametrize(
    "command", re.findall(r"^lve (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
)
def test_its_commands_work(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    dry = ("--dry-run",) if command.startswith("run") else ()
    assert call(*shlex.split(command), *dry)[0] == 0


def test_each_of_owasps_ten_has_tests() -> None:
    table = PAGE.read_text(encoding="utf-8").split("<!-- owasp -->")[1].split("<!-- end -->")[0]
    counts = {row[2:7]: int(row.split("|")[2]) for row in table.strip().splitlines()[2:]}
    assert counts.keys() == {f"LLM{number:02}" for number in range(1, 11)}
    assert min(counts.values()) >= 2
