"""The tiny model, made once.

All tests that compute with a local model in their own process are in this folder: mostly the same
worker of pytest runs them, and torch takes one five seconds to import.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from extensions.hf.tiny_model import make_tiny_model


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("torch") is None or find_spec("transformers") is None:
        pytest.skip("not installed: torch or transformers")
    return make_tiny_model(tmp_path_factory.mktemp("hf") / "tiny")
