"""Sets of assertions, with weights and the share that must pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.extensions.importing.promptfoo.assertions import Checks
from lve.extensions.importing.promptfoo.check_list import check_list


@pytest.mark.parametrize(
    ("threshold", "weights", "reason"),
    [
        (0, [1], "its threshold is 0; lve has above 0 and at most 1"),
        (1.5, [1], "its threshold is 1.5; lve has"),
        (0.5, [0], "a set in which nothing has a weight"),
        (0.5, ["x"], "a weight in it isn't a number"),
        (0.5, [1, -1], "a weight in it isn't a number"),
        (0.5, [float("inf")], "a weight in it isn't a number"),
    ],
)
def test_a_set_that_lve_has_not_is_left_out(
    tmp_path: Path, threshold: float, weights: list[object], reason: str
) -> None:
    source, at = source_in(tmp_path)
    members = [{"type": "contains", "value": "a", "weight": weight} for weight in weights]
    whole = {"type": "assert-set", "assert": members, "threshold": threshold}
    assert check_list(Checks(source), [(whole, at)], None) == []
    [problem] = source.left_out
    assert reason in str(problem)


def test_an_assertion_without_weight_leaves_the_others_of_its_set(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    members = [{"type": "contains", "value": "a", "weight": weight} for weight in (0, 2)]
    whole = {"type": "assert-set", "assert": members, "threshold": 0.5}
    [(path, check)] = check_list(Checks(source), [(whole, at)], None)
    assert (path, check) == ((0,), {"weighted": [{"contains": "a", "weight": 2}], "threshold": 0.5})
    assert "whose weight is 0" in str(source.told)


SCRIPT = {"type": "javascript", "value": "output.length / 10"}


@pytest.mark.parametrize(
    ("member", "check", "by"),
    [
        (SCRIPT, {"promptfoo_script": "output.length / 10", "on_error": "failed"}, "score"),
        (
            {"type": "javascript", "value": "return {pass: true, score: 0.2, reason: 'x'}"},
            {
                "promptfoo_script": "return {{pass: true, score: 0.2, reason: 'x'}}",
                "on_error": "failed",
            },
            "score",
        ),
        (
            {"type": "javascript", "value": "output === 'a'"},
            {"expression": "lambda output: (output == 'a')", "on_error": "failed"},
            "score",
        ),
        ({"type": "similar", "value": "a"}, {"similar": "a", "threshold": 0.75}, "score"),
        ({"type": "contains-all", "value": ["a"]}, {"all": [{"contains_all": ["a"]}]}, None),
    ],
)
def test_scores_count_in_a_set_with_a_threshold(
    tmp_path: Path, member: dict[str, object], check: dict[str, object], by: str | None
) -> None:
    source, at = source_in(tmp_path)
    members = [member, {"type": "contains", "value": "a"}]
    [(_, whole)] = check_list(Checks(source), [(each, at) for each in members], 0.5)
    assert whole["weighted"][0] == check
    assert whole.get("by") == by
    [(_, alone)] = check_list(Checks(source), [(SCRIPT, at)], None)
    assert "expression" in alone, "alone, a script passes or fails"


def test_what_is_not_similar_has_no_score_in_a_set(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    assert check_list(Checks(source), [({"type": "not-similar", "value": "a"}, at)], 0.5) == []
    assert "not-similar in a set with a threshold" in str(source.left_out)


def test_the_weight_of_a_set_counts_only_below_a_threshold(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    whole = {"type": "assert-set", "weight": 0, "assert": [{"type": "contains", "value": "a"}]}
    assert check_list(Checks(source), [(whole, at)], None) == [((0, 0), {"contains": "a"})]
