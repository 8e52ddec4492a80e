"""Each error has a code, which is shown with the message."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from lve import errors
from lve.errors import (
    LveError,
    MissingKeyError,
    PermanentModelError,
    Problem,
    PromptNotFoundError,
    SpecError,
    TemplateError,
    TrustError,
    UnknownModelError,
    UsageError,
)

FILE = Path("test.yaml")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TrustError("x"), "untrusted"),
        (UnknownModelError("x"), "unknown_model"),
        (MissingKeyError("x"), "missing_api_key"),
        (MissingKeyError("x", code="missing_package"), "missing_package"),
        (UsageError("x", code="exists"), "exists"),
        (PermanentModelError("x", kind="not_found"), "not_found"),
        (TemplateError("x", stage="ice"), "template_ice"),
        (PromptNotFoundError(["x"]), "no_such_prompt"),
        (SpecError([Problem("x", FILE, code="syntax"), Problem("y", FILE, code="a")]), "syntax"),
    ],
)
def test_an_error_has_the_code_of_its_class_or_its_own(error: LveError, code: str) -> None:
    assert error.code == code
    assert error.message_with_code.splitlines()[0].endswith(f" [{code}]")
    assert f"[{code}]" not in str(error)


def test_each_problem_of_a_document_shows_its_own_code() -> None:
    problems = [
        Problem("a", FILE, 1, 2, "$.x", "do it", code="unknown_key"),
        Problem("b", FILE, severity="warning", code="suspicious"),
    ]
    assert SpecError(problems).message_with_code.splitlines() == [
        "test.yaml:1:2: $.x: a (do it) [unknown_key]",
        "test.yaml: warning: b [suspicious]",
    ]


def test_what_is_told_is_safe_for_a_terminal() -> None:
    assert "\x1b" not in UsageError("\x1b[2J", code="exists").message_with_code
    assert "\x1b" not in SpecError([Problem("\x1b[2J", FILE, code="syntax")]).message_with_code


def test_a_code_survives_a_process() -> None:
    error = pickle.loads(pickle.dumps(UsageError("x", code="exists")))
    assert (error.code, str(error)) == ("exists", "x")


def test_every_class_has_a_code() -> None:
    classes = [
        one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, LveError)
    ]
    assert len(classes) > 25
    assert all(one.code for one in classes)
