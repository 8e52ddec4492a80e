"""Makes models that run on a server, whatever its API: OpenAI's, or that of an extension.

It loads lve's HTTP client, so it is imported when the first such model is made.
"""

from __future__ import annotations

from datetime import date

from lve.extension_table import extension_part
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.models.http.adjustments import Adjustments
from lve.models.http.chat import HttpChatModel
from lve.models.http.connections.pool import HttpTransport
from lve.models.http.connections.proxy import proxy_to
from lve.models.http.connections.transport import Transport
from lve.models.http.endpoint import Endpoint
from lve.models.http.wire import Wire
from lve.models.known_models import known_model, shutdown_date

SHUTDOWN_NOTICE_DAYS = 60
"""A model's shutdown is announced this many days before."""


def _note_shutdown(config: ModelConfig) -> None:
    """Tell the user that the provider has shut the model down, or will soon."""
    end = shutdown_date(config.name, config.settings, base_url=config.base_url)
    if config.tell is None or end is None:
        return
    days = (end - date.today()).days
    if days <= SHUTDOWN_NOTICE_DAYS:
        verb = "shut this model down" if days < 0 else "shuts this model down"
        config.tell(f"{config.name}: its provider {verb} on {end}; `lve models` lists others")


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
    proxy = proxy_to(endpoint.base_url)
    return HttpTransport(endpoint, max_connections=max_connections, proxy=proxy)
