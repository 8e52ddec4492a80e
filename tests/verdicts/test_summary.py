"""The sums of a session's tallies."""

from __future__ import annotations

from typing import Any

from support.results import make_result

from lve.messages import Completion, Transcript, Usage
from lve.spec.spec import Expectation
from lve.verdicts.summary import Summary


def summary_of(*results: dict[str, Any]) -> Summary:
    summary = Summary()
    for changes in results:
        summary.add(make_result(**changes))
    summary.complete()
    return summary


def test_results_of_a_test_and_a_model_share_a_tally() -> None:
    summary = summary_of({}, {}, {"model": "n"}, {"test": "b"})
    assert {pair: tally.total for pair, tally in summary.tallies.items()} == {
        ("repository/a", "openai/m"): 2,
        ("repository/a", "n"): 1,
        ("b", "openai/m"): 1,
    }


def test_a_test_that_was_announced_is_there_without_results_and_once() -> None:
    summary = Summary()
    tally = summary.expect("a", "m", Expectation("fail"), sequential=True, failures_only=True)
    assert (tally.is_sequential, tally.coverage.has_failures_only, tally.expect.kind) == (
        True,
        True,
        "fail",
    )
    assert summary.expect("a", "m", Expectation()) is tally
    assert summary.add(make_result(test="a", model="m")) is tally
    assert summary.verdicts() == {"failed": 1}


def test_invalid_tests_have_no_verdict_and_their_instances_count() -> None:
    summary = summary_of({"test": "good"}, {"test": "bad", "verdict": "failed"})
    summary.invalid["bad"] = ("bad/test.json:1: wrong",)
    assert summary.verdicts() == {"passed": 1}
    assert summary.results() == {"passed": 1, "failed": 1}
    assert summary.tests_text() == "2 tests: 1 passed, 1 invalid"


def test_what_is_not_available_is_skipped_and_what_can_not_run_is_dropped() -> None:
    summary = summary_of({"test": "a"}, {"test": "b"}, {"test": "c"})
    summary.skip_unavailable("a", "openai/m", "not installed")
    summary.drop("b", "openai/m")
    summary.drop("none", "openai/m")
    assert [test for test, _ in summary.tallies] == ["c"]
    assert (summary.skipped, summary.unavailable) == ({"a": "not installed"}, {"a"})


def test_expected_failures_are_those_of_tests_that_expect_them() -> None:
    summary = Summary()
    summary.expect("weak", "openai/m", Expectation("fail"))
    for test in ("weak", "weak", "other"):
        summary.add(make_result(test=test, verdict="failed"))
    assert summary.expected_failures() == 2
    assert "2 failed as expected" in summary.results_text()


def test_costs_add_up_and_what_has_no_price_costs_nothing_known() -> None:
    assert summary_of({}, {}).cost() is None
    assert summary_of({"cost": 0.25}, {}, {"cost": 0.5, "model": "n"}).cost() == 0.75
    assert summary_of({"cost": 0.0}).cost() == 0.0


def streamed(first_token_s: float | None, model: str = "m-1", *, cached: bool = False) -> Any:
    completion = Completion("x", first_token_s=first_token_s, model=model, cached=cached)
    return {"transcripts": (Transcript((), (completion,)),)}


def test_the_first_token_is_the_mean_over_all_models() -> None:
    one = streamed(0.1)
    several = [one, one, {**streamed(0.4), "model": "n"}, streamed(9.0, cached=True)]
    assert summary_of(*several).first_token_s() == (0.1 + 0.1 + 0.4) / 3
    assert summary_of(streamed(None)).first_token_s() is None


def test_ids_that_servers_said_are_sorted_by_model() -> None:
    summary = summary_of(streamed(0, "b"), streamed(0, "a"), {**streamed(0, ""), "model": "n"})
    assert summary.served() == {"openai/m": ["a", "b"], "n": [""]}
    assert summary_of({"transcripts": ()}).served() == {}


def test_numbers_in_json() -> None:
    summary = summary_of(
        {"verdict": "error", "error_kind": "timeout", "usage": Usage(1, 2)},
        {"verdict": "error", "error_kind": "connection"},
        {"verdict": "error", "error_kind": "timeout", "test": "b"},
        {"recorded": "failed", "cached": True, "test": "c"},
        {"recorded": "passed", "verdict": "failed", "test": "c"},
        {"recorded": "passed", "test": "c"},
    )
    summary.skipped["d"] = "not now"
    found = summary.to_json()
    assert found["tests"] == {
        "total": 3, "passed": 0, "failed": 1, "error": 2, "inconclusive": 0, "skipped": 1,
        "invalid": 0, "advisory": 0,
    }  # fmt: skip
    assert found["instances"]["total"] == 6
    assert list(found["error_kinds"].items()) == [("timeout", 2), ("connection", 1)]
    assert found["agreement"] == {"compared": 3, "same": 1, "now_failed": 1, "now_passed": 1}
    assert found["usage"] == {"prompt_tokens": 16, "completion_tokens": 22}
    assert (found["cached"], found["cost"], found["first_token_s"]) == (1, None, None)


def test_over_tests_each_test_counts_as_one() -> None:
    summary = Summary()
    assert summary.population() is None
    for test in "abc":
        for line in range(1, 40):
            summary.add(make_result(test=test, line=line, verdict="passed"))
    found = summary.population()
    assert found is not None
    assert (found.value, found.clusters) == (1.0, 3)
    assert found.low < 0.4, "three tests say little about others"
    assert summary.to_json()["population"]["tests"] == 3
