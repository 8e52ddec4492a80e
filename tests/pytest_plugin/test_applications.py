"""Applications of lve.yaml under pytest, alone and in the workers of pytest-xdist."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lve.sessions.session_folder import SessionFolder

Write = Callable[..., Path]
APP = """
import os

def answer(question):
    return {"text": "Paris" if "France 1" in question else "Lyon", "metadata": {"pid": os.getpid()}}
"""
SETTINGS = 'models: {app/function: {provider: python, options: {function: "app:answer"}}}\n'


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_its_rows_are_items(
    pytester: pytest.Pytester, write_test: Write, workers: list[str]
) -> None:
    write_test("a", [("x", True)] * 3)
    (pytester.path / "lve.yaml").write_text(SETTINGS)
    (pytester.path / "app.py").write_text(APP)
    options = ["--lve-model=app/function", "--lve-session-dir=state", *workers]
    pytester.runpytest("repository", *options).assert_outcomes(skipped=3)
    result = pytester.runpytest("repository", *options, "--lve-trust")
    result.assert_outcomes(passed=1, failed=2)
    *_, folder = sorted((pytester.path / "state" / "runs").iterdir())
    results = [*SessionFolder(folder).results()]
    assert {each.model for each in results} == {"app/function"}
    assert sorted(each.responses for each in results) == [("Lyon",), ("Lyon",), ("Paris",)]
