"""What reports make of texts, rates and prospects at each limit."""

from __future__ import annotations

from support.recorded_calls import Calls, changed, grid, record, texts
from support.results import tally_of

from lve.messages import Message, Role
from lve.pipeline.prospects.rate_prospects import Prospect
from lve.pipeline.prospects.row_count import RowCount
from lve.reporting.figures import correction_json, correction_lines, figure_lines
from lve.reporting.files import markdown_text, plain_text
from lve.reporting.prospects import counted_line, prospect_json, prospect_lines
from lve.spec.spec import Expectation
from lve.verdicts.expectations.power import OutcomeProbabilities, rates_around_threshold
from lve.verdicts.expectations.sample_size import best_case

TEXTS = texts("reporting")["texts"]
EXPECTED = (
    Expectation(),
    Expectation("rate", ">=", 0.9),
    Expectation("rate", "<", 0.0),
    Expectation("rate", ">", 0.5, claim="population"),
    Expectation("rate", ">=", 0.5, has_alike_repeats=True),
    Expectation("rate", ">=", 0.5, claim="results"),
)
SIZES = (RowCount(3, 3), RowCount(9, 3, "a", {1, 2}, counts_rows=True))


def page(most: int, *parts: str) -> object:
    """Return which parts fit, and the text."""
    written = markdown_text.Page(most)
    fits = [written.add(part) for part in parts]
    written.end("end")
    return fits, written.text


def figures(counts: str, index: int) -> object:
    tally = tally_of(counts, EXPECTED[index])
    return [*figure_lines(tally)], [*correction_lines(tally)], correction_json(tally)


def prospect(
    index: int, size: RowCount, enough: tuple[int | None, int | None], calls: float | None
) -> object:
    """Return what is said of the prospects of an expectation at two true rates."""
    expect = EXPECTED[index]
    chances = tuple(
        OutcomeProbabilities(rate, 0.9 * rate, 1 - rate, 3.25)
        for rate in (*rates_around_threshold(expect), 0.5)
    )
    best = best_case(expect, 3, 2, sequential=True)
    whole = Prospect(expect, size, best, chances, *enough)
    return [*prospect_lines(whole, calls_per_run=calls)], prospect_json(whole)


def all_calls() -> Calls:
    return {
        **grid(markdown_text.escaped, TEXTS, (20,)),
        **grid(markdown_text.code, TEXTS, (20,)),
        **grid(markdown_text.code_cell, TEXTS, (20,)),
        **grid(markdown_text.html_code, TEXTS, (20,)),
        **grid(markdown_text.fenced, TEXTS),
        **grid(markdown_text.row, ([], ["a"], ["a", "", "b"])),
        **grid(markdown_text.table_head, (["a"], ["a", "b"]), ("---", "---:")),
        **grid(markdown_text.details, ("<b>",), ("body",)),
        **grid(page, (2, 3, 5, 9), ("abc",), ("\xe4\xf6", "de")),
        **grid(plain_text.cut, TEXTS, (5, 20)),
        **grid(
            plain_text.content_text,
            [
                Message("a"),
                Message(None, Role.assistant),
                Message([{"type": "text", "text": "b"}, {"type": "image", "image": "c"}]),
            ],
        ),
        **grid(prospect, (1, 2, 3), SIZES, ((None, None), (7, None), (None, 9)), (None, 2.0)),
        **grid(counted_line, EXPECTED),
        **grid(figures, ("", "3p", "2p 1f", "5p 1e"), range(len(EXPECTED))),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("reporting", all_calls()) == {}


if __name__ == "__main__":
    record("reporting", all_calls())
