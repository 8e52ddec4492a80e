"""The process in the sandbox that starts another tool's program, and hands on its lines.

The program gets a pipe of its own for its lines. What it prints goes to stderr.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from lve.child.child_side import serve
from lve.json_types import JsonObject, JsonValue

BLOCK_BYTES = 1_000_000
"""What is handed on at once."""


def main(lifeline: int) -> None:
    """Answer requests: the first one starts the program, each further one reads of its lines."""
    program = _Program()
    serve(lifeline, program.answer)


class _Program:
    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe = -1

    def answer(self, request: JsonObject) -> dict[str, JsonValue]:
        """Return `{}` for the request that starts the program, else `{text, code}`: of its lines,
        and how it has ended, if it has and all of its lines are read."""
        if self._process is None:
            try:
                self._start(request)
            except OSError as error:
                return {"failed": str(error)}
            return {}
        block = os.read(self._pipe, BLOCK_BYTES)
        code = None if block else self._process.wait()
        return {"text": block.decode("utf-8", "replace"), "code": code}

    def _start(self, request: JsonObject) -> None:
        home = os.environ.get("TMPDIR", os.curdir)
        Path(home, "home").mkdir(exist_ok=True)
        variables = request["variables"]
        assert isinstance(variables, dict)
        own = {
            name: str(value).replace("$HOME", f"{home}/home") for name, value in variables.items()
        }
        self._pipe, theirs = os.pipe()
        command = request["command"]
        assert isinstance(command, list)
        self._process = subprocess.Popen(
            [*map(str, command), str(theirs)],
            stdin=subprocess.PIPE,
            pass_fds=(theirs,),
            cwd=str(request["folder"] or home),
            env={**os.environ, "HOME": f"{home}/home", **own},
        )
        os.close(theirs)
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request["input"]).encode())
        self._process.stdin.close()
