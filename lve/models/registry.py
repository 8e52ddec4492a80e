"""Makes a model from its name and the settings; `all_providers` names all providers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lve.documents.places import TextError
from lve.errors import SettingsError, UnknownModelError
from lve.files.inside import read_inside
from lve.models.chat_model import ChatModel
from lve.models.known import known_model, servers
from lve.models.unknown import incomplete, unknown, unknown_provider
from lve.workspace import ModelSettings, Settings

if TYPE_CHECKING:
    from lve.models.hf.chat import Write
    from lve.models.openai.endpoint import Endpoint
    from lve.models.openai.transport import Transport

MAX_ANSWERS_BYTES = 100_000_000
"""Largest file of a scripted model."""
NEED_A_NAME = ("openai", "azure", "dummy", "hf")
"""Providers whose models can be named PROVIDER/NAME without an entry in the settings."""


class ModelConfig(NamedTuple):
    """The arguments for making a model."""

    name: str
    entry: ModelSettings
    """Its settings; defaults if there are none."""
    settings: Settings
    base_url: str | None
    max_connections: int
    write: Write | None = None
    from_test: bool = False
    """Whether the name comes from a test document."""
    tell: Callable[[str], None] | None = None


def create_model(
    name: str,
    settings: Settings,
    *,
    base_url: str | None = None,
    max_connections: int = 64,
    write: Write | None = None,
    from_test: bool = False,
    tell: Callable[[str], None] | None = None,
) -> ChatModel:
    """Make a model. Nothing is sent.

    Args:
        name: a name from the settings, `replay`, `dummy/dummy`, or `PROVIDER/NAME`; with
            `base_url`, any other name is sent to that server as it is.
        settings: the workspace's settings.
        base_url: overrides the settings and the environment.
        max_connections: most requests in flight.
        write: writes messages as one text, for a local model whose settings have a meta template.
        from_test: whether the name comes from a test document: then it can't be a folder outside
            the current one.
        tell: called once with each thing that the model turns out to refuse.

    Raises:
        UnknownModelError: there is no such model, or its key or endpoint is missing.
        UsageError: the base URL or an option can't be used.
    """
    provider = provider_of(name, settings, base_url=base_url)
    entry = settings.models.get(name)
    if entry is None:
        # `openai/NAME` is sent as NAME; any other name for --base-url is sent as it is.
        served = None if name.startswith(f"{provider}/") else name
        entry = ModelSettings(provider=provider, model=served)
    config = ModelConfig(name, entry, settings, base_url, max_connections, write, from_test, tell)
    return _maker(provider)(config)


def provider_of(name: str, settings: Settings, *, base_url: str | None = None) -> str:
    """Return the provider of a model: a key of `PROVIDERS`.

    Raises:
        UnknownModelError: no provider has such a model.
        SettingsError: the settings name an unknown provider.
    """
    entry = settings.models.get(name)
    if entry is not None:
        provider = entry.provider
        if provider not in PROVIDERS and provider not in servers():
            raise SettingsError(f"model {name!r}: {unknown_provider(provider, all_providers())}")
        return provider
    prefix, slash, rest = name.partition("/")
    needs_a_name = prefix in NEED_A_NAME or _is_server(prefix, base_url)
    if name == "replay" or (slash and rest and needs_a_name):
        return prefix
    if needs_a_name or prefix == "scripted":
        raise UnknownModelError(incomplete(prefix))
    if base_url is not None and name:
        return "openai"
    raise UnknownModelError(unknown(name, settings, all_providers()))


def all_providers() -> tuple[str, ...]:
    """Return the names of all providers."""
    return (*PROVIDERS, *servers())


def _is_server(prefix: str, base_url: str | None) -> bool:
    """Whether a model's name begins with one of the servers that need no settings.

    With a base URL only those count that run anywhere: `deepseek/...` is also a name that servers
    have for a model.
    """
    server = servers().get(prefix)
    return server is not None and not (base_url and server.needs_key)


def _maker(provider: str) -> Callable[[ModelConfig], ChatModel]:
    return PROVIDERS.get(provider, _server)


def _replay(config: ModelConfig) -> ChatModel:
    from lve.models.replay import ReplayModel

    return ReplayModel(config.name)


def _dummy(config: ModelConfig) -> ChatModel:
    from lve.models.dummy import DummyModel

    return DummyModel(config.name)


def _scripted(config: ModelConfig) -> ChatModel:
    from lve.models.scripted import ScriptedModel, script_from_data

    answers = config.entry.options.get("answers")
    if answers is None:
        raise SettingsError(f"model {config.name!r}: {incomplete('scripted')}")
    where = f"model {config.name!r}: answers"
    if isinstance(answers, str):
        where = answers
        answers = _read_answers(answers, config)
    script, default = script_from_data(answers, where)
    return ScriptedModel(script, default=default, name=config.name)


def _read_answers(file: str, config: ModelConfig) -> Any:
    """Read the answers from a file beside the settings."""
    folder = config.settings.file.parent if config.settings.file else Path()
    path = folder / file
    if path.suffix == ".json":
        from lve.documents.json_text import parse_json as parse
    else:
        from lve.documents.yaml_text import parse_yaml as parse
    try:
        return parse(read_inside(folder, file, MAX_ANSWERS_BYTES).decode("utf-8"))
    except OSError as error:
        raise SettingsError(
            f"model {config.name!r}: can't read its answers: {path}: {error.strerror}"
        ) from None
    except (TextError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        raise SettingsError(f"model {config.name!r}: {path} is not YAML or JSON: {said}") from None


def _refuse_foreign_key(config: ModelConfig) -> None:
    """Refuse settings of another workspace that would send the user's key to their server."""
    entry, settings = config.entry, config.settings
    if settings.is_own or config.base_url or not (entry.base_url and entry.api_key_env):
        return
    raise SettingsError(
        f"model {config.name!r}: {settings.file} would send the key in {entry.api_key_env} to "
        f"{entry.base_url}, and you don't stand in its workspace; look at it, then run lve in "
        "there, or give --base-url"
    )


