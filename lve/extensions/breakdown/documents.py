"""Rates by value, labels, and scores over all rows, in JSON and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from lve.extensions.breakdown.groups import all_scores
from lve.extensions.breakdown.labels import LabelTable, Measure, label_tables
from lve.extensions.breakdown.rates import RateTable, rate_tables
from lve.extensions.breakdown.scores import Score
from lve.plurals import amount
from lve.reporting.files.markdown_text import code, code_cell, details, html_code, row, table_head
from lve.verdicts.summary import Summary
from lve.verdicts.wording import percent, short_range

_HEADS = ("value", "pass rate", "95 % interval", "passed", "errors")
_ATTACK_HEADS = ("attack", "success rate", "95 % interval", "succeeded", "errors")
SHOWN = 40
"""Values or labels of a table in Markdown."""


def breakdown_json(summary: Summary) -> dict[str, object]:
    """Return the fields of a summary in JSON (schemas/report.schema.json)."""
    scores, unscored = all_scores(summary)
    return {
        "by": [table.to_json() for table in rate_tables(summary)],
        "labels": [table.to_json() for table in label_tables(summary)],
        "scores": [score.to_json() for score in scores],
        "unscored": [
            {"test": test, "model": model, "reason": why} for test, model, why in unscored
        ],
    }


def breakdown_markdown(summary: Summary) -> Iterator[str]:
    """Yield the tables of a session, each as Markdown."""
    for rates in rate_tables(summary):
        if not rates.is_without_values:
            yield _rates(rates)
    for labels in label_tables(summary):
        yield _labels(labels)
    scores, unscored = all_scores(summary)
    for what in ("test", "group of tests"):
        own = [score for score in scores if (score.tests is None) == (what == "test")]
        if own:
            yield _scores(own, what)
    for test, model, why in unscored:
        yield f"Not scored together: {code(test or '.', 80)}, {code(model, 60)}: {code(why)}\n"


def _scores(scores: Sequence[Score], what: str) -> str:
    lines = [table_head((what, "model", "over all judged rows", "value", "95 % interval"))]
    for each in islice(scores, SHOWN):
        sure = "-" if each.low is None else f"{each.low:.4g} to {each.high:.4g}"
        names = code_cell(each.test or ".", 80), code_cell(each.model, 60), code_cell(each.name, 40)
        lines.append(row((*names, f"{each.value:.4g}{each.missing}", sure)))
    return f"{''.join(lines)}{_more(len(scores))}\n"


def _rates(table: RateTable) -> str:
    head, heads = f"**By {code(table.by, 60)}**, {code(table.model, 60)}", _HEADS
    if table.is_of_attacks:
        head, heads = f"**Attacks**, {code(table.model, 60)}, the easiest first", _ATTACK_HEADS
    lines = [table_head(heads)]
    for each in table.first_values(SHOWN):
        share, part, (low, high) = table.share_of(each)
        rate = "-" if share is None else percent(share, 1)
        sure = short_range(low, high, has_bounds=False) if each.judged else "-"
        name, of = table.name_of(each), f"{part:,}/{each.judged:,}"
        errors = f"{each.errors:,}" + (
            f", {each.inconclusive:,} inconclusive" if each.inconclusive else ""
        )
        lines.append(row((code_cell(name, 80), rate, sure, of, errors)))
    return f"{head}\n\n{''.join(lines)}{_more(len(table.values))}\n"


def _labels(table: LabelTable) -> str:
    head = f"Labels of {html_code(table.test or '.', 100)} {html_code(table.model, 60)}"
    chosen = list(islice(table.chosen, SHOWN))
    lines = [table_head(("right \\ chosen", *(code_cell(label, 40) for label in chosen)))]
    for label, counts in islice(zip(table.right, table.matrix, strict=True), SHOWN):
        lines.append(
            row((code_cell(label, 40), *(f"{count:,}" for count in islice(counts, SHOWN))))
        )
    lines.append("\n")
    lines.append(table_head(("label", "precision", "recall", "F1", "rows")))
    for each in islice(table.scores, SHOWN):
        measures = map(_measure, (each.precision, each.recall, each.f1))
        lines.append(row((code_cell(each.label, 40), *measures, f"{each.support:,}")))
    means = (f"{mean or 0:.3f}" for mean in table.macro())
    lines.append(row(("macro", *means, "")))
    return details(head, f"{''.join(lines)}{_more(len(table.scores))}\n")


def _measure(measure: Measure) -> str:
    if measure.value is None:
        return "-"
    return f"{measure.value:.3f} ({measure.low:.3f} to {measure.high:.3f})"


def _more(count: int) -> str:
    return f"\nand {amount(count - SHOWN, 'more row')}\n" if count > SHOWN else ""
