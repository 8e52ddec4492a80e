"""A list of a row in a check's argument: any of it counts, or the row is a mistake."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from support.command_line import call
from support.folders import write_test
from support.judging import transcript

from lve.checkers.binding.placeholders import row_value
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.resolve import resolve
from lve.spec.load import load_spec


@dataclass(frozen=True)
class Kind:
    text: str
    number: float = 1.0
    count: int | None = None
    flag: bool = False
    order: Literal["asc", "desc"] = "asc"


ROW: dict[str, Any] = {"ideal": ["La Paz", "Sucre", "a{b"], "n": [1, 2], "reference": "x"}


def folder_of(check: object, folder: Path) -> Path:
    (folder / "rows.jsonl").write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    return write_test(
        folder,
        prompt=[{"role": "user", "content": "{n}"}],
        prompt_parameters=None,
        dataset="rows.jsonl",
        checker_args=None,
        check=check,
    )


def verdict_on(answer: str, check: object, folder: Path) -> Verdict:
    judge = resolve(load_spec(folder_of(check, folder), folder))
    return judge.judge(CheckContext((transcript(answer),), ROW, None, ROW))


@pytest.mark.parametrize("right", ["Sucre", "La Paz", "a{b"])
@pytest.mark.parametrize(
    "check",
    [
        {"starts_with": "{ideal}"},
        {"text": "{ideal}"},
        {"text": ["x", " {ideal} "]},
        {"f1": "{ideal}"},
        {"contains_any": "{ideal}"},
        {"any": [{"ends_with": "{ideal}"}]},
    ],
)
def test_any_of_the_list_counts(check: object, right: str, tmp_path: Path) -> None:
    assert verdict_on(right, check, tmp_path).outcome == "passed"
    assert verdict_on("Oruro", check, tmp_path).outcome == "failed"


def test_numbers_are_texts_where_a_check_takes_texts(tmp_path: Path) -> None:
    assert verdict_on("2", {"text": "{n}"}, tmp_path).outcome == "passed"
    assert verdict_on("1.5", {"in_range": "{n}"}, tmp_path).outcome == "passed"


@pytest.mark.parametrize(
    ("check", "named"),
    [
        ({"equals": "{ideal}"}, "equals takes one value, but `ideal` is a list"),
        ({"not": {"contains": "{ideal}"}}, "contains takes one value, but `ideal` is a list"),
        ({"number": "{n}"}, "number takes one value, but `n` is a list"),
    ],
)
def test_a_list_for_one_text_is_a_mistake_before_a_model_is_asked(
    check: object, named: str, tmp_path: Path
) -> None:
    exit_code, stdout, _ = call("check", folder_of(check, tmp_path))
    assert exit_code == 2
    assert f"{named} here: write {{{named.split('`')[1]}[0]}}" in stdout
    assert verdict_on("Sucre", check, tmp_path).outcome == "error"


def test_one_element_of_a_list_is_one_text(tmp_path: Path) -> None:
    check = {"equals": "{ideal[1]}"}
    assert call("check", folder_of(check, tmp_path))[0] == 0
    assert verdict_on("Sucre", check, tmp_path).outcome == "passed"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("text", "5", "5"),
        ("count", " 5 ", 5),
        ("count", "None", None),
        ("number", "0.5", 0.5),
        ("flag", "true", True),
        ("flag", " FALSE ", False),
        ("flag", "maybe", "maybe"),
        ("order", "desc", "desc"),
        ("count", "1 +", "1 +"),
        ("count", "(" * 500, "(" * 500),
        ("none", "5", "5"),
    ],
)
def test_a_filled_argument_is_what_it_spells(name: str, text: str, value: object) -> None:
    assert row_value(Kind, name, text) == value
