"""The process of scripts, called in this process: what comes of a script is told, why it failed is
cut."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from lve.extensions.promptfoo_scripts.script_child import MAX_WHY, answer

LONG = 3 * MAX_WHY


def told(script: str, form: str = "inline", name: str = "") -> Any:
    asked = {"script": script, "form": form, "name": name, "node": None}
    return answer({**asked, "output": "Lima", "context": {"vars": {"n": 2}}})


def test_an_empty_request_is_answered_when_it_is_ready() -> None:
    assert answer({}) == {}


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ("output == 'Lima'", True),
        ("context['vars']['n'] / 4", 0.5),
        ("{'pass': True, 'reason': 'x'}", {"pass": True, "reason": "x"}),
        (f"'x' * {LONG}", "x" * LONG),
        ("n = len(output)\nreturn n", 4),
        ("if output:\n  return 1\nreturn 0", 1),
    ],
)
def test_a_result_is_told_whole(script: str, result: Any) -> None:
    assert told(script) == {"result": result}


def test_a_file_has_its_function() -> None:
    file = "def get_assert(output, context): return 1\ndef other(output, context): return 2\n"
    assert told(file, "file") == {"result": 1}
    assert told(file, "file", "other") == {"result": 2}


@pytest.mark.parametrize(
    ("script", "word", "why"),
    [
        ("1 / 0", "threw", "ZeroDivisionError: division by zero"),
        ("__import__('no_such_module_1')", "missing", "No module named 'no_such_module_1'"),
        ("object()", "threw", "TypeError: Object of type object is not JSON serializable"),
        ("exit(3)", "threw", "SystemExit: 3"),
        ("return return", "threw", "SyntaxError: "),
    ],
)
def test_why_there_is_none_is_told(script: str, word: str, why: str) -> None:
    [(key, text)] = told(script).items()
    assert (key, text[: len(why)]) == (word, why)


def test_what_a_script_raises_is_cut() -> None:
    [(key, text)] = told(f"\nraise ValueError('x' * {LONG})").items()
    assert (key, len(text) <= MAX_WHY + 3, text[:14]) == ("threw", True, "ValueError: xx")
    assert "no_such_module_1" not in sys.modules
