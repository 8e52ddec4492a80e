"""`lve record --stale`: a model is asked again for the answers whose prompt has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import write_test
from support.recorded_answers import CHANGED, TEST, line, record_test, replayed

from lve.errors import UsageError


@pytest.fixture
def recorded(root: Path) -> Path:
    return record_test(root)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    text = (folder / "instances" / f"{name}.jsonl").read_text()
    return [json.loads(one) for one in text.splitlines()]


def test_the_new_answer_takes_the_place_of_the_stale_one(recorded: Path) -> None:
    before = line(recorded)
    write_test(recorded, **CHANGED, default_model_args={"response": "Hello again"})
    result = lve("record", "t", "--stale")
    assert result.exit_code == 0, result.output
    assert "recorded 1 in t/instances/x.jsonl" in result.output.replace("\\", "/")
    after = line(recorded)
    assert (after["response"], after["args"]) == ("Hello again", before["args"])
    assert after["sent"] != before["sent"]
    assert after["prompt_out"][0]["content"] == "Write to Ann."
    assert lve("run", "t", "--model", "replay").exit_code == 0
    assert "nothing is stale" in lve("record", "t", "--stale").output


def test_exactly_the_stale_rows_are_asked(recorded: Path) -> None:
    """Several answers to the same args are rows of their own; what is unbound stays."""
    stale = {**line(recorded), "author": "Ann", "note": "mine"}
    unbound = {"args": {"name": "Bob"}, "response": "Hi", "passed": True}
    write_test(recorded, **CHANGED, default_model_args={"response": "Hello again"})
    assert lve("record", "t", "-p", "name=Eve", "--to", "y").exit_code == 0
    (fresh,) = lines(recorded, "y")
    rows = [stale, unbound, fresh, stale]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (recorded / "instances" / "x.jsonl").write_text(text)
    result = lve("record", "t", "--stale")
    assert result.exit_code == 0, result.output
    assert "2/2 passed" in result.output
    first, second, third, fourth = lines(recorded, "x")
    assert (second, third) == (unbound, fresh)
    for renewed in (first, fourth):
        assert (renewed["response"], renewed["author"]) == ("Hello again", "Ann")
        assert renewed["note"] == "mine"
    assert lines(recorded, "y") == [fresh]
    assert replayed()["summary"]["unbound"] == 1


def test_an_answer_with_an_error_stays_stale(recorded: Path) -> None:
    write_test(recorded, **CHANGED)
    before = line(recorded)
    result = lve("record", "t", "--stale", "--model", "openai/x", "--base-url", "http://[::1]:9/v1")
    assert result.exit_code == 3, result.output
    assert line(recorded) == before


def test_a_stale_answer_of_two_models_is_refused(recorded: Path) -> None:
    write_test(recorded, **CHANGED)
    with pytest.raises(UsageError, match="choose one with --model"):
        call("record", "t", "--stale", "--model", "dummy/a", "--model", "dummy/b")


@pytest.mark.parametrize("other", [["--accept"], ["--to", "z"], ["--loop"], ["-n", "3"]])
def test_what_does_not_go_together_is_refused(recorded: Path, other: list[str]) -> None:
    assert lve("record", "t", "--stale", *other).exit_code == 2


def test_an_unchanged_test_asks_nobody(recorded: Path) -> None:
    write_test(recorded, **TEST, description="Another description.")
    result = lve("record", "t", "--stale", "--model", "openai/x")
    assert result.exit_code == 0
    assert "nothing is stale" in result.output
