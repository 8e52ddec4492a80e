"""Rates by value, and F1 per label, of two sessions or models side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lve.escape import clip, one_line
from lve.extensions.breakdown.codes import spelled_out
from lve.extensions.breakdown.labels import Measure, label_tables
from lve.extensions.breakdown.rates import BESIDE_ATTACKS, RateTable, ValueRate, rate_tables
from lve.extensions.breakdown.text import named_lines
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.reporting.files.markdown_text import code, code_cell, row, table_head
from lve.reporting.terminal import Terminal
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession
from lve.verdicts.summary import Summary
from lve.verdicts.wording import percent, short_range

SHOWN = 30
NAME = 28
ATTACKS = "success rates of attacks"
ABSENT = Measure(None, None, None)


class Line(NamedTuple):
    """One value, or one label, before and now."""

    value: str
    before: Measure
    now: Measure
    name: str
    """The value; of a code, with its name; of what is no attack, what it is."""

    @property
    def change(self) -> float:
        """How far they are apart, from 0; 2 if only one has a value."""
        before, now = self.before.value, self.now.value
        if before is None or now is None:
            return 0 if before is now else 2
        return abs(now - before)

    def to_json(self) -> dict[str, object]:
        """Return it as in schemas/comparison.schema.json."""
        before, now = self.before.to_json(), self.now.to_json()
        return {"value": self.value, "name": self.name, "before": before, "now": now}


class ComparedTable(NamedTuple):
    """The values of a column or tag, or the labels of a test, before and now."""

    what: str
    """`pass rates by topic`, `success rates of attacks`, or `F1 of labels of TEST`."""
    models: tuple[str, str]
    lines: list[Line]

    @property
    def title(self) -> str:
        """What it compares, and of which models."""
        before, now = self.models
        return f"{self.what}, {before}" + ("" if before == now else f" and {now}")

    @property
    def main_lines(self) -> list[Line]:
        """The lines that a report has room for, in their order: of attacks, what is none of them
        first, then those that changed most."""
        names = BESIDE_ATTACKS if self.what == ATTACKS else {}
        first = sorted(self.lines, key=lambda line: (line.value not in names, -line.change))
        return [line for line in self.lines if line in first[:SHOWN]]

    @property
    def rest(self) -> str:
        """How many other lines there are; an empty text if there are none."""
        count = len(self.lines) - SHOWN
        return f"and {amount(count, 'more value')}, which changed less" if count > 0 else ""

    def to_json(self) -> dict[str, object]:
        """Return it as in schemas/comparison.schema.json."""
        lines = [line.to_json() for line in self.lines]
        return {"what": self.what, "models": list(self.models), "values": lines}


def compared_tables(
    before: Summary, now: Summary, models: tuple[str, str] | None = None
) -> list[ComparedTable]:
    """Return the tables of two sessions side by side, those of one model next to each other.

    Args:
        before: of the first session.
        now: of the second one.
        models: the two models that are compared; None: each with itself, or the only ones.
    """
    pairs = [models] if models else _pairs(before, now)
    return [table for pair in pairs for table in _tables(before, now, pair)]


def _pairs(before: Summary, now: Summary) -> list[tuple[str, str]]:
    first, second = ({model for _, model in side.tallies} for side in (before, now))
    same = [(model, model) for model in sorted(first & second)]
    alone = len(first) == len(second) == 1
    return same or ([(first.pop(), second.pop())] if alone else [])


def _tables(before: Summary, now: Summary, pair: tuple[str, str]) -> Iterator[ComparedTable]:
    sides = [_measures(before, pair[0]), _measures(now, pair[1])]
    for what in dict.fromkeys([*sides[0], *sides[1]]):
        old, new = (side.get(what, {}) for side in sides)
        names = BESIDE_ATTACKS if what == ATTACKS else {}
        values = sorted({*old, *new}, key=lambda each: (each in names, each.startswith("("), each))
        yield ComparedTable(
            what,
            pair,
            [
                Line(
                    value,
                    old.get(value, ABSENT),
                    new.get(value, ABSENT),
                    names.get(value) or spelled_out(value),
                )
                for value in values
            ],
        )


def _measures(summary: Summary, model: str) -> dict[str, dict[str, Measure]]:
    """Return title -> value -> its rate, or label -> its F1."""
    tables = {
        ATTACKS if table.is_of_attacks else f"pass rates by {table.by}": {
            each.value: _measure(table, each) for each in table.sorted_values
        }
        for table in rate_tables(summary)
        if table.model == model and not table.is_without_values
    }
    for labels in label_tables(summary):
        if labels.model == model:
            title = f"F1 of labels of {labels.test or '.'}"
            tables[title] = {each.label: each.f1 for each in labels.scores}
    return tables


def _measure(table: RateTable, each: ValueRate) -> Measure:
    share, _, (low, high) = table.share_of(each)
    return Measure(share, low, high)


class ComparedBreakdown(NamedTuple):
    """The tables of a comparison, and how they are shown."""

    tables: list[ComparedTable]

    @classmethod
    def of(
        cls,
        before: SessionFolder,
        now: SessionFolder,
        *,
        by: Sequence[str] = (),
        models: tuple[str, str] | None = None,
    ) -> ComparedBreakdown:
        """Read both sessions.

        Args:
            before: the first session.
            now: the second one.
            by: columns and tags by whose values to compare; none: as the sessions say.
            models: as for `compared_tables`.

        Raises:
            SessionError: a session can't be read.
        """
        summaries = []
        for folder in (before, now):
            with RecordedSession.of(folder, by=by) as session:
                summaries.append(session.summary)
        return cls(compared_tables(summaries[0], summaries[1], models))

    def to_json(self) -> list[dict[str, object]]:
        """Return it as in schemas/comparison.schema.json."""
        return [table.to_json() for table in self.tables]

    def lines(self, terminal: Terminal) -> Iterator[str]:
        """Yield lines of a text report, with an empty one after each table."""
        width = terminal.columns if terminal.is_terminal else max(terminal.columns, 80)
        for table in self.tables:
            yield clip(f"{one_line(table.title)} (95 % intervals)", width)
            lines = table.main_lines
            texts = (f"  {_text(line.before):22} -> {_text(line.now)}" for line in lines)
            yield from named_lines([line.name for line in lines], texts, width, NAME)
            if table.rest:
                yield f"    {table.rest} (`--json` has all)"
            yield ""

    def markdown(self) -> str:
        """Return it as Markdown."""
        parts = []
        for table in self.tables:
            parts += [f"**{code(table.title)}**\n\n", table_head(("value", "before", "now"))]
            parts += [
                row((code_cell(line.name, 80), _text(line.before), _text(line.now)))
                for line in table.main_lines
            ]
            parts.append(f"\n{table.rest}\n\n" if table.rest else "\n")
        return "".join(parts)


def _text(measure: Measure) -> str:
    if measure.value is None or measure.low is None or measure.high is None:
        return "-"
    sure = short_range(measure.low, measure.high, has_bounds=False)
    return f"{percent(measure.value, 1)} ({sure})"
