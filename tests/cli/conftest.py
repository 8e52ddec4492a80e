"""What tests of the command line share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result
from support.command_line import lve
from support.run_command import Run
from support.server import ModelServer, model_server


@pytest.fixture
def run(root: Path) -> Run:
    """`lve run` in an empty workspace."""

    def invoke(*args: str, code: int | None = 0) -> Result:
        return lve("run", *args, code=code)

    return invoke


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server that adds."""
    with model_server() as running:
        yield running
