"""How a session is had again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.reports.page.page_files import page_parts, write_pages
from extensions.reports.report_sessions import make_session

from lve.extensions.reports.page.facts import command_of


def test_the_command_runs_the_same_again(tmp_path: Path) -> None:
    folder = make_session(tmp_path / "state", tests=1, models=1)
    summary, _, _ = page_parts(write_pages(tmp_path / "page.html", folder))
    [session] = summary["sessions"]
    assert session["command"] == (
        "lve run repository -m openai/gpt-6-luna --repeats 3 --max-cost 5.0"
    )
    assert ["commit", "9f2c1e7ab04d5c36d1a2f3e4b5c6d7e8f9a0b1c2"] in session["facts"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "lve run a"),
        ({"use_cache": False}, "lve run a --no-cache"),
        ({"models": ["x y", "z"]}, "lve run a -m 'x y' -m z"),
        ({"parameters": {"name": "Ann's"}}, """lve run a -p 'name=Ann'"'"'s'"""),
        ({"model_args": {"stop": ["a"]}}, """lve run a --model-arg 'stop=["a"]'"""),
        ({"state": "/somewhere", "limit": 3}, "lve run a --limit 3"),
        ({"forged": "; rm -rf ~"}, "lve run a"),
    ],
)
def test_options_are_typed_as_a_shell_takes_them(options: dict[str, Any], expected: str) -> None:
    assert command_of({"paths": ["a"], "options": options}) == expected


@pytest.mark.parametrize(
    ("path", "typed"),
    [
        ("repository", "repository"),
        ("/home/ann/work/repository", "repository"),
        ("/home/ann/work/repository/a/b", "repository/a/b"),
        ("/home/ann/work/repository/a/b/test.yaml", "repository/a/b"),
        ("/home/ann/work", "."),
    ],
)
def test_a_command_says_nothing_of_the_machine(path: str, typed: str) -> None:
    info = {"paths": [path], "tests": {"repository/a/b": {}, "repository/c": {}}}
    assert command_of(info) == f"lve run {typed}"
