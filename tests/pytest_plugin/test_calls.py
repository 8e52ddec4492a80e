"""The verdict of an item and the text of its failure, for results and expectations of each kind
(cases/recorded_calls/pytest_plugin.json)."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from support.judging import spec_with
from support.recorded_calls import Calls, changed, grid, record
from support.results import make_result

from lve.pytest_plugin.verdicts import SHOWN_ROWS, ItemVerdict, describe_failure, item_verdict
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation, Spec
from lve.verdicts.coverage import NotRecorded
from lve.verdicts.rates.corrected import JudgeErrors

OUTCOMES = {"p": "passed", "f": "failed", "e": "error", "i": "inconclusive"}
RESULTS = (
    *("p", "f", "e", "i", "pp", "pf", "fp", "pe", "fe", "ei", "fi", "ppp", "pppf", "ppppfe"),
    *("p" * 30, "p" * 29 + "f", "f" * (SHOWN_ROWS - 1), "f" * SHOWN_ROWS, "f" * (SHOWN_ROWS + 1)),
)
EXPECTED = {
    "pass": Expectation(),
    "fail": Expectation(kind="fail"),
    "rate": Expectation("rate", ">=", 0.9),
    "at most": Expectation("rate", "<", 0.2),
    "results": Expectation("rate", ">=", 0.5, claim="results", max_errors=1),
}
TEXTS = ("", "a\nb", "x" * 5000, "\x1b[2J")


@cache
def spec() -> Spec:
    """Return a test, whose folder is gone."""
    with tempfile.TemporaryDirectory() as folder:
        return spec_with(Path(folder).resolve())


def results(kinds: str, rows: int = 99) -> list[InstanceResult]:
    """Return results of these outcomes, in so many rows."""
    return [
        make_result(
            line=number % rows + 1,
            repeat=number // rows,
            verdict=OUTCOMES[kind],
            reason=f"why {number}",
            error_kind="checker" if kind == "e" and number % 2 else None,
        )
        for number, kind in enumerate(kinds)
    ]


def verdict(kinds: str, expect: str, rows: int, *, sequential: bool, known: bool) -> ItemVerdict:
    errors = JudgeErrors(0.9, 40, 0.8, 40) if known else None
    return item_verdict(
        spec(),
        results(kinds, rows),
        expect=EXPECTED[expect],
        sequential=sequential,
        errors=errors,
        left_out=NotRecorded(2) if known else None,
    )


def summed(kinds: str, expect: str, rows: int, sequential: bool, known: bool) -> object:
    """Return what an item's verdict says."""
    item = verdict(kinds, expect, rows, sequential=sequential, known=known)
    words = item.outcome, item.reason, item.errors, item.is_advisory
    return *words, dict(item.properties), item.figures, item.statistics


def described(kinds: str, expect: str, verbose: bool) -> list[str]:
    """Return the text of a failure without the folder of the test."""
    item = verdict(kinds, expect, 4, sequential=False, known=verbose)
    text = describe_failure(spec(), item, is_verbose=verbose)
    return [line.rpartition("/")[2] for line in text.splitlines()]


def of_one(reason: str, args: int) -> list[str]:
    """Return the text of the failure of one row."""
    values = {f"a{n}": "v" * n for n in range(args)}
    result = make_result(args=values, reason=reason, verdict="failed")
    item = ItemVerdict("failed", reason, (result,))
    text = describe_failure(spec(), item)
    return [line.rpartition("/")[2] for line in text.splitlines()]


def all_calls() -> Calls:
    return {
        **grid(summed, RESULTS, EXPECTED, (99,), (False,), (False,)),
        **grid(summed, RESULTS[4::3], EXPECTED, (1, 2), (False, True), (False, True)),
        **grid(described, RESULTS, ("pass", "fail"), (False,)),
        **grid(described, RESULTS[4::3], ("rate", "at most"), (False, True)),
        **grid(of_one, TEXTS, (0, 1)),
        **grid(of_one, ("x",), (49, 50, 51, 52)),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("pytest_plugin", all_calls()) == {}


if __name__ == "__main__":
    record("pytest_plugin", all_calls())
