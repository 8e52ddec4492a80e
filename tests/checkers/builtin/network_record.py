"""Records what child processes ask of the network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

WATCHED = {
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.sendto",
    "socket.sendmsg",
}
RECORDER = """
import sys
def record(event, details, keep=frozenset({keep})):
    if event in keep or event == "import" and details[0] in ("transformers", "presidio_analyzer"):
        with open({file!r}, "a") as file:
            print(event, details[0] if event == "import" else details, file=file)
sys.addaudithook(record)
"""


@contextmanager
def recorded_children(folder: Path) -> Iterator[Path]:
    """Record in the processes that start during the block. The file that they write to has a line
    per event: an access to the network, or the import of a library that might do so."""
    log = folder / "network.txt"
    (folder / "sitecustomize.py").write_text(RECORDER.format(keep=WATCHED, file=str(log)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder))
        yield log


def assert_no_network(log: Path, library: str) -> None:
    """Assert that the processes imported a library, and accessed no network."""
    events = log.read_text().splitlines()
    assert f"import {library}" in events, "the process was not looked at"
    assert [event for event in events if not event.startswith("import ")] == []
