"""Evals become tests: their checks and model args, their examples, and that they run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.importing.openai_evals.registry import BASIC, chat, imported, rows_of
from support.command_line import call


@pytest.mark.parametrize(
    ("class_name", "args", "compare", "model_args"),
    [
        ("match:Match", {}, "match", {"temperature": 0.0}),
        ("includes:Includes", {}, "includes", None),
        ("fuzzy_match:FuzzyMatch", {}, "fuzzy_match", {"temperature": 0.0, "max_tokens": 100}),
        ("fuzzy_match:FuzzyMatch", {"max_tokens": 9}, "fuzzy_match",
         {"temperature": 0.0, "max_tokens": 9}),
        ("json_match:JsonMatch", {}, "json_match", {"temperature": 0.0, "max_tokens": 512}),
    ],
)  # fmt: skip
def test_each_basic_class_has_its_comparison_and_model_args(
    registry: Path,
    class_name: str,
    args: dict[str, Any],
    compare: str,
    model_args: dict[str, Any] | None,
) -> None:
    samples = [{"input": "1 {+} 1?", "ideal": "2"}]
    result, left = imported(registry, f"{BASIC}.{class_name}", samples, **args)
    [test] = result.tests
    assert left == []
    assert test.document["check"] == {"evals_match": "{ideal}", "compare": compare}
    assert test.document.get("default_model_args") == model_args
    assert test.document["prompt"] == [{"system": "{question}"}]
    assert rows_of(result) == [{"ideal": "2", "question": "1 {+} 1?"}]


def test_examples_stand_before_the_last_message(registry: Path) -> None:
    example = [
        {"role": "system", "content": "1+1", "name": "example_user"},
        {"role": "system", "content": "{2}", "name": "example_assistant"},
    ]
    lines = [{"sample": example}, {"sample": [{"role": "user", "content": "never"}]}]
    (registry / "data" / "few.jsonl").write_text("\n".join(map(json.dumps, lines)))
    samples = [{"input": chat("2+2"), "ideal": "4"}, {"input": chat("2+3"), "ideal": "5"}]
    result, [left] = imported(
        registry, f"{BASIC}.match:Match", samples, num_few_shot=1, few_shot_jsonl="few.jsonl"
    )
    assert result.tests[0].document["prompt"] == [
        {"system": "Be {{brief}}."},
        {"user": "1+1"},
        {"assistant": "{2}"},
        {"user": "{question}"},
    ]
    assert "the names of its examples' messages" in left


def test_an_imported_test_runs_without_the_package(registry: Path) -> None:
    samples = [{"input": chat(f"{n}?"), "ideal": str(n)} for n in range(3)]
    imported(registry, f"{BASIC}.match:Match", samples)
    code, out, _ = call("import", "openai-evals", str(registry), "-o", "made")
    assert (code, out.endswith("1 test: all valid\n")) == (0, True), out
    shown = json.loads(call("render", "made", "--json")[1])
    runs = [row["runs"][0]["messages"] for row in shown["tests"][0]["instances"]]
    assert [[message["role"] for message in messages] for messages in runs] == [
        ["system", "user", "assistant"]
    ] * 3
    assert [message[1]["content"] for message in runs] == ["0?", "1?", "2?"]


def test_examples_that_are_none_are_told(registry: Path) -> None:
    (registry / "data" / "few.jsonl").write_text('{"sample": 7}\n{}\n')
    samples = [{"input": chat("2+2"), "ideal": "4"}]
    result, left = imported(
        registry, f"{BASIC}.match:Match", samples, num_few_shot=2, few_shot_jsonl="few.jsonl"
    )
    assert len(result.tests) == 1
    assert len(left) == 2
    assert "few.jsonl:1: warning: left out: its sample is no list of messages" in left[0]
