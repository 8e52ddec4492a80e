"""Runs a program of another tool in the sandbox, and reads its lines as what they may be: hostile.

Each line of the program begins with a nonce that only it gets. What else runs beside it can still
write any line, so all of them are data, bounded in number, size, depth and time.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from lve.child.answers import AnswerLimits, BoundedLines, UnreadableAnswerError, parse_answer
from lve.child.child_process import Child, ChildEndedError
from lve.data_classes import dataclass
from lve.errors import UsageError
from lve.extensions.importing.boxes import environment
from lve.extensions.importing.boxes.environment import Tool
from lve.json_types import JsonObject
from lve.sandbox.rights import Sandbox

CHILD = "lve.extensions.importing.boxes.box_child"
MEMORY_BYTES = 6_000_000_000
MAX_BYTES = 400_000_000
"""Of all lines."""
LINE = AnswerLimits(4_000_000, values=50_000)
BLOCK = AnswerLimits(16_000_000)
START_S = 60.0


class BoxError(Exception):
    """The program has ended too early, or its lines can't be used. The message says why, and
    follows its name."""


@dataclass(frozen=True, slots=True)
class BoxOptions:
    """What the user allows a tool."""

    network: bool = False
    """Whether it may use the network."""
    limit: int | None = None
    """The most rows of a task; None: all."""
    timeout_s: float = 600.0
    """Seconds for everything."""
    loads: bool = False
    """Whether the tool's own code loads the rows of tests that are read as data."""
    prove: bool = False
    """Whether what is imported is compared with the tool."""


def run_in_box(
    tool: Tool,
    program: Path,
    request: Mapping[str, object],
    options: BoxOptions,
    *,
    folder: Path | None = None,
) -> Iterator[JsonObject]:
    """Yield the lines of a program of a tool.

    Args:
        tool: the tool, which is set up.
        program: a file of Python, or of JavaScript, which node runs.
        request: what it gets on stdin, with a `nonce`.
        options: what the user allows.
        folder: the folder that it may read, in which it is started; None: none.

    Raises:
        UsageError: the tool isn't set up, or there is no process.
        BoxError: the program has ended too early, or its lines can't be used.
    """
    tool.check()
    nonce = secrets.token_hex(16)
    deadline = time.monotonic() + options.timeout_s
    is_python = program.suffix == ".py"
    node = [] if is_python else [environment.program("node")]
    reads = (str(tool.folder), str(program.parent), *node, *([str(folder)] if folder else ()))
    sandbox = Sandbox(read=reads, network=options.network)
    try:
        child = Child(CHILD, shortest_s=1.0, sandbox=sandbox, memory_bytes=MEMORY_BYTES)
    except OSError as error:
        raise UsageError(f"no process can be started: {error}", code="importer") from None
    try:
        start = {
            "command": [*(node or [str(tool.python), "-I", "-B"]), str(program)],
            "folder": None if folder is None else str(folder),
            "variables": _variables(options),
            "input": {**request, "nonce": nonce},
        }
        answer = child.ask(start, timeout_s=START_S)
        if "failed" in answer:
            raise BoxError(f"can't be started: {answer['failed']}")
        yield from _lines(child, nonce, deadline)
    except (ChildEndedError, UnreadableAnswerError) as error:
        raise BoxError(str(error)) from None
    finally:
        child.end()


def _variables(options: BoxOptions) -> dict[str, str]:
    offline = "0" if options.network else "1"
    return {
        "HF_HOME": "$HOME/huggingface",
        "HF_DATASETS_OFFLINE": offline,
        "HF_HUB_OFFLINE": offline,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PYTHONHASHSEED": "0",
    }


def _lines(child: Child, nonce: str, deadline: float) -> Iterator[JsonObject]:
    lines = BoundedLines(LINE.max_bytes)
    size = 0
    while True:
        left = deadline - time.monotonic()
        answer = child.ask({"next": True}, timeout_s=max(1.0, left), limits=BLOCK)
        if answer.get("code") is not None:
            lines.end()
            if answer["code"] != 0:
                raise BoxError(f"ended with exit code {answer['code']}")
            return
        block = str(answer.get("text", "")).encode("utf-8", "replace")
        size += len(block)
        if size > MAX_BYTES:
            raise BoxError(f"wrote more than {MAX_BYTES // 1_000_000} MB")
        for line in lines.feed(block):
            yield parse_answer(_own(line, nonce), LINE)


def _own(line: bytes, nonce: str) -> bytes:
    """Return a line without its nonce.

    Raises:
        BoxError: it has none: it isn't the program's.
    """
    beginning = f"{nonce} ".encode()
    if not line.startswith(beginning):
        raise BoxError("wrote a line that isn't its own: something else uses its pipe")
    return line.removeprefix(beginning)
