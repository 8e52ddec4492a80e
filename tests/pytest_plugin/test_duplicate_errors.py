"""Items that end in the same error are one paragraph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.server import model_server

from lve.pytest_plugin.duplicate_errors import first_of_each

Write = Callable[..., Path]
CITIES = [(f"Paris {n}", True) for n in range(12)]


def report(message: str | None, nodeid: str = "t/test.yaml::a", when: str = "setup") -> Any:
    crash = None if message is None else SimpleNamespace(message=message)
    longrepr = SimpleNamespace(reprcrash=crash)
    return SimpleNamespace(nodeid=nodeid, when=when, longrepr=longrepr, sections=[])


def test_errors_are_equal_whether_or_not_the_model_was_asked() -> None:
    same = [
        report("h: refused (after 4 attempts)"),
        report("h: refused (after 12 attempts; the server asks to wait 9 s)"),
        report("not asked, as openai/x failed 5 times in a row: h: refused"),
    ]
    other = report("h: something else")
    assert first_of_each([*same, other]) == [same[0], other]
    assert same[0].sections == [("the same error", "2 more items ended in it (-v shows all)")]
    assert other.sections == []


@pytest.mark.parametrize(
    "one", [report(None), report("x", "test_x.py::test_y"), report("x", when="teardown")]
)
def test_what_is_not_ours_is_left_alone(one: Any) -> None:
    assert first_of_each([one, one]) == [one, one]
    assert one.sections == []


@pytest.mark.parametrize("options", [[], ["-n2"]])
def test_a_wrong_key_is_told_once(
    pytester: pytest.Pytester, write_test: Write, options: list[str]
) -> None:
    write_test("a", CITIES)
    with model_server(401) as server:
        at = ["--lve-model=openai/m", f"--lve-base-url={server.url}", *options]
        result = pytester.runpytest("repository", *at)
    result.assert_outcomes(errors=12)
    text = result.stdout.str()
    assert text.count("ERROR at setup") == 1
    assert text.count("check the API key") <= 2  # in its paragraph, and in the short summary
    assert "11 more items ended in it" in text


def test_all_are_told_with_v(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    write_test("a", CITIES)
    result = pytester.runpytest("repository", "-v", "--lve-model=openai/m")
    result.assert_outcomes(errors=12)
    assert result.stdout.str().count("ERROR at setup") == 12
