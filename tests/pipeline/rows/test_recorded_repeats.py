"""Fewer recorded answers than a test has repeats: every door says how many there are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test

TEST: dict[str, Any] = {
    "prompt": [{"content": "Say hello to {name}."}],
    "prompt_parameters": ["name"],
    "repeats": 3,
}


def write(folder: Path, answers: Sequence[tuple[str, str | None]], **more: Any) -> None:
    """Write a test with recorded answers: the name that each is for, and the model."""
    rows = [
        {
            "args": {"name": name},
            "response": "Hello",
            "passed": True,
            "run_info": {"model": model} if model else {"source": "handwritten"},
        }
        for name, model in answers
    ]
    write_test(folder, **{**TEST, **more}, instances=rows)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([("Ann", "a")] * 3 + [("Bob", "a")] * 3, None),
        ([("Ann", "a")] * 3 + [("Bob", "a")] * 2, "5 of 6 repeats are recorded: 1 of 2 rows has"),
        ([("Ann", "a")] + [("Bob", "a")] * 2, "3 of 6 repeats are recorded: 2 of 2 rows have"),
        ([("Ann", "a")] * 2 + [("Ann", "b")] * 2, "2 of 3 repeats are recorded: 1 of 1 row has"),
        ([("Ann", "a")] * 3 + [("Ann", None)], None),
        ([("Ann", "a")] * 9 + [("Bob", "a")], "4 of 6 repeats are recorded: 1 of 2 rows has"),
    ],
)
def test_a_replay_says_how_many_there_are(
    root: Path, answers: list[tuple[str, str | None]], said: str | None
) -> None:
    write(root / "t", answers)
    doors = (
        ("run", "t", "--model", "replay"),
        ("check", "--replay", "t"),
        ("check", "t", "--recorded"),
    )
    for door in doors:
        code, out, err = call(*door)
        assert said is None or said in out + err
        assert ("repeats are recorded" in out + err) == (said is not None)
        assert code == (2 if said is not None and "--recorded" in door else 0)


@pytest.mark.parametrize("options", [("--repeats", "1"), ("--limit", "1")])
def test_only_other_repeats_on_the_command_line_are_no_news(
    root: Path, options: tuple[str, str]
) -> None:
    """The test asks for them, whatever part of its rows is replayed."""
    write(root / "t", [("Ann", "a")] * 2)
    output = lve("run", "t", "--model", "replay", *options).output
    assert ("2 of 3 repeats are recorded" in output) == ("--limit" in options)


def test_it_is_said_once_and_only_of_replays(root: Path) -> None:
    write(root / "t", [("Ann", "a")] * 2)
    write(root / "u", [("Ann", "a")], repeats=1)
    output = lve("run", ".", "--model", "replay").output
    assert output.count("repeats are recorded") == 1
    assert "t/test.json: warning: 2 of 3" in output.replace("\\", "/")
    assert "repeats are recorded" not in lve("run", ".", "--no-cache").output


def test_reports_are_without_it(root: Path) -> None:
    """A warning goes to the error output, so that JSON stays JSON."""
    write(root / "t", [("Ann", "a")] * 2)
    assert json.loads(lve("run", "t", "--model", "replay", "--json").stdout)


def test_each_answer_is_read_once_whatever_the_options_say(root: Path) -> None:
    rate = {"pass_rate": ">=0.9", "max_repeats": 60}
    write(
        root / "t",
        [("Ann", "a")] * 6,
        repeats=1,
        expect=rate,
        default_model_args={"temperature": 1},
    )
    for options in ((), ("--repeats", "10")):
        ran = lve("run", "t", "--model", "replay", *options, code=4)
        assert "pass rate 6/6 = 1 (at least 0.490" in ran.output
        assert ("6 of 10 repeats are recorded" in ran.output) == bool(options)


def test_rows_with_equal_args_count_each_as_in_the_run(root: Path) -> None:
    answers = {"Greet Ann.": "Hello!", "default": "Bye!"}
    model = {"provider": "scripted", "options": {"answers": answers}}
    workspace(root, json.dumps({"models": {"s": model}, "model": "s"}))
    rows = [{"name": "Ann"}, {"name": "Bob"}, {"name": "Bob"}]
    document = {
        **TEST,
        "model": None,
        "prompt": [{"content": "Greet {name}."}],
        "repeats": 2,
        "checker_args": None,
        "check": {"contains": "Hello"},
    }
    expects = {"expect": {"at_least": 0.5}, "default_model_args": {"temperature": 1}}
    write_test(root / "t", **document, **expects, dataset=rows)
    doors = (("record", "t", "-y"), ("run", "t", "--model", "replay"), ("run", "t"))
    for door in doors:
        ran = lve(*door, code=int(door[0] != "record"))
        assert "2 of 6 passed (33.3%), expected at least 50%" in ran.output, ran.output
    assert call("check", "t", "--recorded")[0] == 0
    file = root / "t" / "instances" / "s.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:4]))
    ran = lve("run", "t", "--model", "replay", code=4)
    assert "1 row has no recorded answer, which could change that" in ran.output
    assert ran.exit_code == 4
    assert call("check", "t", "--recorded")[0] == 2


@pytest.mark.parametrize("parameters", [["name"], None])
def test_rows_recorded_with_a_model_arg_of_the_command_line_are_recorded(
    root: Path, parameters: list[str] | None
) -> None:
    model = {"provider": "scripted", "options": {"answers": {"default": "Hello"}}}
    workspace(root, json.dumps({"models": {"s": model}, "model": "s"}))
    rows = [{"name": "Ann"}, {"name": "Bob"}]
    document = {**TEST, "model": None, "repeats": 1, "prompt_parameters": parameters}
    write_test(root / "t", **document, dataset=rows)
    record = ("record", "t", "-y", "--temperature", "1")
    replay = ("run", "t", "--model", "replay")
    for door, said in (
        (record, "recorded 2"),
        (replay, "2 rows: 2 passed"),
        (("run", "t"), "2 rows: 2 passed"),
        (("run", "t", "--dry-run"), "2 calls"),
    ):
        ran = lve(*door)
        assert said in ran.output
    assert call("check", "t", "--recorded")[0] == 0
    assert "t  2" in lve("list").output
    assert "recorded 2" in lve("record", "t", "-y").output, "they are asked with their temperature"
    lines = (root / "t" / "instances" / "s.jsonl").read_text().splitlines()
    assert [json.loads(line)["args"] for line in lines] == [
        {**row, "temperature": 1} for row in rows
    ] * 2
