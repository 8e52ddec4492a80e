"""Makes models that run on a server: OpenAI-compatible ones, Azure, and those of extensions."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from lve.errors import SettingsError
from lve.extension_table import extension_part
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.known import api_of, known_model, known_servers, shutdown_date

if TYPE_CHECKING:
    from lve.models.http.chat import HttpChatModel
    from lve.models.http.endpoint import Endpoint
    from lve.models.http.transport import Transport
    from lve.models.http.wire import Wire

SHUTDOWN_NOTICE_DAYS = 60
"""A model's shutdown is announced this many days before."""


def _refuse_foreign_key(config: ModelConfig) -> None:
    """Refuse another workspace's settings if they would send the user's key to a server there.

    Raises:
        SettingsError: `api_key_env` and `base_url` both come from that workspace.
    """
    entry, settings = config.entry, config.settings
    if settings.is_own or config.base_url or not (entry.base_url and entry.api_key_env):
        return
    raise SettingsError(
        f"model {config.name!r}: {settings.file} would send the key in {entry.api_key_env} to "
        f"{entry.base_url}, and you don't stand in its workspace; look at it, then run lve in "
        "there, or give --base-url",
        code="key_withheld",
    )


def _note_shutdown(config: ModelConfig) -> None:
    """Tell the user that the provider has shut the model down, or will soon."""
    end = shutdown_date(config.name, config.settings, base_url=config.base_url)
    if config.tell is None or end is None:
        return
    days = (end - date.today()).days
    if days <= SHUTDOWN_NOTICE_DAYS:
        verb = "shut this model down" if days < 0 else "shuts this model down"
        config.tell(f"{config.name}: its provider {verb} on {end}; `lve models` lists others")


def openai_model(config: ModelConfig) -> ChatModel:
    """Return a model at OpenAI, or at a server with the same API."""
    from lve.models.openai.endpoint import openai_endpoint

    return _openai_model_at(config, openai_endpoint)


def server_model(config: ModelConfig) -> ChatModel:
    """Return a model at a known server (`groq/NAME`)."""
    home = known_servers()[config.entry.provider]
    if home.api != "openai":
        _refuse_foreign_key(config)
        model: ChatModel = extension_part(home.api)(config, home)
        return model
    from lve.models.openai.endpoint import openai_endpoint

    return _openai_model_at(config, partial(openai_endpoint, home=home))


def azure_model(config: ModelConfig) -> ChatModel:
    """Return a model at Azure OpenAI."""
    from lve.models.openai.endpoint import azure_endpoint

    return _openai_model_at(config, azure_endpoint)


def _openai_model_at(config: ModelConfig, make: Callable[..., Endpoint]) -> ChatModel:
    from lve.models.openai.apis import openai_wire
    from lve.models.openai.endpoint import has_deployment
    from lve.models.openai.model import OpenAIModel

    _refuse_foreign_key(config)
    api = api_of(config.name, config.settings)
    # On Azure, the address depends on the API.
    entry = config.entry._replace(api=api)
    endpoint = make(config.name, entry, base_url=config.base_url, env=os.environ)
    is_fixed = config.entry.api is not None or has_deployment(endpoint)
    wire = openai_wire(endpoint.model, api, is_fixed=is_fixed)
    return http_model(config, endpoint, wire, kind=OpenAIModel)


def http_model(
    config: ModelConfig,
    endpoint: Endpoint,
    wire: Wire,
    transport: Transport | None = None,
    *,
    kind: type[HttpChatModel] | None = None,
) -> ChatModel:
    """Return a model at an HTTP API.

    Args:
        config: the model's configuration.
        endpoint: the server.
        wire: the API's format.
        transport: sends the requests; None: the usual HTTP transport.
        kind: the model's class; None: `HttpChatModel`.
    """
    from lve.models.http.adjustments import Adjustments
    from lve.models.http.chat import HttpChatModel

    _note_shutdown(config)
    traits = known_model(config.name, config.settings)
    renames = {**wire.renames, **(traits.renames if traits else {})}
    adjustments = Adjustments(config.name, renames, tell=config.tell)
    transport = transport or _transport_to(endpoint, config.max_connections)
    make = kind or HttpChatModel
    return make(config.name, endpoint, wire, transport, adjustments)


def _transport_to(endpoint: Endpoint, max_connections: int) -> Transport:
    """Return the transport to an endpoint: lve's own, or that of the `openai` package if the
    settings say `client: openai`.

    Raises:
        SettingsError: a proxy in the environment can't be used.
    """
    if endpoint.client == "openai":
        other: Transport = extension_part("openai client")(
            endpoint, max_connections=max_connections
        )
        return other
    from lve.models.http.pool import HttpTransport
    from lve.models.http.proxy import proxy_to

    proxy = proxy_to(endpoint.base_url)
    return HttpTransport(endpoint, max_connections=max_connections, proxy=proxy)
