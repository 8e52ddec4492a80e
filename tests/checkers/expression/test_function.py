"""The expression language: what it computes, what it refuses, what it costs at most."""

from __future__ import annotations

import contextlib
import json
import resource
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from lve.checkers.expression.function import EvaluationError, Function
from lve.checkers.expression.source import ExpressionError
from lve.errors import CheckerError, LveError

CASES = Path(__file__).parents[2] / "cases" / "checkers"
EXPRESSIONS = json.loads((CASES / "expressions.json").read_text())
HOSTILE = json.loads((CASES / "hostile.json").read_text())


@pytest.mark.parametrize("case", EXPRESSIONS, ids=lambda case: case["func"][:60])
def test_result_and_reason(case: dict[str, Any]) -> None:
    function = Function(case["func"], is_template=True)
    passed, reason = function.evaluate(case["response"], case["args"])
    assert passed is case["passed"], reason
    assert case["reason"] in reason


@pytest.mark.parametrize("source", HOSTILE["refused"])
def test_outside_the_subset_is_refused_before_anything_runs(source: str) -> None:
    with pytest.raises(ExpressionError):
        Function(source)


@pytest.mark.parametrize("source", HOSTILE["bounded"])
def test_hostile_expression_ends(source: str) -> None:
    function = Function(source)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    with pytest.raises(CheckerError):
        function.evaluate("response", {})
    # Far above what it takes (about half a second) and far below what an unbounded one takes.
    assert time.process_time() - start < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # KiB


@pytest.mark.parametrize("source", HOSTILE["ends"])
def test_pattern_that_hangs_pythons_re_ends(source: str) -> None:
    start = time.process_time()
    with contextlib.suppress(CheckerError):
        Function(source).evaluate("response", {})
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    "source",
    [
        "lambda r: " + "(" * 300 + "r" + ")" * 300,
        "lambda r: " + "not " * 4000 + "r",
        "lambda r: " + "-" * 15000 + "1",
        "lambda r: " + "+".join(["r"] * 5000),
        "lambda r: " + "r if r else " * 500 + "r",
        "lambda r: " + "[" * 150 + "]" * 150,
        "lambda r: '" + "x" * 30000 + "'",
        "lambda r: r\0",
    ],
    ids=range(8),
)
def test_monstrous_source_is_refused(source: str) -> None:
    with pytest.raises(ExpressionError):
        Function(source)


def test_syntax_error_has_its_column() -> None:
    with pytest.raises(ExpressionError, match="column") as caught:
        Function("lambda r: r ==")
    assert caught.value.column is not None


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("lambda r: lenght(r)", "did you mean `len`"),
        ("lambda r, word: wrod in r", "did you mean `word`"),
        ("lambda r: r.startwith('a')", "did you mean `startswith`"),
        ("lambda r: re.serch('a', r)", "did you mean `search`"),
    ],
)
def test_misspelled_name_gets_a_suggestion(source: str, hint: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        Function(source)
    assert caught.value.hint is not None
    assert hint in caught.value.hint


def test_answer_that_is_no_number_says_what_to_do() -> None:
    with pytest.raises(EvaluationError, match="extract: int_last"):
        Function("lambda r: int(r) == 1").evaluate("about one", {})


def test_missing_argument_is_named() -> None:
    with pytest.raises(EvaluationError, match="'b' has no value"):
        Function("lambda r, a, b: True").evaluate("", {"a": 1})


def test_walrus_that_was_not_reached_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="read before"):
        Function("lambda r: (r and (x := 1)) or x").evaluate("", {})


def test_parameters_are_not_changed_and_calls_do_not_see_each_other() -> None:
    function = Function("lambda r, xs: sorted(xs) == [1, 2] and (y := r) == r")
    xs = [2, 1]
    assert function.evaluate("a", {"xs": xs})[0]
    assert xs == [2, 1]
    assert function.evaluate("b", {"xs": xs})[0]


# A random grammar of expressions over a text `r`, an int `n` and a list of texts `xs`.

