"""`lve record` as a person uses it: on a real terminal of 80 columns, with a real server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import write_test
from support.forked import python
from support.server import ModelServer, Received, Reply, model_server
from support.terminal import Terminal

HELLO: dict[str, Any] = {
    "model": "openai/test",
    "prompt": [{"content": "Say hello to {name}."}],
    "prompt_parameters": ["name"],
}
SAVE = "Save it? y(es), n(o), a(gain), q(uit) [y]:"
NAMES = [{"args": {"name": name}} for name in "abcde"]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server("Hello, my friend!") as running:
        yield running


def record(root: Path, server: ModelServer, *words: str) -> Terminal:
    return Terminal("record", "t", "--base-url", server.url, *words, cwd=root)


def lines(root: Path) -> list[dict[str, Any]]:
    file = root / "t" / "instances" / "openai--test.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_it_asks_shows_and_keeps(root: Path, server: ModelServer) -> None:
    write_test(root / "t", **HELLO)
    terminal = record(root, server, "--author", "me")
    terminal.answer("name:", "Ana")
    shown = terminal.answer(SAVE, "")
    assert "Hello, my friend!" in shown
    assert shown.count("my friend") == 1, "it isn't shown again at the end"
    assert "passed: " in shown
    assert terminal.end() == 0, terminal.shown
    assert all(len(line) <= 80 for line in terminal.lines), terminal.shown
    [recorded] = lines(root)
    assert recorded["args"] == {"name": "Ana"}
    assert (recorded["response"], recorded["passed"]) == ("Hello, my friend!", True)
    assert (recorded["author"], recorded["run_info"]["source"]) == ("me", "model")
    assert server.requests[0].json["stream"] is True
    assert "1 of 1 the same" in lve("run", "t", "--model", "replay").stdout


def test_an_answer_arrives_on_the_screen_in_pieces(root: Path) -> None:
    write_test(root / "t", **HELLO)
    with model_server("Hello " + "word " * 20, token_latency_s=0.1) as slow:
        terminal = record(root, slow, "-p", "name=Ana")
        terminal.wait_for("Hello")
        assert slow.stats()["in_flight"] == 1, "the answer isn't over"
        terminal.answer(SAVE, "n")
        assert terminal.end() == 0
    assert lines(root) == []
    assert "nothing was recorded" in terminal.shown


def test_no_again_and_quit(root: Path, server: ModelServer) -> None:
    write_test(root / "t", **HELLO, instances=NAMES)
    terminal = record(root, server)
    for answer in ("n", "a", "again", "yes", "what?", "q"):
        terminal.answer("y(es), n(o), a(gain), q(uit) [y]:", answer)
    assert terminal.end() == 0, terminal.shown
    assert [one["args"]["name"] for one in lines(root)] == ["b"]
    assert len(server.requests) == 5, "a, three times b, c: `again` asks the model again"
    assert "answer with one of y, n, a, q" in terminal.shown
    assert "recorded 1 in t/instances/openai--test.jsonl" in terminal.shown


def test_several_answers_at_a_time_are_shown_whole(root: Path) -> None:
    runs = [{"prompt": [{"content": f"{word} {{name}}"}]} for word in ("One", "Two")]
    checker = {"checker_name": "MultiRunLambdaChecker", "func": "lambda rs: True"}
    fields = {**HELLO, "prompt": None, "multi_run_prompt": runs, "checker_args": checker}
    write_test(root / "t", **fields)

    def echo(request: Received) -> str:
        return f"{request.prompt} is the answer"

    with model_server(echo, token_latency_s=0.02) as server:
        terminal = record(root, server, "-p", "name=Ana")
        shown = terminal.answer(SAVE, "y")
        assert terminal.end() == 0, terminal.shown
    assert "One Ana is the answer\r\nTwo Ana is the answer\r\n" in shown
    assert lines(root)[0]["response"] == ["One Ana is the answer", "Two Ana is the answer"]


def test_two_turns_are_shown_one_after_the_other(root: Path, server: ModelServer) -> None:
    prompt = [
        *({"content": "Hi"}, {"role": "assistant", "variable": "first"}),
        *({"content": "And {name}?"}, {"role": "assistant", "variable": "second"}),
    ]
    write_test(root / "t", **{**HELLO, "prompt": prompt})
    terminal = record(root, server, "-p", "name=Ana")
    shown = terminal.answer(SAVE, "y")
    assert terminal.end() == 0, terminal.shown
    assert shown.count("Hello, my friend!\r\n") == 2
    assert lines(root)[0]["response"].keys() == {"first", "second"}


def test_loop_asks_until_one_leaves_and_loses_nothing(root: Path, server: ModelServer) -> None:
    write_test(root / "t", **HELLO)
    terminal = record(root, server, "--loop")
    terminal.answer("name:", "Ana")
    terminal.answer(SAVE, "y")
    terminal.answer("name [Ana]:", "Bob")
    terminal.answer(SAVE, "y")
    terminal.wait_for("name [Bob]:")
    assert [one["args"]["name"] for one in lines(root)] == ["Ana", "Bob"], "each is kept at once"
    assert terminal.interrupt() == 130
    assert "recorded 2 in" in terminal.shown
    assert "Traceback" not in terminal.shown


def test_a_number_ends_a_loop(root: Path, server: ModelServer) -> None:
    write_test(root / "t", **HELLO)
    terminal = record(root, server, "-p", "name=Ana", "-n", "2")
    for answer in ("y", "n", "y"):
        terminal.answer(SAVE, answer)
    assert terminal.end() == 0, terminal.shown
    assert len(lines(root)) == 2
    assert len(server.requests) == 3


def test_interrupted_and_killed_while_the_model_answers(root: Path) -> None:
    write_test(root / "t", **HELLO)
    with model_server(["Hello", Reply("Hello", delay_s=60)]) as server:
        for stop in ("ctrl-c", "kill"):
            terminal = record(root, server, "--loop")
            terminal.answer("name:", "Ana")
            terminal.answer(SAVE, "y") if stop == "ctrl-c" else None
            terminal.answer("name [Ana]:", "Bob") if stop == "ctrl-c" else None
            terminal.wait_for("name = ")
            if stop == "ctrl-c":
                assert terminal.interrupt() == 130
                assert "recorded 1 in" in terminal.shown
            else:
                os.kill(terminal.child.pid, signal.SIGKILL)
                terminal.end()
            assert "Traceback" not in terminal.shown
            assert [one["args"] for one in lines(root)] == [{"name": "Ana"}]


def test_a_missing_key_is_told_before_anything_is_asked(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    write_test(root / "t", **HELLO)
    terminal = Terminal("record", "t", cwd=root)
    assert terminal.end() == 2
    assert "OPENAI_API_KEY" in terminal.shown
    assert "name:" not in terminal.shown


def test_an_error_can_be_tried_again(root: Path) -> None:
    write_test(root / "t", **HELLO)
    with model_server("Hello", faults=iter(["400"])) as server:
        terminal = record(root, server, "-p", "name=Ana")
        terminal.answer("Try it again? a(gain), n(o), q(uit) [n]:", "a")
        terminal.answer(SAVE, "y")
        terminal.end()
    assert "error: " in terminal.shown
    assert len(lines(root)) == 1


def test_a_wrong_number_is_asked_again(root: Path, server: ModelServer) -> None:
    write_test(root / "t", **HELLO, prompt_parameters_validator=["int"])
    terminal = record(root, server)
    terminal.answer("name:", "many")
    terminal.wait_for("must be int, not 'many'")
    terminal.answer("name:", "7")
    terminal.answer(SAVE, "y")
    assert terminal.end() == 0
    assert lines(root)[0]["args"] == {"name": 7}


def test_hostile_answers_and_secrets(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-12345")
    write_test(root / "t", **HELLO)
    text = "Hello \x1b]0;owned\x07 sk-very-secret-12345 \x1b[2J"
    reply = Reply(text, chunks=[text[start : start + 3] for start in range(0, len(text), 3)])
    with model_server(reply) as server:
        terminal = record(root, server, "-p", "name=\x1b[31mAna")
        terminal.answer(SAVE, "y")
        terminal.end()
    assert "\x1b]0" not in terminal.shown
    assert "\x1b[2J" not in terminal.shown
    assert "\\x1b]0;owned" in terminal.shown
    assert "very-secret" not in terminal.shown
    assert "very-secret" not in (root / "t/instances/openai--test.jsonl").read_text()


def test_yes_asks_nothing(root: Path, server: ModelServer) -> None:
    write_test(root / "t", **HELLO, instances=NAMES[:2])
    terminal = record(root, server, "--yes")
    assert terminal.end() == 0, terminal.shown
    assert len(lines(root)) == 2
    assert "Save it?" not in terminal.shown


def test_several_recorders_lose_no_line(root: Path, server: ModelServer) -> None:
    write_test(root / "t", **HELLO)
    command = [*python(), "-m", "lve", "record", "t", "--base-url", server.url, "-n", "40"]
    names = ("Ana", "Bob", "Eve")
    running = [
        subprocess.Popen([*command, "-p", f"name={name}"], cwd=root, stdout=subprocess.DEVNULL)
        for name in names
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    found = [one["args"]["name"] for one in lines(root)]
    assert {name: found.count(name) for name in names} == dict.fromkeys(names, 40)
