"""Which variables hold secrets, and what looks like a key."""

from __future__ import annotations

import pytest

from lve.secrets.secret_values import (
    REDACTED,
    find_secrets,
    is_secret_name,
    looks_like_key,
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
        assert find_secrets({"LVE_STORE": url}) == {url, "s3cr%65tword", "s3cretword"}


def test_the_password_of_a_connection_string() -> None:
    value = "Server=db.test;User=me;Password=hunter2-hunter2;Timeout=30"
    assert find_secrets({"DB_CONNECTION_STRING": value}) == {value, "hunter2-hunter2"}


KEYS = (
    "sk-abc0123456789 ghp_16C7e42F292c6912E7710c838347Ae178B4a AKIA0123456789ABCDEF "
    "hf_abcdefghijklmnopqrstuv"
)
NAMES = "OPENAI_API_KEY MY_SERVER_KEY_2 my_key KEY2024 gpt-4o-2024-08-06 llama-2-7b-chat-hf"


def test_what_looks_like_a_key() -> None:
    assert [looks_like_key(text) for text in KEYS.split()] == [True] * 4
    assert [looks_like_key(text) for text in NAMES.split()] == [False] * 6
    assert without_keys(f"not {KEYS.split()[0]!r}") == f"not '{REDACTED}'"


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
