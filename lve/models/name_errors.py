"""Error messages for names that aren't those of a model, with suggestions."""

from __future__ import annotations

from collections.abc import Sequence

from lve.models.tables import provider_called
from lve.settings.settings import Settings
from lve.suggest import closest, did_you_mean

OTHER_NAMES = {"aws": "bedrock", "amazon": "bedrock"}
"""Provider's name in other tools -> its name in lve, beside those in the table of known models."""


def unknown_provider_message(name: str, providers: Sequence[str]) -> str:
    """Return the message for an unknown provider, with the most similar one in `providers`."""
    hint = did_you_mean(name, providers)
    return f"unknown provider {name!r}" + (
        f", {hint}" if hint else f", and no plugin of that name (known: {', '.join(providers)})"
    )


def missing_name_message(provider: str) -> str:
    """Return the message for a provider's name that is given in place of a model's."""
    if provider == "scripted":
        return (
            "a scripted model needs its answers: add to lve.yaml "
            "`models: {my/script: {provider: scripted, options: {answers: FILE}}}`"
        )
    return f"model {provider!r} has no name: write {provider}/NAME"


def unknown_model_message(name: str, settings: Settings, providers: Sequence[str]) -> str:
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
            "own, or use --model replay for the recorded completions"
        )
    prefix, _, rest = name.partition("/")
    other = prefix.lower()
    provider = OTHER_NAMES.get(other) or provider_called(other) or closest(prefix, providers)
    if provider:
        return f"unknown model {name!r}: did you mean `{provider}/{rest}`?"
    return (
        f"unknown model {name!r}: say where it is served, with --base-url URL or in lve.yaml "
        f"`models: {{{name}: {{provider: openai, model: NAME, base_url: URL}}}}`, or use "
        "--model replay for the recorded completions"
    )
