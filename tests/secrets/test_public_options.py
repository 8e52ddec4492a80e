"""Options without secrets."""

from __future__ import annotations

from lve.secrets.secret_values import without_secrets


def test_options_lose_what_is_called_like_a_secret() -> None:
    options = {
        "api_key": "x",
        "api_key_env": "OPENAI_API_KEY",
        "max_tokens": 5,
        "key": None,
        "headers": {"Authorization": "Bearer x", "X-Api-Key": "x", "Accept": "json"},
        "base_url": "https://user:word@host:8000/v1?key=x#f",
        "list": ["http://h/p", "plain"],
    }
    assert without_secrets(options) == {
        "api_key": "[redacted]",
        "api_key_env": "OPENAI_API_KEY",
        "max_tokens": 5,
        "key": None,
        "headers": {"Authorization": "[redacted]", "X-Api-Key": "[redacted]", "Accept": "json"},
        "base_url": "https://[redacted]@host:8000/v1?[redacted]",
        "list": ["http://h/p", "plain"],
    }
