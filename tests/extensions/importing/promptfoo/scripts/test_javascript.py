"""Scripts as lambdas. tests/cases/importers/javascript.json has what Node gives for each script and
answer: true, false, or "throws". (A number counts as true above 0.)"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from lve.checkers.expression.function import EvaluationError, Function
from lve.extensions.importing.promptfoo.scripts.javascript import MAX_SCRIPT, to_lambda
from lve.extensions.importing.promptfoo.source import UnsupportedError

CASES = json.loads(
    (Path(__file__).parents[4] / "cases" / "importers" / "javascript.json").read_text("utf-8")
)
VARIABLES = {"word": "Paris"}


def verdict(function: Function, names: list[str], answer: str) -> object:
    """Return whether an answer passes; None if the lambda can't be computed for it."""
    try:
        return function.evaluate(answer, {name: VARIABLES[name] for name in names})[0]
    except EvaluationError:
        return None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["script"][:60])
def test_verdicts_are_those_of_node(case: dict[str, Any]) -> None:
    script, is_object = case["script"], case["is_object"]
    if "refused" in case:
        with pytest.raises(UnsupportedError, match=case["refused"]):
            to_lambda(script, is_object=is_object, threshold=None)
        return
    source, names = to_lambda(script, is_object=is_object, threshold=None)
    function = Function(source)
    for answer, of_node in case["results"]:
        # what throws has failed: `on_error: failed`
        assert bool(verdict(function, names, answer)) == (of_node is True), answer


@pytest.mark.parametrize(
    ("script", "threshold", "answers"),
    [
        ("output.length", 3.0, {"ab": False, "abc": True}),
        ("output.length / 10", 0.5, {"a" * 4: False, "a" * 5: True}),
        ("output === 'a'", 0.5, {"a": True, "b": False}),
        ("0", 0.0, {"": True}),
    ],
)
def test_a_number_passes_from_the_threshold(
    script: str, threshold: float, answers: dict[str, bool]
) -> None:
    function = Function(to_lambda(script, is_object=False, threshold=threshold)[0])
    assert {answer: verdict(function, [], answer) for answer in answers} == answers


@pytest.mark.parametrize(
    "script",
    [
        *("", "output", "output.length >", "output.length > 3 4", "process.exit()", "eval(output)"),
        *("output.replace('a', 'b') === 'c'", "if (output) { return true }", "output?.length > 1"),
        *("while(true){}", "function f() {}", "output = 3", "output.length > context.vars", "a.b"),
        *(
            "context.vars.item === 'x'",
            "context.vars.context === 'x'",
            "context.vars['a b'] === 'x'",
        ),
        *("context.vars.output === 'x'", "`${output}` === 'a'", "/(?<=a)b/.test(output)", "((((("),
        *("output.split('').length > 2", "output.match(/a/)", "output.includes('a') || output"),
        *(
            "return { score: 1 }",
            "return { pass }",
            "[1, 2].includes(output.length)",
            "'\\u{1F600}'",
        ),
        *("'use strict'; true", "output.length > 3 ? 'pass' : 'fail'", "output.length > 1n"),
        *(
            "(" * 200 + "1" + ")" * 200,
            "true " + " " * MAX_SCRIPT,
            "const a = output + output; " * 9,
        ),
        "const a = output + output; const b = a + a; const c = b + b; const d = c + c; "
        "const e = d + d; "
        "const f = e + e; const g = f + f; const h = g + g; const i = h + h; return i === 'x'",
    ],
)
def test_what_may_mean_something_else_is_refused(script: str) -> None:
    with pytest.raises(UnsupportedError):
        to_lambda(script, is_object=False, threshold=None)


@settings(max_examples=examples(3_000), deadline=None)
@given(
    st.text(st.sampled_from("output.length ><=!&|?:(){}[]'\"/\\`0123abci,;.+-*$\n"), max_size=60),
    st.booleans(),
)
def test_any_text_is_a_lambda_or_refused(script: str, is_object: bool) -> None:
    try:
        source, _ = to_lambda(script, is_object=is_object, threshold=None)
    except UnsupportedError:
        return
    Function(source)
