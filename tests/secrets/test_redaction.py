"""Which values of the environment are secrets, and that they are replaced."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.secrets import redaction
from lve.secrets.redaction import Redactor, note_key_variables, own_redactor
from lve.secrets.secret_values import MIN_LENGTH, REDACTED

SECRET = "sk-proj-aB3dE/f+gH1jK2lM3nO4pQ5"


@given(st.text(min_size=MIN_LENGTH), st.text(), st.text())
def test_no_secret_is_left(secret: str, before: str, after: str) -> None:
    redacted = Redactor([secret])(before + secret + after)
    assert secret not in redacted.replace(REDACTED, "\0")


def test_a_text_without_secrets_stays_the_same_object() -> None:
    text = "QZXJKVYW % nothing of the kind " * 50
    assert Redactor([SECRET])(text) is text


def test_it_learns_of_more_secrets_and_forgets_none() -> None:
    redact = Redactor(["first-secret-1"])
    redact.add(["second-secret-2", "short"])
    assert redact("first-secret-1 second-secret-2 short") == f"{REDACTED} {REDACTED} short"


def test_the_own_redactor_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests of a pytest session set keys, change them and take them away."""
    monkeypatch.setenv("SOME_API_KEY", "first-secret-1")
    assert own_redactor()("first-secret-1 second-secret-2") == f"{REDACTED} second-secret-2"
    monkeypatch.setenv("SOME_API_KEY", "second-secret-2")
    assert own_redactor()("first-secret-1 second-secret-2") == f"first-secret-1 {REDACTED}"
    monkeypatch.delenv("SOME_API_KEY")
    assert own_redactor()("first-secret-1 second-secret-2") == "first-secret-1 second-secret-2"


def test_the_own_redactor_learns_of_variables_that_hold_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redaction, "_key_variables", set())
    monkeypatch.setenv("MY_MODEL", "the-password-of-it")
    assert own_redactor()("the-password-of-it") == "the-password-of-it"
    note_key_variables(["MY_MODEL"])
    assert own_redactor()("the-password-of-it") == REDACTED


def test_a_secret_that_is_gone_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noting another key variable meanwhile hid that the variable had gone."""
    monkeypatch.setenv("SORT_KEY", "relevance")
    assert own_redactor()("by relevance") == f"by {REDACTED}"
    note_key_variables(["SOME_OTHER"])
    monkeypatch.delenv("SORT_KEY")
    assert own_redactor()("by relevance") == "by relevance"


def test_threads_that_learn_at_once_lose_no_secret() -> None:
    """Each adds to the spellings that it found."""
    keys = [f"key-{number:03}-{'qjxz' * 6}" for number in range(64)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(5):
            redact = redaction._LastingRedactor()
            with ThreadPoolExecutor(8) as threads:
                list(threads.map(lambda key, learn=redact.learn: learn({key}), keys))
            assert [key for key in keys if redact(key) != REDACTED] == []
    finally:
        sys.setswitchinterval(interval)


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
