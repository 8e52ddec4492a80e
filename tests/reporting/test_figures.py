"""What a report says of a test's repeats beside its verdict."""

from __future__ import annotations

import json
import re

from reporting.reports import report
from support.results import make_result

from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation

RATE = Expectation("rate", ">=", 0.9)


def repeated(*instances: str) -> list[InstanceResult]:
    """Return the results of instances, each as letters: `pfp`."""
    return [
        make_result(
            line=line,
            args={"n": line},
            repeat=repeat,
            verdict="passed" if letter == "p" else "failed",
        )
        for line, letters in enumerate(instances, start=1)
        for repeat, letter in enumerate(letters)
    ]


def test_a_pass_rate_has_both_claims_and_what_repeats_tell() -> None:
    text = report("text", repeated("ppp", "pfp", "fff"), expect=RATE, detail="verbose")
    assert "pass rate 5/9 = 0.556" in text
    assert "\n    rows like these 0.556 (95 % interval 0.0" in text
    assert " from 3 rows\n" in text
    assert (
        "\n    rows: 1 always passed, 1 always failed, 1 flaky: instances/x.jsonl:2 (2/3)\n" in text
    )
    assert "\n    of 2 answers: any passes 0.667 (pass@2), all pass 0.444 (pass^2), " in text


def test_a_report_that_is_not_verbose_has_the_verdict_the_count_and_the_rate() -> None:
    text = report("text", repeated("ppp", "pfp", "fff"), expect=RATE)
    assert "5/9 passed (3 rows, 3 repeats each)" in text
    assert "pass rate 5/9 = 0.556 (at least 0.251 and at most 0.832, each with 95 % conf" in text
    assert not re.search("like these [0-9]|always passed|pass@", text)


def test_other_tests_have_it_where_an_instance_is_flaky() -> None:
    assert "1 flaky: instances/x.jsonl:2 (1/2)" in report(
        "text", repeated("pp", "pf"), detail="verbose"
    )
    assert "rows like these" not in report("text", repeated("pp", "ff"), detail="verbose")


def test_many_flaky_instances_are_cut() -> None:
    text = report("text", repeated(*["pf"] * 5), detail="verbose")
    assert "x.jsonl:1 (1/2), instances/x.jsonl:2 (1/2), instances/x.jsonl:3 (1/2), ..." in text


def test_an_inconclusive_rate_says_what_would_decide_it() -> None:
    text = report("text", repeated("p" * 10, "p" * 10), expect=RATE)
    assert "at this rate about 29 results would decide (15 repeats of all rows)" in text
    text = report("text", repeated("p" * 9 + "f"), expect=RATE)
    assert "at this rate 100,000 results wouldn't decide" in text


def test_json_has_all_figures() -> None:
    (test,) = json.loads(report("json", repeated("pp", "pf"), expect=RATE))["tests"]
    assert test["population"]["instances"] == 2
    assert test["flakiness"]["flaky_instances"] == [
        {"source": "instances/x.jsonl", "line": 2, "passed": 1, "judged": 2, "rate": 0.5}
    ]
    (two,) = test["at_k"]
    assert (two["k"], two["pass_at_k"]["value"], two["pass_hat_k"]["value"]) == (2, 1.0, 0.5)
    assert test["pass_rate"]["has_bounds"] is True


def test_a_mean_score_has_an_interval() -> None:
    results = [make_result(line=n, args={"n": n}, score=n / 10) for n in (5, 6, 7)]
    assert "mean score 0.600 over 3; rows like these 0.6 (95 % interval 0.3" in report(
        "text", results
    )
    (test,) = json.loads(report("json", results))["tests"]
    assert test["score"]["population"]["instances"] == 3


def test_a_claim_about_the_population_has_the_other_rate_beside_it() -> None:
    claimed = Expectation("rate", ">=", 0.5, claim="population")
    text = report("text", repeated("ppp", "pfp", "fff"), expect=claimed, detail="verbose")
    assert "pass rate of rows like these 0.556 (at least 0.0" in text
    assert "rows like these would decide" in text
    assert "\n    these rows: 5/9 = 0.556 (at least " in text


def test_the_k_that_is_shown_is_one_that_all_instances_have() -> None:
    text = report("text", repeated("pf" * 8, "pfpf", "pfp"), expect=RATE, detail="verbose")
    assert "of 2 answers: " in text
    assert "of 8 answers: " in report("text", repeated("pf" * 16), expect=RATE, detail="verbose")
