"""A test that hangs fails, and the others go on."""

from __future__ import annotations

import pytest

HANGS = """
import threading

def test_that_hangs():
    threading.Event().wait()

def test_after_it():
    pass
"""


def test_every_test_has_a_time_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < pytestconfig.option.timeout <= 600


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_one_that_hangs_fails_and_the_others_go_on(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(HANGS)
    result = pytester.runpytest(*workers, "--timeout", "0.2")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*Timeout (>0.2s)*"])
