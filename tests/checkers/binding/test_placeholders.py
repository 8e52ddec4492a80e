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


ROW: dict[str, Any] = {
    "ideal": ["La Paz", "Sucre", "a{b"],
    "n": [1, 2],
    "reference": "x",
    "land": "Bolivia",
    "object": {"a": "Sucre"},
    "nested": [["Sucre"]],
}


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
        ({"contains": "capital: {ideal}"}, "contains takes one value, but `ideal` is a list"),
        ({"any": [{"equals": "{land}: {n}"}]}, "equals takes one value, but `n` is a list"),
        ({"regex": "^{ideal}$"}, "regex takes one value, but `ideal` is a list"),
    ],
)
def test_a_list_for_one_text_is_a_mistake_before_a_model_is_asked(
    check: object, named: str, tmp_path: Path
) -> None:
    exit_code, stdout, _ = call("check", folder_of(check, tmp_path))
    assert exit_code == 2
    assert f"{named} here: write {{{named.split('`')[1]}[0]}}" in stdout
    assert verdict_on("Sucre", check, tmp_path).outcome == "error"


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        ({"contains_any": "city: {ideal}"}, "The city: Sucre", "The city: Oruro, Sucre"),
        ({"contains_any": ["x", "{land}: {ideal}"]}, "Bolivia: La Paz", "Peru: La Paz"),
        ({"contains_all": ["{ideal}!"]}, "La Paz! Sucre! a{b!", "La Paz! Sucre!"),
        ({"not_contains": "in {ideal}"}, "near Sucre", "in Sucre"),
        ({"starts_with": "{n}) {n}"}, "2) 2", "1) 2"),
        ({"text": "the city {ideal}"}, "the city Sucre", "the city Oruro"),
        ({"contains": "{ideal!r}"}, "['La Paz', 'Sucre', 'a{b']", "Sucre"),
        ({"contains": "{object[a]} it is"}, "Sucre it is", "Oruro it is"),
    ],
)
def test_each_element_is_put_into_a_text(
    check: object, right: str, wrong: str, tmp_path: Path
) -> None:
    assert call("check", folder_of(check, tmp_path))[0] == 0
    assert verdict_on(right, check, tmp_path).outcome == "passed"
    assert verdict_on(wrong, check, tmp_path).outcome == "failed"


@pytest.mark.parametrize(
    ("check", "named"),
    [
        ({"text": "{ideal} {n}"}, "text takes one value, but `n` is a list beside another one"),
        ({"text": "the {object}"}, "text takes one value, but `object` is an object here"),
        ({"contains_any": ["{object} x"]}, "contains_any takes one value, but `object` is an"),
        ({"text": "a {nested}"}, "text takes one value, but `nested` is a list"),
        ({"text": "a {nested[0]}"}, "text takes one value, but `nested` is a list"),
    ],
)
def test_what_has_no_place_in_a_text_is_a_mistake(
    check: object, named: str, tmp_path: Path
) -> None:
    exit_code, stdout, _ = call("check", folder_of(check, tmp_path))
    assert exit_code == 2
    assert f"rows.jsonl:1: {named}" in stdout
    assert verdict_on("Sucre", check, tmp_path).outcome == "error"


def test_an_object_is_no_text(tmp_path: Path) -> None:
    _, stdout, _ = call("check", folder_of({"contains": "{object}"}, tmp_path))
    assert "rows.jsonl:1: contains takes one value, but `object` is an object here" in stdout


def test_a_pattern_of_the_long_form_is_one_text(tmp_path: Path) -> None:
    folder = folder_of(None, tmp_path)
    document = json.loads((folder / "test.json").read_text("utf-8"))
    args = {"checker_name": "RegexChecker", "pattern": "x {ideal}", "match_safe": True}
    document["checker_args"] = args
    (folder / "test.json").write_text(json.dumps(document), encoding="utf-8")
    _, stdout, _ = call("check", folder)
    assert "rows.jsonl:1: RegexChecker takes one value, but `ideal` is a list here" in stdout


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
