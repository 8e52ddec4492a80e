"""A tool whose environment is that of the tests, to run programs in the box of importers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lve.extensions.importing.boxes.box import BoxOptions, Tool, run_in_box
from lve.json_types import JsonObject

BEGIN = """
import json, os, sys
request = json.load(sys.stdin)
pipe = os.fdopen(int(sys.argv[1]), "wb")
def write(line, nonce=request["nonce"]):
    pipe.write(f"{nonce} {line}\\n".encode())
    pipe.flush()
"""
"""What a program begins with: it reads its request, and writes lines."""


def tool_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    """Return a tool that is set up, below a folder."""
    monkeypatch.setenv("LVE_TOOLS", str(folder / "tools"))
    requirements = folder / "requirements.txt"
    requirements.write_text("")
    tool = Tool("own", requirements)
    tool.python.parent.mkdir(parents=True)
    tool.python.symlink_to(Path(sys.executable).resolve())
    (tool.folder / "installed").touch()
    return tool


def boxed(
    tool: Tool, folder: Path, program: str, *, timeout_s: float = 20.0
) -> Iterator[JsonObject]:
    """Yield the lines of a program, which may read `folder`."""
    file = tool.folder / "program.py"
    file.write_text(BEGIN + program)
    folder.mkdir(exist_ok=True)
    return run_in_box(tool, file, {"x": 1}, BoxOptions(timeout_s=timeout_s), folder=folder)
