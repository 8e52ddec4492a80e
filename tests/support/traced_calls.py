"""Runs `lve` in this process and writes a JSON list of the calls of its functions, in their order:
`python traced_calls.py FILE ARGUMENT...`."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from lve.cli.main import main

calls: list[str] = []


def note(frame: FrameType, event: str, _: Any) -> None:
    """Note a call, as Python's profiler reports it."""
    if event == "call":
        module = str(frame.f_globals.get("__name__"))
        if module.startswith("lve."):
            calls.append(f"{module}.{frame.f_code.co_qualname}")


if __name__ == "__main__":
    written_to = Path(sys.argv.pop(1))
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        main()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # typeshed wants a function
        written_to.write_text(json.dumps(calls), encoding="utf-8")
