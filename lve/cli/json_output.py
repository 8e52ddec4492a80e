"""One JSON document on stdout: what `--json` prints, for every verb but `run` and `score`."""

from __future__ import annotations

import json
from typing import Any

import click

from lve.escape import disarm_json
from lve.execution.json_text import plain


def print_json(value: Any) -> None:
    """Print a value as JSON for people and programs.

    ASCII, as in `lve run --json`: whatever a test's texts hold, every terminal, pipe and reader
    takes it. What JSON can't say (dates in a data set, NaN) becomes what comes nearest.
    """
    click.echo(disarm_json(json.dumps(plain(value), indent=2)))
