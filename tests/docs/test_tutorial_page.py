"""docs/tutorial.md: who follows it sees what it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.forked import python
from support.server import ModelServer, Reply, model_server
from support.terminal import Terminal

PAGE = (Path(__file__).parents[2] / "docs/tutorial.md").read_text("utf-8")
BLOCK = re.compile(r"```(console|text lve [^\n]*)\n(.*?)```", re.DOTALL)
VARYING = re.compile(r"\d+\.\d s$|\d{8}-\d{6}-\d{3}-\w{4}", re.MULTILINE)
WIZARD = (
    *("Category (", "Name of the test", "What does the test show", "Prompt"),
    *("Check (", "contains:", "Another argument", "How many rows", "Tags", "A value of"),
    "An answer that must",
)
RECORDER = ("name:", "Save it?")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with model_server(Reply("Nice to meet you, Ben!")) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield running


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console, and what it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def run(command: str, cwd: Path) -> str:
    shell = f'lve() {{ {shlex.join(python())} -m lve "$@"; }}; {command}'
    done = subprocess.run(
        ["bash", "-c", shell], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), command
    return done.stdout


def typed(block: str, questions: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the questions on a screen, and what is typed at each."""
    for line in block.splitlines():
        question = next((known for known in questions if line.startswith(known)), None)
        if question is not None and not line.startswith("contains: a text"):
            shown, _, answer = line.rpartition(": ")
            yield shown + ": ", answer


def test_who_follows_it_sees_what_it_shows(tmp_path: Path, server: ModelServer) -> None:
    here, screens = tmp_path, list[str]()
    for kind, block in BLOCK.findall(PAGE):
        if kind != "console":
            screens.append(kind)
            continue
        here = _follow(block, here)
        if "$ cd " in block:
            _follow_wizard(here)
    assert screens == ["text lve new", "text lve new", "text " + RECORD]
    terminal = Terminal(*RECORD.split()[1:], cwd=here)
    [block] = [block for kind, block in BLOCK.findall(PAGE) if kind == f"text {RECORD}"]
    for question, answer in typed(block, RECORDER):
        terminal.answer(question, answer)
    terminal.wait_for("name [Ben]:")
    terminal.interrupt()
    for line in block.splitlines():
        assert line in terminal.lines
    assert "6 rows: 6 passed" in run(f"lve run {REPLAYED} --model replay", here)


RECORD = "lve record greeting --loop"
REPLAYED = "capitals greeting sorting"


def _follow(block: str, here: Path) -> Path:
    """Run the commands of a console, and return where one stands then."""
    for command, printed in commands(block):
        if command.startswith("cd "):
            here /= command.removeprefix("cd ")
        else:
            shown = VARYING.sub("~", run(command, here))
            assert shown == VARYING.sub("~", printed), command
    return here


def _follow_wizard(here: Path) -> None:
    blocks = [block for kind, block in BLOCK.findall(PAGE) if kind == "text lve new"]
    terminal = Terminal("new", cwd=here)
    for block in blocks:
        for question, answer in typed(block, WIZARD):
            terminal.answer(question, answer)
    assert terminal.end() == 0, terminal.shown
    for line in "".join(blocks).splitlines():
        assert line.rstrip() in [shown.rstrip() for shown in terminal.lines], line
