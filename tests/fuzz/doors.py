"""All doors by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .attempts import Door
from .door_bedrock import bedrock
from .door_mcp import mcp
from .door_pipes import pipes
from .door_sessions import sessions
from .door_settings import settings
from .door_streams import streams

Open = Callable[[Path, pytest.MonkeyPatch], Door]
"""Opens a door, given an empty folder and what is patched until the end."""
DOORS: dict[str, Open] = {
    "settings": settings,
    "sessions": sessions,
    "pipes": pipes,
    "mcp": mcp,
    "streams": lambda folder, patch: streams(),
    "bedrock": lambda folder, patch: bedrock(),
}
