"""Requests as the settings describe them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lve.errors import SettingsError
from lve.extensions.targets.http.login import Login
from lve.extensions.targets.http.request_writer import RequestWriter
from lve.extensions.targets.http.transport import Transports
from lve.models.config import ModelConfig
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

VALUES = {"prompt": "hi", "session": "s/1", "args": {}}


def writer(*, is_own: bool = True, **options: Any) -> RequestWriter:
    settings = Settings(file=Path("/w/lve.yaml"), is_own=is_own)
    config = ModelConfig("app/x", ModelSettings(options=options), settings, None, 4)
    return RequestWriter(config, {"url": "http://localhost/a", **options})


def test_headers_of_the_settings_replace_those_of_the_content() -> None:
    request = writer(body={"q": "{prompt}"}, headers={"content-type": "text/x"}).request(VALUES)
    assert request.headers == {"content-type": "text/x"}
    assert request.body == b'{"q":"hi"}'


def test_the_names_that_are_sent_are_known() -> None:
    made = writer(url="http://h/{session}", query={"t": "{args.top_k}"}, body="{prompt}")
    assert made.names == {"session", "args", "prompt"}


def test_an_address_keeps_its_query() -> None:
    made = writer(url="http://h/{session}?v=1#part", query={"q": "{prompt}", "t": "{args.t}"})
    request = made.request(VALUES)
    assert (request.method, request.url) == ("GET", "http://h/s%2F1?v=1&q=hi")
    assert request.body == b""


def test_a_secret_field_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_PASSWORD", "pass-word-1")
    request = writer(form={"user": "me"}, form_env={"password": "APP_PASSWORD"}).request(VALUES)
    assert request.body == b"user=me&password=pass-word-1"


def test_another_workspace_sends_none_of_the_users_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_PASSWORD", "pass-word-1")
    with pytest.raises(SettingsError, match="you don't stand in its workspace"):
        writer(is_own=False, headers_env={"X-Key": "APP_PASSWORD"})
    assert writer(is_own=False, text="{prompt}").request(VALUES).body == b"hi"


@pytest.mark.parametrize("url", ["http://h:99999/x", "http://user:pw@h/", "http://h h/"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"options\.url"):
        writer(url=url)


def test_an_arg_that_is_no_json_is_an_error_of_the_request() -> None:
    from lve.errors import PermanentModelError

    made = writer(body={"a": "{args.day}"})
    with pytest.raises(PermanentModelError, match="JSON"):
        made.request({"args": {"day": object()}})


@pytest.mark.parametrize("place", ["headers", "headers_env"])
@pytest.mark.parametrize("name", ["X Y", "X:Y", "", "X\nY", "É"])
def test_a_name_that_no_header_can_have_is_refused_wherever_it_is(place: str, name: str) -> None:
    with pytest.raises(SettingsError, match="can't be a header's name"):
        writer(**{place: {name: "PATH"}})


@pytest.mark.parametrize("name", ["X Y", "X:Y", "", "X\nY", "É"])
def test_so_is_one_of_a_login(name: str) -> None:
    config = ModelConfig("app/x", ModelSettings(), Settings(), None, 4)
    options = {"url": "http://localhost/login", "answer": "$.token", "header": name}
    with pytest.raises(SettingsError, match="can't be a header's name"):
        Login(config, options, Transports("app/x", 1))
