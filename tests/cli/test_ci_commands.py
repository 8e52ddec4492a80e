"""Texts of tests, models and files that want to be commands to a CI runner: none is obeyed, in no
verb and in no form of its output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import write_dataset_test, write_test
from test_escape_commands import obeyed

COMMAND = "::add-mask::all"
VSO = "##vso[task.setvariable variable=x]y"
EVIL = f"{COMMAND}\n {COMMAND} {VSO}\n\n{VSO}"
LONG = f"{'word ' * 15}{COMMAND} {'word ' * 15}{VSO}"
"""Is wrapped, so that lines begin where none did."""


@pytest.fixture
def tests(root: Path) -> Path:
    """A workspace of tests, each of which tries it in another place."""
    write_test(root / "key", **{EVIL: 1})
    write_test(root / "skip", skip=EVIL)
    write_test(root / "described", description=LONG, author=EVIL)
    write_test(root / "tags", tags=[{"name": EVIL, "value": VSO}])
    write_test(root / f"{COMMAND}")
    write_test(root / f"{VSO}", nonsense=1)
    write_test(root / "checker", checker_args={"checker_name": EVIL})
    write_test(root / "model", model=f"x/{EVIL}")
    write_test(
        root / "rows",
        prompt=[{"role": "system", "content": EVIL}, {"role": "user", "content": "{name}"}],
        prompt_parameters=["name"],
        checker_args={"checker_name": "RegexChecker", "pattern": "Paris", "match_safe": True},
        instances=[{"args": {"name": EVIL}, "response": EVIL, "run_info": {EVIL: 1}}] * 2,
    )
    data = write_dataset_test(
        root / "data",
        [{"question": EVIL, "answer": "1"}],
        reader_cfg={"input_columns": ["question"], "output_column": "answer"},
        prompt_template={"type": "PromptTemplate", "template": f"{EVIL}\n{{question}}"},
    )
    assert data.is_dir()
    return root


@pytest.mark.parametrize(
    "command",
    [
        "check .",
        "check . --json",
        "list .",
        "list . --json",
        "show .",
        "show . --json",
        "render .",
        "render data --provenance",
        "render . --json",
        "run . --model dummy/dummy -v",
        "run . --model dummy/dummy --jsonl",
        "run . --model dummy/dummy --json",
        "run . --model dummy/dummy --dry-run",
        "run rows --model replay -v",
        "record rows --model dummy/dummy",
        f"check {VSO}/missing",
    ],
)
def test_no_line_is_obeyed(tests: Path, command: str) -> None:
    # `data` has a template of its own, `.` has every test.
    result = lve(*command.split(" "), code=None)
    said = f"{result.stdout}\n{result.stderr}\nlve: {result.exception}"
    assert result.stdout or result.stderr or result.exception
    assert obeyed(said) == []


def test_json_has_the_texts_as_they_are(tests: Path) -> None:
    found = json.loads(lve("render", "rows", "--json").stdout)
    assert found["tests"][0]["instances"][0]["parameters"]["name"] == EVIL
