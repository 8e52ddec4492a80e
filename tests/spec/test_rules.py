"""Rules that a schema can't express. They also run on documents that violate the schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.documents.read import Document, read_document
from lve.limits.problems import MAX_PROBLEMS
from lve.settings.settings import Caps
from lve.spec.location import PLACEHOLDER
from lve.spec.rules import RULES, check_rules

CAPS = Caps(repeats=5, max_tokens=100)


def document(folder: Path, data: Any) -> Document:
    (folder / "test.json").write_text(json.dumps(data), encoding="utf-8")
    return read_document(folder / "test.json")


def told(folder: Path, **data: Any) -> list[tuple[str, str]]:
    """Return path and message of each problem."""
    problems = check_rules(document(folder, data), CAPS)
    return [((problem.path or "").removeprefix("$."), problem.message) for problem in problems]


BROKEN: list[tuple[dict[str, Any], list[str]]] = [
    ({"description": PLACEHOLDER}, ["description"]),
    ({"tags": [{"name": f" {PLACEHOLDER} "}]}, ["tags[0].name"]),
    ({"description": f"{PLACEHOLDER} and more"}, []),
    ({"default_model_args": {"base_url": "x", "temperature": 1}}, ["default_model_args.base_url"]),
    ({"model": "m", "models": ["n"]}, ["models"]),
    ({"attacks": ["base64", "bse64", 1]}, ["attacks[1]"]),
    ({"attacks": {"names": "x", "parameter": 1}}, ["attacks.names"]),
    ({"benign": [], "prompt_parameters": ["attack"]}, ["prompt_parameters"]),
    ({"model": None, "models": ["n"]}, []),
    ({"checker_args": {}, "checkers": None}, ["checkers"]),
    ({"check": {"contains": "x"}, "checks": []}, ["checks"]),
    ({"check": {"contains": "x"}, "checkers": []}, ["check"]),
    ({"check": {"contains": "x", "ignore_case": True}}, []),
    ({"checks": [{"MyChecker": {}}, {"contains": "x", "equals": "x"}]}, ["checks[1]"]),
    ({"infer_cfg": {"inferencer": {"base_url": "x"}}}, ["infer_cfg.inferencer.base_url"]),
    ({"infer_cfg": {"inferencer": {"max_out_len": 5}}}, []),
    ({"model": "hf//etc"}, ["model"]),
    ({"model": "hf/owner/name"}, []),
    ({"models": ["openai/x", "hf/../y"]}, ["models[1]"]),
    (
        {"infer_cfg": {"retriever": {"embedding_model": "hf//a", "scoring_model": "hf//b"}}},
        ["infer_cfg.retriever.embedding_model", "infer_cfg.retriever.scoring_model"],
    ),
    ({"repeats": 5, "expect": {"pass_rate": 1, "max_repeats": 6}}, ["expect.max_repeats"]),
    ({"prompt_parameters": ["q"], "expect": {"pass_rate": 1, "cluster": "Q"}}, ["expect.cluster"]),
    ({"expect": {"at_least": 0.9, "claim": "these"}}, ["expect.claim"]),
    ({"expect": {"max_errors": 1}}, ["expect"]),
    ({"expect": {"at_most": 1.5}}, ["expect.at_most"]),
    ({"expect": {"at_least": 42, "max_errors": 1}}, []),
    ({"prompt_parameters": ["q"], "expect": {"pass_rate": 1, "cluster": "q"}}, []),
    ({"expect": {"pass_rate": 1, "cluster": "column of a data set"}}, []),
    ({"repeats": 6}, ["repeats"]),
    ({"default_model_args": {"max_tokens": 101}}, ["default_model_args.max_tokens"]),
    ({"default_model_args": {"max_new_tokens": 100.5}}, ["default_model_args.max_new_tokens"]),
    ({"default_model_args": {"max_completion_tokens": 100}}, []),
    ({"multi_run_prompt": {"repetitions": 6}}, ["multi_run_prompt.repetitions"]),
    ({"multi_run_prompt": [{}, {"repetitions": 6}]}, ["multi_run_prompt[1].repetitions"]),
    ({"prompt_file": "there.prompt"}, []),
    ({"prompt_file": "ther.prompt"}, ["prompt_file"]),
    ({"prompt_file": "there.txt"}, ["prompt_file"]),
    ({"prompt_object": "there.prompt"}, ["prompt_object"]),
    ({"output_schema": "none.json"}, ["output_schema"]),
    ({"multi_run_prompt": [{"prompt_file": "x.prompt"}]}, ["multi_run_prompt[0].prompt_file"]),
    ({"dataset": "none.jsonl"}, ["dataset"]),
    ({"dataset": {"path": "../rows.jsonl"}}, ["dataset.path"]),
    ({"dataset": {"test": "a.csv", "train": {"path": "b.csv"}}},
     ["dataset.test", "dataset.train.path"]),
    ({"prompt_parameters": ["a"], "prompt_parameters_validator": ["int"] * 2},
     ["prompt_parameters_validator"]),
    ({"prompt_parameters": ["a"], "prompt_parameters_validator": ["int"]}, []),
    ({"multi_run_prompt": {"repetition": 1, "repetitions": 1}}, ["multi_run_prompt.repetition"]),
    ({"multi_run_prompt": {"repetition": 1}}, []),
    ({"dataset": "there.prompt", "matrix": {"a": [1]}}, ["matrix"]),
    ({"tools": [{"name": "a"}, {"name": "a"}]}, ["tools[1].name"]),
    ({"tool_servers": ["s"], "infer_cfg": {}}, ["tool_servers"]),
    ({"mocks": {"a": []}}, ["mocks.a"]),
    ({"max_tool_turns": 2}, ["max_tool_turns"]),
    ({"simulated_user": {}, "repair": True}, ["repair"]),
    ({"models": [{"model": "m"}, {"model": "m", "repeats": 2}]}, ["models[1]"]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "places"), BROKEN, ids=lambda value: json.dumps(value)[:60])
def test_each_rule_says_where(data: dict[str, Any], places: list[str], tmp_path: Path) -> None:
    (tmp_path / "there.prompt").write_text("hi", encoding="utf-8")
    assert [path for path, _ in told(tmp_path, **data)] == places


def test_a_file_of_a_similar_name_and_kind_is_the_hint(tmp_path: Path) -> None:
    for name in ("ask.prompt", "asks.txt"):
        (tmp_path / name).write_text("hi", encoding="utf-8")
    (problem,) = check_rules(document(tmp_path, {"prompt_file": "asks.prompt"}), CAPS)
    assert problem.hint == "did you mean `ask.prompt`?"


def test_a_cap_says_who_set_it(tmp_path: Path) -> None:
    (problem,) = check_rules(document(tmp_path, {"repeats": 10**30}), CAPS)
    assert "is more than the 5 allowed" in problem.message
    assert problem.hint == "the settings' `caps: {repeats: 5}`; a test can't raise it"
    assert check_rules(document(tmp_path, {"repeats": 10**30}), Caps(repeats=None)) == []


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"multi_run_prompt": {"repetitions": 6}}, "multi_run_prompt.repetitions"),
        ({"multi_run_prompt": [{"repetition": 6}]}, "multi_run_prompt[0].repetition"),
        ({"max_tool_turns": 51.0, "mocks": {}}, "max_tool_turns"),
        ({"simulated_user": {"max_turns": 51.0}}, "simulated_user.max_turns"),
    ],
    ids=str,
)
def test_no_spelling_of_a_number_exceeds_a_cap(
    data: dict[str, Any], place: str, tmp_path: Path
) -> None:
    """JSON Schema counts 51.0 as an integer, too."""
    ((path, message),) = told(tmp_path, **data)
    assert path == place
    assert "is more than the" in message


ANYTHING = [None, True, 5, -1.5, "text", [], {}, [5], {"a": 5}, [[]], [{"name": 5}], "x" * 5000]
KEYS = [
    "default_model_args", "model", "models", "checkers", "checker_args", "infer_cfg", "repeats",
    "expect", "multi_run_prompt", "prompt_file", "prompt_object", "output_schema", "dataset",
    "prompt_parameters_validator", "prompt_parameters", "tags", "prompts",
]  # fmt: skip


@pytest.mark.parametrize("value", ANYTHING, ids=lambda value: repr(value)[:20])
def test_a_value_of_the_wrong_type_is_left_to_the_schema(value: Any, tmp_path: Path) -> None:
    """No rule may raise, whatever the values are."""
    for key in KEYS:
        told(tmp_path, **{key: value})
    told(tmp_path, infer_cfg={"inferencer": value, "retriever": value})
    told(tmp_path, **dict.fromkeys(KEYS, value))


def test_a_document_that_is_no_object_has_no_rules(tmp_path: Path) -> None:
    assert check_rules(document(tmp_path, [PLACEHOLDER]), CAPS) == []


def test_of_many_problems_the_first_are_found(tmp_path: Path) -> None:
    assert len(told(tmp_path, tags=[PLACEHOLDER] * 500)) == MAX_PROBLEMS + 1


def test_every_rule_is_met_here(tmp_path: Path) -> None:
    breaks = {rule.__name__: 0 for rule in RULES}
    beside = tmp_path.with_name(f"{tmp_path.name}@taken")
    beside.mkdir()
    (beside / "test.json").touch()
    for data in (*(data for data, _ in BROKEN), {"prompts": {"taken": "x", "../a": "x", "b": 1}}):
        for rule in RULES:
            breaks[rule.__name__] += len(list(rule(document(tmp_path, data), CAPS)))
    assert all(breaks.values()), breaks


def test_a_rule_names_every_key_that_it_is_about(tmp_path: Path) -> None:
    for data, _ in BROKEN:
        one = document(tmp_path, data)
        for rule, keys in RULES.items():
            assert not keys or set(keys) & data.keys() or not list(rule(one, CAPS)), rule
