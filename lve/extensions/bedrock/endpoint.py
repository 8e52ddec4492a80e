"""Finds the region and the endpoint of a model on Amazon Bedrock."""

from __future__ import annotations

from collections.abc import Mapping

from lve.errors import MissingKeyError, SettingsError
from lve.models.http.endpoint import DEFAULT_TIMEOUT_S, Endpoint, served_name
from lve.models.http.keys import NO_KEY, Secret
from lve.named_tuples import NamedTuple
from lve.settings.model_settings import ModelSettings

INSTALL = "pip install 'lve[bedrock]'"
OPTIONS = ("profile", "region")
ADDRESS_VARIABLES = ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_ENDPOINT_URL")
REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")


class Access(NamedTuple):
    """The arguments of a boto3 session; boto3 finds credentials itself."""

    region: str
    profile: str | None


def bedrock_access(name: str, settings: ModelSettings, *, env: Mapping[str, str]) -> Access:
    """Find the region. Nothing is sent.

    Args:
        name: the model's name as the user gave it.
        settings: the model's settings.
        env: environment variables.

    Raises:
        SettingsError: the settings have a server, a key or an invalid option.
        MissingKeyError: boto3 isn't installed, or there is no region.
    """
    _check(name, settings)
    try:
        import boto3
        from botocore.exceptions import BotoCoreError
    except ImportError:
        message = f"model {name!r} needs a package: {INSTALL}"
        raise MissingKeyError(message, code="missing_package") from None
    profile = settings.options.get("profile")
    region_name = settings.options.get("region") or next(
        (env[variable] for variable in REGION_VARIABLES if env.get(variable)), None
    )
    try:
        region = boto3.Session(profile_name=profile, region_name=region_name).region_name
    except BotoCoreError as error:
        raise MissingKeyError(f"model {name!r}: {error}") from None
    if not region:
        raise MissingKeyError(
            f"model {name!r} needs a region: set AWS_REGION, or options.region in the model's "
            "settings",
            code="model_options",
        )
    return Access(str(region), profile)


def bedrock_endpoint(
    name: str, settings: ModelSettings, access: Access, *, env: Mapping[str, str]
) -> Endpoint:
    """Return the endpoint as the cache and the transport need it; arguments as `bedrock_access`."""
    address = next((env[variable] for variable in ADDRESS_VARIABLES if env.get(variable)), None)
    return Endpoint(
        provider="bedrock",
        base_url=address or f"https://bedrock-runtime.{access.region}.amazonaws.com",
        model=served_name(name, settings),
        secret=Secret(NO_KEY),
        timeout_s=settings.timeout_s or DEFAULT_TIMEOUT_S,
    )


def _check(name: str, settings: ModelSettings) -> None:
    if settings.base_url or settings.api_key_env:
        raise SettingsError(
            f"model {name!r}: Bedrock takes its keys where AWS's own tools do (environment, "
            "profile, role), and its address from AWS_ENDPOINT_URL_BEDROCK_RUNTIME: take "
            "base_url and api_key_env out of the model's settings",
            code="model_options",
        )
    for option, value in settings.options.items():
        if option not in OPTIONS:
            names = ", ".join(OPTIONS)
            raise SettingsError(
                f"model {name!r}: unknown option {option!r} (known: {names})", code="model_options"
            )
        if not _is_word(value):
            raise SettingsError(
                f"model {name!r}: options.{option} must be a name", code="model_options"
            )


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and 0 < len(value) <= 100
