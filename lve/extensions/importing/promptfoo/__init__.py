"""Reads promptfoo's configurations: prompts, tests with variables, and assertions."""

from __future__ import annotations

from lve.extensions.importing.promptfoo.config import read_config

__all__ = ["read_config"]
