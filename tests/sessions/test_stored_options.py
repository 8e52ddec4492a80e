"""What a session's file keeps of the options, and what it may bring back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lve.errors import UsageError
from lve.options.run_options import OPTIONS, RunOptions
from lve.secrets.secret_values import REDACTED
from lve.sessions.stored_options import granted_words, restored_options, stored_options
from lve.settings.settings import Caps

RESULT = {"models": ("m",), "parameters": {"a": "1"}, "model_args": {"seed": 1}, "limit": 5,
          "stream": True, "instances": ("x",), "index": 0}  # fmt: skip
HABIT = {"timeout_s": 5.0, "deadline_s": 9.0, "max_cost": 1.0, "max_requests": 3,
         "max_tokens_total": 7, "use_cache": False, "refresh": True}  # fmt: skip


def restored(
    stored: dict[str, Any], now: dict[str, Any] | None = None, caps: Caps | None = None
) -> RunOptions:
    return restored_options(stored, now or {}, session="s1", caps=caps or Caps())


def test_only_what_differs_from_the_default_is_stored_and_as_json() -> None:
    assert stored_options(RunOptions()) == {}
    options = RunOptions(models=("m",), state=Path("x"), max_cost=0.0)
    assert stored_options(options) == {"models": ["m"], "state": "x", "max_cost": 0.0}


@pytest.mark.parametrize("given", [{}, RESULT, HABIT, {**RESULT, **HABIT}])
def test_what_a_session_began_with_comes_back(given: dict[str, Any]) -> None:
    options = RunOptions(**given)
    assert restored(stored_options(options)) == options


def test_where_a_session_lies_and_that_it_is_kept_never_comes_back() -> None:
    names = [name for name, option in OPTIONS.items() if option.on_resume == "not_stored"]
    assert names == ["baseline", "allow_missing", "failed_in", "ray", "keep", "state",
                     "allow_inconclusive", "strict_models"]  # fmt: skip
    elsewhere = {"keep": False, "state": "/elsewhere", "baseline": "/b.json"}
    assert restored(elsewhere) == RunOptions()


@pytest.mark.parametrize("name", RESULT)
def test_what_changes_the_results_can_not_be_given_anew(name: str) -> None:
    other = {"models": ("n",), "parameters": {"a": "2"}, "model_args": {}, "limit": 6,
             "stream": False, "instances": (), "index": 1}[name]  # fmt: skip
    stored = stored_options(RunOptions(**RESULT))
    assert restored(stored, {name: RESULT[name]}) == RunOptions(**RESULT)
    with pytest.raises(UsageError, match="can't change what an earlier session began with"):
        restored(stored, {name: other})


@pytest.mark.parametrize("name", HABIT)
def test_what_limits_a_session_can_be_given_anew(name: str) -> None:
    other = {"use_cache": True, "refresh": False}.get(name, 77)
    stored = stored_options(RunOptions(**HABIT))
    assert getattr(restored(stored, {name: other}), name) == other


@pytest.mark.parametrize(
    ("stored", "now", "caps", "missing"),
    [
        ({"base_url": "http://h/v1"}, {}, Caps(), "--base-url http://h/v1"),
        ({"base_url": "http://h/v1"}, {"base_url": "http://i/v1"}, Caps(), None),
        ({"trust": True}, {}, Caps(), "--trust"),
        ({"trust": True}, {"trust": True}, Caps(), None),
        ({"max_connections": 10_000}, {}, Caps(), "--max-connections 10000"),
        ({"max_connections": 10_000}, {"max_connections": 5}, Caps(), None),
        ({"max_connections": 2}, {}, Caps(), None),
        ({"max_tests": 10_000}, {}, Caps(), "--max-tests 10000"),
        ({"repeats": 6}, {}, Caps(repeats=5), "--repeats 6"),
        ({"repeats": 5}, {}, Caps(repeats=5), None),
        ({"repeats": 6}, {}, Caps(repeats=None), None),
        ({"models": ["hf//etc/x"]}, {}, Caps(), "--model hf//etc/x"),
        ({"models": ["hf//etc/x"]}, {"models": ("hf//etc/x",)}, Caps(), None),
        ({"models": ["hf/a/b"]}, {}, Caps(), None),
    ],
)
def test_what_opens_a_door_or_goes_beyond_the_bounds_is_to_be_given_again(
    stored: dict[str, Any], now: dict[str, Any], caps: Caps, missing: str | None
) -> None:
    if missing is None:
        restored(stored, now, caps)
        return
    with pytest.raises(UsageError) as caught:
        restored(stored, now, caps)
    assert str(caught.value) == (f"session s1 ran with {missing}: give it again to go on with it")


def test_all_that_is_missing_is_told_together_and_as_words_to_type() -> None:
    options = RunOptions(trust=True, base_url="http://h/v1", models=("m",))
    with pytest.raises(UsageError, match="--base-url http://h/v1 and --trust: give them again"):
        restored(stored_options(options))
    assert granted_words(options) == ["--base-url", "http://h/v1", "--trust"]
    assert granted_words(RunOptions(models=("m",), repeats=9)) == []


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({"limit": 0}, "session s1: "),
        ({"model_args": {"base_url": "http://evil"}}, "session s1: "),
        ({"timeout_s": -1.0}, "session s1: "),
    ],
)
def test_a_session_is_held_to_the_rules_of_the_command_line(
    stored: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        restored(stored)


def test_a_secret_that_was_not_written_is_to_be_given_again() -> None:
    stored = {"parameters": {"a": REDACTED, "b": "2"}, "model_args": {"key": f"x{REDACTED}"}}
    with pytest.raises(UsageError, match=r"give again: -p a=\.\.\.$"):
        restored(stored)
    now = {"parameters": {"a": "1"}, "model_args": {"key": "xyz"}}
    found = restored(stored, now)
    assert (found.parameters, found.model_args) == ({"a": "1", "b": "2"}, {"key": "xyz"})
    now["parameters"]["b"] = "3"
    with pytest.raises(UsageError, match="-p can't change"):
        restored(stored, now)


def test_a_text_that_was_not_written_is_to_be_given_again() -> None:
    with pytest.raises(UsageError, match=r"give again: --base-url$"):
        restored({"base_url": f"http://{REDACTED}/v1"})
    assert restored({"state": REDACTED}) == RunOptions()
