"""A registry, in a workspace of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.importing.openai_evals.registry import empty_registry
from support.folders import workspace


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The registry of a package."""
    monkeypatch.chdir(workspace(tmp_path / "w"))
    return empty_registry(tmp_path / "package")
