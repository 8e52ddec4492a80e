"""Rates by value, labels, scores over all rows, and categories, as lines of a text report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from lve.escape import clip, columns, one_line
from lve.extensions.breakdown.groups import all_scores
from lve.extensions.breakdown.labels import LABEL_METRICS, LabelTable, Measure, label_tables
from lve.extensions.breakdown.rates import RateTable, ValueRate, rate_tables
from lve.extensions.breakdown.scores import Score
from lve.plurals import amount
from lve.reporting.terminal import Terminal
from lve.verdicts.breakdown import Breakdown, Group
from lve.verdicts.summary import Summary
from lve.verdicts.wording import percent, short_range

SHOWN_CATEGORIES = 20
NAME_COLUMNS = 28


def category_lines(numbers: Breakdown, width: int | None) -> Iterator[str]:
    """Yield a line for each category.

    Args:
        numbers: the breakdown of a test's results.
        width: the most characters of a line; None: no limit.
    """
    names = sorted(numbers.categories)
    for name in islice(names, SHOWN_CATEGORIES):
        line = _category(name, numbers.categories[name], numbers)
        yield line if width is None else clip(line, width)
    if len(names) > SHOWN_CATEGORIES:
        yield f"and {len(names) - SHOWN_CATEGORIES} more (`--json` has all categories)"


def _category(name: str, group: Group, numbers: Breakdown) -> str:
    rate = "" if group.rate is None else f" {percent(group.rate, 1):>7}"
    errors = f", {amount(group.counts['error'], 'error')}" if group.counts["error"] else ""
    score = (
        f", mean {numbers.metric} {group.score:.3f}" if numbers.is_scale and group.scored else ""
    )
    counts = f"{group.counts['passed']}/{group.judged} passed"
    return f"{one_line(name, NAME_COLUMNS):{NAME_COLUMNS}}{rate} {counts}{errors}{score}"


SHOWN_TABLES = 3
"""Tests whose labels are shown without `-v`."""
SHOWN = 30
"""Values or labels of a table that are shown."""
NAME = 36
"""The most columns of a value."""
LABEL = 14
"""The most columns of a label."""
INDENT = "    "
BOOTSTRAP = "(95 % bootstrap intervals)"
COMBINED = "(95 % intervals, from those of their tests)"


def breakdown_lines(summary: Summary, terminal: Terminal, *, has_all: bool = True) -> Iterator[str]:
    """Yield the tables of a session: rates by value, labels, then scores. Each has an
    empty line after it.

    Args:
        summary: the session's.
        terminal: that the lines are for.
        has_all: whether every table is shown; else, of several, the first in which something failed
            or a label was mistaken for another, and the number of the others.
    """
    width = terminal.columns if terminal.is_terminal else max(terminal.columns, 80)
    tables = list(rate_tables(summary))
    shown = tables if has_all or len(tables) <= SHOWN_TABLES else _with_failures(tables)
    for rates in shown:
        yield from _rate_lines(rates, width)
        yield ""
    yield from _left_out(tables, shown, "column", "pass rates by {}, all 100%")
    every, unscored = all_scores(summary)
    scores = [each for each in every if each.tests is None]
    matrices = label_tables(summary)
    mistaken = (
        matrices if has_all or len(matrices) == 1 else _with_mistakes(matrices)[:SHOWN_TABLES]
    )
    for labels in mistaken:
        yield from _label_lines(labels, width)
        yield clip(f"{INDENT}{_label_scores(labels, scores)}", width)
        yield ""
    yield from _left_out(matrices, mistaken, "test", "labels of {}")
    pairs = {(labels.test, labels.model) for labels in matrices}
    if others := [
        each
        for each in scores
        if each.name not in LABEL_METRICS or (each.test, each.model) not in pairs
    ]:
        yield from _score_lines(others, f"scores over all judged rows {BOOTSTRAP}", width)
        yield ""
    if groups := [each for each in every if each.tests is not None]:
        yield from _score_lines(groups, f"scores of groups of tests {COMBINED}", width)
        yield ""
    for test, model, why in unscored:
        of = f"{one_line(test or '.')}, {one_line(model)}"
        yield clip(f"not scored together: {of}: {one_line(why)}", 3 * width)
        yield ""


def _with_failures(tables: Sequence[RateTable]) -> Sequence[RateTable]:
    """Return the tables in which not everything passed, or of which something is to be said."""
    return [
        table
        for table in tables
        if table.is_of_attacks
        or table.is_without_values
        or any(each.rate != 1 or each.errors or each.inconclusive for each in table.values.values())
    ]


def _left_out(
    tables: Sequence[object], shown: Sequence[object], noun: str, text: str
) -> Iterator[str]:
    """Yield how many tables aren't shown, and an empty line; nothing if all are."""
    if count := len(tables) - len(shown):
        number = amount(count, f"more {noun}" if shown else noun)
        yield f"{text.format(number)}: -v shows them"
        yield ""


def _with_mistakes(tables: Sequence[LabelTable]) -> Sequence[LabelTable]:
    """Return the tables in which not every answer chose the right label."""
    return [table for table in tables if table.accuracy.value != 1]


