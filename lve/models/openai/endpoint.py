"""Finds the endpoint of a model at OpenAI, at a compatible server or at Azure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal
from urllib.parse import quote

from lve.errors import MissingKeyError, UnknownModelError
from lve.models.http.endpoint import (
    DEFAULT_TIMEOUT_S,
    Endpoint,
    checked_url,
    client_of,
    headers_of,
    host_of,
    served_name,
    server_endpoint,
)
from lve.models.http.keys import Secret, key_in, may_be_sent_to, named_key
from lve.models.known_models import OPENAI_ADDRESS
from lve.models.known_tables import Provider
from lve.settings.model_settings import ModelSettings

OPENAI_URL = "https://api.openai.com/v1"
_BELOW_RESOURCE = re.compile(r"(?<!/)/openai(/.*)?$")
"""What follows the address of a resource at Azure: /openai/v1, a deployment, the path of a
request."""
PATHS = ("/chat/completions", "/completions", "/responses", "/embeddings")
"""Paths of requests that may stand at the end of an address."""
OPENAI = Provider(
    OPENAI_URL, "OPENAI_API_KEY", True, "https://developers.openai.com/api/reference/overview"
)


def openai_endpoint(
    name: str,
    settings: ModelSettings,
    *,
    base_url: str | None,
    env: Mapping[str, str],
    home: Provider = OPENAI,
) -> Endpoint:
    """Return the endpoint of a model at an OpenAI-compatible server.

    Args:
        name: the model's name as the user gave it.
        settings: the model's settings.
        base_url: the server given on the command line; overrides settings and environment.
        env: environment variables.
        home: the provider's own server, the default.

    Raises:
        MissingKeyError: there is no key.
        UsageError: the base URL or an option is invalid.
    """
    in_environment = env.get(OPENAI_ADDRESS) if home is OPENAI else None
    url = base_url or settings.base_url or in_environment or home.base_url
    url = checked_url(url, name, PATHS)
    return server_endpoint(
        name,
        settings,
        url,
        provider="openai",
        is_from_command_line=base_url is not None,
        env=env,
        home=home,
        api_version=settings.api_version,
        headers=_organisation_headers(name, url, env),
    )


def azure_endpoint(
    name: str, settings: ModelSettings, *, base_url: str | None, env: Mapping[str, str]
) -> Endpoint:
    """Return the endpoint of a model at Azure OpenAI; arguments and errors as `openai_endpoint`.

    Its path is `/openai/v1` without an api_version. With one, it is that of the deployment for chat
    completions, `/openai` for the Responses API.
    """
    resource = base_url or settings.base_url or env.get("AZURE_OPENAI_ENDPOINT")
    if not resource:
        raise UnknownModelError(
            f"model {name!r} has no endpoint: set AZURE_OPENAI_ENDPOINT, give --base-url, "
            "or set base_url in the model's settings",
            code="base_url",
        )
    resource = checked_url(resource, name)
    model = served_name(name, settings)
    version = settings.api_version or env.get("OPENAI_API_VERSION")
    secret, auth = _azure_key(
        name, settings, resource, is_from_command_line=base_url is not None, env=env
    )
    below = "/openai/v1"
    if version:
        # The Responses API isn't below deployments.
        deployment = f"/openai/deployments/{quote(model, safe='')}"
        below = "/openai" if settings.api == "responses" else deployment
    return Endpoint(
        provider="azure",
        base_url=_BELOW_RESOURCE.sub("", resource) + below,
        model=model,
        secret=secret,
        auth=auth,
        api_version=version,
        headers=headers_of(name, settings),
        timeout_s=settings.timeout_s or DEFAULT_TIMEOUT_S,
        client=client_of(name, settings),
    )


def has_deployment(endpoint: Endpoint) -> bool:
    """Return whether an endpoint is a deployment at Azure, which has only chat completions."""
    return endpoint.provider == "azure" and "/openai/deployments/" in endpoint.base_url


def _azure_key(
    name: str,
    settings: ModelSettings,
    url: str,
    *,
    is_from_command_line: bool,
    env: Mapping[str, str],
) -> tuple[Secret, Literal["bearer", "api-key"]]:
    is_users = is_from_command_line or settings.base_url is None
    if settings.api_key_env:
        key = named_key(name, settings.api_key_env, url, is_users=is_users, env=env)
        return key, "api-key"
    if is_users or may_be_sent_to("AZURE_OPENAI_API_KEY", url, env):
        if token := key_in(name, "AZURE_OPENAI_AD_TOKEN", env):
            return token, "bearer"
        if secret := key_in(name, "AZURE_OPENAI_API_KEY", env):
            return secret, "api-key"
    raise MissingKeyError(
        f"model {name!r} needs a key: set AZURE_OPENAI_API_KEY (or AZURE_OPENAI_AD_TOKEN), or "
        "name the variable with api_key_env in the model's settings"
    )


def _organisation_headers(name: str, url: str, env: Mapping[str, str]) -> dict[str, str]:
    if host_of(url) != host_of(OPENAI_URL):
        return {}
    variables = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
    ids = {header: key_in(name, variable, env) for header, variable in variables.items()}
    return {header: id_.reveal() for header, id_ in ids.items() if id_ is not None}
