"""Items that end in the same error are one paragraph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.openai_answers import Received
from support.server import model_server

from lve.pytest_plugin.finishing import first_of_each, is_wanted
from lve.pytest_plugin.verdicts import ItemVerdict
from lve.sessions.instance_result import InstanceResult

Write = Callable[..., Path]
CITIES = [(f"Paris {n}", True) for n in range(12)]


def report(
    message: str | None,
    nodeid: str = "t/test.yaml::a",
    when: str = "setup",
    cause: str | None = None,
) -> Any:
    crash = None if message is None else SimpleNamespace(message=message)
    longrepr = SimpleNamespace(reprcrash=crash)
    more = {} if cause is None else {"lve_cause": cause}
    return SimpleNamespace(nodeid=nodeid, when=when, longrepr=longrepr, sections=[], **more)


def test_errors_are_equal_whether_or_not_the_model_was_asked() -> None:
    same = [
        report("h: refused (after 4 attempts)", cause="1"),
        report("h: refused (after 12 attempts; the server asks to wait 9 s)", cause="1"),
        report("not asked, as openai/x failed 5 times in a row: h: refused", cause="1"),
    ]
    other = report("h: something else", cause="2")
    assert first_of_each([*same, other]) == [same[0], other]
    assert same[0].sections == [("the same error", "2 more items ended in it (-v shows all)")]
    assert other.sections == []


def test_an_error_that_is_no_verdict_is_its_message() -> None:
    same = [report("no such model"), report("no such model")]
    assert first_of_each([*same, report("stopped")])[0] is same[0]
    assert same[0].sections == [("the same error", "1 more item ended in it (-v shows all)")]


def verdict(reason: str, *results: tuple[str, str | None]) -> ItemVerdict:
    made = [
        InstanceResult("t", "m", "t.yaml", 1, n, {}, "error", why, cause=cause)
        for n, (why, cause) in enumerate(results)
    ]
    return ItemVerdict("error", reason, tuple(made))


def test_the_cause_is_data_not_what_a_sentence_says() -> None:
    tried = verdict("h: no (after 4 attempts)", ("h: no (after 4 attempts)", "h: no"))
    refused = verdict("not asked: h: no", ("not asked: h: no", "h: no"))
    several = verdict("2 of 2: not asked: h: no", ("x", None), ("not asked: h: no", "h: no"))
    assert tried.cause == refused.cause == verdict("h: no", ("h: no", None)).cause
    assert several.cause == verdict("2 of 2: h: no").cause != tried.cause
    assert verdict("h: no (after 4 attempts)", ("h: no (after 4 attempts)", None)).cause not in (
        tried.cause,
        verdict("h: no (after 5 attempts)").cause,
    )


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


def test_a_judge_without_an_answer_is_told_once(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    """Its first questions are refused by the server, the others aren't asked any more."""

    def judge(request: Received) -> Any:
        asked = "".join(str(message["content"]) for message in request.json["messages"])
        return 401 if "It is kind." in asked else "Hello"

    write_test("a", CITIES, checker_args=None, check={"judge": "It is kind."})
    with model_server(judge) as server:
        at = ["--lve-model=openai/m", f"--lve-base-url={server.url}"]
        result = pytester.runpytest("repository", *at)
    result.assert_outcomes(errors=12)
    assert result.stdout.str().count("ERROR at setup") == 1


def test_all_are_told_with_v(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    write_test("a", CITIES)
    result = pytester.runpytest("repository", "-v", "--lve-model=openai/m")
    result.assert_outcomes(errors=12)
    assert result.stdout.str().count("ERROR at setup") == 12


@pytest.mark.parametrize(
    ("verbosity", "errors", "wanted"),
    [
        (0, 0, False),
        (0, 1, False),
        (0, 2, True),
        (-1, 2, True),
        (1, 2, False),  # `-v` asks for all
        (2, 9, False),
    ],
)
def test_errors_are_put_together_unless_all_are_asked_for(
    verbosity: int, errors: int, *, wanted: bool
) -> None:
    config = SimpleNamespace(get_verbosity=lambda: verbosity)
    stats = {"error": [object()] * errors} if errors else {}
    assert is_wanted(SimpleNamespace(config=config, stats=stats)) is wanted
