"""Expressions in Python as lambdas."""

from __future__ import annotations

import pytest

from lve.checkers.expression.function import Function
from lve.extensions.importing.promptfoo.scripts.python import python_lambda
from lve.extensions.importing.promptfoo.source import UnsupportedError


@pytest.mark.parametrize(
    ("script", "threshold", "answers"),
    [
        ("max(0, len(output) - 3)", None, {"abc": False, "abcd": True}),
        ("len(output) / 10", 0.5, {"a" * 4: False, "a" * 5: True}),
        ("context['vars']['word'] in output", None, {"in Paris": True, "Lima": False}),
        ("output.startswith('A') and not output.isupper()", None, {"Ab": True, "AB": False}),
        ("1 if output == 'x' else 0.0", 1, {"x": True, "y": False}),
        ("-len(output)", -2, {"aa": True, "aaa": False}),
        ("any(w == 'a' for w in output.split())", None, {"b a": True, "b": False}),
        ("json.loads(output)['n'] > 3", None, {'{"n": 4}': True, '{"n": 3}': False}),
        ("True", None, {"": True}),
    ],
)
def test_an_expression(script: str, threshold: float | None, answers: dict[str, bool]) -> None:
    source, names = python_lambda(script, threshold=threshold)
    values = dict.fromkeys(names, "Paris")
    function = Function(source)
    assert {answer: function.evaluate(answer, values)[0] for answer in answers} == answers


@pytest.mark.parametrize(
    "script",
    [
        *("", "import os", "output", "output or 'x'", "len(output) or 1", "return True", "x = 1"),
        *("context", "context['vars']", "context['test']['x'] == 1", "context.vars == 1", "yield"),
        *("max(output)", "{'pass': True}", "output.upper()", "len(output) % 2", "1)(2", "1\n2"),
        *("context['vars']['a b'] == 1", "context['vars']['output'] == 'x'", "a" * 3000),
    ],
)
def test_what_may_mean_something_else_is_refused(script: str) -> None:
    with pytest.raises(UnsupportedError):
        python_lambda(script, threshold=None)
