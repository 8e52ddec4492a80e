"""What all tests share."""

from pathlib import Path

import pytest
from hypothesis import settings
from support.folders import workspace

pytest_plugins = ["pytester"]

# How long an example takes depends on what else the machine does.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace that one stands in, with a key for any server of ours."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.chdir(workspace(tmp_path))
    return tmp_path
