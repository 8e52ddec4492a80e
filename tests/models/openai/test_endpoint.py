"""The URL, key and headers of a model's endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lve.errors import MissingKeyError, SettingsError, UnknownModelError, UsageError
from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import NO_KEY
from lve.models.openai.endpoint import azure_endpoint, openai_endpoint
from lve.settings.model_settings import ModelSettings

KEY = {"OPENAI_API_KEY": " sk-mine\n"}
RESOURCE = "https://mine.openai.azure.com"


def openai(env: Mapping[str, str] = KEY, base_url: str | None = None, **settings: Any) -> Endpoint:
    given = ModelSettings("openai", **settings)
    return openai_endpoint("openai/gpt", given, base_url=base_url, env=env)


def azure(env: Mapping[str, str], base_url: str | None = None, **settings: Any) -> Endpoint:
    given = ModelSettings("azure", **settings)
    return azure_endpoint("azure/gpt", given, base_url=base_url, env=env)


def test_the_command_line_wins_over_settings_and_those_over_the_environment() -> None:
    env = {**KEY, "OPENAI_BASE_URL": "http://env/v1/"}
    assert openai().base_url == "https://api.openai.com/v1"
    assert openai(env).base_url == "http://env/v1"
    settings = ModelSettings("openai", base_url="http://set/v1")
    found = [
        openai_endpoint("openai/gpt", settings, base_url=given, env=env).base_url
        for given in (None, "http://line/v1")
    ]
    assert found == ["http://set/v1", "http://line/v1"]


def test_the_models_name_is_that_of_the_settings_or_what_follows_the_provider() -> None:
    assert openai().model == "gpt"
    assert openai(model="gpt-4o").model == "gpt-4o"
    named = openai_endpoint("org", ModelSettings("openai"), base_url=None, env=KEY)
    assert named.model == "org"
    deep = openai_endpoint("openai/org/gpt", ModelSettings("openai"), base_url=None, env=KEY)
    assert deep.model == "org/gpt"


def test_timeout_and_version_have_defaults() -> None:
    assert (openai().timeout_s, openai(timeout_s=5).timeout_s) == (120, 5)
    assert (openai().api_version, openai(api_version="1").api_version) == (None, "1")


def test_a_key_is_needed_only_where_it_is_checked() -> None:
    assert openai().auth_header() == ("Authorization", "Bearer sk-mine")
    assert openai({}, "http://127.0.0.1/v1").secret.reveal() == NO_KEY
    with pytest.raises(MissingKeyError, match="OPENAI_API_KEY=KEY in the environment"):
        openai({})
    with pytest.raises(MissingKeyError, match="holds characters that no key has"):
        openai({"OPENAI_API_KEY": "sk-\x00"})


def test_a_key_that_the_settings_name_is_the_only_one() -> None:
    env = {**KEY, "MY_KEY": "own"}
    assert openai(env, api_key_env="MY_KEY").secret.reveal() == "own"
    with pytest.raises(MissingKeyError, match="set MY_KEY"):
        openai(KEY, api_key_env="MY_KEY")


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("https://api.openai.com/v1", True),
        ("https://api.openai.com:443/x", True),
        ("https://eu.api.openai.com/v1", False),
        ("http://127.0.0.1:8000/v1", False),
    ],
)
def test_only_openai_hears_of_the_users_organisation(url: str, names: bool) -> None:
    env = {**KEY, "OPENAI_ORG_ID": "org", "OPENAI_PROJECT_ID": ""}
    assert openai(env, url).headers == ({"OpenAI-Organization": "org"} if names else {})
    env = {**KEY, "OPENAI_PROJECT_ID": "p"}
    assert openai(env, url).headers == ({"OpenAI-Project": "p"} if names else {})


def test_an_organisation_is_one_line() -> None:
    assert openai({**KEY, "OPENAI_ORG_ID": " org\n"}).headers == {"OpenAI-Organization": "org"}
    with pytest.raises(MissingKeyError, match="OPENAI_ORG_ID holds characters"):
        openai({**KEY, "OPENAI_ORG_ID": "org\r\nX-Other: 1"})


def test_headers_of_the_settings_win() -> None:
    headers = {"X-Team": "Zoë", "OpenAI-Organization": "other"}
    found = openai({**KEY, "OPENAI_ORG_ID": "org"}, options={"headers": headers})
    assert found.headers == headers


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"headers": ["x"]}, "options.headers must be a mapping"),
        ({"headers": {"a b": "x"}}, "'a b' can't be a header's name"),
        ({"headers": {"ヘッダ": "x"}}, "'ヘッダ' can't be a header's name"),
        ({"headers": {5: "x"}}, "5 can't be a header's name"),
        ({"headers": {"a": 5}}, "header 'a' must be one line"),
        ({"headers": {"a": "x\r\nb: y"}}, "header 'a' must be one line"),
        ({"headers": {"a": "日"}}, "header 'a' must be one line of Latin"),
        ({"header": {}}, "unknown option 'header' \\(known: client, headers\\)"),
        ({"client": "curl"}, "options.client must be `own` or `openai`"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        openai(options=options)


def test_the_client_can_be_chosen() -> None:
    clients = [openai(options={"client": name}).client for name in ("own", "openai")]
    assert [openai().client, *clients] == ["own", "own", "openai"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:8000/v1", "is not one"),
        ("ftp://host/v1", "is not one"),
        ("http://", "is not one"),
        ("http://host:0/v1", "is not one"),
        ("http://host:99999/v1", "is not one"),
        ("http://[::1/v1", "is not one"),
        ("http://a b/v1", "is not one"),
        ("http://host/v\n1", "is not one"),
        ("http://hóst/v1", "is not one"),
        ("http://" + "a" * 64 + ".example/v1", "is not one"),
        ("http://a..example/v1", "is not one"),
        ("http://me:pw@host/v1", "must not hold credentials"),
        ("http://me@host/v1", "must not hold credentials"),
        ("http://host/v1?a=b", "must not have a query"),
        ("http://host/v1#a", "must not have a query"),
    ],
)
def test_what_is_no_base_url_is_refused(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        openai(KEY, url)


@pytest.mark.parametrize("url", ["http://host./v1", "http://[::1]:8000/v1", "https://h/a/b"])
def test_any_host_and_path_will_do(url: str) -> None:
    assert openai(KEY, url).base_url == url


@pytest.mark.parametrize(
    ("resource", "version", "url"),
    [
        (RESOURCE, None, f"{RESOURCE}/openai/v1"),
        (f"{RESOURCE}/", None, f"{RESOURCE}/openai/v1"),
        (f"{RESOURCE}/openai/v1/", None, f"{RESOURCE}/openai/v1"),
        (f"{RESOURCE}/openai", None, f"{RESOURCE}/openai/v1"),
        (RESOURCE, "2024-10-21", f"{RESOURCE}/openai/deployments/gpt"),
    ],
)
def test_azure_has_deployments_where_there_is_a_version(
    resource: str, version: str | None, url: str
) -> None:
    env = {"AZURE_OPENAI_ENDPOINT": resource, "AZURE_OPENAI_API_KEY": "k"}
    assert azure(env, api_version=version).base_url == url
    if version:
        assert azure({**env, "OPENAI_API_VERSION": version}).base_url == url


@pytest.mark.parametrize(
    ("env", "header"),
    [
        ({"AZURE_OPENAI_API_KEY": "k"}, ("api-key", "k")),
        ({"AZURE_OPENAI_AD_TOKEN": "t"}, ("Authorization", "Bearer t")),
        (
            {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_AD_TOKEN": "t"},
            ("Authorization", "Bearer t"),
        ),
    ],
)
def test_azure_takes_a_token_before_a_key(env: dict[str, str], header: tuple[str, str]) -> None:
    assert azure(env, RESOURCE).auth_header() == header


def test_azure_without_endpoint_or_key_says_what_to_set() -> None:
    with pytest.raises(UnknownModelError, match="set AZURE_OPENAI_ENDPOINT"):
        azure({})
    with pytest.raises(MissingKeyError, match="set AZURE_OPENAI_API_KEY"):
        azure({}, RESOURCE)
    named = azure({"MY_KEY": "own"}, RESOURCE, api_key_env="MY_KEY")
    assert named.auth_header() == ("api-key", "own")


def test_what_can_change_an_answer_is_its_identity_and_the_key_is_not() -> None:
    one, other = openai({"OPENAI_API_KEY": "a"}), openai({"OPENAI_API_KEY": "b"}, timeout_s=3)
    assert one.identity == other.identity
    assert one.identity != openai(KEY, "http://127.0.0.1/v1").identity
    assert one.identity != openai(model="other").identity


def test_a_deployments_name_is_no_more_than_a_part_of_the_path() -> None:
    env = {"AZURE_OPENAI_ENDPOINT": RESOURCE, "AZURE_OPENAI_API_KEY": "k" * 10}
    found = azure(env, model="a/../b?x=1 HTTP/1.1", api_version="2024-10-21")
    assert found.base_url == f"{RESOURCE}/openai/deployments/a%2F..%2Fb%3Fx%3D1%20HTTP%2F1.1"
