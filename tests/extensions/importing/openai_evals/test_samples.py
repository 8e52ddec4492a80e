"""Samples become prompts and rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.importing.openai_evals.registry import BASIC, chat, imported, rows_of


def test_what_is_the_same_is_text_and_what_differs_is_a_column(registry: Path) -> None:
    samples = [
        {"input": chat("Kenya?"), "ideal": "Nairobi"},
        {"input": chat("Bolivia?"), "ideal": ["La Paz", "Sucre"]},
    ]
    result, left = imported(registry, f"{BASIC}.includes:Includes", samples, ignore_case=True)
    [test] = result.tests
    assert left == []
    assert test.folder == "capitals"
    document = dict(test.document)
    source = document.pop("source")
    assert {**source, "sha256": ""} == {
        "tool": "openai-evals",
        "file": "evals/e.yaml",
        "line": 5,
        "sha256": "",
        "task": "capitals",
    }
    assert "import.json" in test.files
    assert document == {
        "description": "Of countries.",
        "prompt": [{"system": "Be {{brief}}."}, {"user": "{question}"}],
        "dataset": "rows.jsonl",
        "check": {"evals_match": "{ideal}", "compare": "includes", "ignore_case": True},
    }
    assert rows_of(result) == [
        {"ideal": "Nairobi", "question": "Kenya?"},
        {"ideal": ["La Paz", "Sucre"], "question": "Bolivia?"},
    ]


def test_conversations_of_other_shapes_are_tests_of_their_own(registry: Path) -> None:
    said = [*chat("a"), {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    samples = [{"input": said, "ideal": "x"}, {"input": chat("d"), "ideal": "y"}]
    result, left = imported(registry, f"{BASIC}.match:Match", samples)
    assert left == []
    assert [test.folder for test in result.tests] == ["capitals", "capitals_2"]
    assert [len(test.document["prompt"]) for test in result.tests] == [4, 2]
    various = [
        {"input": [*chat("a"), {"role": "assistant", "content": str(n)}], "ideal": "x"}
        for n in range(51)
    ]
    assert "more than 50 shapes" in imported(registry, f"{BASIC}.match:Match", various)[1][0]


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        ([1], "it is no object"),
        ({"input": "a\ud800b", "ideal": "1"}, "surrogates not allowed"),
        ({"ideal": "x"}, "neither a text nor a list of messages"),
        ({"input": [], "ideal": "x"}, "neither a text nor a list of messages"),
        ({"input": ["x"], "ideal": "x"}, "a message is no object"),
        ({"input": [{"role": "tool", "content": "x"}], "ideal": "x"}, "isn't a text of system"),
        ({"input": [{"role": "user", "content": [1]}], "ideal": "x"}, "isn't a text of system"),
        ({"input": "x"}, "its ideal is neither"),
        ({"input": "x", "ideal": [1]}, "its ideal is neither"),
        ({"input": "x", "ideal": []}, "its ideal is neither"),
        ({"input": "x", "ideal": ["a", ""]}, "its ideal is empty"),
        ({"input": "x", "ideal": "{"}, "its ideal isn't JSON"),
    ],
)
def test_a_bad_sample_is_told_with_its_line_and_the_others_are_imported(
    registry: Path, sample: Any, why: str
) -> None:
    good = {"input": "q", "ideal": "1"}
    result, [left] = imported(registry, f"{BASIC}.json_match:JsonMatch", [good, sample, good])
    assert why in left
    assert "s.jsonl:2: warning: left out: " in left
    assert len(rows_of(result)) == 2
