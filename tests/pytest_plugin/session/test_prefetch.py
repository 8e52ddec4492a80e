"""Nothing is asked for an item that doesn't run, whatever keeps it from running."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.pytest_runs import against, sessions
from support.server import model_server

from lve.pipeline.background import BackgroundSession
from lve.pytest_plugin.item_protocol import lve_items
from lve.pytest_plugin.session.prefetch import PrefetchPolicy

Write = Callable[..., Path]
COUNT = 6
INSTANCES = [("Paris", True)] * COUNT
SKIPPED_LATER = """
import pytest
failed = []

def pytest_runtest_makereport(item, call):
    if call.when == "call":
        failed.append(item)

def pytest_runtest_setup(item):
    if failed:
        pytest.skip("one is enough")
"""
MINE = """
import pathlib
import pytest

def mine(items):
    here = pathlib.Path(__file__).parent
    return [item for item in items if item.path.is_relative_to(here)]
"""
ALL_BUT_ONE = (
    MINE
    + """
def pytest_collection_modifyitems(items):
    for item in mine(items)[1:]:
        item.add_marker(pytest.mark.{mark})
"""
)
CONFTESTS = {
    "marked": ALL_BUT_ONE.format(mark="skip(reason='not now')"),
    "marked on a condition": ALL_BUT_ONE.format(mark="skipif('True', reason='not now')"),
    "not to be run": ALL_BUT_ONE.format(mark="xfail(run=False)"),
    "deselected": (
        MINE
        + "def pytest_collection_modifyitems(items):\n"
        + "    [items.remove(item) for item in mine(items)[1:]]\n"
    ),
    "skipped when it is its turn": SKIPPED_LATER,
    # The last one: pytest takes down a folder when an item of the next one follows.
    "passed over by the protocol": (
        MINE
        + "def pytest_runtest_protocol(item):\n"
        + "    return bool(mine([item])) and 'jsonl[1]' not in item.nodeid or None\n"
    ),
}


@pytest.mark.parametrize("why", CONFTESTS)
def test_what_does_not_run_is_not_asked(
    pytester: pytest.Pytester, write_test: Write, why: str
) -> None:
    write_test("a", INSTANCES)
    pytester.makeconftest(CONFTESTS[why])
    with model_server("Paris") as server:
        result = pytester.runpytest(*against(server.url, "-rA"))
    ran = sum(line.startswith("PASSED") for line in result.outlines)
    assert len(server.requests) == ran >= 1
    assert ran < COUNT, "most are kept from running"


def test_what_does_not_run_is_not_asked_by_workers(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    """All reasons in one run, each in a folder with its own conftest.py and prompt."""
    names = [f"case{n}" for n in range(len(CONFTESTS))]
    for name, conftest in zip(names, CONFTESTS.values(), strict=True):
        prompt = [{"role": "user", "content": f"{name}: What is the capital of {{country}}?"}]
        folder = write_test(f"{name}/a", INSTANCES, prompt=prompt).parent
        folder.joinpath("conftest.py").write_text(conftest, encoding="utf-8")
    with model_server("Paris") as server:
        result = pytester.runpytest(*against(server.url, "-rA", "-n2"))
    ran = [line.split("/")[1] for line in result.outlines if line.startswith("PASSED")]
    assert sorted(request.prompt.partition(":")[0] for request in server.requests) == sorted(ran)
    for name, why in zip(names, CONFTESTS, strict=True):
        assert 1 <= ran.count(name) < COUNT, f"most are kept from running: {why}"


def test_a_condition_that_is_false_keeps_nothing_back(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", INSTANCES)
    pytester.makeconftest(ALL_BUT_ONE.format(mark="skipif(False, reason='never')"))
    with model_server("Paris", latency_s=0.2) as server:
        result = pytester.runpytest(*against(server.url))
        result.assert_outcomes(passed=COUNT)
        assert server.state.max_in_flight > 1, "all are asked at once"
    assert "one after the other" not in result.stdout.str()


def test_the_user_hears_why_all_are_asked_one_after_the_other(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    write_test("a", INSTANCES)
    pytester.makeconftest("def pytest_runtest_setup(item): pass")
    result = pytester.runpytest("repository", "--lve-replay")
    result.stdout.fnmatch_lines(["lve: tests ran one after the other, because * in *conftest.py *"])


def test_an_item_that_runs_twice_is_submitted_once_ahead(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, submit = list[int](), BackgroundSession.submit

    def noted(session: BackgroundSession, *args: Any) -> Any:
        lines.append(args[-1][0].line)
        return submit(session, *args)

    monkeypatch.setattr(BackgroundSession, "submit", noted)
    write_test("a", INSTANCES)
    pytester.makeconftest("def pytest_collection_modifyitems(items):\n    items.extend(items[:])")
    pytester.runpytest("repository", "--lve-replay").assert_outcomes(passed=2 * COUNT)
    assert lines[:COUNT] == [*range(1, COUNT + 1)]
    assert lines[COUNT] == 1


@pytest.mark.parametrize("option", ["--setup-plan", "--setup-only", "--collect-only"])
def test_looking_at_the_plan_asks_nothing(
    pytester: pytest.Pytester, write_test: Write, option: str
) -> None:
    write_test("a", INSTANCES)
    with model_server("Paris") as server:
        assert pytester.runpytest(*against(server.url, option)).ret == 0
    assert not server.requests
    assert not sessions(pytester)


def test_a_conftest_counts_for_the_folders_below_it_only(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    for name, conftest in {"free": "", "held": SKIPPED_LATER}.items():
        folder = write_test(f"{name}/a", INSTANCES).parent
        folder.joinpath("conftest.py").write_text(conftest, encoding="utf-8")
    items, _ = pytester.inline_genitems("repository")
    ahead = PrefetchPolicy(items[0].config)
    surely_run = [item for item in lve_items(items) if ahead.surely_runs(item)]
    assert {item.spec.path for item in surely_run} == {"repository/free/a"}
    assert len(surely_run) == COUNT
