"""`lve record --stale`: a model is asked again for the answers whose prompt has changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import write_test
from support.recorded_answers import CHANGED, TEST, line, record_test, replayed


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
    assert "recorded 1 in t/instances/x.jsonl" in result.output.replace("\\", "/")
    after = line(recorded)
    assert (after["response"], after["args"]) == ("Hello again", before["args"])
    assert after["sent"] != before["sent"]
    assert after["prompt_out"][0]["content"] == "Write to Ann."
    lve("run", "t", "--model", "replay")
    assert "nothing is stale" in lve("record", "t", "--stale").output


def test_exactly_the_stale_rows_are_asked(recorded: Path) -> None:
    """Several answers to the same args are rows of their own; what is unbound stays."""
    stale = {**line(recorded), "author": "Ann", "note": "mine"}
    unbound = {"args": {"name": "Bob"}, "response": "Hi", "passed": True}
    write_test(recorded, **CHANGED, default_model_args={"response": "Hello again"})
    lve("record", "t", "-p", "name=Eve", "--to", "y")
    (fresh,) = lines(recorded, "y")
    rows = [stale, unbound, fresh, stale]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (recorded / "instances" / "x.jsonl").write_text(text)
    result = lve("record", "t", "--stale")
    assert "2/2 passed" in result.output
    first, second, third, fourth = lines(recorded, "x")
    assert (second, third) == (unbound, fresh)
    for renewed in (first, fourth):
        assert (renewed["response"], renewed["author"]) == ("Hello again", "Ann")
        assert renewed["note"] == "mine"
    assert lines(recorded, "y") == [fresh]
    assert replayed(code=1)["summary"]["unbound"] == 1


def test_an_answer_with_an_error_stays_stale(recorded: Path) -> None:
    write_test(recorded, **CHANGED)
    before = line(recorded)
    lve("record", "t", "--stale", "--model", "openai/x", "--base-url", "http://[::1]:9/v1", code=3)
    assert line(recorded) == before


def of_model(row: dict[str, Any], model: str | None, **info: str) -> dict[str, Any]:
    """Return a recorded row whose answer another model gave; None: it names none."""
    named = {} if model is None else {"model": model}
    return {**row, "response": f"by {model}", "run_info": {**named, **info}}


def test_each_answer_is_asked_of_its_own_model(recorded: Path) -> None:
    """With several models, each gives its own answers again, and the others' stay."""
    stale = line(recorded)
    rows = [of_model(stale, name) for name in ("dummy/a", "dummy/b", "dummy/c")]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (recorded / "instances" / "x.jsonl").write_text(text)
    write_test(recorded, **CHANGED)
    result = lve("record", "t", "--stale", "--model", "dummy/a", "--model", "dummy/b", code=3)
    first, second, third = lines(recorded, "x")
    assert [first["run_info"]["model"], second["run_info"]["model"]] == ["dummy/a", "dummy/b"]
    assert {first["response"], second["response"]} == {"Hello world"}
    assert third == rows[2]
    said = "1 stale answer of dummy/c stays as it is: t/instances/x.jsonl:3. "
    assert said + "`lve record t --stale --model dummy/c` asks it again" in result.output
    lve("record", "t", "--stale", "--model", "dummy/c")
    assert "nothing is stale" in lve("record", "t", "--stale").output


@pytest.mark.parametrize(
    ("model", "info"),
    [
        (None, {}),
        (None, {"source": "handwritten"}),
        ("dummy/a", {"source": "handwritten"}),
        ("", {}),
    ],
)
def test_an_answer_that_no_model_gave_is_never_replaced(
    recorded: Path, model: str | None, info: dict[str, str]
) -> None:
    row = of_model(line(recorded), model, **info)
    (recorded / "instances" / "x.jsonl").write_text(json.dumps(row) + "\n")
    write_test(recorded, **CHANGED)
    result = lve("record", "t", "--stale", "--model", "dummy/a", code=3)
    assert line(recorded) == row
    assert (
        "stays as it is: t/instances/x.jsonl:1. Read it: `lve record t --accept` keeps it"
        in result.output
    )
    for code, door in ((2, ("check", "t")), (3, ("run", "t", "--model", "replay"))):
        said = lve(*door, code=code).output
        assert "`lve record t --accept` keeps it" in said, said
        assert "--stale" not in said
    lve("record", "t", "--accept")
    assert "another prompt" not in lve("run", "t", "--model", "replay", code=1).output


def test_what_is_stale_says_which_model_to_ask(recorded: Path) -> None:
    """The test's own models need not be named in the command."""
    rows = [of_model(line(recorded), name) for name in ("a/b c", "dummy/a")]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (recorded / "instances" / "x.jsonl").write_text(text)
    write_test(recorded, **CHANGED, model="dummy/a")
    said = lve("check", "t", code=2).output
    assert "`lve record t --stale --model 'a/b c'` asks again" in said
    assert "`lve record t --stale` asks again" in said


@pytest.mark.parametrize("other", [["--accept"], ["--to", "z"], ["--loop"], ["-n", "3"]])
def test_what_does_not_go_together_is_refused(recorded: Path, other: list[str]) -> None:
    lve("record", "t", "--stale", *other, code=2)


def test_an_unchanged_test_asks_nobody(recorded: Path) -> None:
    write_test(recorded, **TEST, description="Another description.")
    result = lve("record", "t", "--stale", "--model", "openai/x")
    assert "nothing is stale" in result.output
