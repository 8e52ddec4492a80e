"""What the pages of a site say of one test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_test

from lve.errors import Problem
from lve.extensions.site.pages import SEARCHED, TestPage, listed_test, shown_problem, test_page
from lve.pipeline.choosing.loading import load_test
from lve.prompts.plan import build_plan
from lve.workspace import Workspace


def page(root: Path, source: str | None = None, path: str = "t", **document: Any) -> TestPage:
    workspace(root)
    spec = load_test(write_test(root / path, **document), Workspace(root))
    return test_page(build_plan(spec), source, (), ())


def test_commands_are_quoted_for_a_shell(tmp_path: Path) -> None:
    found = page(tmp_path, path="it's; $(x)", model="openai/a b")
    assert [command for _, command in found.commands] == [
        """lve run 'it'"'"'s; $(x)' --model 'openai/a b'""",
        """lve render 'it'"'"'s; $(x)'""",
        """pytest 'it'"'"'s; $(x)' --lve-model 'openai/a b'""",
    ]


def test_only_what_is_recorded_can_be_replayed(tmp_path: Path) -> None:
    answers = [{"args": {}, "response": "Hello", "passed": True}]
    found = page(tmp_path, instances=answers)
    assert "lve run t --model replay" in [command for _, command in found.commands]


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        ("pass", "all answers pass"),
        ("fail", "all answers fail: a known weakness"),
        ({"pass_rate": ">=0.9"}, "pass rate >= 0.9 (confidence 0.95)"),
    ],
)
def test_what_is_expected_is_said_in_words(tmp_path: Path, expect: Any, words: str) -> None:
    assert page(tmp_path, expect=expect).expected == words


def test_the_source_is_linked_where_the_user_says_with_odd_names_quoted(tmp_path: Path) -> None:
    assert page(tmp_path).source is None
    found = page(tmp_path, "https://example.org/x/", path="a b/c#d")
    assert found.source == "https://example.org/x/a%20b/c%23d/test.json"


def test_the_searched_text_is_bounded_and_has_prompt_and_answers(tmp_path: Path) -> None:
    answers = [{"args": {}, "response": "An ANSWER " + "y" * 9_000, "passed": False}]
    prompt = [{"content": "A PROMPT " + "x" * 9_000}]
    text = listed_test(page(tmp_path, instances=answers, prompt=prompt)).text
    assert len(text) <= SEARCHED + 1
    assert "a prompt xxx" in text
    assert "an answer yyy" in text


def test_the_list_counts_recorded_answers_by_their_verdict(tmp_path: Path) -> None:
    answers = [
        {"args": {}, "response": str(number), "passed": passed}
        for number, passed in enumerate([True, True, True, False, False, None])
    ]
    listed = listed_test(page(tmp_path, instances=answers))
    assert (listed.passed, listed.failed) == (3, 2)


@pytest.mark.parametrize(
    ("file", "place"),
    [("t/test.json", "t/test.json:3"), ("../elsewhere/test.json", "test.json:3")],
)
def test_a_problem_stands_where_the_workspace_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, place: str
) -> None:
    root = tmp_path / "w"
    root.mkdir()
    monkeypatch.chdir(root)
    problem = Problem("is wrong", Path(file), 3, 4, "$.a", "mend it", code="wrong_value")
    assert shown_problem(problem, root) == {
        "place": place,
        "text": "$.a: is wrong (mend it)",
        "severity": "error",
    }


def test_the_title_is_the_readmes_or_the_name(tmp_path: Path) -> None:
    assert page(tmp_path).title == "t"
    (tmp_path / "t" / "README.md").write_text("# A title\n\nText.\n")
    assert page(tmp_path).title == "A title"
