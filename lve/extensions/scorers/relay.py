"""The process in the sandbox that starts a scorer's Python, and hands on requests and answers."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import BinaryIO

from lve.child.child_side import serve
from lve.json_types import JsonObject, JsonValue

MAX_LINE = 500_000


def main(lifeline: int) -> None:
    """Answer requests: the first one starts the program, all others go to it."""
    serve(lifeline, _Program().answer)


class _Program:
    def __init__(self) -> None:
        self._requests: BinaryIO | None = None
        self._answers: BinaryIO | None = None

    def answer(self, request: JsonObject) -> dict[str, JsonValue]:
        """Return the program's answer; `{failed: ...}` if it has ended."""
        try:
            command = request.get("command")
            if isinstance(command, list):
                self._start([str(each) for each in command], str(request["folder"]))
            return self._asked(request)
        except (OSError, ValueError) as error:
            return {"failed": str(error)}

    def _start(self, command: list[str], folder: str) -> None:
        home = Path(os.environ.get("TMPDIR", os.curdir), "home")
        home.mkdir(exist_ok=True)
        ours, theirs = os.pipe()
        process = subprocess.Popen(
            [*command, str(theirs)],
            stdin=subprocess.PIPE,
            pass_fds=(theirs,),
            cwd=folder or home,
            env={
                **os.environ,
                "HOME": str(home),
                "HF_HUB_OFFLINE": "1",
                "HF_DATASETS_OFFLINE": "1",
                "PYTHONHASHSEED": "0",
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
            },
        )
        os.close(theirs)
        assert process.stdin is not None
        self._requests, self._answers = process.stdin, os.fdopen(ours, "rb")  # type: ignore[assignment]

    def _asked(self, request: JsonObject) -> dict[str, JsonValue]:
        assert self._requests is not None
        assert self._answers is not None
        self._requests.write(json.dumps(request).encode() + b"\n")
        self._requests.flush()
        line = self._answers.readline(MAX_LINE)
        if not line.endswith(b"\n"):
            raise ValueError("the scorer has ended" if not line else "its answer is too long")
        said = json.loads(line)
        return said if isinstance(said, dict) else {"failed": "its answer is no object"}
