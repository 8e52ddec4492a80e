"""No secret reaches a file."""

from __future__ import annotations

import json

from lve.secrets.redaction import Redactor
from lve.secrets.secret_values import find_secrets
from lve.sessions.session_file import without_secrets


def test_secrets_are_replaced_in_text_and_in_json() -> None:
    secret = 'sk-"a"\\b-ñandú-xyz'
    redact = Redactor([secret])
    assert redact(f"before {secret} after") == "before [redacted] after"
    for ascii_only in (True, False):
        line = json.dumps({"x": [f"key={secret}!"]}, ensure_ascii=ascii_only)
        assert json.loads(redact(line)) == {"x": ["key=[redacted]!"]}


def test_a_secret_that_contains_another_is_replaced_whole() -> None:
    assert Redactor(["12345678", "12345678-long"])("12345678-long") == "[redacted]"


def test_placeholders_are_left_alone() -> None:
    assert Redactor(["none", "EMPTY", ""])("none of it is EMPTY") == "none of it is EMPTY"


def test_keys_are_found_in_the_environment_by_name() -> None:
    env = {
        "OPENAI_API_KEY": "a",
        "AZURE_OPENAI_APIKEY": "b",
        "HF_TOKEN": "c",
        "MY_MODEL": "d",
        "TOKENIZERS_PARALLELISM": "true",
        "KEYBOARD": "us",
        "DB_PASSWORD": "e",
        "EMPTY_KEY": "",
    }
    assert find_secrets(env) == {"a", "b", "c", "e"}
    assert find_secrets(env, ["MY_MODEL", "absent"]) == {"a", "b", "c", "d", "e"}


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
