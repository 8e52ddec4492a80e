"""`lve record --from-session`: what a session has found becomes a regression test."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import write_test

from lve.errors import UsageError

ANSWERS = {"Say hello to Ann.": "Hello Ann", "Say hello to Bob.": "Go away"}
LINES = Path("t/instances/mine.jsonl")


@pytest.fixture
def session(root: Path) -> Path:
    """A session with an answer that passed, one that failed, and an error."""
    script = {"provider": "scripted", "options": {"answers": ANSWERS}}
    (root / "lve.yaml").write_text(json.dumps({"models": {"mine": script}}))
    rows = [{"name": name} for name in ("Ann", "Bob", "Eve")]
    prompt = "Say hello to {name}."
    write_test(root / "t", prompt=prompt, prompt_parameters=["name"], dataset=rows, model="mine")
    call("run", "t")
    return root


def recorded() -> list[tuple[str, str]]:
    lines = map(json.loads, LINES.read_text(encoding="utf-8").splitlines())
    return [(line["args"]["name"], line["response"]) for line in lines]


@pytest.mark.usefixtures("session")
def test_what_failed_is_kept_without_asking_and_fails_again() -> None:
    settings = Path("lve.yaml").read_text().replace("Go away", "Now it says something else")
    Path("lve.yaml").write_text(settings)
    code, out, _ = call("record", "--from-session", "last", "--failed")
    assert (code, out) == (0, "recorded 1 in t/instances/mine.jsonl\n")
    assert recorded() == [("Bob", "Go away")]
    shown = call("run", "t", "-m", "replay")[1]
    assert "0/1 passed, as recorded" in shown
    assert "unbound" not in shown


@pytest.mark.usefixtures("session")
def test_all_answers_with_a_verdict_are_kept_each_once() -> None:
    call("record", "--from-session", "last", "--failed")
    _, out, said = call("record", "t", "--from-session", "last")
    assert out == "recorded 1 in t/instances/mine.jsonl\n"
    assert "1 without a verdict are not recorded" in said
    assert recorded() == [("Bob", "Go away"), ("Ann", "Hello Ann")]
    with pytest.raises(UsageError, match="has no such answers that aren't recorded yet"):
        call("record", "--from-session", "last")


@pytest.mark.usefixtures("session")
def test_model_args_of_the_command_line_are_kept_with_the_row() -> None:
    call("run", "t", "--model-arg", "seed=9", "--temperature", "1")
    call("record", "--from-session", "last", "--failed")
    (line,) = map(json.loads, LINES.read_text(encoding="utf-8").splitlines())
    assert line["args"] == {"name": "Bob", "seed": 9, "temperature": 1.0}
    assert "0/1 passed, as recorded" in call("run", "t", "-m", "replay")[1]
    with pytest.raises(UsageError, match="has no such answers that aren't recorded yet"):
        call("record", "--from-session", "last~1", "--failed")


def test_an_answer_is_stale_once_the_prompt_has_changed(session: Path) -> None:
    call("record", "--from-session", "last", "--failed")
    document = json.loads((session / "t" / "test.json").read_text())
    (session / "t" / "test.json").write_text(json.dumps({**document, "prompt": "Greet {name}."}))
    assert "stale_recording" in call("run", "t", "-m", "replay")[1]


@pytest.mark.usefixtures("session")
def test_a_replay_is_not_recorded_again() -> None:
    call("record", "--from-session", "last", "--failed")
    LINES.rename("t/instances/other.jsonl")
    call("run", "t", "-m", "replay")
    with pytest.raises(UsageError, match="has no such answers"):
        call("record", "--from-session", "last")


@pytest.mark.usefixtures("session")
def test_options_that_ask_a_model_are_refused_beside_it() -> None:
    for option in (("--stale",), ("--accept",), ("-n", "2"), ("--repeats", "2")):
        with pytest.raises(Exception, match="from-session"):
            call("record", "t", "--from-session", "last", *option)
    with pytest.raises(Exception, match="--failed is for --from-session"):
        call("record", "t", "--failed")
