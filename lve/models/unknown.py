"""What is said of names that are no model's."""

from __future__ import annotations

from collections.abc import Sequence

from lve.suggest import closest, did_you_mean
from lve.workspace import Settings

OTHER_NAMES = {
    "google": "gemini",
    "googleai": "gemini",
    "claude": "anthropic",
    "aws": "bedrock",
    "amazon": "bedrock",
}
"""What other tools call a provider -> what lve calls it."""


def unknown_provider(name: str, known: Sequence[str]) -> str:
    """Return that there is no such provider, and which one may be meant."""
    hint = did_you_mean(name, known)
    return f"unknown provider {name!r}" + (
        f", {hint}" if hint else f", and no plugin of that name (known: {', '.join(known)})"
    )


def incomplete(provider: str) -> str:
    """Return what a provider's name lacks to be a model's."""
    if provider == "scripted":
        return (
            "a scripted model needs its answers: add to lve.yaml "
            "`models: {my/script: {provider: scripted, options: {answers: FILE}}}`"
        )
    return f"model {provider!r} has no name: write {provider}/NAME"


def unknown(name: str, settings: Settings, providers: Sequence[str]) -> str:
    """Return why a name is no model's, and what to write instead.

    Args:
        name: as the user gave it.
        settings: the workspace's.
        providers: all there are.
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
    provider = OTHER_NAMES.get(prefix.lower()) or closest(prefix, providers)
    if provider:
        return f"unknown model {name!r}: did you mean `{provider}/{rest}`?"
    return (
        f"unknown model {name!r}: say where it is served, with --base-url URL or in lve.yaml "
        f"`models: {{{name}: {{provider: openai, model: NAME, base_url: URL}}}}`, or use "
        "--model replay for the recorded completions"
    )
