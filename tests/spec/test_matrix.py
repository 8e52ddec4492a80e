"""`matrix`: an instance for each combination of values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import write_test
from support.run_command import instances

from lve.data.instances import iter_instances
from lve.errors import SpecError
from lve.spec.load import load_spec
from lve.spec.matrix import rows_of
from lve.spec.spec import Instance

MATRIX = {"name": ["Ana", "Bea"], "age": [1, 2, 3], "temperature": [0, 0.5]}


def write(root: Path, matrix: Any = MATRIX, **more: Any) -> Path:
    prompt = [{"content": "Say hello to {name}, {age}."}]
    keys = {"prompt": prompt, "prompt_parameters": ["name", "age"], "matrix": matrix, **more}
    return write_test(root / "t", **keys)


def test_the_last_name_changes_fastest() -> None:
    rows = rows_of({"a": [1, 2], "b": ["x", "y"]})
    assert rows == [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}, {"a": 2, "b": "y"}]


def test_names_that_are_no_parameters_are_model_args(root: Path) -> None:
    found = [*iter_instances(load_spec(write(root)))]
    assert len(found) == 12
    first, last = found[0], found[-1]
    assert isinstance(first, Instance)
    assert isinstance(last, Instance)
    assert (first.parameters, first.model_args) == ({"name": "Ana", "age": 1}, {"temperature": 0})
    assert (last.parameters, last.model_args) == ({"name": "Bea", "age": 3}, {"temperature": 0.5})
    assert (first.line, last.line) == (1, 12)


def test_all_combinations_run(root: Path) -> None:
    write(root, checker_args={"checker_name": "LambdaChecker", "func": "lambda r: True"})
    result = lve("run", "--json")
    assert len(instances(result)) == 12
    lve("check")
    assert json.loads(lve("list", "--json").stdout)["tests"][0]["instances"] == 12
    assert len(instances(lve("run", "-k", "name=bea", "--rows", "7-", "--json"))) == 6


def test_a_combination_with_a_recorded_answer_is_not_repeated(root: Path) -> None:
    args = {"name": "Ana", "age": 2, "temperature": 0.5}
    folder = write(root, instances=[{"args": args, "response": "Hello"}])
    assert len([*iter_instances(load_spec(folder))]) == 12


@pytest.mark.parametrize(
    ("matrix", "more", "told"),
    [
        ({}, {}, "$.matrix"),
        ({"name": []}, {}, "$.matrix.name"),
        ({"name": "Ana"}, {}, "$.matrix.name"),
        ({"name": ["Ana", "Ana"]}, {}, "$.matrix.name"),
        ([{"name": "Ana"}], {}, "$.matrix"),
        (MATRIX, {"dataset": [{"name": "x"}]}, "`dataset` and `matrix` exclude each other"),
        ({name: [*range(22)] for name in "abc"}, {}, "has 10,648 combinations (at most 10,000"),
        ({name: [*range(1000)] for name in "abcdefgh"}, {}, "combinations (at most 10,000"),
        ({"nmae": ["Ana"]}, {}, "nor a model arg (did you mean `name`?)"),
        ({"temprature": [0]}, {}, "did you mean `temperature`?"),
        ({"base_url": ["http://x"]}, {}, "neither a parameter of the prompt nor a model arg"),
    ],
)
def test_what_is_no_matrix_is_told(
    root: Path, matrix: Any, more: dict[str, Any], told: str
) -> None:
    folder = write(root, matrix, **more)
    with pytest.raises(SpecError) as refused:
        load_spec(folder)
    assert told in str(refused.value)
    assert "test.json:" in str(refused.value)
    assert "1 test: 1 with problems" in lve("check", code=2).stdout


def test_a_parameter_without_values_is_told(root: Path) -> None:
    write(root, {"name": ["Ana"]})
    assert "age" in lve("check", code=2).stdout
