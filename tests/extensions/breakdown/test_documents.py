"""Scores over all rows in reports of each form."""

from __future__ import annotations

import io

from support.results import make_result

from lve.extensions.breakdown.documents import breakdown_json, breakdown_markdown
from lve.extensions.breakdown.text import breakdown_lines
from lve.reporting.terminal import Terminal
from lve.verdicts.summary import Summary


def test_reports_have_them() -> None:
    results = [make_result(line=n, parts={"ter": (float(n), 10.0)}) for n in (1, 2, 3)]
    summary = Summary()
    for result in results:
        summary.add(result)
    assert summary.is_broken_down
    lines = list(breakdown_lines(summary, Terminal(io.StringIO())))
    assert lines[0] == "scores over all rows (95 % bootstrap intervals)"
    assert lines[1].startswith("    ter 20 (")
    assert "less is better" in lines[1]
    assert "| ter | 20 |" in "".join(breakdown_markdown(summary)).replace("`", "")
    [score] = breakdown_json(summary)["scores"]  # type: ignore[misc]
    assert (score["name"], score["value"], score["results"]) == ("ter", 20.0, 3)
