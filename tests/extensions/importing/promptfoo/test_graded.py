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
