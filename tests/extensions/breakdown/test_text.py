"""Rates and labels on a terminal, with hostile values too."""

from __future__ import annotations

import io
from collections import Counter

from support.results import make_result

from lve.escape import columns
from lve.extensions.breakdown.documents import breakdown_json, breakdown_markdown
from lve.extensions.breakdown.rates import RateTable, ValueRate
from lve.extensions.breakdown.text import _with_failures, breakdown_lines
from lve.reporting.terminal import Terminal
from lve.spec.spec import Expectation
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary

HOSTILE = (
    "\x1b[2J\x1b[31mred",
    "\u202egnp.exe",
    "a\nb\r\nc",
    "::error::no",
    "<img src=x onerror=alert(1)>",
    "| a | b `code` @user [x](y)",
    "表" * 60,
    "x" * 5000,
    "",
)


def hostile_summary() -> Summary:
    summary = Summary()
    summary.expect("t\x1b[0m", "m\u202e", Expectation(), numbers=Breakdown(by={"to\x1bpic": None}))
    for line, value in enumerate(HOSTILE * 3, 1):
        summary.add(
            make_result(
                test="t\x1b[0m",
                model="m\u202e",
                line=line,
                args={"to\x1bpic": value},
                labels=(value[:200], HOSTILE[line % 4]),
                verdict="passed" if line % 2 else "failed",
            )
        )
    return summary


def test_lines_fit_the_terminal_and_are_escaped() -> None:
    lines = list(breakdown_lines(hostile_summary(), Terminal(io.StringIO())))
    text = "\n".join(lines)
    assert max(map(columns, lines)) <= 80
    assert all(character.isprintable() for character in text.replace("\n", ""))
    assert "\\x1b[2J" in text
    assert "\\u202egnp.exe" in text
    assert len([line for line in lines if line.startswith("by ")]) == 1


def test_names_that_a_scorer_gives_are_escaped_and_none_is_hidden() -> None:
    summary = Summary()
    overall = {**dict.fromkeys(HOSTILE, 1.0), "mcc": 0.5}
    summary.expect("t", "m", Expectation(), numbers=Breakdown(overall=overall))
    lines = list(breakdown_lines(summary, Terminal(io.StringIO())))
    assert max(map(columns, lines)) <= 80
    assert all(line.isprintable() for line in lines)
    assert any(line.split()[:2] == ["mcc", "0.5"] for line in lines)


def test_without_verbose_tables_without_a_mistake_are_counted() -> None:
    summary = Summary()
    for number in range(6):
        numbers = Breakdown(by={f"c{number}": None}, labels=Counter())
        summary.expect(f"t{number}", "m", Expectation(), numbers=numbers)
        for chosen in ("yes", "no"):
            is_wrong = number == 4 and chosen == "no"
            summary.add(
                make_result(
                    test=f"t{number}",
                    model="m",
                    args={f"c{number}": chosen},
                    labels=("yes" if is_wrong else chosen, chosen),
                    verdict="failed" if is_wrong else "passed",
                )
            )
    terminal = Terminal(io.StringIO())
    lines = list(breakdown_lines(summary, terminal, has_all=False))
    assert [line for line in lines if line.startswith("by ")] == [
        "by c4, m: pass rates (95 % intervals)"
    ]
    assert [line for line in lines if line.startswith("labels, ")] == [
        "labels, t4, m: right ones down, chosen ones across"
    ]
    assert "pass rates by 5 more columns, all 100%: -v shows them" in lines
    assert "labels of 5 more tests: -v shows them" in lines
    whole = list(breakdown_lines(summary, terminal, has_all=True))
    assert sum(line.startswith(("by ", "labels, ")) for line in whole) == 12
    assert not any("-v shows" in line for line in whole)


def test_markdown_stays_markdown() -> None:
    text = "".join(breakdown_markdown(hostile_summary()))
    assert "<img" not in text.replace("`<img src=x onerror=alert(1)>`", "")
    assert "\x1b" not in text
    heads = [line for line in text.splitlines() if line.startswith("|")]
    rates = [line for line in heads if "%" in line]
    assert len(rates) >= len(HOSTILE)
    assert {line.count(" |") for line in rates[1:]} == {rates[1].count(" |")}


def test_json_has_the_values_as_they_are() -> None:
    [table] = breakdown_json(hostile_summary())["by"]  # type: ignore[misc]
    values = {each["value"] for each in table["values"]}
    assert values == set(HOSTILE)


def test_many_labels_and_values_are_counted() -> None:
    summary = Summary()
    numbers = Breakdown(by={"n": None}, labels=Counter())
    summary.expect("t", "m", Expectation(), numbers=numbers)
    for line in range(1, 300):
        labels = (f"l{line % 60}", f"l{line % 59}")
        summary.add(make_result(test="t", model="m", line=line, args={"n": line}, labels=labels))
    text = "\n".join(breakdown_lines(summary, Terminal(io.StringIO())))
    assert "and 171 more values (`--json` has all)" in text
    assert "60 by 60 labels: `--json` has the matrix" in text
    assert "and 30 more labels" in text
    [table] = breakdown_json(summary)["by"]  # type: ignore[misc]
    assert table["values"][-1]["value"] == "(others)"
    assert sum(each["passed"] for each in table["values"]) == 299


def test_what_attacks_are_compared_with_is_shown_beside_many() -> None:
    summary = Summary()
    for name in (*(f"a{number:02}" for number in range(60)), "none", "benign"):
        summary.expect(f"t@{name}", "m", Expectation(), numbers=Breakdown(by={"attack": name}))
        summary.add(make_result(test=f"t@{name}", model="m", line=1, verdict="failed"))
    lines = [line.split()[0] for line in breakdown_lines(summary, Terminal(io.StringIO())) if line]
    assert lines[-4:] == ["a27", "(no", "over-refusal", "and"]
    rows = [line for line in "".join(breakdown_markdown(summary)).splitlines() if "%" in line]
    assert "a37" in rows[-3]
    assert "(no attack)" in rows[-2]
    assert "over-refusal" in rows[-1]


def test_attacks_that_were_not_run_and_rows_without_a_verdict_are_said() -> None:
    summary = Summary()
    for name in ("pair", "tap"):
        by = Breakdown(by={"attack": name})
        summary.expect(f"t@{name}", "m", Expectation(), numbers=by)
    summary.add(make_result(test="t@pair", model="m", line=1, verdict="passed"))
    summary.add(make_result(test="t@pair", model="m", line=2, verdict="inconclusive"))
    lines = list(breakdown_lines(summary, Terminal(io.StringIO())))
    assert lines[1:3] == [
        "    pair   0.0% 0/1 (0% to 98%), 1 inconclusive",
        "    tap       - 0 judged",
    ]


def test_a_value_of_which_nothing_was_judged_is_not_said_to_have_passed() -> None:
    tables = [RateTable("c", "m", {"a": ValueRate("a", passed=1)}), RateTable("d", "m")]
    tables[1].values["b"] = ValueRate("b")
    assert _with_failures(tables) == [tables[1]]
