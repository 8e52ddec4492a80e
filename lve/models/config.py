"""The arguments from which a provider makes a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lve.messages import Message
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

Write = Callable[[Sequence[Message]], str]
"""Renders messages as one text, following a meta template."""


class ModelConfig(NamedTuple):
    """The arguments for making a model."""

    name: str
    """The name that the user gave: `PROVIDER/NAME`, or a name from the settings."""
    entry: ModelSettings
    """The model's settings, or defaults if it has none."""
    settings: Settings
    base_url: str | None
    """The server given for this run (`--base-url`)."""
    max_connections: int
    """Maximum number of requests in flight."""
    write: Write | None = None
    from_test: bool = False
    """Whether the name comes from a test document, which isn't trusted."""
    tell: Callable[[str], None] | None = None
    """Called with notes for the user."""
