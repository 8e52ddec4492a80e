"""Tests of a configuration: defaults, variables, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.cases import Case, read_cases


def cases(folder: Path, config: dict[str, Any]) -> tuple[list[Case], list[str]]:
    """Return the tests of a configuration, and what is left out."""
    source, at = source_in(folder, config)
    return list(read_cases(source, config, at)), source.left_out


def test_defaults_come_first(tmp_path: Path) -> None:
    default = {"vars": {"a": 1, "b": 2.5}, "assert": ["x"], "threshold": 0.5}
    test = {"description": "d", "vars": {"a": [None, True]}, "assert": ["y"]}
    [case], left = cases(tmp_path, {"defaultTest": default, "tests": test})
    assert case.rows == [{"a": "", "b": "2.5"}, {"a": "true", "b": "2.5"}]
    assert [given for given, _ in case.asserted] == ["x", "y"]
    assert (case.threshold, case.description, left) == (0.5, "d", [])


def test_a_test_may_be_without_the_assertions_of_all(tmp_path: Path) -> None:
    own = {"options": {"disableDefaultAsserts": True}, "assert": ["y"]}
    config = {"defaultTest": {"assert": ["x"]}, "tests": [own, {"assert": ["z"]}]}
    each, left = cases(tmp_path, config)
    asserted = [[assertion for assertion, _ in case.asserted] for case in each]
    assert (asserted, left) == ([["y"], ["x", "z"]], [])


def test_without_tests_the_defaults_are_one(tmp_path: Path) -> None:
    [case], _ = cases(tmp_path, {"defaultTest": {"assert": ["x"]}})
    assert case.rows == [{}]


def test_lists_are_combined(tmp_path: Path) -> None:
    [case], _ = cases(tmp_path, {"tests": [{"vars": {"a": [1, 2], "b": "cd"}, "assert": ["x"]}]})
    assert case.rows == [{"a": "1", "b": "cd"}, {"a": "2", "b": "cd"}]


def test_a_huge_product_is_not_built(tmp_path: Path) -> None:
    variables = {name: list(range(1000)) for name in "abcdefgh"}
    found, [left] = cases(tmp_path, {"tests": [{"vars": variables, "assert": ["x"]}]})
    assert found == []
    assert "more than 1,000 combinations" in left


def test_an_empty_list_gives_no_test(tmp_path: Path) -> None:
    found, [left] = cases(tmp_path, {"tests": [{"vars": {"a": []}, "assert": ["x"]}]})
    assert found == []
    assert "left out: a variable has no value" in left


def test_what_promptfoo_takes_for_no_test_is_left_out(tmp_path: Path) -> None:
    rows = [{"question": "a"}, {"description": "b"}, {"metadata": {}}]
    made, left = cases(tmp_path, {"tests": rows})
    assert len(made) == 1
    assert ["left out: not a test" in text for text in left] == [True, True]


@pytest.mark.parametrize("default", ["file://default.yaml", 3, [1]])
def test_other_defaults_are_left_out(tmp_path: Path, default: object) -> None:
    [case], [left] = cases(tmp_path, {"defaultTest": default, "tests": [{"assert": ["x"]}]})
    assert case.rows == [{}]
    assert "not an object of the same file" in left


def test_a_file_outside_of_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("secret")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "x.txt")
    for name in ("../x.txt", "link.txt", str(tmp_path / "x.txt")):
        tests = [{"vars": {"a": f"file://{name}"}, "assert": ["x"]}]
        found, [left] = cases(tmp_path / "in", {"tests": tests})
        assert found == []
        assert "outside its folder" in left


def test_a_variable_may_name_others(tmp_path: Path) -> None:
    values = {"a": "{{ b }} and {{c}}", "b": "b of {{c}}", "c": "{x}"}
    [[case], told] = cases(tmp_path, {"tests": [{"vars": values}]})
    assert case.rows == [{"a": "b of {x} and {x}", "b": "b of {x}", "c": "{x}"}]
    assert told == []


@pytest.mark.parametrize(
    "values",
    [
        {"a": "{{a}}"},
        {"a": "{{b}}", "b": "{{a}}"},
        {"a": "{{gone}}"},
        {"a": "{{b | upper}}", "b": "x"},
        {"a": "{% if b %}x{% endif %}", "b": "x"},
        {f"v{n}": f"{{{{v{n + 1}}}}}" * 2 for n in range(40)} | {"v40": "x"},
        {"a": "{{b}}" * 20_000, "b": "{{c}}" * 20_000, "c": "x" * 20_000},
    ],
)
def test_other_templates_are_told(tmp_path: Path, values: dict[str, str]) -> None:
    [made, told] = cases(tmp_path, {"tests": [{"vars": values}]})
    assert made == []
    assert "left out: its variable" in told[0]


def test_files_of_texts_are_values(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    for name, text in (("b.txt", "second"), ("a.txt", "first"), (".c.txt", "hidden")):
        (tmp_path / "texts" / name).write_text(text)
    (tmp_path / "d.yaml").write_text("x: [1]")
    values = {"text": "file://texts/*.txt", "data": "file://d.yaml"}
    [[case], told] = cases(tmp_path, {"tests": [{"vars": values}]})
    assert case.rows == [
        {"text": "first", "data": '{"x":[1]}'},
        {"text": "second", "data": '{"x":[1]}'},
    ]
    assert told == []


@pytest.mark.parametrize(
    "pattern",
    ["file://../*", "file:///etc/*", "file://*/x", "file://**", "file://no/*", "file://*"],
)
def test_patterns_stay_in_a_folder(tmp_path: Path, pattern: str) -> None:
    [made, told] = cases(tmp_path / "empty", {"tests": [{"vars": {"a": pattern}}]})
    assert made == []
    assert "left out" in told[0]


def test_a_folder_that_is_a_link_is_not_listed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret.txt").write_text("hidden")
    (home / "link").symlink_to(tmp_path)
    [made, told] = cases(home, {"tests": [{"vars": {"a": "file://link/*.txt"}}]})
    assert made == []
    assert "hidden" not in told[0]


def test_scenarios_are_tests_with_each_configuration(tmp_path: Path) -> None:
    configs = [{"vars": {"in": "es", "hi": "Hola"}}, {"vars": {"in": "fr", "hi": "Salut"}}]
    tests = [{"vars": {"say": "hi"}, "assert": [{"type": "equals", "value": "{{hi}}"}]}]
    config = {"scenarios": [{"config": configs, "tests": tests}], "defaultTest": {"vars": {"n": 1}}}
    [made, told] = cases(tmp_path, config)
    assert [case.rows for case in made] == [
        [{"n": "1", "in": "es", "hi": "Hola", "say": "hi"}],
        [{"n": "1", "in": "fr", "hi": "Salut", "say": "hi"}],
    ]
    assert [len(case.asserted) for case in made] == [1, 1]
    assert told == []


def test_a_scenarios_assertions_are_those_of_both(tmp_path: Path) -> None:
    each = [{"type": "contains", "value": "a"}]
    scenario = {"config": [{"assert": each, "options": {}}], "tests": [{"assert": each}]}
    [[case], _] = cases(tmp_path, {"scenarios": [scenario]})
    assert len(case.asserted) == 2


@pytest.mark.parametrize(
    "scenarios",
    ["file://x.yaml", ["file://x.yaml"], [{}], [{"config": [{}], "tests": [3]}], [{"config": [3]}]],
)
def test_other_scenarios_are_told(tmp_path: Path, scenarios: Any) -> None:
    [made, told] = cases(tmp_path, {"scenarios": scenarios})
    assert made == []
    assert "left out" in told[0]


def test_rows_of_the_hub_and_models_of_tests(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    address = "huggingface://datasets/org/name?split=dev&subset=en&limit=7"
    judged = {"vars": {"x": "a\n"}, "provider": {"text": "openai:judge"}}
    tests = [address, {"provider": "openai:own"}, judged, "huggingface://datasets/org/name"]
    cases = list(read_cases(source, {"tests": tests}, at))
    assert cases[0].hub == {"hub": "org/name", "split": "dev", "subset": "en", "limit": 7}
    assert cases[1].asked is not None
    assert cases[1].asked.model == "openai/own"
    assert cases[2].asked is None
    assert cases[2].rows == [{"x": "a"}]  # promptfoo drops a last line end
    assert cases[3].hub == {"hub": "org/name", "split": "test", "limit": 100}
    assert not source.left_out


def test_hostile_addresses_of_the_hub_are_left_out(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    names = ("../../etc", "org/name?token=x", "org/name?limit=1e9", "a/b/c", "org/name?limit=0")
    tests = [f"huggingface://datasets/{name}" for name in names]
    assert not list(read_cases(source, {"tests": tests}, at))
    assert len(source.left_out) == len(names)
