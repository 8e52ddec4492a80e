"""Hides the keys, endpoints and proxies of the person who runs the tests."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("OPENAI_", "AZURE_OPENAI_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
