"""The tiny model, made once."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.tiny_model import make_tiny_model


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("hf") / "tiny")
