"""Tests by models, as a table."""

from __future__ import annotations

import io

import pytest
from reporting.reports import FakeTerminal
from support.results import make_result

from lve.extensions.breakdown.matrix import matrix_lines
from lve.plurals import amount
from lve.reporting.terminal import Terminal
from lve.verdicts.summary import Summary


def summary_of(*models: str, tests: tuple[str, ...] = ("a", "b/c")) -> Summary:
    """Return a session in which every other model fails the last test, and one has errors."""
    summary = Summary()
    for number, model in enumerate(models):
        for test in tests:
            bad = number % 2 and test == tests[-1]
            for line in (1, 2):
                verdict = "failed" if bad and line == 2 else "passed"
                summary.add(make_result(test=test, model=model, line=line, verdict=verdict))
    summary.complete()
    return summary


def lines_of(summary: Summary, columns: int = 80, *, encoding: str = "utf-8") -> list[str]:
    class Encoded(io.StringIO):
        pass

    Encoded.encoding = encoding  # type: ignore[misc]
    return [*matrix_lines(summary, Terminal(Encoded(), columns))]


def test_each_cell_has_verdict_and_rate() -> None:
    assert lines_of(summary_of("m/good", "m/bad")) == [
        "     m/good      m/bad",
        "a    ✓ 100% 2/2  ✓ 100% 2/2",
        "b/c  ✓ 100% 2/2  ✗  50% 1/2",
        "",
    ]


def test_one_model_makes_no_table() -> None:
    assert lines_of(summary_of("m/good")) == []


def test_a_test_that_a_model_did_not_run_has_no_figures() -> None:
    summary = summary_of("m/good", "m/bad")
    summary.drop("b/c", "m/good")
    assert lines_of(summary)[2] == "b/c  -           ✗  50% 1/2"


def test_errors_are_no_share_of_what_was_judged() -> None:
    summary = summary_of("m/good", "m/bad")
    summary.add(make_result(test="a", model="m/bad", line=3, verdict="error", error_kind="x"))
    assert lines_of(summary)[1].endswith("! 100% 2/2 (1 unjudged)")


def test_without_any_verdict_there_is_no_share() -> None:
    summary = summary_of("m/good", "m/bad")
    for line in (1, 2):
        error = make_result(test="c", model="m/bad", line=line, verdict="error", error_kind="x")
        summary.add(error)
    assert lines_of(summary)[3].endswith("! 0/0 (2 unjudged)")


def test_models_that_do_not_fit_are_numbered_and_the_table_is_cut_into_blocks() -> None:
    models = [f"provider/a-model-with-a-long-name-{n}" for n in range(8)]
    screen = Terminal(FakeTerminal(), 40, is_terminal=True)
    lines = [*matrix_lines(summary_of(*models), screen)]
    assert lines[:2] == [
        "[1] provider/a-model-with-a-long-name-0",
        "[2] provider/a-model-with-a-long-name-1",
    ]
    heads = [line.split() for line in lines if line.startswith("   ")]
    assert [head for line in heads for head in line] == [f"[{n}]" for n in range(1, 9)]
    assert max(map(len, lines)) <= 40


def test_a_pipe_has_room_for_whole_names_and_several_models() -> None:
    name = "repository/" + "x" * 60 + "/end"
    lines = lines_of(summary_of("m/one", "m/two", "m/three", tests=(name,)))
    assert [line.count("/2") for line in lines if line.startswith(name)] == [3]
    many = lines_of(summary_of(*(f"m/{n}" for n in range(20)), tests=(name,)))
    assert max(map(len, many)) <= 160


def test_words_stand_for_symbols_that_an_encoding_lacks() -> None:
    lines = lines_of(summary_of("m/good", "m/bad"), encoding="ascii")
    assert lines[2] == "b/c  ok   100% 2/2  FAIL  50% 1/2"


def test_a_long_name_loses_its_beginning_on_a_screen_only() -> None:
    name = "repository/" + "x" * 60 + "/end"
    summary = summary_of("m/good", "m/bad", tests=("a", name))
    on_screen = [*matrix_lines(summary, Terminal(FakeTerminal(), 80, is_terminal=True))]
    assert on_screen[2].startswith("..." + "x" * 33 + "/end  ")
    assert lines_of(summary)[-2].startswith(name)


@pytest.mark.parametrize("tests", [201, 1000])
def test_of_many_tests_the_first_are_shown(tests: int) -> None:
    names = tuple(f"t{n}" for n in range(tests))
    lines = lines_of(summary_of("m/good", "m/bad", tests=names))
    assert lines[-2] == f"and {amount(tests - 200, 'more test')} (`--json` has all)"


def test_a_very_long_name_makes_no_other_row_longer() -> None:
    name = "long/" * 2000
    lines = lines_of(summary_of("m/good", "m/bad", tests=("a", name)))
    rows = [line for line in lines if line.startswith("a ")]
    assert len(rows) == 2
    assert max(map(len, rows)) < 200
    assert sum(line.startswith(name) for line in lines) == 2


def test_names_of_models_are_escaped() -> None:
    assert "\x1b" not in "".join(lines_of(summary_of("m/\x1b[31mred", "m/bad")))
