"""Makes a model from its name and the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from lve.errors import SettingsError, TrustError, UnknownModelError
from lve.extension_table import PLUGINS, extension_part
from lve.models.chat_model import MODEL_MEMBERS, ChatModel
from lve.models.config import ModelConfig, Write
from lve.models.known_models import known_servers
from lve.models.known_tables import provider_called
from lve.models.replay import ReplayModel
from lve.plugins import Plugin, all_plugins, find_plugin
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings
from lve.suggest import closest, did_you_mean

NAMED_PROVIDERS = ("openai", "azure", "dummy", "hf")
"""Providers whose models can be used as PROVIDER/NAME without an entry in the settings."""
OTHER_NAMES = {"aws": "bedrock", "amazon": "bedrock"}
"""Provider's name in other tools -> its name in lve, beside those in the table of known models."""


def create_model(
    name: str,
    settings: Settings,
    *,
    base_url: str | None = None,
    max_connections: int = 64,
    write: Write | None = None,
    from_test: bool = False,
    tell: Callable[[str], None] | None = None,
    trusted: bool = False,
) -> ChatModel:
    """Return a model. Nothing is sent to a server.

    Args:
        name: a name from the settings, `replay`, `dummy/dummy`, or `PROVIDER/NAME`. With
            `base_url`, any other name is sent to that server unchanged.
        settings: the workspace's settings.
        base_url: the server; overrides the settings and the environment.
        max_connections: maximum number of requests in flight.
        write: renders messages as one text, for a local model whose settings have a meta template.
        from_test: whether the name comes from a test document. Then it can't be a folder outside
            the current one.
        tell: called with notes for the user: an arg that the model refuses, a shutdown date.
        trusted: whether programs that the settings name may run (`--trust`).

    Raises:
        UnknownModelError: there is no such model, or its key or endpoint is missing.
        UsageError: the base URL or an option is invalid.
    """
    provider = provider_of(name, settings, base_url=base_url)
    entry = settings.models.get(name)
    if entry is None:
        # `openai/NAME` is sent as NAME; any other name for --base-url is sent unchanged.
        served = None if name.startswith(f"{provider}/") else name
        entry = ModelSettings(provider=provider, model=served)
    config = ModelConfig(
        name, entry, settings, base_url, max_connections, write, from_test, tell, trusted
    )
    return _maker(provider)(config)


def provider_of(name: str, settings: Settings, *, base_url: str | None = None) -> str:
    """Return the provider of a model: a key of `PROVIDERS`, a known server, or a plugin's name.

    Raises:
        UnknownModelError: no provider has such a model.
        SettingsError: the settings name an unknown provider.
        PluginError: several installed packages provide it.
    """
    entry = settings.models.get(name)
    if entry is not None:
        provider = entry.provider
        if not _is_provider(provider):
            raise SettingsError(
                f"model {name!r}: {_unknown_provider_message(provider, all_providers())}",
                code="unknown_model",
            )
        return provider
    prefix, slash, rest = name.partition("/")
    needs_a_name = prefix in NAMED_PROVIDERS or _is_server(prefix, base_url)
    if name == "replay" or (slash and rest and needs_a_name):
        return prefix
    if needs_a_name or prefix == "scripted":
        raise UnknownModelError(_missing_name_message(prefix))
    if base_url is not None and name:
        return "openai"
    if slash and rest and _is_provider(prefix):
        return prefix
    raise UnknownModelError(_unknown_model_message(name, settings, all_providers()))


def all_providers() -> tuple[str, ...]:
    """Return the names of all providers, including those of installed plugins."""
    plugins = (plugin.name for plugin in all_plugins() if plugin.kind == "model")
    return tuple(dict.fromkeys((*PROVIDERS, *known_servers(), *plugins)))


def is_builtin_provider(name: str) -> bool:
    """Return whether a provider ships with lve."""
    return name in PROVIDERS or name in known_servers() or ("model", name) in PLUGINS


def _is_provider(name: str) -> bool:
    return is_builtin_provider(name) or find_plugin("model", name) is not None


def _is_server(prefix: str, base_url: str | None) -> bool:
    """Return whether `prefix` is a known server, whose models need no settings.

    With a base URL, only servers that users run themselves count (`ollama`, `vllm`): other servers
    also have models called `deepseek/...`.
    """
    if prefix == "bedrock":
        return base_url is None
    server = known_servers().get(prefix)
    return server is not None and not (base_url and server.needs_key)


def _maker(provider: str) -> Callable[[ModelConfig], ChatModel]:
    if provider in PROVIDERS:
        return PROVIDERS[provider]
    return _server_model if provider in known_servers() else partial(_plugin_model, provider)


