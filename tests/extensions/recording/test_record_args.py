"""Which args are recorded, and where they come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_sums, write_test

from lve.errors import LveError
from lve.extensions.recording.record_args import ArgSources, args_to_record, lacks_instances
from lve.options.run_options import RunOptions
from lve.settings.settings import Settings
from lve.spec.load import load_spec

HELLO: dict[str, Any] = {
    "prompt": [{"content": "Say hello to {name}, {times} times."}],
    "prompt_parameters": ["name", "times"],
    "prompt_parameters_validator": ["int", "int"],
}


def args_of(folder: Path, sources: ArgSources | None = None, **options: Any) -> list[Any]:
    spec = load_spec(folder)
    found = args_to_record(spec, RunOptions(**options), Settings(), sources or ArgSources())
    return [dict(instance.args) for instance in found]


def write_params(folder: Path, name: str, text: str) -> ArgSources:
    (folder / name).write_text(text)
    return ArgSources(folder / name)


def test_answers_to_equal_args_are_one_row(root: Path) -> None:
    folder = write_sums(root / "t", 2)
    file = folder / "instances" / "main.jsonl"
    file.write_text(file.read_text() * 3)
    assert args_of(folder) == [{"a": "0", "b": "0"}, {"a": "1", "b": "7"}]


def test_rows_with_equal_args_stay_apart(root: Path) -> None:
    folder = write_sums(root / "t", 0, dataset=[{"a": "5", "b": "6"}] * 2)
    assert args_of(folder) == [{"a": "5", "b": "6"}] * 2
    assert args_of(folder, ArgSources(only_dataset=True)) == [{"a": "5", "b": "6"}] * 2
    assert args_of(folder, parameters={"a": "1", "b": "2"}) == [{"a": "1", "b": "2"}]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.csv", "name,times\n11,1\n22,2\n11,1\n"),
        ("p.jsonl", '{"name": 11, "times": 1}\n{"name": 22, "times": "2"}\n'),
        ("p.json", '[{"name": 11, "times": 1}, {"name": 22, "times": 2}]'),
        ("p.yaml", "- {name: 11, times: 1}\n- {name: 22, times: 2}\n"),
    ],
)
def test_a_file_has_a_row_for_each(root: Path, name: str, text: str) -> None:
    folder = write_test(root / "t", **HELLO)
    wanted = [{"name": 11, "times": 1}, {"name": 22, "times": 2}]
    assert args_of(folder, write_params(root, name, text)) == wanted


def test_the_command_line_completes_a_file(root: Path) -> None:
    folder = write_test(root / "t", **HELLO)
    sources = write_params(root, "p.csv", "name\n11\n")
    assert args_of(folder, sources, parameters={"times": "3"}) == [{"name": 11, "times": 3}]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("p.csv", "nam,times\n11,1\n", r"p\.csv:2: .*'nam' \(did you mean `name`\?\)"),
        ("p.csv", "name\n11\n", r"p\.csv:2: lacks times"),
        ("p.csv", "name,times\n11,often\n", "must be int, not 'often'"),
        ("p.csv", "", "no header"),
        ("p.toml", "11", r"parameters are read from \.csv"),
        ("p.json", '{"name": 11}', "list of objects"),
        ("p.jsonl", '{"name"\n', r"p\.jsonl:1"),
    ],
)
def test_a_wrong_file_is_explained(root: Path, name: str, text: str, words: str) -> None:
    folder = write_test(root / "t", **HELLO)
    with pytest.raises(LveError, match=words):
        args_of(folder, write_params(root, name, text))


def test_examples_have_args_where_nothing_else_does(root: Path) -> None:
    examples = [
        {"verdict": "passed", "response": "Hello", "args": {"name": 11, "times": 1, "x": 2}},
        {"verdict": "passed", "response": "Hello", "args": {"name": 11, "times": 1}},
        {"verdict": "failed", "response": "Bye", "args": {"name": 22}},
        {"verdict": "failed", "response": "Bye"},
    ]
    folder = write_test(root / "t", **HELLO, examples=examples)
    assert args_of(folder) == [{"name": 11, "times": 1}]
    assert args_of(folder, parameters={"times": "2"}) == [
        {"name": 11, "times": 2},
        {"name": 22, "times": 2},
    ]
    assert lacks_instances([load_spec(folder)], RunOptions(), Settings())
    (folder / "instances").mkdir()
    row = {"args": {"name": 33, "times": 3}}
    (folder / "instances" / "a.jsonl").write_text(json.dumps(row) + "\n")
    assert args_of(folder) == [{"name": 33, "times": 3}]
    assert not lacks_instances([load_spec(folder)], RunOptions(), Settings())


def test_the_data_set_alone(root: Path) -> None:
    folder = write_sums(root / "t", 2, dataset=[{"a": "5", "b": "6"}])
    assert len(args_of(folder)) == 3
    assert args_of(folder, ArgSources(only_dataset=True)) == [{"a": "5", "b": "6"}]
    with pytest.raises(LveError, match="has no data set"):
        args_of(write_sums(root / "u", 1), ArgSources(only_dataset=True))
