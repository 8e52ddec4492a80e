"""The settings of a model: how to reach it, its default args, limits and price, and the resources
of its workers on a Ray cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lve.named_tuples import NamedTuple


class WorkerShape(NamedTuple):
    """The key `worker` of the settings: what a worker of a Ray cluster needs."""

    num_cpus: float = 1
    num_gpus: float = 0
    memory_gb: float | None = None
    """Only used to choose a machine; it isn't a limit."""
    replicas: int | None = None
    """Number of workers; None: as many as fit on the cluster."""


OFFLINE_PROVIDERS = ("dummy", "hf", "replay", "scripted")
"""Providers that answer on this machine and send nothing."""


class LongPrompts(NamedTuple):
    """The prices of requests with a long prompt."""

    above: int
    """A prompt is long if it has more tokens than this."""
    input: float
    output: float
    cached_input: float | None = None


class Price(NamedTuple):
    """The price of a model, in US dollars: per million tokens, but for `request`."""

    input: float = 0.0
    output: float = 0.0
    """Also the price of reasoning tokens."""
    cached_input: float | None = None
    """For prompt tokens that the provider had in its cache; None: the same as `input`."""
    long_prompts: LongPrompts | None = None
    request: float = 0.0
    """US dollars for each request, whatever its tokens."""

    def for_prompt(self, tokens: int) -> Price | LongPrompts:
        """Return the price of a request whose prompt has this many tokens."""
        long = self.long_prompts
        return self if long is None or tokens <= long.above else long


def price_from(data: Mapping[str, Any] | None) -> Price | None:
    """Return the price from a valid document; None for None."""
    if data is None:
        return None
    values = {name: value for name, value in data.items() if value is not None}
    long = values.pop("long_prompts", None)
    return Price(**values, long_prompts=None if long is None else LongPrompts(**long))


class ModelSettings(NamedTuple):
    """An entry of `models` in the settings."""

    provider: str = "openai"
    """A key of `lve.models.registry.PROVIDERS`."""
    model: str | None = None
    """The model's name at the server; None: the part of its name in lve after the first `/`."""
    base_url: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable with the API key."""
    api_version: str | None = None
    api: Literal["chat", "responses"] | None = None
    """Which of OpenAI's APIs to use, chat completions or responses; None: the model's default."""
    args: Mapping[str, Any] = {}
    """Default model args; a test or an instance can override them."""
    options: Mapping[str, Any] = {}
    """Options of the provider (`answers` of `scripted`, `device` of `hf`, ...)."""
    max_connections: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout_s: float | None = None
    """Seconds for one attempt."""
    price: Price | None = None
    refuses: tuple[str, ...] = ()
    """Model args that the model refuses; lve doesn't send its own defaults for them."""
    renames: Mapping[str, str] = {}
    """Model arg -> the model's own name for it."""
    meta_template: Any = None
    """Converts a dialogue to the model's input: the name of a meta template, or the object."""
    kind: Literal["lm", "api"] | None = None
    """Whether a dialogue becomes one string (`lm`) or chat messages (`api`)."""
    prompt_logprobs: bool = False
    """Whether the chat server returns log-probabilities of prompts, as vLLM does."""
    worker: WorkerShape | None = None
    """The resources of a cluster worker that runs tests against this model."""


def offline_provider(model: str) -> str | None:
    """Return the provider in a model's name if it sends nothing, else None.

    Settings can't give such a name another provider.
    """
    provider = model.partition("/")[0]
    return provider if provider in OFFLINE_PROVIDERS else None