def _plugin_model(provider: str, config: ModelConfig) -> ChatModel:
    """Return a model made by a plugin; lve's own `hf` is loaded the same way."""
    plugin = find_plugin("model", provider)
    assert plugin is not None, provider
    _check_plugin_allowed(plugin, config)
    make = plugin.load()
    with plugin.guarded("can't make a model"):
        model: ChatModel = make(config)
        missing = [member for member in MODEL_MEMBERS if not hasattr(model, member)]
    if missing:
        raise plugin.problem(f"made something else than a model: it has no {', '.join(missing)}")
    return model


def _check_plugin_allowed(plugin: Plugin, config: ModelConfig) -> None:
    """Refuse a plugin that only a test or another workspace's settings ask for.

    Raises:
        TrustError: the user hasn't chosen the plugin.
    """
    settings, name = config.settings, config.name
    if plugin.is_own or plugin.name in settings.plugins:
        return
    if name in settings.models and not settings.is_own:
        raise TrustError(
            f"model {name!r}: {settings.file} asks for {plugin}, and you don't stand in its "
            "workspace; look at it, then run lve in there"
        )
    if config.from_test:
        raise TrustError(
            f"model {name!r} needs {plugin}, and only the test asks for it: run it with "
            f"`--model {name}`, or add `plugins: [{plugin.name}]` to lve.yaml"
        )


def _bedrock(config: ModelConfig) -> ChatModel:
    model: ChatModel = extension_part("bedrock")(config)
    return model


def _openai(config: ModelConfig) -> ChatModel:
    from lve.models.openai import model  # late: it loads the HTTP client

    if config.entry.provider == "azure":
        return model.azure_model(config)
    return model.openai_model(config, known_servers().get(config.entry.provider))


def _server_model(config: ModelConfig) -> ChatModel:
    """Return a model at a known server (`groq/NAME`)."""
    home = known_servers()[config.entry.provider]
    if home.api == "openai":
        return _openai(config)
    config.refuse_foreign_key()
    model: ChatModel = extension_part(home.api)(config, home)
    return model


def _replay(config: ModelConfig) -> ChatModel:
    return ReplayModel(config.name)


def _dummy(config: ModelConfig) -> ChatModel:
    from lve.models.dummy import DummyModel

    return DummyModel(config.name)


def _scripted(config: ModelConfig) -> ChatModel:
    if config.entry.options.get("answers") is None:
        raise SettingsError(
            f"model {config.name!r}: {_missing_name_message('scripted')}", code="script"
        )
    from lve.models.script_file import scripted_model

    return scripted_model(config)


PROVIDERS: Mapping[str, Callable[[ModelConfig], ChatModel]] = {
    "openai": _openai,
    "azure": _openai,
    "bedrock": _bedrock,
    "scripted": _scripted,
    "replay": _replay,
    "dummy": _dummy,
}
"""Name of a provider -> the function that makes its models. The servers in the table of known
models and plugins (`lve.plugins`; `hf` is one) are further providers."""


def _unknown_provider_message(name: str, providers: Sequence[str]) -> str:
    """Return the message for an unknown provider, with the most similar one in `providers`."""
    hint = did_you_mean(name, providers)
    return f"unknown provider {name!r}" + (
        f", {hint}" if hint else f", and no plugin of that name (known: {', '.join(providers)})"
    )


def _missing_name_message(provider: str) -> str:
    """Return the message for a provider's name that is given in place of a model's."""
    if provider == "scripted":
        return (
            "a scripted model needs its answers: add to lve.yaml "
            "`models: {my/script: {provider: scripted, options: {answers: FILE}}}`"
        )
    return f"model {provider!r} has no name: write {provider}/NAME"


def _unknown_model_message(name: str, settings: Settings, providers: Sequence[str]) -> str:
    """Return the message for an unknown model, with what to write instead.

    Args:
        name: the name that the user gave.
        settings: the workspace's settings.
        providers: the names of all providers.
    """
    hint = did_you_mean(name, [*settings.models, "replay", "dummy/dummy"])
    if hint:
        return f"unknown model {name!r}: {hint}"
    if "/" not in name:
        return (
            f"unknown model {name!r}: write openai/{name}, add --base-url for a server of your "
            "own, or use --model replay for the recorded answers"
        )
    prefix, _, rest = name.partition("/")
    other = prefix.lower()
    provider = OTHER_NAMES.get(other) or provider_called(other) or closest(prefix, providers)
    if provider:
        return f"unknown model {name!r}: did you mean `{provider}/{rest}`?"
    return (
        f"unknown model {name!r}: say where it is served, with --base-url URL or in lve.yaml "
        f"`models: {{{name}: {{provider: openai, model: NAME, base_url: URL}}}}`, or use "
        "--model replay for the recorded answers"
    )
