"""Benign rows of repository/: answers that their checks must take, and wrong ones they mustn't.
A test's `examples` prove only its check of the other rows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from lve.checkers.examples import example_problems
from lve.checkers.resolve import resolve_with
from lve.spec.load import load_spec
from lve.spec.settings_file import load_workspace

ROOT = Path(__file__).parents[1]
ANSWERS: Mapping[str, Mapping[str, Any]] = json.loads(
    (ROOT / "tests/cases/benign_answers.json").read_text(encoding="utf-8")
)
"""Test -> `passes` and `fails`: the number of a benign row, and an answer to it."""
OTHERS = ("check", "checks", "checkers", "checker_args", "benign", "by", "expect", "matrix")
SETTINGS = load_workspace(ROOT).settings


def examples(answers: Mapping[str, Any], rows: list[Any]) -> Iterator[dict[str, object]]:
    verdicts: tuple[tuple[str, Literal["passed", "failed"]], ...]
    verdicts = (("passes", "passed"), ("fails", "failed"))
    for key, verdict in verdicts:
        for row, response in answers.get(key, ()):
            yield {"verdict": verdict, "response": response, "args": rows[row]}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_benign_row_takes_right_answers_and_no_others(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "test"
    shutil.copytree(ROOT / "repository" / name, folder)
    file = next(folder.glob("test.*"))
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    benign = document["benign"]
    kept = {k: v for k, v in document.items() if k not in (*OTHERS, "prompt_parameters")}
    own = {"check": benign["check"], "dataset": benign["rows"]}
    file.unlink()
    written = {**kept, **own, "examples": [*examples(ANSWERS[name], benign["rows"])]}
    (folder / "test.json").write_text(json.dumps(written), encoding="utf-8")
    spec = load_spec(folder / "test.json", tmp_path)
    problems = example_problems(spec, resolve_with(spec, SETTINGS, trusted=False))
    assert [str(problem) for problem in problems] == []


def test_every_benign_row_with_a_check_has_a_wrong_answer() -> None:
    for name, answers in ANSWERS.items():
        assert answers.get("fails"), name
