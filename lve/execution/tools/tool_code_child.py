"""The program of a tool's process: runs the file of a test's tools, and calls its functions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from lve.child.child_code import crash_message, crash_place, run_file
from lve.child.child_side import serve

MODULE_NAME = "lve_tool_code"


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
        """Return the answer to a request: `{text: ...}` or `{error: ...}`. The error has no path of
        this machine, because the model gets it."""
        try:
            if request["do"] == "load":
                self._file = Path(request["file"])
                source = request["source"].encode("latin-1")
                self._module = run_file(MODULE_NAME, self._file, source)
                return {}
            function = getattr(self._module, request["function"])
            text = _text_of(function(**request["arguments"]))
            return {"text": text[: request["most"] + 1]}  # lve cuts it, and sees that it must
        except BaseException as error:
            place = crash_place(error, self._file).removeprefix(f"{self._file.parent}/")
            message = f"{place}: {crash_message(error, for_user=False)}"
            return {"error": message}  # lve cuts it


def _text_of(result: object) -> str:
    """Return a result as text for the model: a text unchanged, anything else as JSON.

    Raises:
        TypeError, ValueError: it isn't a JSON value.
    """
    written = isinstance(result, str)
    text = str(result) if written else json.dumps(result, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")  # a request can't hold lone surrogates
