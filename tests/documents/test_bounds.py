"""Hostile documents: small files that took minutes, gigabytes or a traceback."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lve.data.instance_files import iter_values
from lve.data.rows import iter_rows
from lve.documents.json_text import parse_json
from lve.documents.position_types import MAX_FINDINGS, MAX_PLACED, TextError
from lve.documents.read import read_document
from lve.documents.toml_text import parse_toml
from lve.documents.yaml_text import parse_yaml, yaml_places
from lve.errors import Problem, SpecError
from lve.limits.problems import MAX_PROBLEMS
from lve.spec.load import load_spec
from lve.spec.settings_file import load_workspace
from lve.suggest import closest

DEADLINE_S = 60
"""None of these took less than ten times as long."""

HEAD = (
    "description: d\nmodel: openai/gpt-4\nprompt: [{content: hi}]\n"
    "checker_args: {checker_name: ExactMatchChecker, pattern: x}\n"
)
DATA = {
    "description": "d",
    "model": "openai/gpt-4",
    "prompt": [{"content": "hi"}],
    "checker_args": {"checker_name": "ExactMatchChecker", "pattern": "x"},
}


@pytest.fixture(autouse=True)
def _in_time() -> object:
    started = time.process_time()
    yield
    assert time.process_time() - started < DEADLINE_S


def refused_yaml(text: str) -> str:
    with pytest.raises(TextError) as caught:
        parse_yaml(text)
    return str(caught.value)


def problems_of(folder: Path, text: str, name: str = "test.yaml") -> tuple[Problem, ...]:
    (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        load_spec(folder)
    return caught.value.problems


@pytest.mark.parametrize(
    "digits", ["0x" + "f" * 4000, "0o" + "7" * 5000, "9" * 5000, "-" + "9" * 5000]
)
def test_a_yaml_number_that_python_cannot_print_is_refused_in_its_place(
    digits: str, tmp_path: Path
) -> None:
    problem, *more = problems_of(tmp_path, f"{HEAD}repeats: {digits}\n")
    assert not more
    assert (problem.line, problem.column, problem.path) == (5, 10, "$.repeats")
    assert "too many digits" in problem.message


def test_a_long_number_is_not_quoted_whole(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, f"{HEAD}repeats: {'9' * 4000}\n")
    assert len(problem.message) < 200
    assert parse_yaml("a: " + "1" + "0" * 600) == {"a": 10**600}  # an honest one


def test_a_time_that_no_clock_can_hold_is_refused(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, f"{HEAD}timeout_s: 0x{'f' * 3000}\n")
    assert problem.path == "$.timeout_s"


def test_blanks_that_one_library_takes_for_white_space_are_no_traceback(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, f'{HEAD}expect: {{pass_rate: "\ufeff>=0.9"}}\n')
    assert problem.path == "$.expect.pass_rate"


def test_an_anchor_may_be_defined_anew(tmp_path: Path) -> None:
    assert parse_yaml("[&a 1, *a, &a 2, *a]") == [1, 1, 2, 2]
    first, second = problems_of(tmp_path, f"{HEAD}tags: [&a 1, &a 2]\n")
    assert (first.line, first.column) == (5, 8)
    assert (second.line, second.column) == (5, 14)


def test_what_is_inside_an_alias_stands_where_it_was_written() -> None:
    places = yaml_places("a: &x {b: 1}\nc: *x\n")
    assert places.of(("a", "b")) == (1, 11)
    assert places.of(("c",)) == (1, 4)
    assert places.of(("c", "b")) == (1, 11)
    assert places.of(("c", "nothing")) == (1, 4)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a " + "x" * 200_000 + "\nb: [" + "*a, " * 20 + "]",
        "a: &a {? " + '"' + "x" * 100_000 + '"' + " : 1}\nb: [" + "*a, " * 20 + "]",
        "a: &a [" + "1," * 1000 + "]\nb: [" + "*a, " * 20 + "]",
        "a: [&a x, &b [*a, *a], &c [*b, *b], " + "&d [*c, *c, *c, *c], " * 3000 + "]",
    ],
)
def test_aliases_count_with_what_they_stand_for(text: str) -> None:
    assert "aliases stand for more than" in refused_yaml(text)


def test_a_text_may_be_shared_by_many(tmp_path: Path) -> None:
    text = parse_yaml("a: &a " + "x" * 2000 + "\nb: [" + "*a, " * 100 + "]")
    assert text["b"] == [text["a"]] * 100


@pytest.mark.parametrize(
    "lines",
    [
        [f"unknown_{n}: 1" for n in range(20_000)],
        ["author: 1"] * 20_000,
        ["tags: [" + "1," * 100_000 + "]"],
        ["tags: [" + "!!x 1," * 20_000 + "]"],
        ["tags: [" + "'<please fill in>'," * 20_000 + "]"],
        ["prompt_parameters: [" + ",".join(f"p{n}" for n in range(30_000)) + ", p1" + "]"],
        ["prompt_parameters: [" + ",".join(f"p{n},{n}" for n in range(25_000)) + ", p1" + "]"],
    ],
    ids=["unknown", "twice", "types", "tags", "placeholders", "equal", "mixed"],
)
def test_of_many_problems_the_first_are_told(lines: list[str], tmp_path: Path) -> None:
    problems = problems_of(tmp_path, HEAD + "\n".join(lines))
    assert 1 <= len(problems) <= MAX_PROBLEMS + 1
    assert all(problem.line or problem is problems[-1] for problem in problems)


@pytest.mark.parametrize("value", ["NaN", '"\\ud800"', "1e999", '{"a": 1, "a": 1}'])
def test_of_many_findings_in_json_the_first_are_told(value: str) -> None:
    with pytest.raises(TextError) as caught:
        parse_json("[" + ",".join([value] * 20_000) + "]")
    assert len(caught.value.findings) == MAX_FINDINGS + 1
    assert "only the first" in caught.value.findings[-1].message


def test_a_long_key_is_cut_where_it_is_told(tmp_path: Path) -> None:
    (problem,) = problems_of(tmp_path, json.dumps({**DATA, "k" * 500_000: 1}), "test.json")
    assert len(str(problem)) < 500
    assert closest("k" * 500_000, ["kk"]) is None


def test_deep_values_with_many_inside_have_places(tmp_path: Path) -> None:
    text = '{"a":' + "[" * 98 + "1," * 80_000 + "x"
    with pytest.raises(TextError, match="`x` is not a JSON value"):
        parse_json(text)


ROW_FILES: dict[str, tuple[str, Callable[[], str], str]] = {
    "never closed": ("a.jsonl", lambda: '{"a":"' + "x" * 15_000_000, "a line break"),
    "escapes": ("a.jsonl", lambda: '{"a":"' + '\\"' * 7_000_000, "a line break"),
    "brackets": ("a.jsonl", lambda: '{"a":' + "[" * 1_000_000, "nested more than"),
    "values": ("a.jsonl", lambda: '{"a":[' + "1," * 2_200_000 + "x]}", "not valid JSON: Expecting"),
    "lists": ("a.jsonl", lambda: '{"a":[' + "[]," * 5_000_000 + "[]]}", "too many values"),
    "deep": ("a.jsonl", lambda: '{"a":' + "[" * 400 + "]" * 400 + "}", "nested more than"),
    "json": ("a.json", lambda: "[" + "[]," * 6_000_000 + "[]]", "too many values"),
    "text": ("a.json", lambda: '["' + '\\"' * 5_000_000, "a line break"),
    "late": ("a.json", lambda: "[" + '{"a":1},' * 20_000 + "NaN]", "`NaN` is not a number"),
    "yaml": ("a.yaml", lambda: "- a: 1\n" * 1_700_000, "larger than 8 MB"),
    "flow": ("a.yaml", lambda: "[" + "1," * 100_001 + "]", "too many values"),
}


@pytest.mark.parametrize(("name", "make", "said"), ROW_FILES.values(), ids=list(ROW_FILES))
def test_a_data_file_is_refused_before_it_takes_the_machine(
    name: str, make: Callable[[], str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Reading as many as are allowed takes ten seconds: tests/hostile does it.
    monkeypatch.setattr("lve.documents.yaml_text.MAX_YAML_VALUES", 100_000)
    file = tmp_path / name
    file.write_text(make() + "\n", encoding="utf-8")
    try:
        (found,) = iter_rows(file, tmp_path)
    except SpecError as error:
        (found,) = error.problems
    assert isinstance(found, Problem)
    assert said in found.message
    assert len(str(found)) < 500 + len(str(file))


def test_entries_of_a_long_list_are_read_in_linear_time(tmp_path: Path) -> None:
    entry = '{"args":{"a":1},"response":"' + "x" * 100 + '"}'
    file = tmp_path / "a.json"
    file.write_text("[" + ",\n".join([entry] * 80_000) + "]", encoding="utf-8")
    assert sum(1 for _ in iter_values(file, tmp_path)) == 80_000


def test_an_entry_that_nobody_can_store_does_not_end_the_list(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('[{"a": "\\ud800"},\n{"a": 1}]', encoding="utf-8")
    (_, bad), (line, good) = iter_values(file, tmp_path)
    assert isinstance(bad, Problem)
    assert (line, good) == (2, {"a": 1})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 100_000, "nested more than"),
        ("a = 0x" + "f" * 5000, "too many digits"),
        ("a" + ".a" * 400_000 + " = 1", "dots"),
        ("a" + ".a" * 400 + " = 1", "nested more than"),
        ("a = 1\na = 2", "not valid TOML"),
        ("a = nan", "`nan` is not a number in JSON"),
        ("a = [{b = -inf}]", "`-inf` is not a number in JSON"),
    ],
)
def test_hostile_toml_is_refused(text: str, said: str) -> None:
    with pytest.raises(TextError, match=said):
        parse_toml(text)


def test_a_date_in_the_settings_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.lve]\nmodel = 2024-01-01\n", encoding="utf-8")
    assert load_workspace(tmp_path).settings.model == "2024-01-01"


def test_a_deep_document_is_as_deep_in_json_as_in_yaml(tmp_path: Path) -> None:
    for levels, is_fine in ((101, True), (102, False)):
        text = "[" * levels + "1" + "]" * levels
        for name in ("a.json", "a.yaml"):
            (tmp_path / name).write_text(text, encoding="utf-8")
            if is_fine:
                read_document(tmp_path / name)
            else:
                with pytest.raises(SpecError, match="nested more than"):
                    read_document(tmp_path / name)


def test_toml_may_begin_with_a_bom() -> None:
    assert parse_toml("\ufeffa = 1\n") == {"a": 1}


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_positions_are_found_for_the_first_values_of_a_large_document(
    suffix: str, tmp_path: Path
) -> None:
    file = tmp_path / f"test{suffix}"
    file.write_text("[" + "[],\n" * 150_000 + "[]]")
    document = read_document(file)
    assert document.position((50_000,)) == (50_001, 1)
    assert document.position((149_000,)) == (1, 1)  # that of the nearest value around it
    assert document.at((50_000,)).line == 50_001
    places = document._places
    assert places is not None
    assert len(places) <= MAX_PLACED + 2


def test_a_position_is_found_without_parsing_the_document_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "test.yaml"
    file.write_text("a:\n  b: 1\n")
    position = read_document(file).at(("a", "b"))
    monkeypatch.setattr("lve.documents.yaml_text.parse_yaml", None)
    assert (position.line, position.column) == (2, 6)
