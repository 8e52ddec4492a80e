"""What a notebook shows of a run or a session: its numbers, tests, and first failures, as HTML; and
the results of a run as a pandas data frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape as escape_html
from importlib.util import find_spec
from itertools import islice

from lve.errors import MissingExtraError
from lve.escape import one_line
from lve.reporting.files.plain_text import prompt_text, response_text
from lve.sessions.instance_result import InstanceResult
from lve.verdicts.answer_counts import tokens_json
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally
from lve.verdicts.wording import percent, short_range

SHOWN = 50
"""Tests that are shown."""
FAILURES = 3
"""Failures of a test that are shown."""
WIDTH = 200
"""Columns of a text."""
COLOURS = {"passed": "#1a7f37", "failed": "#b42318", "error": "#9a6700", "inconclusive": "#57606a"}


def html_of(summary: Summary, name: str | None) -> str:
    """Return a run as HTML without a script. All texts are escaped.

    Args:
        summary: of the run.
        name: the session's id; None if it isn't kept.
    """
    tallies = [tally for _, tally in sorted(summary.tallies.items())]
    heads = "".join(f"<th style='text-align:left'>{head}</th>" for head in _HEADS)
    parts = [
        f"<p><b>{_text(summary.tests_text())}</b><br>{_text(summary.results_text())}</p>",
        f"<table><thead><tr>{heads}</tr></thead><tbody>{_rows(tallies)}</tbody></table>",
    ]
    more = len(tallies) - SHOWN
    parts += [f"<p>and {more:,} more</p>"] if more > 0 else []
    refused = [*summary.invalid.items(), *summary.skipped.items()]
    for test, why in islice(refused, SHOWN):
        reason = why if isinstance(why, str) else "; ".join(why)
        parts.append(f"<p>{_text(test or '.')}: {_text(reason)}</p>")
    parts += [f"<p><code>lve show {_text(name)}</code></p>"] if name else []
    return f"<div>{''.join(parts)}</div>"


_HEADS = ("test", "model", "verdict", "passed", "pass rate", "first failures")


def _rows(tallies: Iterable[Tally]) -> str:
    return "".join(_row(tally) for tally in islice(tallies, SHOWN))


def _row(tally: Tally) -> str:
    verdict, rate = tally.verdict()[0], tally.rate
    sure = "-"
    if rate.rate is not None:
        sure = percent(rate.rate)
        sure += f" ({short_range(rate.low, rate.high, has_bounds=rate.has_bounds)})"
    failures = "<br>".join(
        _text(f"{note.row}: {note.reason}") for note in islice(tally.examples, FAILURES)
    )
    cells = (
        _text(tally.test or "."),
        _text(tally.model),
        f"<span style='color:{COLOURS[verdict]}'>{verdict}</span>",
        f"{tally.counts['passed']:,}/{tally.total:,}",
        sure,
        failures,
    )
    return "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>"


def _text(text: str) -> str:
    return escape_html(one_line(text, WIDTH))


def to_pandas(results: Iterable[InstanceResult]) -> object:
    """Return a data frame with a row per instance and repeat, and a column `args.NAME` per arg.

    Args:
        results: those of a run.

    Raises:
        MissingExtraError: pandas isn't installed.
    """
    if find_spec("pandas") is None:
        raise MissingExtraError("to_pandas needs pandas: pip install 'lve[pandas]'")
    import pandas

    return pandas.DataFrame.from_records(list(map(_record, results)), columns=None)


def _record(result: InstanceResult) -> Mapping[str, object]:
    right, chosen = result.labels or (None, None)
    return {
        "test": result.test,
        "variant": result.variant,
        "model": result.model,
        "source": result.source,
        "line": result.line,
        "repeat": result.repeat,
        "verdict": result.verdict,
        "reason": result.reason,
        "error_kind": result.error_kind,
        "score": result.score,
        "prompt": prompt_text(result),
        "response": response_text(result),
        **tokens_json(result.usage),
        "cost": result.cost,
        "latency_s": result.latency_s,
        "right_label": right,
        "chosen_label": chosen,
        **{f"args.{name}": value for name, value in result.args.items()},
    }