def _label_scores(table: LabelTable, scores: Sequence[Score]) -> str:
    """Return the scores of a table in a line: `f1_macro 0.81 (0.7-0.9), mcc ...`."""
    of_table = [score for score in scores if (score.test, score.model) == (table.test, table.model)]
    of_labels = [score for score in of_table if score.name in LABEL_METRICS]
    texts = ", ".join(f"{score.name} {_value(score)}" for score in of_labels)
    return texts + (of_labels[0].missing if of_labels else "")


def _value(score: Score) -> str:
    sure = "" if score.low is None else f" ({score.low:.3g}-{score.high:.3g})"
    return f"{score.value:.4g}{sure}"


def _score_lines(scores: Sequence[Score], head: str, width: int) -> Iterator[str]:
    yield head
    shown = [*islice(scores, SHOWN)]
    yield from named_lines([each.name for each in shown], map(_score, shown), width)
    yield from _more(len(scores), "score")


def _score(each: Score) -> str:
    less = each.missing + ("" if each.is_better_high else ", less is better")
    return f" {_value(each)}{less}  {one_line(each.test or '.')}, {one_line(each.model)}"


def _rate_lines(table: RateTable, width: int) -> Iterator[str]:
    head = f"by {one_line(table.by, NAME)}, {one_line(table.model)}"
    if table.is_without_values:
        yield f"{head}: no row has such a column, and no test such a tag"
        return
    if table.is_of_attacks:
        head = f"attacks, {one_line(table.model)}: success rates (95 % intervals), easiest first"
    else:
        head = f"{head}: pass rates (95 % intervals)"
    yield clip(head, width)
    values = table.first_values(SHOWN)
    rates = (f" {_rate(each, table)}" for each in values)
    yield from named_lines([table.name_of(each) for each in values], rates, width)
    yield from _more(len(table.values), "value")


def _rate(each: ValueRate, table: RateTable) -> str:
    errors = f", {amount(each.errors, 'error')}" if each.errors else ""
    errors += f", {each.inconclusive:,} inconclusive" if each.inconclusive else ""
    share, part, (low, high) = table.share_of(each)
    if share is None:
        return f"{'-':>6} 0 judged{errors}"
    rate, sure = percent(share, 1), short_range(low, high, has_bounds=False)
    return f"{rate:>6} {part:,}/{each.judged:,} ({sure}){errors}"


def _label_lines(table: LabelTable, width: int) -> Iterator[str]:
    test, model = one_line(table.test or "."), one_line(table.model)
    yield clip(f"labels, {test}, {model}: right ones down, chosen ones across", width)
    yield from _matrix_lines(table, width)
    scores = table.scores
    shown = [*islice(scores, SHOWN)]
    rows = [
        ("precision", "recall", "F1"),
        *(tuple(map(_measure, (each.precision, each.recall, each.f1))) for each in shown),
        tuple(f"{mean or 0:.3f}" for mean in table.macro()),
    ]
    texts = (f"  {precision:18} {recall:18} {f1}" for precision, recall, f1 in rows)
    names = ["", *(one_line(each.label or '""', LABEL) for each in shown), "macro"]
    yield from _aligned(names, texts, width)
    yield from _more(len(scores), "label")


def _matrix_lines(table: LabelTable, width: int) -> Iterator[str]:
    heads = [one_line(label or '""', LABEL) for label in table.chosen]
    names = [one_line(label or '""', LABEL) for label in table.right]
    digits = max(len(f"{count:,}") for line in table.matrix for count in line)
    cells = [max(columns(head), digits) + 2 for head in heads]
    broad = max(map(columns, names))
    if len(INDENT) + broad + sum(cells) > width or len(names) > SHOWN:
        yield f"{INDENT}{len(names)} by {len(heads)} labels: `--json` has the matrix"
        return
    across = "".join(" " * (n - columns(head)) + head for n, head in zip(cells, heads, strict=True))
    lines = (
        "".join(f"{count:>{n},}" for n, count in zip(cells, counts, strict=True))
        for counts in table.matrix
    )
    yield from _aligned(["", *names], [across, *lines], width)


def _measure(measure: Measure) -> str:
    if measure.value is None or measure.low is None or measure.high is None:
        return "-"
    return f"{measure.value:.3f} ({measure.low:.2f}-{measure.high:.2f})"


def _more(count: int, noun: str) -> Iterator[str]:
    if count > SHOWN:
        yield f"{INDENT}and {amount(count - SHOWN, f'more {noun}')} (`--json` has all)"


def named_lines(
    names: Sequence[str], texts: Iterable[str], width: int, most: int = NAME
) -> Iterator[str]:
    """Yield a line of at most `width` columns for each name, of which `most` are the name's; all
    texts begin after the longest one."""
    return _aligned([one_line(name or '""', most) for name in names], texts, width)


def _aligned(names: Sequence[str], texts: Iterable[str], width: int) -> Iterator[str]:
    broad = max(map(columns, names), default=0)
    for name, text in zip(names, texts, strict=True):
        yield clip(f"{INDENT}{name}{' ' * (broad - columns(name))}{text}", width)
