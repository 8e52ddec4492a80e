"""Which values are secrets, and in which encodings they are found."""

from __future__ import annotations

import base64
import json
import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve import redaction
from lve.redaction import (
    MIN_LENGTH,
    REDACTED,
    Redactor,
    find_secrets,
    is_secret_name,
    looks_like_key,
    note_key_variables,
    own_redactor,
    without_keys,
)

SECRET_NAMES = """
    OPENAI_API_KEY AZURE_OPENAI_APIKEY OPENAI_KEY_1 OPENAI_KEY1 KEY GITHUB_PAT HF_TOKEN
    GITHUBTOKEN GITHUB_TOKEN_2 DB_PASSWORD PGPASSWORD MYSQL_PWD AWS_SECRET_ACCESS_KEY
    AWS_ACCESS_KEY_ID GOOGLE_APPLICATION_CREDENTIALS SENTRY_DSN
    AZURE_STORAGE_CONNECTION_STRING SSH_PRIVATE_KEY SLACK_BOT_TOKEN_PROD MY_KEY_V2 API_KEYS
    CLIENT_SECRET_OLD JWT NPM_AUTH_TOKEN X-Api-Key Authorization Proxy-Authorization apiKey
    session_token Cookie private_key_pem KEY_OF_PROD
""".split()  # noqa: SIM905
HONEST_NAMES = """
    PATH HOME PWD OLDPWD USER LANG TERM KEYBOARD_LAYOUT TOKENIZERS_PARALLELISM MONKEY
    MONKEY_BUSINESS AUTHOR GIT_AUTHOR_NAME XAUTHORITY SSH_AUTH_SOCK AUTH_TYPE TOKEN_URL
    MAX_TOKENS max_tokens MAX_TOKENS_TOTAL TOKEN_LIMIT KEY_FILE SECRET_PATH PATIENT PATTERN
    COMPASS KEYCLOAK_HOST TURKEY stop_token_ids eos_token_id skip_special_tokens api_key_env
    PASSENGER DSNAME KEYS_COUNT PUBLIC_URL MODEL EDITOR SHLVL XDG_DATA_DIRS COLORTERM
    CONNECTION_LIMIT PRIVATELY
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_called_like_a_secret(name: str) -> None:
    assert is_secret_name(name)
    assert find_secrets({name: "a1B2c3D4e5F6"}) == {"a1B2c3D4e5F6"}


@pytest.mark.parametrize("name", HONEST_NAMES)
def test_not_called_like_a_secret(name: str) -> None:
    assert not is_secret_name(name)
    assert find_secrets({name: "a1B2c3D4e5F6"}) == set()


VALUES: list[tuple[str, str, set[str]]] = [
    ("AUTH", "disabled by default", set()),
    ("PRIVATE", "/home/me/private", set()),
    ("NPM_AUTH", "dXNlcjpwYXNz12345", {"dXNlcjpwYXNz12345"}),
    ("OPENAI_API_KEY", " sk-0123456789\n", {"sk-0123456789"}),
    (
        "DATABASE_URL",
        "postgres://me:hun%21ter22@db.test/x",
        {"postgres://me:hun%21ter22@db.test/x", "hun%21ter22", "hun!ter22"},
    ),
    ("DATABASE_URL", "postgres://db.test/x", set()),
    ("https_proxy", "http://me:hunter2222@proxy:1", {"http://me:hunter2222@proxy:1", "hunter2222"}),
    ("API_KEYS", "k-0123456789abcdef,k-fedcba9876543210",
        {"k-0123456789abcdef,k-fedcba9876543210", "k-0123456789abcdef", "k-fedcba9876543210"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "expected"), VALUES)
def test_what_of_a_value_is_secret(name: str, value: str, expected: set[str]) -> None:
    assert find_secrets({name: value}) == expected


def test_the_password_in_the_options_of_a_url() -> None:
    for url in ("postgresql://db/x?password=s3cr%65tword", "x://db?a=b&sslpassword=s3cr%65tword&c"):
        redact = Redactor(find_secrets({"LVE_STORE": url}))
        assert "s3cr" not in redact(f"{url} and s3cr%65tword and s3cretword")


def test_the_password_of_a_connection_string() -> None:
    value = "Server=db.test;User=me;Password=hunter2-hunter2;Timeout=30"
    assert find_secrets({"DB_CONNECTION_STRING": value}) == {value, "hunter2-hunter2"}


FEW_BYTES = st.binary(max_size=9)
SECRET = "sk-proj-aB3dE/f+gH1jK2lM3nO4pQ5"
ENCODERS = {
    "as it is": lambda s: s,
    "reversed": lambda s: s[::-1],
    "capitals": str.upper,
    "small letters": str.lower,
    "hexadecimal": lambda s: s.encode().hex(),
    "hexadecimal capitals": lambda s: s.encode().hex().upper(),
    "in a URL": lambda s: quote(s, safe=""),
    "in a path": quote,
    "in a URL, small digits": lambda s: re.sub("%..", lambda m: m[0].lower(), quote(s, safe="")),
    "all of it in a URL": lambda s: "".join(f"%{ord(c):02X}" for c in s),
    "all of it in a URL, small": lambda s: "".join(f"%{ord(c):02x}" for c in s),
    "in JSON": lambda s: json.dumps(s),
}  # fmt: skip


@pytest.mark.parametrize("spelling", ENCODERS)
def test_a_spelling_is_taken_out(spelling: str) -> None:
    said = ENCODERS[spelling](SECRET)
    redacted = Redactor([SECRET])(f"The key is {said}, they say.")
    assert REDACTED in redacted
    assert said.strip('"') not in redacted


@given(
    st.text("abcXYZ019+/-_=ñ", min_size=MIN_LENGTH), st.binary(max_size=9), st.binary(max_size=9)
)
def test_base64_around_a_secret(secret: str, before: bytes, after: bytes) -> None:
    """A server may encode more than the secret: three alignments, two alphabets, padded or not."""
    for encode in (base64.standard_b64encode, base64.urlsafe_b64encode):
        said = encode(before + secret.encode() + after).decode()
        assert REDACTED in Redactor([secret])(said)
        assert REDACTED in Redactor([secret])(said.rstrip("="))


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


KEYS = (
    "sk-abc0123456789 ghp_16C7e42F292c6912E7710c838347Ae178B4a AKIA0123456789ABCDEF "
    "hf_abcdefghijklmnopqrstuv"
)
NAMES = "OPENAI_API_KEY MY_SERVER_KEY_2 my_key KEY2024 gpt-4o-2024-08-06 llama-2-7b-chat-hf"


def test_what_looks_like_a_key() -> None:
    assert [looks_like_key(text) for text in KEYS.split()] == [True] * 4
    assert [looks_like_key(text) for text in NAMES.split()] == [False] * 6
    assert without_keys(f"not {KEYS.split()[0]!r}") == f"not '{REDACTED}'"


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
