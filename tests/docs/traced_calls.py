"""Runs `lve` in this process and writes a JSON list of the calls of its functions, in their order:
`python traced_calls.py FILE ARGUMENT...`.

An item is `[function, modules]`: the modules of lve on the stack when the function was called for
the first time; an empty list for later calls.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

from lve.cli.main import main

calls: list[tuple[str, list[str]]] = []
called: set[str] = set()


def modules_on_stack(frame: FrameType | None) -> list[str]:
    """Return the modules of lve whose functions wait for this call, and its own."""
    found: set[str] = set()
    while frame is not None:
        found.add(str(frame.f_globals.get("__name__")))
        frame = frame.f_back
    return sorted(module for module in found if module.startswith("lve."))


def note(frame: FrameType, event: str, _: Any) -> None:
    """Note a call, as Python's profiler reports it."""
    if event == "call":
        module = str(frame.f_globals.get("__name__"))
        if module.startswith("lve."):
            name = f"{module}.{frame.f_code.co_qualname}"
            calls.append((name, [] if name in called else modules_on_stack(frame)))
            called.add(name)


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
