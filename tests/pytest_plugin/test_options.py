"""Every option works on the command line, in the environment and in the ini."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lve.pytest_plugin import options

Write = Callable[..., Path]

VALUES: dict[str, tuple[str, str, Any]] = {
    "model": ("openai/m", "models", ("openai/m",)),
    "prompts": ("formal", "prompts", ("formal",)),
    "attacks": ("base64,typos", "attacks", "base64,typos"),
    "role": ("judge=openai/j", "roles", {"judge": "openai/j"}),
    "base_url": ("http://x/v1", "base_url", "http://x/v1"),
    "timeout": ("20", "timeout_s", 20.0),
    "deadline": ("30", "deadline_s", 30.0),
    "max_connections": ("7", "max_connections", 7),
    "baseline": ("/tmp/b.json", "baseline", Path("/tmp/b.json")),
    "gate": ("any", "gate", "any"),
    "max_broken": ("3", "max_broken", 3),
    "allow_missing": ("true", "allow_missing", True),
    "match": ("privacy", "match", "privacy"),
    "tag": ("severity=high", "tags", ("severity=high",)),
    "rows": ("2-3", "rows", "2-3"),
    "limit": ("2", "limit", 2),
    "sample": ("4", "sample", 4),
    "seed": ("5", "seed", 5),
    "failed_in": ("2026", "failed_in", "2026"),
    "shard": ("2/3", "shard", "2/3"),
    "repeats": ("3", "repeats", 3),
    "fail_fast": ("2", "fail_fast", 2),
    "budget": ("1.5", "max_cost", 1.5),
    "max_tokens_total": ("900", "max_tokens_total", 900),
    "max_requests": ("9", "max_requests", 9),
    "no_cache": ("true", "use_cache", False),
    "session_dir": ("/tmp/state", "state", Path("/tmp/state")),
    "allow_inconclusive": ("true", "allow_inconclusive", True),
    "trust": ("true", "trust", True),
    "replay": ("true", "models", ("replay",)),
    "output": ("a.csv", "output", ("a.csv",)),
}
"""Option -> text, field of `RunOptions` or `Options`, and the value there."""


def test_every_option_is_in_this_table() -> None:
    assert [declaration.name for declaration in options.TABLE] == list(VALUES)


@pytest.mark.parametrize("place", ["command line", "environment", "ini"])
@pytest.mark.parametrize(
    "names", [VALUES.keys() - {"replay"}, {"replay"}], ids=["other models", "replay"]
)
def test_each_option_in_each_place(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, names: set[str], place: str
) -> None:
    arguments = []
    for name in names:
        text, _, value = VALUES[name]
        if place == "command line":
            arguments.append("--lve-" + name.replace("_", "-"))
            if value not in (True, False, ("replay",)):
                arguments.append(text)
        elif place == "environment":
            monkeypatch.setenv(f"LVE_{name.upper()}", text)
    if place == "ini":
        lines = [f"lve_{name} = {VALUES[name][0]}" for name in names]
        pytester.makeini("\n".join(["[pytest]", *lines]))
    read = options.options_of(pytester.parseconfig(*arguments))
    for name in names:
        _, field, value = VALUES[name]
        assert getattr(read if hasattr(read, field) else read.run, field) == value, name
    assert read.problems == ()


def test_the_command_line_wins_over_environment_over_ini(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\nlve_model = ini\nlve_repeats = 2\nlve_base_url = ini")
    monkeypatch.setenv("LVE_MODEL", "outside other")
    monkeypatch.setenv("LVE_REPEATS", "3")
    read = options.options_of(pytester.parseconfig("--lve-model", "a", "--lve-model", "b")).run
    assert (read.models, read.repeats, read.base_url) == (("a", "b"), 3, "ini")
    assert options.options_of(pytester.parseconfig()).run.models == ("outside", "other")


def test_a_flag_can_be_switched_off_outside(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\nlve_trust = true")
    for word in ("0", "off", "No", "FALSE", ""):
        monkeypatch.setenv("LVE_TRUST", word)
        read = options.options_of(pytester.parseconfig())
        assert (read.run.trust, read.problems) == (False, ())


@pytest.mark.parametrize("place", ["LVE_TRUST", "lve_trust"])
def test_a_flag_that_says_neither_is_refused(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, write_test: Write, place: str
) -> None:
    write_test("a")
    if place == "LVE_TRUST":
        monkeypatch.setenv(place, "maybe")
    else:
        pytester.makeini("[pytest]\nlve_trust = maybe")
    result = pytester.runpytest("repository")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{place}: *maybe*"])
    assert "Traceback" not in result.stderr.str()


def test_a_relative_session_folder_is_in_the_root(pytester: pytest.Pytester) -> None:
    read = options.options_of(pytester.parseconfig("--lve-session-dir=state"))
    assert read.run.state == pytester.path / "state"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--lve-repeats=many", "*--lve-repeats must be a whole number from 1 on, not 'many'*"),
        ("--lve-repeats=1.5", "*--lve-repeats must be a whole number from 1 on, not '1.5'*"),
        ("--lve-repeats=0", "*--lve-repeats must be a whole number from 1 on, not 0*"),
        ("--lve-budget=nan", "*--lve-budget must be a number from 0 on, not nan*"),
        ("-olve_max_items=x", "*lve_max_items must be a whole number from 1 on, not 'x'*"),
    ],
)
def test_a_bad_value_is_one_line(
    pytester: pytest.Pytester, write_test: Write, argument: str, message: str
) -> None:
    write_test("a")
    result = pytester.runpytest("repository", argument)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert "Traceback" not in result.stderr.str()


def test_a_budget_of_nothing_is_one(pytester: pytest.Pytester) -> None:
    assert options.options_of(pytester.parseconfig("--lve-budget=0")).run.max_cost == 0


def test_a_bad_value_outside_is_nothing_to_other_suites(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LVE_REPEATS", "many")
    pytester.makepyfile("def test_it(): pass")
    pytester.runpytest().assert_outcomes(passed=1)


def test_limits_of_the_environment_hold_as_at_lve_run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, write_test: Write
) -> None:
    write_test("a", answers=[("Paris", True)] * 3)
    monkeypatch.setenv("LVE_MAX_REQUESTS", "1")
    result = pytester.runpytest("repository", "--lve-model=dummy/dummy")
    result.assert_outcomes(failed=1, errors=2)
    result.stdout.fnmatch_lines(["*budget allows no further call (1 of 1 requests spent)*"])


def test_a_variable_of_another_door_is_said_to_be_ignored(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, write_test: Write
) -> None:
    pytester.makepyfile("def test_it(): pass")
    write_test("a", answers=[("Paris", True)])
    monkeypatch.setenv("LVE_INDEX", "7")
    monkeypatch.setenv("LVE_MAX_COST", "3")
    told = "lve: warning: pytest has no such option: LVE_INDEX is ignored"
    lines = pytester.runpytest("repository", "--lve-replay").stdout.lines
    assert [line for line in lines if "LVE_" in line] == [told]
    (own,) = pytester.path.glob("*.py")
    assert "LVE_" not in pytester.runpytest(own).stdout.str()