def _openai(config: ModelConfig) -> ChatModel:
    from lve.models.openai.endpoint import openai_endpoint

    return _at_endpoint(config, openai_endpoint)


def _server(config: ModelConfig) -> ChatModel:
    """Make a model of a server that needs no settings (`groq/NAME`)."""
    from lve.models.openai.endpoint import openai_endpoint

    return _at_endpoint(config, partial(openai_endpoint, home=servers()[config.entry.provider]))


def _azure(config: ModelConfig) -> ChatModel:
    from lve.models.openai.endpoint import azure_endpoint

    return _at_endpoint(config, azure_endpoint)


def _at_endpoint(config: ModelConfig, make: Callable[..., Endpoint]) -> ChatModel:
    from lve.models.openai.adjustments import Adjustments
    from lve.models.openai.model import OpenAIModel

    _refuse_foreign_key(config)
    endpoint = make(config.name, config.entry, base_url=config.base_url, env=os.environ)
    known = known_model(config.name, config.settings)
    adjustments = Adjustments(config.name, known.renames if known else None, tell=config.tell)
    transport = _transport(endpoint, config.max_connections)
    return OpenAIModel(config.name, endpoint, transport, adjustments)


def _transport(endpoint: Endpoint, max_connections: int) -> Transport:
    proxy = _proxy_of(endpoint.base_url)
    if endpoint.client == "openai" or proxy is not None:
        from lve.models.openai.client import OpenAIClientTransport

        return OpenAIClientTransport(endpoint, max_connections=max_connections, proxy=proxy)
    from lve.models.openai.http import HttpTransport

    return HttpTransport(endpoint, max_connections=max_connections)


def _proxy_of(url: str) -> str | None:
    """Return the proxy that the environment sets for a URL; None if there is none."""
    from lve.models.openai.transport import PROXY_VARIABLES

    if not any(name.lower() in PROXY_VARIABLES and value for name, value in os.environ.items()):
        return None
    from urllib.parse import urlsplit
    from urllib.request import getproxies_environment, proxy_bypass

    parts = urlsplit(url)
    proxies = getproxies_environment()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return None if proxy is None or proxy_bypass(parts.netloc) else proxy


def _hf(config: ModelConfig) -> ChatModel:
    from lve.models.hf.files import find_files, require_packages
    from lve.models.hf.model import HFModel
    from lve.models.hf.sampling import hf_options

    require_packages()
    entry, file = config.entry, config.settings.file
    options = hf_options(entry.options, config.name)
    in_settings = config.name in config.settings.models
    # A path in the settings is relative to their file, another one to the current folder.
    folder = file.parent if file and in_settings else Path()
    files = find_files(
        entry.model or config.name.partition("/")[2],
        folder=folder,
        revision=options.revision,
        download=config.settings.allow_downloads,
        from_test=config.from_test,
    )
    return HFModel(
        config.name,
        files,
        options,
        write=config.write,
        meta_template=entry.meta_template if config.write else None,
        timeout_s=entry.timeout_s,
    )


PROVIDERS: Mapping[str, Callable[[ModelConfig], ChatModel]] = {
    "openai": _openai,
    "azure": _azure,
    "scripted": _scripted,
    "replay": _replay,
    "dummy": _dummy,
    "hf": _hf,
}
"""Name of a provider -> the function that makes its models. The table of known models has more:
servers that speak OpenAI's protocol."""
