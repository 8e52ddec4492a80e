"""Tests of `lve doctor` work in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: an empty one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
