"""Names that a test folder must not set."""

from __future__ import annotations

import pytest

from lve.settings.reserved import (
    is_key_name,
    refusal_of_key,
    refusal_of_model_arg,
    refusal_of_typed_arg,
)


@pytest.mark.parametrize(
    "name",
    ["api_key", "API_KEY", "apikey", "key", "my_secret", "hf_token", "password", "api_key_env"],
)
def test_names_of_keys_are_refused(name: str) -> None:
    assert is_key_name(name)
    refusal = refusal_of_key(name)
    assert refusal is not None
    assert "must never be in a file" in refusal[0]


@pytest.mark.parametrize("name", ["ice_token", "sep_token", "output_key", "keys", "monkey", "seed"])
def test_words_that_only_look_like_keys_are_not_refused(name: str) -> None:
    assert not is_key_name(name)
    assert refusal_of_key(name) is None


@pytest.mark.parametrize("name", ["base_url", "extra_headers", "proxies", "verify", "http_client"])
def test_addresses_are_refused_everywhere(name: str) -> None:
    assert refusal_of_key(name)
    assert refusal_of_model_arg(name)
    assert refusal_of_typed_arg(name)


@pytest.mark.parametrize(
    ("name", "test_hint", "typed_hint"),
    [
        ("model", "--model", "use --model"),
        ("n", "`repeats`", "use --repeats"),
        ("timeout", "`timeout_s`", "use --timeout"),
        ("stream", "use --stream", "use --stream"),
    ],
)
def test_parts_of_a_request_have_options_of_their_own(
    name: str, test_hint: str, typed_hint: str
) -> None:
    of_test, typed = refusal_of_model_arg(name), refusal_of_typed_arg(name)
    assert of_test is not None
    assert typed is not None
    assert test_hint in of_test[1]
    assert typed[1] == typed_hint


@pytest.mark.parametrize("name", ["temperature", "max_tokens", "seed", "logit_bias"])
def test_model_args_are_free(name: str) -> None:
    assert refusal_of_model_arg(name) is None
    assert refusal_of_typed_arg(name) is None


def test_the_place_of_headers_is_named() -> None:
    for name in ("headers", "default_headers", "extra_headers"):
        for refusal in (refusal_of_key(name), refusal_of_model_arg(name)):
            assert refusal is not None
            assert "options: {headers:" in refusal[1]


def test_servers_of_tools_are_no_tests_business() -> None:
    stored = (
        "previous_response_id",
        "conversation",
        "cachedContent",
        "cached_content",
        "container",
    )
    terms = ("service_tier", "speed", "provider", "route", "models", "plugins")
    for name in ("mcp_servers", "tools", "functions", *stored, *terms):
        assert refusal_of_model_arg(name)
        assert refusal_of_typed_arg(name) is None
    assert refusal_of_key("mcp_servers") is None
