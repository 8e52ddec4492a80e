"""From names to models, and the messages for names that aren't those of a model."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from support.server import model_server

from lve.errors import (
    LveError,
    MissingKeyError,
    SettingsError,
    TransientModelError,
    UnknownModelError,
    UsageError,
)
from lve.messages import Message
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.http.chat import HttpChatModel
from lve.models.http.endpoint import Endpoint
from lve.models.known_models import known_servers
from lve.models.openai.model import OpenAIModel
from lve.models.registry import PROVIDERS, create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

URL = "http://localhost:8000/v1"


def settings(**models: ModelSettings) -> Settings:
    return Settings(models={name.replace("__", "/"): entry for name, entry in models.items()})


def identity(name: str, where: Settings | None = None, base_url: str | None = None) -> object:
    model = create_model(name, where or Settings(), base_url=base_url)
    assert isinstance(model, ChatModel)
    assert model.name == name
    return model.identity


@pytest.mark.parametrize("name", ["replay", "dummy/dummy", "dummy/other"])
def test_models_that_need_nothing(name: str) -> None:
    assert identity(name) is None


def test_openai_with_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    assert identity("openai/gpt-4o") == {
        "provider": "openai",
        "base_url": "https://api.openai.com/v1",
        "model": "gpt-4o",
        "api_version": None,
    }


def test_the_address_comes_from_the_command_line_then_settings_then_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://environment/v1")
    entry = settings(openai__x=ModelSettings(base_url="http://settings/v1/"))
    assert identity("openai/x")["base_url"] == "http://environment/v1"
    assert identity("openai/x", entry)["base_url"] == "http://settings/v1"
    assert identity("openai/x", entry, "http://given/v1")["base_url"] == "http://given/v1"


@pytest.mark.parametrize(
    ("name", "served"),
    [
        ("openai/llama", "llama"),
        ("openai/org/llama", "org/llama"),
        ("org/llama", "org/llama"),
        ("llama", "llama"),
    ],
)
def test_with_a_base_url_other_names_are_sent_whole(name: str, served: str) -> None:
    assert identity(name, base_url=URL)["model"] == served


def test_a_name_in_the_settings_wins() -> None:
    entry = ModelSettings(model="served-7b", base_url=URL)
    found = identity("meta/llama-2-7b-chat", settings(**{"meta__llama-2-7b-chat": entry}))
    assert (found["model"], found["base_url"]) == ("served-7b", URL)


def test_without_a_model_in_the_settings_the_name_after_the_slash_is_served() -> None:
    assert identity("x/y/z", settings(x__y__z=ModelSettings(base_url=URL)))["model"] == "y/z"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("openai/gpt-4o", ["OPENAI_API_KEY=KEY", "--base-url", "--model replay"]),
        ("gpt-4o", ["write openai/gpt-4o", "--model replay"]),
        ("meta/llama-2-7b-chat", ["--base-url", "lve.yaml", "meta/llama-2-7b-chat: {provider"]),
        ("opneai/gpt-4o", ["did you mean `openai/gpt-4o`?"]),
        ("my/srever", ["did you mean `my/server`?"]),
        ("repaly", ["did you mean `replay`?"]),
        ("dummy/dumy", []),
        ("openai", ["write openai/NAME"]),
        ("openai/", ["openai"]),
        ("dummy", ["write dummy/NAME"]),
        ("scripted", ["needs its answers", "options: {answers: FILE}"]),
        ("scripted/x", ["needs its answers"]),
        ("azure/x", ["no endpoint", "AZURE_OPENAI_ENDPOINT"]),
        ("", ["unknown model ''"]),
    ],
)
def test_what_is_missing_is_said_in_short_lines(name: str, words: list[str]) -> None:
    known = settings(my__server=ModelSettings(base_url=URL))
    if not words:
        create_model(name, known)
        return
    with pytest.raises(UnknownModelError) as caught:
        create_model(name, known)
    lines = str(caught.value).splitlines()
    assert len(lines) == 1 or max(map(len, lines)) <= 80
    for word in words:
        assert word in str(caught.value)


def test_a_key_variable_that_is_not_set_is_named() -> None:
    entry = ModelSettings(base_url=URL, api_key_env="MY_KEY")
    with pytest.raises(UnknownModelError, match="set MY_KEY"):
        create_model("a/b", settings(a__b=entry))


@pytest.mark.parametrize("key", ["sk-\nx", "sk-ключ", "  "])
def test_a_key_that_can_not_be_sent_is_refused_unseen(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UnknownModelError, match="OPENAI_API_KEY") as caught:
        create_model("openai/x", Settings())
    assert key.strip() == "" or key not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:8000", "is not one"),
        ("ftp://host/v1", "is not one"),
        ("http://", "is not one"),
        ("http://host:99999/v1", "is not one"),
        ("http://host:0/v1", "is not one"),
        ("http://user:pass@host/v1", "must not hold credentials"),
        ("http://host/v1?key=secret", "must not have a query"),
        ("http://ho st/v1", "is not one"),
        ("http://a..b/v1", "is not one"),
        ("http://.host/v1", "is not one"),
        (f"http://{'a' * 64}.example/v1", "is not one"),
        ("http://host/v1\r\nX: y", "is not one"),
    ],
)
def test_a_base_url_that_can_not_be_used(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        create_model("openai/x", Settings(), base_url=url)
    assert "pass" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (ModelSettings(provider="opnai"), "did you mean `openai`"),
        (ModelSettings(provider="zzz"), "known: "),
        (ModelSettings(base_url=URL, options={"cleint": "own"}), "unknown option 'cleint'"),
        (ModelSettings(base_url=URL, options={"client": "curl"}), "must be `own` or `openai`"),
        (ModelSettings(base_url=URL, options={"headers": "x"}), "must be a mapping"),
        (ModelSettings(base_url=URL, options={"headers": {"X": "a\nb"}}), "one line"),
        (ModelSettings(base_url=URL, options={"headers": {"X": "\u65e5"}}), "Latin"),
        (ModelSettings(base_url=URL, options={"headers": {"\u65e5": "x"}}), "header's name"),
        (ModelSettings(base_url=URL, options={"headers": {"X A": "x"}}), "header's name"),
        (ModelSettings(base_url=URL, options={"headers": {"": "x"}}), "header's name"),
        (ModelSettings(provider="scripted"), "needs its answers"),
        (ModelSettings(provider="scripted", options={"answers": 3}), "a list or a mapping"),
        (ModelSettings(provider="scripted", options={"answers": "no.yaml"}), "can't read"),
    ],
)
def test_settings_that_can_not_be_used(entry: ModelSettings, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        create_model("a/b", settings(a__b=entry))


def said_to(server_url: str, entry: ModelSettings, *, given: bool) -> None:
    async def run() -> None:
        where = settings(a__b=entry)
        model = create_model("a/b", where, base_url=server_url if given else None)
        await model.complete(ChatRequest((Message("hi"),)))
        await model.aclose()

    asyncio.run(run())


def test_a_server_that_only_the_settings_name_does_not_get_the_openai_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    monkeypatch.setenv("OTHER_KEY", "other")
    with model_server() as server:
        said_to(server.url, ModelSettings(base_url=server.url), given=False)
        said_to(
            server.url, ModelSettings(base_url=server.url, api_key_env="OTHER_KEY"), given=False
        )
        said_to(server.url, ModelSettings(), given=True)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        said_to(server.url, ModelSettings(base_url=server.url), given=False)
        sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer none", "Bearer other", "Bearer sk-mine", "Bearer sk-mine"]


@pytest.fixture(params=["own", "openai"])
def client(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def model_behind(client: str) -> ChatModel:
    """Return a model at an address that only a proxy reaches."""
    entry = ModelSettings(model="x", options={"client": client})
    return create_model("m", settings(m=entry), base_url="http://model.test/v1")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ALL_PROXY", "socks5://user:word@localhost:9", "httpx[socks]"),
        ("HTTP_PROXY", "foo://user:word@bar", "is written http://HOST:PORT"),
        ("http_proxy", "user:word@a:b:c", "is written http://HOST:PORT"),
        ("http_proxy", "http://user:word@localhost:99999", "is written http://HOST:PORT"),
        ("all_proxy", "user:word@localhost:99999", "is written http://HOST:PORT"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(
    variable: str, value: str, said: str, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsError) as caught:
        model_behind(client)
    assert f"({variable})" in str(caught.value)
    assert said in str(caught.value)
    assert "word" not in str(caught.value)


def test_a_proxy_that_is_not_there_is_named(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        model = model_behind(client)
        with pytest.raises(TransientModelError) as caught:
            await model.complete(ChatRequest((Message("hi"),)))
        assert f"(through the proxy 127.0.0.1:{proxy.port}): connection refused" in str(
            caught.value
        )
        await model.aclose()

    with model_server() as proxy:
        pass
    monkeypatch.setenv("HTTP_PROXY", f"http://user:word@127.0.0.1:{proxy.port}")
    asyncio.run(run())


def test_a_request_goes_through_the_proxy(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> str:
        model = model_behind(client)
        completion = await model.complete(ChatRequest((Message("Compute 1 + 1"),)))
        await model.aclose()
        return completion.text

    with model_server() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        assert asyncio.run(run()) == "2"
        assert proxy.requests[0].path == "http://model.test/v1/chat/completions"


def test_scripted_answers_come_from_a_file_beside_the_settings(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text("hi: hello\ndefault: '?'\n", encoding="utf-8")
    entry = ModelSettings(provider="scripted", options={"answers": "answers.yaml"})
    where = Settings(file=tmp_path / "lve.yaml", models={"my/script": entry})
    model = create_model("my/script", where)

    async def run() -> list[str]:
        requests = [ChatRequest((Message(text),)) for text in ("hi", "other")]
        return [(await model.complete(request)).text for request in requests]

    assert asyncio.run(run()) == ["hello", "?"]


def test_answers_that_are_no_yaml_are_named(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text("a: [", encoding="utf-8")
    entry = ModelSettings(provider="scripted", options={"answers": "answers.yaml"})
    where = Settings(file=tmp_path / "lve.yaml", models={"s": entry})
    with pytest.raises(SettingsError, match=r"answers\.yaml is not YAML or JSON"):
        create_model("s", where)


@pytest.mark.parametrize("provider", sorted(known_servers()))
def test_a_server_needs_no_settings(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home = known_servers()[provider]
    monkeypatch.delenv(home.api_key_env, raising=False)
    name = f"{provider}/vendor/some-model:1b"
    if home.needs_key:
        with pytest.raises(MissingKeyError, match=home.api_key_env):
            create_model(name, Settings())
        monkeypatch.setenv(home.api_key_env, "sk-of-this-server")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere/v1")
    monkeypatch.delenv(home.address_env or "NO_VARIABLE", raising=False)
    found = endpoint_of(create_model(name, Settings()))
    assert (found.base_url, found.model) == (home.base_url, "vendor/some-model:1b")
    assert found.secret.reveal() == ("sk-of-this-server" if home.needs_key else "none")


@pytest.mark.parametrize("provider", sorted(known_servers()))
def test_its_key_goes_to_no_other_server(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home = known_servers()[provider]
    monkeypatch.setenv(home.api_key_env, "sk-of-this-server")
    there = ModelSettings(provider=provider, base_url="https://evil.example/v1")
    found = endpoint_of(create_model("m", Settings(models={"m": there})))
    assert found.secret.reveal() == "none"
    named = there._replace(api_key_env=home.api_key_env)
    with pytest.raises(SettingsError, match="is not sent to"):
        create_model("m", Settings(models={"m": named}))


@pytest.mark.parametrize("provider", ["openai", "azure", "groq", "anthropic", "gemini"])
@pytest.mark.parametrize(
    ("is_own", "address", "variable", "base_url", "is_refused"),
    [
        (False, URL, "A_KEY", None, True),
        (True, URL, "A_KEY", None, False),
        (False, None, "A_KEY", None, False),  # its usual server gets it
        (False, URL, None, None, False),  # no key is named
        (False, URL, "A_KEY", URL, False),  # the user says where
    ],
)
def test_settings_of_others_cant_send_a_key_to_their_server(
    provider: str,
    is_own: bool,
    address: str | None,
    variable: str | None,
    base_url: str | None,
    is_refused: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_KEY", "sk-x")
    entry = ModelSettings(provider=provider, model="x", base_url=address, api_key_env=variable)
    try:
        create_model("m", Settings(models={"m": entry}, is_own=is_own), base_url=base_url)
    except LveError as error:  # some need more than this
        said = error.code
    else:
        said = None
    assert (said == "key_withheld") is is_refused


def test_a_base_url_moves_a_server_of_ones_own_and_keeps_other_names_whole() -> None:
    at = {"base_url": "http://localhost:1/v1"}
    assert endpoint_of(create_model("ollama/llama3.2", Settings(), **at)).model == "llama3.2"
    for name in ("deepseek/deepseek-r1", "anthropic/claude-3-opus", "mistral", "groq"):
        found = endpoint_of(create_model(name, Settings(), **at))
        assert (found.model, found.base_url) == (name, "http://localhost:1/v1")


def test_a_server_without_a_models_name_is_explained() -> None:
    with pytest.raises(UnknownModelError, match="write ollama/NAME"):
        create_model("ollama", Settings())
    for written, meant in (
        ("olama/llama3", "ollama/llama3"),
        ("google/gemini-3.5-flash", "gemini/gemini-3.5-flash"),
        ("aws/amazon.nova-pro-v1:0", "bedrock/amazon.nova-pro-v1:0"),
    ):
        with pytest.raises(UnknownModelError, match=f"did you mean `{re.escape(meant)}`"):
            create_model(written, Settings())


def endpoint_of(model: ChatModel) -> Endpoint:
    assert isinstance(model, OpenAIModel | HttpChatModel)
    return model.endpoint


def test_every_provider_can_be_named_in_settings() -> None:
    assert set(PROVIDERS) >= {"openai", "azure", "scripted", "replay", "dummy"}
    assert identity("a", settings(a=ModelSettings(provider="replay"))) is None


def imported_by(code: str) -> set[str]:
    command = [sys.executable, "-c", f"{code}\nimport sys; print(' '.join(sys.modules))"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_only_what_the_chosen_model_needs_is_imported() -> None:
    start = (
        "from lve.models.registry import create_model\n"
        "from lve.workspace import Settings\n"
        "create_model({name!r}, Settings(), base_url='http://localhost/v1')"
    )
    heavy = {"openai", "httptools", "asyncio", "yaml", "httpx2", "httpx", "pydantic"}
    assert not imported_by("import lve.models.registry") & heavy
    assert not imported_by(start.format(name="dummy/dummy")) & heavy
    assert not imported_by(start.format(name="replay")) & heavy
    assert imported_by(start.format(name="openai/x")) & heavy == {"httptools", "asyncio"}


@pytest.mark.parametrize(
    ("days", "base_url", "words"),
    [
        (-1, None, "openai/old: its provider shut this model down on "),
        (59, None, "openai/old: its provider shuts this model down on "),
        (61, None, None),
        (-1, "http://localhost:8000/v1", None),
    ],
)
def test_a_model_that_ends_soon_says_so(
    days: int,
    base_url: str | None,
    words: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-one")
    end = date.today() + timedelta(days=days)
    family = {"name": "old", "provider": "openai", "sources": ["https://x.test"]}
    family |= {"date": "2026-11-22", "models": [{"names": ["old"], "ends": str(end)}]}
    table = tmp_path / "lve.models.json"
    table.write_text(json.dumps({"version": 1, "date": "2026-11-22", "families": [family]}))
    told: list[str] = []
    where = Settings(known_models=table)
    create_model("openai/old", where, base_url=base_url, tell=told.append)
    assert [line.partition(words or "")[1] for line in told] == ([words] if words else [])
