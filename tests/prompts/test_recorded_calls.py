"""A mock counts for a recorded answer only as far as the recorded conversation has its results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from prompts.recorded_prompts import change, hashes
from support.command_line import lve
from support.folders import write_test

CALL = {"id": "c", "name": "weather", "arguments": '{"city": "Oslo"}'}
TOOL = {"name": "weather", "description": "Tells it.", "parameters": {"type": "object"}}
OTHER = {**TOOL, "name": "news"}
MOCKS: dict[str, Any] = {
    "weather": [
        {"args": {"city": "Oslo"}, "result": "sunny, {name}", "times": 1},
        {"args": {"city": "Oslo"}, "result": {"celsius": 3}},
        {"error": "no such city"},
    ],
    "news": [{"result": "none"}],
}
TOOLS: dict[str, Any] = {"tools": [TOOL, OTHER], "mocks": MOCKS}
ENDS = {"text": "Fine."}


def turn(*results: str, call: dict[str, Any] = CALL) -> dict[str, Any]:
    """Return a turn with calls, and their results."""
    return {"text": "", "tool_calls": [call] * max(len(results), 1), "results": list(results)}


FIRST, SECOND = "sunny, Ann", '{"celsius": 3}'


def changed(
    folder: Path, turns: list[dict[str, Any]], now: dict[str, Any], **recorded: Any
) -> str | None:
    """Return what has changed since a conversation was recorded."""
    sent = hashes(folder / "before", **TOOLS)
    row = {"sent": [*sent], "turns": turns, "response": "Fine.", **recorded}
    what: str | None = change(folder / "now", row, **{**TOOLS, **now})
    return what


def mocks(**weather: Any) -> dict[str, Any]:
    """Return mocks whose first one for the weather has other keys."""
    first, *others = MOCKS["weather"]
    return {"mocks": {**MOCKS, "weather": [{**first, **weather}, *others]}}


@pytest.mark.parametrize(
    ("turns", "now", "expected"),
    [
        ([turn(FIRST), turn(SECOND), ENDS], {}, None),
        ([turn(FIRST, SECOND), ENDS], {}, None),
        ([turn('{"b":1,"a":[]}'), ENDS], mocks(result={"a": [], "b": 1}), None),
        ([turn('{"a": [2, 1]}'), ENDS], mocks(result={"a": [1, 2]}),
         "the result of the tool 'weather': {\"a\": [[-2-]{+1+}, [-1-]{+2+}..."),
        ([turn("7 "), ENDS], mocks(result="seven"),
         "the result of the tool 'weather': [-7 -]{+seven+}"),
        ([ENDS], mocks(result="rainy"), None),
        ([], mocks(result="rainy"), None),
        ([turn(FIRST), ENDS], {"mocks": {**MOCKS, "news": [{"result": "some"}]}}, None),
        ([turn(FIRST), ENDS], {"mocks": {"weather": MOCKS["weather"][:1]}}, None),
        ([turn(FIRST), ENDS], mocks(delay_s=1), None),
        ([turn(FIRST), ENDS], mocks(result="rainy, {name}"),
         "the result of the tool 'weather': [-sunny-]{+rainy+}, Ann"),
        ([turn(FIRST), ENDS], mocks(times=2), None),
        ([turn(FIRST), turn(SECOND), ENDS], mocks(times=2),
         "the result of the tool 'weather': [-{\"celsius\": 3}-]{+sunny, Ann+}"),
        ([turn(FIRST), ENDS], mocks(args={"city": "Bergen"}),
         "the result of the tool 'weather': [-sunny, Ann-]{+{\"celsius\": 3}+}"),
        ([turn(FIRST), ENDS], {"mocks": None},
         "calls of the tool 'weather' were answered, and aren't now"),
        ([turn()], {}, "calls of the tool 'weather' weren't answered, and are now"),
        ([turn()], {"mocks": None}, None),
        ([turn(FIRST), turn()], {"max_tool_turns": 1}, None),
        ([turn("Error: no more calls are answered"), ENDS], {}, None),
    ],
)  # fmt: skip
def test_only_results_of_recorded_calls_count(
    tmp_path: Path, turns: list[dict[str, Any]], now: dict[str, Any], expected: str | None
) -> None:
    assert changed(tmp_path, turns, now) == expected


def test_what_was_redacted_is_not_compared(tmp_path: Path) -> None:
    info = {"run_info": {"redacted": {"judged_by": "x"}}}
    assert changed(tmp_path, [turn("[redacted]"), ENDS], {}, **info) is None
    assert changed(tmp_path / "b", [turn("[redacted]"), ENDS], {}) is not None


def test_an_answer_bound_by_its_messages_counts_its_results_too(tmp_path: Path) -> None:
    prompt = [{"role": "system", "content": "Be brief."}]
    row = {"prompt_out": [*prompt, {"role": "assistant", "content": "Fine."}], "response": "Fine."}
    for turns, is_stale in (([turn(FIRST), ENDS], False), ([turn("foggy"), ENDS], True)):
        what = change(tmp_path / str(is_stale), {**row, "turns": turns}, **TOOLS, prompt=prompt)
        assert (what is not None) == is_stale


def test_accepted_results_are_bound_and_the_conversation_stays(root: Path) -> None:
    checker = {"checker_name": "RegexChecker", "pattern": "Fine", "match_safe": True}
    document: dict[str, Any] = {
        **TOOLS,
        "prompt": [{"content": "Hi {name}"}],
        "prompt_parameters": ["name"],
        "checker_args": checker,
    }
    row: dict[str, Any] = {
        "args": {"name": "Ann"},
        "response": "Fine.",
        "passed": True,
        "turns": [turn(FIRST), ENDS],
    }
    folder = write_test(root / "t", instances=[row], **document)
    lve("record", "t", "--accept")
    assert "results=" not in (folder / "instances" / "main.jsonl").read_text()
    write_test(folder, **{**document, **mocks(result="rainy, {name}")})
    assert "[-sunny-]{+rainy+}, Ann" in lve("check", "t", code=2).output
    lve("record", "t", "--accept")
    bound = json.loads((folder / "instances" / "main.jsonl").read_text())
    assert bound["turns"] == row["turns"]
    lve("run", "t", "--model", "replay")
    assert "nothing to accept" in lve("record", "t", "--accept").output
    write_test(folder, **{**document, **mocks(result="foggy, {name}")})
    assert "[-sunny-]{+foggy+}, Ann" in lve("check", "t", code=2).output
    write_test(folder, **document)
    assert "another prompt" not in lve("check", "t").output