_ints = st.integers(-50, 50).map(repr) | st.sampled_from(["n", "len(r)", "len(xs)"])
_texts = st.text("ab1 ,-", max_size=5).map(repr) | st.sampled_from(["r", "r.upper()", "r.strip()"])
_bools = st.sampled_from(["True", "False", "r.isdigit()", "bool(xs)"])


def _grow(inner: Any) -> Any:
    ints, texts, bools = inner
    new_ints = (
        ints
        | st.tuples(ints, st.sampled_from("+-*"), ints).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        | st.tuples(ints, st.sampled_from(["//", "%"]), ints).map(" ".join).map(lambda s: f"({s})")
        | texts.map(lambda t: f"{t}.count('a')")
        | texts.map(lambda t: f"int({t})")
        | st.tuples(ints, ints).map(lambda t: f"max({t[0]}, {t[1]})")
        | ints.map(lambda i: f"sum(i * {i} for i in range(4))")
        | st.tuples(bools, ints, ints).map(lambda t: f"({t[1]} if {t[0]} else {t[2]})")
    )
    new_texts = (
        texts
        | st.tuples(texts, texts).map(lambda t: f"({t[0]} + {t[1]})")
        | st.tuples(texts, ints).map(lambda t: f"{t[0]}[{t[1]}:]")
        | st.tuples(texts, ints).map(lambda t: f"{t[0]}[{t[1]}]")
        | st.tuples(texts, texts).map(lambda t: f"{t[0]}.replace({t[1]}, 'z')")
        | ints.map(lambda i: f"str({i})")
        | ints.map(lambda i: f"f'{{r!r:>7}}|{{{i}:+d}}'")
        | texts.map(lambda t: f"'-'.join(sorted({t}))")
        | texts.map(lambda t: f"''.join([c for c in {t} if c != 'a'])")
    )
    new_bools = (
        bools
        | st.tuples(ints, st.sampled_from(["<", "<=", "==", "!=", ">"]), ints)
        .map(" ".join)
        .map(lambda s: f"({s})")
        | st.tuples(texts, st.sampled_from(["in", "not in", "==", "<"]), texts)
        .map(" ".join)
        .map(lambda s: f"({s})")
        | st.tuples(bools, st.sampled_from(["and", "or"]), bools)
        .map(" ".join)
        .map(lambda s: f"({s})")
        | bools.map(lambda b: f"(not {b})")
        | texts.map(lambda t: f"any(x in {t} for x in xs)")
        | texts.map(lambda t: f"all(len(x) > 0 and x != {t} for x in xs if x)")
        | texts.map(lambda t: f"(re.search('[ab]+', {t}) is not None)")
        | texts.map(lambda t: f"(set({t}) <= {{'a', 'b', ' '}})")
    )
    return new_ints, new_texts, new_bools


_LEVEL = _grow(_grow((_ints, _texts, _bools)))


@settings(max_examples=examples(400), deadline=None)
@given(
    body=st.one_of(*_LEVEL),
    r=st.text("ab1 -", max_size=6),
    n=st.integers(-9, 9),
    xs=st.lists(st.text("ab1", max_size=2), max_size=3),
)
def test_computes_what_python_computes(body: str, r: str, n: int, xs: list[str]) -> None:
    import re

    source = f"lambda r, n, xs: {body}"
    try:
        expected: Any = bool(eval(source, {"re": re})(r, n, xs))
    except (ValueError, ZeroDivisionError, IndexError):
        expected = EvaluationError
    except SyntaxError:  # quotes inside an f-string, before Python 3.12
        return
    try:
        actual: Any = Function(source).evaluate(r, {"n": n, "xs": xs})[0]
    except EvaluationError:
        actual = EvaluationError
    assert actual is expected


@settings(max_examples=examples(300), deadline=None)
@given(st.text("lambda r:()[]{}'\"=+-*.,0123aiforn_\\%\n", max_size=60))
def test_random_source_gives_a_result_or_our_error(body: str) -> None:
    with contextlib.suppress(LveError):
        Function(f"lambda r: {body}", is_template=True).evaluate("abc", {})
