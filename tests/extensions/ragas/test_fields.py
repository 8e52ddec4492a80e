"""The fields of a prompt object: all problems are reported together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.ragas.prompt_objects import river

from lve.errors import (
    LveError,
    PromptObjectError,
)
from lve.extensions.ragas.saved_prompt import Prompt


def test_all_problems_come_at_once() -> None:
    with pytest.raises(PromptObjectError) as caught:
        Prompt(name="x", instruction="", input_keys=[], output_type=None)
    assert caught.value.problems == (
        "instruction cannot be empty",
        "output_key cannot be empty",
        "output_type: field required",
        "input_keys cannot be empty",
    )
    assert isinstance(caught.value, LveError)
    assert isinstance(caught.value, ValueError)


def test_every_example_is_checked() -> None:
    examples = [{"answer": "{x"}, {"river": {1}, "answer": 1}, {"river": "Po"}]
    with pytest.raises(PromptObjectError) as caught:
        river(examples=examples)
    assert [problem.split(" (")[0].split(": Exp")[0] for problem in caught.value.problems] == [
        "example 1 does not have the variable river in the definition",
        "answer in example 1 is not in valid json format",
        "example 2: river can't be written as JSON",
        "example 3 does not have the variable answer in the definition",
    ]


def test_a_misspelt_field_is_refused() -> None:
    with pytest.raises(PromptObjectError, match="did you mean `language`"):
        river(langauge="german")


def test_examples_are_not_shared_with_the_caller() -> None:
    examples = [{"river": ["Po"], "answer": {"mouth": "Adria"}}]
    prompt = river(examples=examples)
    examples[0]["river"].append("changed")  # type: ignore[attr-defined]
    assert prompt.examples[0]["river"] == ["Po"]


def test_what_json_changes_is_changed_at_once(tmp_path: Path) -> None:
    prompt = river(input_keys=("river",), examples=[{"river": (1, {2: float("nan")}), "answer": 1}])
    assert isinstance(prompt.examples[0]["river"], list)
    prompt.save(tmp_path)
    assert repr(Prompt.load("english", "river", tmp_path)) == repr(prompt)


def test_a_value_can_be_nested_too_deeply() -> None:
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(PromptObjectError, match="example 1: river is nested more than 100 levels"):
        river(examples=[{"river": value, "answer": 1}])


def test_what_has_no_effect_is_not_dropped_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    prompt = river(output_format_instruction="As JSON.", colour="blue")
    assert prompt.unused == ["colour", "output_format_instruction"]
    painted = river(colour="blue")
    assert (painted, repr(painted)) == (river(), repr(river()))
    path = prompt.save(tmp_path)
    assert json.loads(path.read_text())["version"] == "0.1.0"
    assert Prompt.load("english", prompt.name, tmp_path) == prompt
    assert caplog.messages == [f"{prompt.name}: no effect: output_format_instruction"]


@pytest.mark.parametrize("version", ["0.2.0", "0.1.23", "0.1", "", 1])
def test_other_versions_are_refused(version: Any) -> None:
    with pytest.raises(PromptObjectError, match=r"version: must be a release of ragas 0\.1"):
        river(version=version)
