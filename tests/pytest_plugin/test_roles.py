"""Roles under pytest."""

from __future__ import annotations

import pytest
from support.folders import write_test


@pytest.mark.parametrize("place", ["typed", "environment", "ini"])
def test_pytest_gives_roles_like_the_command_line(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    write_test(pytester.path / "t", roles=["judge"])
    if place == "environment":
        monkeypatch.setenv("LVE_ROLE", "judge=replay user=replay")
    if place == "ini":
        pytester.makeini("[pytest]\nlve_role = judge=replay")
    typed = ["--lve-role", "judge=replay"] if place == "typed" else []
    pytester.runpytest(*typed).assert_outcomes(passed=1)


def test_pytest_says_which_role_is_missing(pytester: pytest.Pytester) -> None:
    write_test(pytester.path / "t", roles=["judge"])
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(["*t needs a model for the role `judge`*"])
    assert result.ret != 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["judge"], "'judge' is not NAME=VALUE"),
        (["judge="], "'judge=' is not NAME=VALUE"),
        (["judge=a", "judge=b"], "'judge' is given twice"),
    ],
)
def test_a_role_has_one_model(pytester: pytest.Pytester, typed: list[str], said: str) -> None:
    write_test(pytester.path / "t")
    result = pytester.runpytest(*(f"--lve-role={one}" for one in typed))
    result.stderr.fnmatch_lines([f"*{said}*"])
