"""The program in the process of tools that are code: runs their file and calls their functions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from lve.child.child_code import crash_message, crash_place, run_file
from lve.child.child_side import limit_memory, serve

MODULE_NAME = "lve_tool_code"
MEMORY_BYTES = 2_000_000_000
"""What it may take on top of what it starts with; on Linux only."""
LONGEST_ERROR = 2_000
"""Characters of what a function raises."""


def main(lifeline: int) -> None:
    """Answer requests.

    Args:
        lifeline: a pipe whose other end only the parent has; -1 if there is none.
    """
    serve(lifeline, _Host().answer)


class _Host:
    def __init__(self) -> None:
        self._file = Path()
        self._module = ModuleType(MODULE_NAME)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request: `{text: ...}`, or `{error: ...}`, without the folder,
        which is none of the model's business."""
        try:
            if request["do"] == "load":
                self._file = Path(request["file"])
                limit_memory(MEMORY_BYTES)
                source = request["source"].encode("latin-1")
                self._module = run_file(MODULE_NAME, self._file, source)
                return {}
            function = getattr(self._module, request["function"])
            text = _text_of(function(**request["arguments"]))
            return {"text": text[: request["most"]]}
        except BaseException as error:
            place = crash_place(error, self._file).removeprefix(f"{self._file.parent}/")
            return {"error": f"{place}: {crash_message(error, for_user=False)}"[:LONGEST_ERROR]}


def _text_of(result: object) -> str:
    """Return a result as the model reads it: a text as it is, anything else as JSON.

    Raises:
        TypeError, ValueError: it is no JSON value.
    """
    written = isinstance(result, str)
    text = str(result) if written else json.dumps(result, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")  # no request can hold half a character
