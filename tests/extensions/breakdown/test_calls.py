"""What each table of a breakdown says of results with every kind of value, label and score."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import product
from typing import Any

from support.recorded_calls import Calls, changed, grid, record, rows_of
from support.results import make_result

from lve.extensions.breakdown import codes, compared, groups, labels, rates, scores
from lve.extensions.breakdown.documents import breakdown_json, breakdown_markdown
from lve.extensions.breakdown.matrix import matrix_lines
from lve.extensions.breakdown.text import breakdown_lines, category_lines
from lve.reporting.terminal import Terminal
from lve.spec.spec import Expectation
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary

CODES = (
    *("LLM01", "llm1", "owasp:LLM10:2025", "OWASP LLM_2:25", "LLM11", "LLM0", "LLM001", "LLM"),
    *("AML.T0051", "atlas:aml.t0051.001", "AML.TA0001", "AML.T9999", "AML.CS0001", "AML.X0001"),
    *("NIST AI 600-1 2.1", "NIST-AI-600-1:2.12", "600-1 §2.3", "600-1 2.13", "AI 600-1-2.4"),
    *("GV-1.1-001", "MS-2.11-005", "MG-9.9-001", "GV-1.1", "S0100", "avid-effect:security:S0200"),
    *("E0301", "P0999", "Z0100", "CWE-79", "cwe 1431", "CWE-1432", "CWE-1931", "CWE-1932"),
    *("CWE-0", "CWE-99999", " CWE-20 ", "", "x" * 61, "CWE-79" + " " * 54, "CWE-79" + " " * 55),
)  # fmt: skip
PAIRS: tuple[dict[tuple[str, str], int], ...] = (
    {("a", "a"): 3, ("a", "b"): 1, ("b", "b"): 2, ("b", "c"): 1},
    {("a", "a"): 2, ("a", "(no label)"): 2, ("(others)", "(others)"): 5},
    {("1", "1"): 4, ("1", "0"): 2, ("0", "0"): 3, ("0", "1"): 1},
    {("1", "1"): 4},
    {("a", "b"): 1, ("b", "a"): 1},
    {("", "x"): 1200},
    {(f"label {n:02}", f"label {n * 7 % 33:02}"): n + 1 for n in range(33)},
)
SUMS = ([0.0] * 4, [3.0, 2.0, 1.0, 0.0], [4.0, 4.0, 4.0, 4.0])
LISTS: Mapping[str, list[tuple[float, ...]]] = {
    "bleu": [(*m, *t, *w) for m, t, w in product(SUMS, SUMS, ((5.0, 4.0), (4.0, 5.0), (5.0, 5.0)))],
    "chrf": [(a, e, b) * 6 for a, e, b in product((0.0, 4.0), (0.0, 5.0), (0.0, 2.0, 4.0))],
    "chrf++": [(*((4.0, 5.0, 2.0) * 4), *((0.0, 1.0, 0.0) * 4))],
    "ter": [(0.0, 0.0), (2.0, 0.0), (1.0, 4.0), (5.0, 4.0)],
    "perplexity": [(-2.0,), (0.0,), (-701.0,)],
    "word_perplexity": [(-2.0, 4.0), (-2.0, 0.0)],
    "byte_perplexity": [(-2.0, 8.0)],
    "bits_per_byte": [(-2.0, 8.0), (-2.0, 0.0)],
}
FORMS = ("mean", "sum", "harmonic_mean", "deviation")
SCORES = ([0.5, 0.25, 1.0], [0.0, 3.0], [2.0, 2.0], [-1.0, 4.0])
VALUES = ("short", "LLM01", None, "none", "benign", "<b>|`x`", "表" * 30)
SHARES = [(p, w, c) for w in (0, 1, 4) for p in range(0, w + 1, 2) for c in (0.0, 1.4, 2.5, 9.0)]
OUTCOMES = ("passed", "failed", "passed", "error", "inconclusive", "passed", "passed")


def metric(name: str, row: tuple[float, ...]) -> object:
    return scores.value_of(name, [row]), scores.value_of(name, [row, row])


def combined(form: str, values: list[float], sizes: tuple[float, ...]) -> object:
    return groups._value(form, values, sizes[: len(values)])


def of_labels(number: int, share: float) -> list[str]:
    """Return the table of labels as JSON."""
    table = labels.LabelTable("t", "m", PAIRS[number], share)
    metrics = {
        name: metric(PAIRS[number]) for name, metric in labels.metrics_of(PAIRS[number]).items()
    }
    return [f"{key}: {rounded(each)}" for key, each in {**table.to_json(), **metrics}.items()]


def rounded(value: object) -> str:
    """Return JSON with numbers of ten digits."""
    return json.dumps(
        json.loads(json.dumps(value), parse_float=lambda text: float(f"{float(text):.10g}"))
    )


def rows(number: int, model: str) -> Iterator[dict[str, Any]]:
    """Yield some results, which differ by model."""
    for n in range(14):
        value = VALUES[(n + number) % len(VALUES)]
        args = {} if value is None else {"topic": value}
        more: dict[str, Any] = {"score": n / 13} if number == 1 else {}
        if number == 2:
            more = {"labels": ("ab"[n % 2], "abc"[n * n % 3])}
        elif number == 3:
            more = {
                "parts": {"ter": (n % 4.0, 5.0), "bleu": (*range(4, 0, -1), *[5.0] * 4, n, 9.0)}
            }
        verdict = OUTCOMES[(n + (model == "n")) % len(OUTCOMES)]
        yield {"line": n // 2 + 1, "repeat": n % 2, "args": args, "verdict": verdict, **more}


def wide(shift: int = 0, models: Iterable[str] = ("m", "n")) -> Summary:
    """Return a summary of tests of every kind."""
    summary = Summary()
    member: tuple[dict[str, Any], ...] = (
        {"name": "g", "metric": "acc", "tests": {"1": "mean score", "0": "pass rate"}},
        {"name": "h", "metric": "s", "tests": {"0": "pass rate", "2": "pass rate"}, "percent": True,
         "weights": {"0": 2, "2": 0.5}},
        {"name": "d", "metric": "s", "tests": {"0": "pass rate", "3": "ter"}, "form": "deviation"},
        {"name": "k", "metric": "s", "tests": {"4": "pass rate", "9": "bleu", "2": "nothing"}},
    )  # fmt: skip
    for model in models:
        for number in range(7):
            by: dict[str, str | None] = {"topic": None, "severity": "high"}
            if number > 3:
                by |= {"attack": (None, "rot13", "none")[number - 4]}
            numbers = Breakdown("topic" if number == 1 else None, by=by, member_of=member)
            overall: dict[int, Any] = {4: {"pass@1": 0.5}, 5: "it <broke>"}
            numbers.overall = overall.get(number)
            alike = Expectation("rate", threshold=0.5, has_alike_repeats=number == 6)
            summary.expect(f"t/{number}", model, alike, numbers=numbers)
            for row in rows(number + shift, model):
                if number != 5 or row["line"] > 2:
                    summary.add(make_result(test=f"t/{number}", model=model, **row))
    summary.complete()
    summary.skipped["t/9"] = "off"
    return summary


def narrow() -> Summary:
    """Return a summary without failures."""
    summary = Summary()
    for number in range(5):
        numbers = Breakdown(by={f"c{number}": "x", "lacks": None})
        summary.expect("", f"m{number}", Expectation(), numbers=numbers)
        for line in range(number % 3):
            own = make_result(test="", model=f"m{number}", line=line + 1, labels=("a", "a"))
            summary.add(own)
    return summary


def few() -> Summary:
    """Return a summary of tests with one, two and three rows of each kind."""
    summary = Summary()
    for count in (1, 2, 3):
        for line in range(count):
            pair, parts = ("ab"[line % 2], "a"), {"ter": (line + 1.0, 4.0)}
            own = make_result(test=f"t{count}", model="m", line=line + 1, labels=pair, parts=parts)
            summary.add(own)
    return summary


def crowded() -> Summary:
    """Return a summary with more values, labels and scores than are shown."""
    summary = Summary()
    for number in range(45):
        numbers = Breakdown(by={"n": f"{number:02}"}, overall={"mine": number / 7})
        summary.expect(f"t{number:02}", "m", Expectation(), numbers=numbers)
        verdict = "failed" if number % 3 else "passed"
        summary.add(make_result(test=f"t{number:02}", model="m", verdict=verdict))
    for number in range(42):
        pair = (f"{number}", f"{number * 5 % 42}")
        summary.add(make_result(test="labels", model="m", line=number + 1, labels=pair))
    return summary


MAKERS: Mapping[str, Callable[[], Summary]] = {
    "wide": wide,
    "narrow": narrow,
    "crowded": crowded,
    "few": few,
    "one": partial(wide, 1, "n"),
    "": Summary,
}


@cache
def summary_of(name: str) -> Summary:
    return MAKERS[name]()


def texts(name: str, columns: int, is_terminal: bool, has_all: bool) -> list[str]:
    terminal = terminal_of(columns, is_terminal)
    return [*breakdown_lines(summary_of(name), terminal, has_all=has_all)]


def matrix(name: str, columns: int, is_terminal: bool) -> list[str]:
    return [*matrix_lines(summary_of(name), terminal_of(columns, is_terminal))]


def terminal_of(columns: int, is_terminal: bool) -> Terminal:
    return Terminal(io.StringIO(), columns=columns, is_terminal=is_terminal)


def documents(name: str) -> dict[str, object]:
    written = {f"markdown {n}": text for n, text in enumerate(breakdown_markdown(summary_of(name)))}
    own: dict[str, Any] = breakdown_json(summary_of(name))
    tables = {f"{key} {n}": rounded(each) for key in own for n, each in enumerate(own[key])}
    return {**written, **tables}


def side_by_side(before: str, now: str, models: tuple[str, str] | None) -> list[object]:
    tables = compared.compared_tables(summary_of(before), summary_of(now), models)
    both = compared.ComparedBreakdown(tables)
    lines = [*both.lines(terminal_of(70, False)), *both.markdown().split("\n")]
    return [*lines, *(rounded(each) for each in both.to_json())]


def categories(name: str, test: str, width: int | None) -> list[str]:
    [numbers] = [
        t.numbers for t in summary_of(name).tallies.values() if (t.test, t.model) == (test, "m")
    ]
    return [*category_lines(numbers, width)]


def each_line(name: str, lines: Iterable[object]) -> Calls:
    return {f"{name}, {number}": f"{line}" for number, line in enumerate(lines)}


def all_calls() -> Calls:
    calls = {
        **grid(codes.spelled_out, CODES),
        **grid(codes.unknown_code, CODES),
        **rows_of(metric, [(name, row) for name, some in LISTS.items() for row in some]),
        **grid(combined, FORMS, SCORES, ((1.0, 1.0, 1.0), (2.0, 0.5, 1.5), (0.0, 0.0, 0.0))),
        **rows_of(rates.interval_of, SHARES),
        **grid(categories, ("wide",), ("t/1", "t/2"), (None, 50)),
    }
    for number, share in product(range(len(PAIRS)), (1.0, 0.5)):
        calls |= each_line(f"labels {number} {share}", of_labels(number, share))
    for name in MAKERS:
        calls |= {f"{name} {key}": f"{text}" for key, text in documents(name).items()}
        for columns, is_terminal in ((100, True), (40, True), (40, False)):
            where = f"{name} {columns} {is_terminal}"
            calls |= each_line(f"matrix {where}", matrix(name, columns, is_terminal))
            for has_all in (True, False):
                lines = texts(name, columns, is_terminal, has_all)
                calls |= each_line(f"lines {where} {has_all}", lines)
    pairs: list[tuple[str, str, tuple[str, str] | None]] = [
        ("wide", "one", None), ("one", "one", None), ("wide", "wide", ("m", "n")),
        ("crowded", "wide", ("m", "n")), ("narrow", "wide", None),
    ]  # fmt: skip
    for before, now, models in pairs:
        calls |= each_line(f"{before} and {now}, {models}", side_by_side(before, now, models))
    return calls


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("breakdown", all_calls()) == {}


if __name__ == "__main__":
    record("breakdown", all_calls())
