"""The key `simulated_user` of a test document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.errors import SpecError
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec
from lve.spec.simulated_user import SimulatedUser
from lve.spec.spec import Spec

DOCUMENT: dict[str, Any] = {
    "description": "d",
    "prompt": [{"content": "x"}],
    "prompt_parameters": ["city"],
    "check": {"contains": "x"},
}


def load(folder: Path, user: Any, **keys: Any) -> Spec:
    document = {**DOCUMENT, "simulated_user": user, **keys}
    (folder / "test.json").write_text(json.dumps(document), encoding="utf-8")
    return load_spec(folder, folder)


def test_its_keys_are_read(tmp_path: Path) -> None:
    spec = load(tmp_path, {"instructions": "a", "max_turns": 2, "ends_with": "b"})
    assert spec.simulated_user == SimulatedUser("a", 2, "b")
    assert spec.roles == ("user",)


def test_a_test_without_one_needs_no_such_role(tmp_path: Path) -> None:
    (tmp_path / "test.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    spec = load_spec(tmp_path, tmp_path)
    assert (spec.simulated_user, spec.roles) == (None, ())


@pytest.mark.parametrize(
    ("user", "keys", "message"),
    [
        ({}, {}, "instructions"),
        ({"instructions": ""}, {}, "instructions"),
        ("angry", {}, "simulated_user"),
        ({"instructions": "a", "model": "m"}, {}, "model"),
        ({"instructions": "a", "max_turns": 0}, {}, "max_turns"),
        ({"instructions": "a", "max_turns": 51}, {}, "51 is more than the 50 allowed"),
        ({"instructions": "a", "ends_with": ""}, {}, "ends_with"),
        (
            {"instructions": "a"},
            {"output_schema": "s.json", "repair": True},
            "`repair` asks again in place of the user",
        ),
        (
            {"instructions": "a"},
            {"prompt": None, "prompt_object": {"name": "n", "instruction": "i"}},
            "`simulated_user` has no effect here",
        ),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, user: Any, keys: dict[str, Any], message: str
) -> None:
    (tmp_path / "s.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        load(tmp_path, user, **keys)


@pytest.mark.parametrize(
    ("instructions", "message"),
    [
        ("in {town}", r"simulated_user\.instructions: \{town\} is not a declared parameter"),
        ("in {response}", r"\{response\} is not a declared parameter"),
        ("in {city", r"simulated_user\.instructions"),
    ],
)
def test_a_placeholder_of_the_instructions_is_a_parameter(
    tmp_path: Path, instructions: str, message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        build_plan(load(tmp_path, {"instructions": instructions}))
