"""Scores over all rows in reports of each form."""

from __future__ import annotations

import io

from support.results import make_result

from lve.extensions.breakdown.documents import breakdown_json, breakdown_markdown
from lve.extensions.breakdown.text import breakdown_lines
from lve.reporting.terminal import Terminal
from lve.spec.spec import Expectation
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary


def test_reports_have_them() -> None:
    results = [make_result(line=n, parts={"ter": (float(n), 10.0)}) for n in (1, 2, 3)]
    summary = Summary()
    for result in results:
        summary.add(result)
    assert summary.is_broken_down
    lines = list(breakdown_lines(summary, Terminal(io.StringIO())))
    assert lines[0] == "scores over all judged rows (95 % bootstrap intervals)"
    assert lines[1].startswith("    ter 20 (")
    assert "less is better" in lines[1]
    assert "| ter | 20 |" in "".join(breakdown_markdown(summary)).replace("`", "")
    [score] = breakdown_json(summary)["scores"]  # type: ignore[misc]
    assert (score["name"], score["value"], score["results"]) == ("ter", 20.0, 3)


def test_results_that_arent_in_them_are_told() -> None:
    summary = Summary()
    for n, verdict in enumerate(("passed", "failed", "error"), 1):
        judged = verdict != "error"
        parts, labels = ({"ter": (float(n), 10.0)}, ("a", "a")) if judged else (None, None)
        summary.add(make_result(verdict=verdict, line=n, parts=parts, labels=labels))
    text = "\n".join(breakdown_lines(summary, Terminal(io.StringIO())))
    assert ", over 2 of 3 results, less is better" in text
    assert next(line for line in text.splitlines() if "f1_macro" in line).endswith(
        "over 2 of 3 results"
    )
    assert "15, over 2 of 3 results" in "".join(breakdown_markdown(summary))


def test_inconclusive_rows_stand_beside_errors_in_markdown() -> None:
    summary = Summary()
    summary.expect("t", "openai/m", Expectation(), numbers=Breakdown(by={"topic": None}))
    for n, verdict in enumerate(("passed", "error", "inconclusive", "inconclusive"), 1):
        summary.add(make_result(test="t", verdict=verdict, line=n, args={"topic": "a"}))
    assert "| `a` | 100.0% | 3% to 100% | 1/1 | 1, 2 inconclusive |" in "".join(
        breakdown_markdown(summary)
    )
