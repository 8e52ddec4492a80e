"""`at_least`, `at_most`: facts about the results of a run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.spec.expectation import expectation_of
from lve.verdicts.expectations.counted_expectation import can_be_met, decide_count


@pytest.mark.parametrize(
    ("expect", "passed", "judged", "errors", "decision", "text"),
    [
        ({"at_least": 0.7}, 44, 60, 0, "passed", "44 of 60 passed (73.3%), expected at least 70%"),
        ({"at_least": 0.7}, 41, 60, 0, "failed", "41 of 60 passed (68.3%), expected at least 70%"),
        ({"at_least": 0.7}, 42, 60, 0, "passed", "42 of 60 passed (70%), expected at least 70%"),
        ({"at_least": 0.7}, 7, 10, 0, "passed", "7 of 10"),
        ({"at_least": "90%"}, 9, 10, 0, "passed", "expected at least 90%"),
        ({"at_least": " 99.5 % "}, 199, 200, 0, "passed", "expected at least 99.5%"),
        ({"at_least": 1.0}, 9, 10, 0, "failed", "9 of 10 passed (90%), expected at least 100%"),
        ({"at_least": 1}, 1, 10, 0, "passed", "1 of 10 passed (10%), expected at least 1"),
        ({"at_least": 42}, 41, 60, 0, "failed", "expected at least 42"),
        ({"at_least": 0}, 0, 3, 0, "passed", "expected at least 0"),
        ({"at_most": 0.1}, 1, 10, 0, "passed", "1 of 10 passed (10%), expected at most 10%"),
        ({"at_most": 0.1}, 2, 10, 0, "failed", "expected at most 10%"),
        ({"at_most": 3}, 4, 10, 0, "failed", "expected at most 3"),
        # Never rounded up to what was wanted.
        ({"at_least": 0.9}, 8999, 10_000, 0, "failed", "8,999 of 10,000 passed (89.9%)"),
        # Errors could have passed or failed.
        ({"at_least": 0.7}, 8, 9, 1, "passed", "8 of 9"),
        ({"at_least": 0.9}, 9, 9, 1, "passed", ""),
        ({"at_least": 0.9}, 9, 10, 1, None, ""),
        ({"at_least": 0.9}, 5, 9, 1, "failed", ""),
        (
            {"at_least": 0.9, "max_errors": 1},
            9,
            10,
            1,
            "passed",
            "1 error left out (1 may be), exp",
        ),
        ({"at_least": 0.9, "max_errors": 1}, 9, 10, 2, None, "9 of 10 passed (90%), expected"),
        ({"at_least": 0.9, "max_errors": 5}, 0, 0, 5, None, "0 of 0 passed, 5 errors left out"),
        ({"at_least": 0.9}, 0, 0, 0, "inconclusive", "0 of 0 passed, expected at least 90%"),
        # Only some rows were chosen (`--limit 3`).
        ({"at_least": 4}, 3, 3, 0, "inconclusive", "expected at least 4: too few results to tell"),
        ({"at_least": 4}, 1, 3, 1, "failed", "1 of 3 passed"),
        ({"at_most": 4}, 3, 3, 0, "inconclusive", "expected at most 4: too few results to tell"),
        ({"at_most": 4}, 0, 2, 2, "inconclusive", "expected at most 4: too few results to tell"),
        ({"at_most": 4}, 3, 5, 0, "passed", "expected at most 4"),
        ({"at_most": 0}, 0, 1, 0, "passed", "expected at most 0"),
    ],
)
def test_a_count_decides(
    expect: dict[str, object],
    passed: int,
    judged: int,
    errors: int,
    decision: str | None,
    text: str,
) -> None:
    found, words = decide_count(expectation_of({"expect": expect}), passed, judged, errors)
    assert found == decision
    assert text in words


@pytest.mark.parametrize(
    ("rate", "decisions"),
    [
        (">=0.7", ("failed", "passed", "passed")),
        (">0.7", ("failed", "failed", "passed")),
        ("<=0.7", ("passed", "passed", "failed")),
        ("<0.7", ("passed", "failed", "failed")),
    ],
)
def test_a_counted_pass_rate_has_all_comparisons(rate: str, decisions: tuple[str, ...]) -> None:
    expect = expectation_of({"expect": {"pass_rate": rate}, "default_model_args": {"seed": 1}})
    found = [decide_count(expect, passed, 10, 0) for passed in (6, 7, 8)]
    assert tuple(decision for decision, _ in found) == decisions
    assert all(text.endswith("(counted, because repeats would be alike)") for _, text in found)


@pytest.mark.parametrize(
    ("expect", "least"),
    [
        ({"at_least": 42}, 42),
        ({"at_least": 0.9}, 1),
        ({"at_least": 1.0}, 1),
        ({"at_most": 0}, 1),
        ({"pass_rate": ">0.99"}, 1),
        ({"pass_rate": ">1"}, None),
        ({"pass_rate": "<0"}, None),
        ({"pass_rate": ">=1"}, 1),
    ],
)
def test_which_numbers_of_results_can_meet_it(expect: dict[str, object], least: int | None) -> None:
    document = {"expect": expect, "default_model_args": {"temperature": 0}}
    enough = [n for n in range(1, 60) if can_be_met(expectation_of(document), n)]
    assert enough == ([] if least is None else list(range(least, 60)))


@given(st.integers(0, 100), st.integers(1, 100))
def test_a_share_is_compared_exactly(hundredths: int, total: int) -> None:
    """Whatever 0.07 * 100 is as a float."""
    expect = expectation_of({"expect": {"at_least": hundredths / 100.0}})
    for passed in range(total + 1):
        decision, _ = decide_count(expect, passed, total, 0)
        assert (decision == "passed") == (100 * passed >= hundredths * total)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 5), st.sampled_from([0.5, 0.9, 7]))
def test_no_verdict_gets_better_if_an_answer_gets_worse(
    passed: int, failed: int, errors: int, wanted: float
) -> None:
    """Nor does one of a known weakness if an answer gets better."""
    known = expectation_of({"expect": {"at_most": wanted}})
    order = {"failed": 0, None: 1, "inconclusive": 1, "passed": 2}
    more, _ = decide_count(known, passed + 1, passed + failed + 1, errors)
    fewer, _ = decide_count(known, passed, passed + failed + 1, errors)
    assert order[more] <= order[fewer]
    expect = expectation_of({"expect": {"at_least": wanted}})
    order = {"failed": 0, None: 1, "inconclusive": 1, "passed": 2}
    better, _ = decide_count(expect, passed + 1, passed + failed + 1, errors)
    worse, _ = decide_count(expect, passed, passed + failed + 1, errors)
    assert order[worse] <= order[better]
