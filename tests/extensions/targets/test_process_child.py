"""The process between lve and a command, called in this process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from lve.extensions.targets.process_child import LINES, ONCE, TAIL_BYTES, _Host


def host(folder: Path, source: str, how: str = ONCE, **fields: Any) -> _Host:
    made = _Host()
    load = {
        "do": "load",
        "command": [sys.executable, "-c", source],
        "folder": str(folder),
        "how": how,
        "greets": False,
        "max_bytes": 100_000,
        **fields,
    }
    answer = made.answer(load)
    assert not answer or answer["output"]
    return made


def ask(made: _Host, text: str = "x") -> dict[str, Any]:
    return made.answer({"do": "ask", "input": text})


def test_large_input_and_output_pass_at_once(tmp_path: Path) -> None:
    source = "import sys\nfor block in iter(lambda: sys.stdin.read(1000), ''): print(len(block))"
    answer = ask(host(tmp_path, source), "y" * 300_000)
    assert answer["output"].split() == ["1000"] * 300
    assert answer["code"] is None


def test_a_command_may_write_before_it_has_read_everything(tmp_path: Path) -> None:
    """Both pipes are full in between: neither side may wait for the other to read first."""
    source = "import sys\nfor block in iter(lambda: sys.stdin.read(1000), ''): print(block, end='')"
    answer = ask(host(tmp_path, source, max_bytes=2_000_000), "y" * 1_000_000)
    assert answer["output"] == "y" * 1_000_000


def test_a_command_that_never_stops_writing_is_ended(tmp_path: Path) -> None:
    answer = ask(host(tmp_path, "while True: print('x' * 50_000)"))
    assert answer["error"] == "wrote more than 100,000 bytes"
    assert answer["code"] != 0


def test_a_command_that_reads_nothing_answers(tmp_path: Path) -> None:
    answer = ask(host(tmp_path, "print('hi')"), "y" * 1_000_000)
    assert answer["output"] == "hi\n"


def test_output_is_bounded_and_stderr_cut(tmp_path: Path) -> None:
    source = "import sys; sys.stderr.write('e' * 50_000 + 'end'); print('x' * 200_000)"
    answer = ask(host(tmp_path, source))
    assert answer["error"] == "wrote more than 100,000 bytes"
    quiet = ask(host(tmp_path, "import sys; sys.stderr.write('e' * 50_000 + 'end')"))
    assert len(quiet["stderr"]) == TAIL_BYTES
    assert quiet["stderr"].endswith("end")
    assert quiet["is_cut"]


@pytest.mark.parametrize("greets", [False, True])
def test_a_command_that_stays_starts_again_after_its_end(tmp_path: Path, greets: bool) -> None:
    source = (
        "import os, sys\n"
        + ("print('ready', flush=True)\n" if greets else "")
        + "for line in sys.stdin:\n"
        "  if line == 'end\\n': sys.exit(3)\n"
        "  print(os.getpid(), line.strip(), flush=True)"
    )
    made = host(tmp_path, source, LINES, greets=greets)
    first, second = ask(made, "a")["output"].split(), ask(made, "b")["output"].split()
    assert (first[0], first[1], second[1]) == (second[0], "a", "b")
    ended = ask(made, "end")
    assert (ended["output"], ended["code"]) == ("", 3)
    again = ask(made, "c")["output"].split()
    assert again[0] != first[0]
    assert again[1] == "c"
    ask(made, "end")


def test_bytes_that_are_no_text_are_an_error(tmp_path: Path) -> None:
    source = "import sys; sys.stdout.buffer.write(b'a\\xff'); print('why', file=sys.stderr)"
    answer = ask(host(tmp_path, source))
    assert "output" not in answer
    assert answer["error"] == "wrote what is no UTF-8: the byte 0xff at 1"
    assert (answer["stderr"], answer["is_cut"]) == ("why\n", False)
