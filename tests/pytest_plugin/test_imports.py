"""lve's own modules under pytest."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lve.pytest_plugin.imports import LveFinder, leave_unchanged

REWRITTEN = """
import sys

def pytest_sessionfinish():
    from _pytest.assertion.rewrite import AssertionRewritingHook
    lve = {n: m for n, m in sys.modules.items() if n.startswith("lve.") and m.__spec__}
    found = [n for n, m in lve.items() if isinstance(m.__loader__, AssertionRewritingHook)]
    print(f"rewritten: {len(found)} of {len(lve)}")
"""


def test_pytest_rewrites_only_what_it_imports_before_it_asks(
    pytester: pytest.Pytester, write_test: Callable[..., Path]
) -> None:
    write_test("a")
    pytester.makeconftest(REWRITTEN)
    result = pytester.runpytest_subprocess("repository", "-s")
    result.assert_outcomes(passed=1)
    (told,) = (line for line in result.outlines if "rewritten: " in line)
    rewritten, _, modules = told.partition("rewritten: ")[2].split()
    assert int(rewritten) < 24 < 150 < int(modules)


def test_a_run_leaves_the_finders_as_they_were(pytester: pytest.Pytester) -> None:
    before = list(sys.meta_path)
    config = pytester.parseconfig()
    leave_unchanged(config)
    assert sys.meta_path[0] is LveFinder
    config._ensure_unconfigure()
    assert sys.meta_path == before


def test_only_lves_own_modules_are_found() -> None:
    assert LveFinder.find_spec("lve") is None
    assert LveFinder.find_spec("lvex.y") is None
