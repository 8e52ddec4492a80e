"""Assertions that ask a model for a grade."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.assertions import Checks
from lve.extensions.importing.promptfoo.source import UnsupportedError


@pytest.mark.parametrize(
    ("assertion", "check"),
    [
        ({"type": "g-eval", "value": "Fluent"}, {"judge": "Fluent", "threshold": 7.0}),
        ({"type": "g-eval", "value": ["a", "b"], "threshold": 0.5}, {"judge": ["a", "b"]}),
        ({"type": "llm-rubric", "value": "x", "threshold": 0.85}, {"threshold": 8.5}),
        ({"type": "llm-rubric", "value": "x", "threshold": 0}, None),
        (
            {"type": "answer-relevance", "threshold": 0.9},
            {"answer_relevancy": "{query}", "threshold": 0.9},
        ),
        ({"type": "context-faithfulness"}, {"faithfulness": "{context}", "threshold": 0.001}),
        ({"type": "context-recall", "value": "r"}, {"reference": "r"}),
        ({"type": "context-relevance", "threshold": 0.3}, {"question": "{query}"}),
    ],
)
def test_what_models_grade_has_a_threshold(
    tmp_path: Path, assertion: dict[str, object], check: dict[str, object] | None
) -> None:
    checks = Checks(source_in(tmp_path)[0], ("query", "context"))
    if check is None:
        with pytest.raises(UnsupportedError, match="which every grade reaches"):
            checks.convert(assertion)
        return
    assert checks.convert(assertion).items() >= check.items()


def test_what_is_grounded_needs_its_variables(tmp_path: Path) -> None:
    checks = Checks(source_in(tmp_path)[0])
    assert checks.convert({"type": "answer-relevance"})["answer_relevancy"] is True
    with pytest.raises(UnsupportedError, match="the variable context is missing"):
        checks.convert({"type": "context-recall", "value": "r"})


OWN = {"rubricPrompt": "{{rubric}} {{output}} {{city}} {ok}"}
CHAT = [{"role": "system", "content": "{{ideal}}"}, {"role": "user", "content": "{{completion}}"}]


@pytest.mark.parametrize(
    ("assertion", "check"),
    [
        (
            {"type": "llm-rubric", "value": "in {{city}}", "threshold": 0.3, **OWN},
            {
                "promptfoo_judge": "{rubric} {output} {city} {{ok}}",
                "rubric": "in {city}",
                "threshold": 0.3,
            },
        ),
        ({"type": "not-llm-rubric", "value": "x", **OWN}, {"inverse": True}),
        (
            {"type": "factuality", "value": "x", "rubricPrompt": CHAT},
            {
                "promptfoo_judge": [
                    {"role": "system", "content": "{ideal}"},
                    {"role": "user", "content": "{completion}"},
                ],
                "kind": "factuality",
                "scores": {"A": 0.5, "C": 0},
            },
        ),
        (
            {"type": "factuality", "value": "x", "rubricPrompt": "file://judge.json"},
            {"promptfoo_judge": [{"role": "user", "content": "{completion}"}]},
        ),
        (
            {"type": "model-graded-closedqa", "value": "x", "rubricPrompt": "{{criteria}}"},
            {"promptfoo_judge": "{criteria}", "kind": "model-graded-closedqa", "rubric": "x"},
        ),
        (
            {"type": "factuality", "value": "x"},
            {"factuality": "x", "accept": ["subset", "superset", "immaterial"]},
        ),
        ({"type": "similar", "value": "x", **OWN}, {"similar": "x", "threshold": 0.75}),
    ],
)
def test_judges_with_a_template_of_the_caller(
    tmp_path: Path, assertion: dict[str, object], check: dict[str, object]
) -> None:
    (tmp_path / "judge.json").write_text('[{"role": "user", "content": "{{completion}}"}]')
    options = {"factuality": {"subset": 0.5, "agree": 0}}
    checks = Checks(source_in(tmp_path)[0], ("city",), options=options)
    assert checks.convert(assertion).items() >= check.items()
    assert set(checks.names) <= {"city"}


def test_the_template_of_a_test_is_for_all_its_judges(tmp_path: Path) -> None:
    checks = Checks(source_in(tmp_path)[0], options=OWN)
    assert checks.convert({"type": "llm-rubric", "value": "x"})["kind"] == "llm-rubric"
    assert checks.convert({"type": "contains", "value": "x"}) == {"contains": "x"}
    own = {"type": "llm-rubric", "value": "x", "rubricPrompt": "own {{output}}"}
    assert checks.convert(own)["promptfoo_judge"] == "own {output}"


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ({"type": "llm-rubric", **OWN}, "an assertion without a value"),
        ({"type": "factuality", "rubricPrompt": "{{completion}}"}, "without a value"),
        ({"type": "llm-rubric", "value": "x", "rubricPrompt": '{"a": 1}'}, "neither a text nor"),
        ({"type": "llm-rubric", "value": "x", "rubricPrompt": "- role: user"}, "other parts"),
        (
            {
                "type": "llm-rubric",
                "value": "x",
                "rubricPrompt": "- role: user\n  content: a",
            },
            "neither a text",
        ),
        ({"type": "llm-rubric", "value": "x", "rubricPrompt": "{{a | upper}}"}, "variables"),
        ({"type": "llm-rubric", "value": "x", "rubricPrompt": "file://../j.txt"}, "outside"),
        ({"type": "llm-rubric", "value": "x", "rubricPrompt": "file://j.js"}, "j.js"),
        ({"type": "g-eval", "value": "x", **OWN}, "rubricPrompt of g-eval"),
        ({"type": "answer-relevance", **OWN}, "rubricPrompt of answer-relevance"),
        ({"type": "contains", "value": "x", **OWN}, "contains with rubricPrompt"),
        ({"type": "not-factuality", "value": "x"}, "promptfoo ignores the `not-`"),
        ({"type": "not-context-recall", "value": "x"}, "promptfoo ignores the `not-`"),
    ],
)
def test_judges_that_are_left_out(tmp_path: Path, assertion: dict[str, object], why: str) -> None:
    checks = Checks(source_in(tmp_path)[0], ("query", "context"))
    with pytest.raises(UnsupportedError, match=why):
        checks.convert(assertion)


def test_a_template_with_values_that_are_no_texts_is_left_out(tmp_path: Path) -> None:
    checks = Checks(source_in(tmp_path)[0], ("city",), has_texts=False)
    with pytest.raises(UnsupportedError, match="variables that aren't texts"):
        checks.convert({"type": "llm-rubric", "value": "x", **OWN})


@pytest.mark.parametrize("scores", [{"agree": "1"}, {"same": 1}, {"agree": True}, [1]])
def test_scores_of_facts_that_are_none_are_left_out(tmp_path: Path, scores: object) -> None:
    checks = Checks(source_in(tmp_path)[0], options={"factuality": scores})
    with pytest.raises(UnsupportedError, match="other keys than scores"):
        checks.convert({"type": "factuality", "value": "x"})
