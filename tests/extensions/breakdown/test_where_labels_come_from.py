"""Labels at every door: one check, several, a combined one, runs again, and other models' rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.judging import judge_answers, judge_of

import lve as lve_api

CHECKS = {
    "alone": 'check: {choice: "{label}", of: [bug, praise]}',
    "in a list": 'checks: [{choice: "{label}", of: [bug, praise]}, {max_words: 1}]',
    "in all": 'check: {all: [{max_words: 1}, {choice: "{label}", of: [bug, praise]}]}',
    "in any": 'check: {any: [{choice: "{label}", of: [bug, praise]}, {contains: "zzz"}]}',
    "in weighted": 'check: {weighted: [{choice: "{label}", of: [bug, praise]}, {max_words: 1}]}',
    "one of several": (
        'pass_when: any\nchecks: [{contains: "zzz"}, {choice: "{label}", of: [bug, praise]}]'
    ),
}
ROWS = [("bug", "bug"), ("bug", "praise"), ("praise", "praise"), ("praise", "no idea at all")]
EXPECTED = {"right": ["bug", "praise"], "chosen": ["bug", "praise", "(none)"]}


@pytest.fixture(params=CHECKS)
def workspace(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    folder = tmp_path / "tests/sentiment/instances"
    folder.mkdir(parents=True)
    (tmp_path / "lve.yaml").write_text("{}")
    head = "description: d\nmodel: openai/m\nprompt: '{label}'\nprompt_parameters: [label]\n"
    (folder.parent / "test.yaml").write_text(head + CHECKS[request.param] + "\n")
    (folder / "m.jsonl").write_text(
        "".join(
            json.dumps({"args": {"label": label}, "response": answer}) + "\n"
            for label, answer in ROWS
        )
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def labels_of(*words: str) -> dict[str, Any]:
    [table] = json.loads(lve(*words, code=int(words[0] != "show")).stdout)["summary"]["labels"]
    assert table["matrix"] == [[1, 1, 0], [0, 1, 1]]
    return {name: table[name] for name in EXPECTED}


def test_every_report_of_a_session_has_its_labels(workspace: Path) -> None:
    assert labels_of("run", "tests", "--model", "replay", "--json") == EXPECTED
    assert labels_of("show", "last", "--json") == EXPECTED
    assert labels_of("score", "last", "--json") == EXPECTED
    result = lve_api.run("tests", model="replay")
    pairs = [each.labels for each in result.results]
    assert sorted(filter(None, pairs)) == [
        ("bug", "bug"),
        ("bug", "praise"),
        ("praise", "(none)"),
        ("praise", "praise"),
    ]


def test_of_alternatives_the_one_that_passed_has_the_labels(tmp_path: Path) -> None:
    choices = [{"choice": label, "of": ["bug", "praise"]} for label in ("bug", "praise")]
    any_of = judge_of({"any": choices}, tmp_path)
    assert judge_answers(any_of, "praise").labels == ("praise", "praise")
    assert judge_answers(any_of, "no idea").labels == ("bug", "(none)")
    all_of = judge_of({"all": choices}, tmp_path)
    assert judge_answers(all_of, "praise").labels == ("bug", "praise")


def test_a_denied_choice_has_no_labels(tmp_path: Path) -> None:
    judge = judge_of({"not": {"choice": "bug", "of": ["bug", "praise"]}}, tmp_path)
    assert judge_answers(judge, "praise").labels is None
