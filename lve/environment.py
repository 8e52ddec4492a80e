"""Environment variables by which users set something of lve's."""

from __future__ import annotations

STORE_VARIABLE = "LVE_STORE"
"""The URL of a team's store; overrides `cache` in the settings."""
TRACEBACK_VARIABLE = "LVE_TRACEBACK"
"""Set to show the traceback of an error of lve's own."""
