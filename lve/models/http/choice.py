"""Chooses the transport to an endpoint."""

from __future__ import annotations

from lve.models.http.endpoint import Endpoint
from lve.models.http.transport import Transport


def transport_to(endpoint: Endpoint, max_connections: int) -> Transport:
    """Return the transport to an endpoint: lve's own, or that of the `openai` package if the
    settings say `client: openai`.

    Raises:
        SettingsError: a proxy in the environment can't be used.
    """
    if endpoint.client == "openai":
        from lve.models.http.openai_client import OpenAIClientTransport

        return OpenAIClientTransport(endpoint, max_connections=max_connections)
    from lve.models.http.pool import HttpTransport
    from lve.models.http.proxy import proxy_to

    proxy = proxy_to(endpoint.base_url)
    return HttpTransport(endpoint, max_connections=max_connections, proxy=proxy)
