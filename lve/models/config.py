"""What a model is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lve.messages import Message
from lve.workspace import ModelSettings, Settings

Write = Callable[[Sequence[Message]], str]
"""Writes messages as one text, by a meta template."""


class ModelConfig(NamedTuple):
    """The arguments for making a model."""

    name: str
    """As the user gave it: `PROVIDER/NAME`, or a name of the settings."""
    entry: ModelSettings
    """Its settings; defaults if there are none."""
    settings: Settings
    base_url: str | None
    """A server that the user gives for this run (`--base-url`)."""
    max_connections: int
    """Most requests in flight."""
    write: Write | None = None
    from_test: bool = False
    """Whether the name comes from a test document."""
    tell: Callable[[str], None] | None = None
    """Takes a note for the user."""
