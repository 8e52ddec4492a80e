"""Chooses the transport to an endpoint."""

from __future__ import annotations

import os

from lve.models.http.endpoint import Endpoint
from lve.models.http.transport import PROXY_VARIABLES, Transport


def transport_to(endpoint: Endpoint, max_connections: int) -> Transport:
    """Return the transport to an endpoint: lve's own, or that of the `openai` package if there is a
    proxy or the settings say `client: openai`.

    Raises:
        SettingsError: a proxy in the environment can't be used.
    """
    proxy = _proxy_of(endpoint.base_url)
    if endpoint.client == "openai" or proxy is not None:
        from lve.models.http.openai_client import OpenAIClientTransport

        return OpenAIClientTransport(endpoint, max_connections=max_connections, proxy=proxy)
    from lve.models.http.pool import HttpTransport

    return HttpTransport(endpoint, max_connections=max_connections)


def _proxy_of(url: str) -> str | None:
    """Return the proxy that the environment sets for a URL; None if there is none."""
    if not any(name.lower() in PROXY_VARIABLES and value for name, value in os.environ.items()):
        return None
    from urllib.parse import urlsplit
    from urllib.request import getproxies_environment, proxy_bypass

    parts = urlsplit(url)
    proxies = getproxies_environment()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return None if proxy is None or proxy_bypass(parts.netloc) else proxy
