"""Keys and addresses of providers with an API of their own, as their users set them."""

from __future__ import annotations

import pytest

ADDRESSES = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "bedrock": "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
}
"""Provider -> the variable that names its server."""


def set_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the keys of all providers, and a region."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-this-test")
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-of-this-test")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAOFTHISTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-of-this-test")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
