"""What the tutorial takes: commands, answers and keystrokes, and seconds of its commands.

    python benchmarks/tutorial.py                 the page as it is, and timed
    python benchmarks/tutorial.py REVISION ...    beside the page at revisions of git

Counted is what a reader types, each line with its Enter: commands after `$`, and the answers to the
questions of `lve new` and `lve record`. Timed are the commands, one by one, in a
new folder.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = "docs/tutorial.md"
BLOCK = re.compile(r"```(console|text lve [^\n]*)\n(.*?)```", re.DOTALL)
ASKS = (
    *(
        "Category (",
        "Name of the test",
        "What does the test show",
        "Prompt:",
        "Check (",
        "contains:",
    ),
    *("Another argument", "How many rows", "What is expected", "Expectation", "Tags", "A value of"),
    *("An answer that must", "name:", "Save it?"),
)
"""How questions begin, on this page and on earlier ones."""


def page_at(revision: str | None) -> str:
    """Return the page, as it is or as it was."""
    if revision is None:
        return (ROOT / PAGE).read_text(encoding="utf-8")
    shown = subprocess.run(
        ["git", "show", f"{revision}:{PAGE}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return shown.stdout


def commands_in(page: str) -> list[str]:
    """Return the commands that a reader types, also those that ask questions."""
    found = []
    for kind, block in BLOCK.findall(page):
        if kind == "console":
            found += re.findall(r"^\$ (.*)", block, re.MULTILINE)
        elif (command := kind.removeprefix("text ")) not in found:
            found.append(command)
    return found


def answers_in(page: str) -> Iterator[str]:
    """Yield the answers that a reader types."""
    for kind, block in BLOCK.findall(page):
        if kind == "console":
            continue
        for line in block.splitlines():
            if line.startswith(ASKS) and not line.startswith("contains: a text"):
                yield line.rpartition(": ")[2]


def keystrokes(lines: list[str]) -> int:
    """Return the keys for these lines, each with its Enter."""
    return sum(len(line) + 1 for line in lines)


def seconds_of(commands: list[str]) -> float:
    """Return the seconds that the commands take which ask nothing."""
    asking = ("lve new", "lve record greeting --loop")
    with tempfile.TemporaryDirectory() as folder:
        place, lve = Path(folder), f"{sys.executable} -m lve"
        began = time.monotonic()
        for command in commands:
            if command.startswith("cd "):
                place /= command.removeprefix("cd ")
            elif command not in asking:
                whole = re.sub(r"^lve\b", lve, command)
                done = subprocess.run(
                    whole, shell=True, cwd=place, capture_output=True, check=False
                )
                assert done.returncode == 0, (command, done.stderr)
        return time.monotonic() - began


def main(revisions: list[str]) -> None:
    """Print a table with a line per revision."""
    print("| page | commands | answers | keystrokes |\n|---|---|---|---|")
    for revision in (*revisions, None):
        page = page_at(revision)
        commands, answers = commands_in(page), [*answers_in(page)]
        typed = keystrokes([*commands, *answers])
        print(f"| {revision or 'now'} | {len(commands)} | {len(answers)} | {typed} |")
    commands = commands_in(page_at(None))
    print(f"\nits commands that ask nothing take {seconds_of(commands):.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
