"""The table of tests by models, or by variants of their prompts, in a text report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lve.escape import columns, one_line, tail
from lve.extensions.breakdown.rates import ATTACK
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.reporting.terminal import SYMBOLS, Terminal, mark_of
from lve.spec.prompt_sources import by_variant
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally
from lve.verdicts.wording import percent

GAP = 2
WIDEST_TEST = 40
"""Columns of a test's name on a terminal. A longer name loses its beginning."""
WIDEST_LINE = 160
"""Columns of a line in a file or a pipe, where names are never shortened."""
MOST_TESTS = 200
"""Tests that are in the table."""
NOT_RUN = "-"
Tallies = Mapping[tuple[str, str], Tally]


class _Column(NamedTuple):
    """The column of a model."""

    head: str
    tallies: Sequence[Tally | None]
    """The tally of each test; None if it didn't run."""
    width: int
    """The width of the head or the widest cell, in columns of the terminal."""


def matrix_lines(summary: Summary, terminal: Terminal) -> Iterator[str]:
    """Yield a table of tests by models. Each cell has the verdict, the share of judged results
    that passed, their numbers, and how many weren't judged. Yields nothing if there is only one
    model. With variants of prompts, they take the place of the models. Attacked tests have a table
    of their own."""
    tallies = by_variant(
        {key: tally for key, tally in summary.tallies.items() if ATTACK not in tally.numbers.by}
    )
    models = list(dict.fromkeys(model for _, model in tallies))
    tests = list(dict.fromkeys(test for test, _ in tallies))
    if len(models) < 2:
        return
    first_tests = tests[:MOST_TESTS]
    names = [_short(one_line(test or "."), terminal) for test in first_tests]
    # A very long name stands out, instead of making each row as long.
    width = min(max(map(columns, names)), WIDEST_LINE)
    table = [_column(one_line(model), model, first_tests, tallies, terminal) for model in models]
    if not _fit(table, width, terminal):  # number the models instead
        yield from (f"[{n}] {column.head}" for n, column in enumerate(table, 1))
        table = [
            _column(f"[{n}]", model, first_tests, tallies, terminal)
            for n, model in enumerate(models, 1)
        ]
    while table:
        count = next((n for n in range(len(table), 1, -1) if _fit(table[:n], width, terminal)), 1)
        yield from _block(names, table[:count], width, terminal)
        del table[:count]
    if len(tests) > len(first_tests):
        yield f"and {amount(len(tests) - len(first_tests), 'more test')} (`--json` has all)"
    yield ""


def _column(
    head: str, model: str, tests: Sequence[str], table: Tallies, terminal: Terminal
) -> _Column:
    tallies = [table.get((test, model)) for test in tests]
    mark = 1 if terminal.has_symbols else len(SYMBOLS["passed"][1])
    cells = [mark + 1 + len(_figures(tally)) for tally in tallies if tally is not None]
    return _Column(head, tallies, max([columns(head), *cells]))


def _fit(table: Sequence[_Column], width: int, terminal: Terminal) -> bool:
    widest = terminal.columns if terminal.is_terminal else max(terminal.columns, WIDEST_LINE)
    return width + sum(GAP + column.width for column in table) <= widest


def _block(
    names: Sequence[str], table: Sequence[_Column], width: int, terminal: Terminal
) -> Iterator[str]:
    heads = [_padded(column.head, columns(column.head), column.width) for column in table]
    yield (" " * width + "".join(" " * GAP + head for head in heads)).rstrip()
    for row, name in enumerate(names):
        cells = [_cell(column.tallies[row], column.width, terminal) for column in table]
        line = _padded(name, columns(name), width) + "".join(" " * GAP + cell for cell in cells)
        yield line.rstrip()


def _cell(tally: Tally | None, width: int, terminal: Terminal) -> str:
    if tally is None:
        return _padded(NOT_RUN, 1, width)
    verdict, _ = tally.verdict()
    symbol, word = SYMBOLS[verdict]
    figures = _figures(tally)
    length = len(symbol if terminal.has_symbols else word) + 1 + len(figures)
    mark = mark_of(verdict, terminal, is_advisory=tally.is_advisory)
    return _padded(f"{mark} {figures}", length, width)


def _figures(tally: Tally) -> str:
    """Return the share that passed, its numbers, and how many results have no verdict."""
    passed, judged = tally.counts["passed"], tally.judged
    share = f"{percent(passed / judged):>4} " if judged else ""
    unjudged = f" ({tally.total - judged:,} unjudged)" if tally.total > judged else ""
    return f"{share}{passed:,}/{judged:,}{unjudged}"


def _padded(text: str, length: int, width: int) -> str:
    return text + " " * (width - length)


def _short(name: str, terminal: Terminal) -> str:
    """Return a name; without its beginning if it is too long for a terminal."""
    if not terminal.is_terminal or columns(name) <= WIDEST_TEST:
        return name
    end = tail(name, WIDEST_TEST - 3)
    while columns(end) > WIDEST_TEST - 3:
        end = end[1:]
    return f"...{end}"
