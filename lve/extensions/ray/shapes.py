"""The resources that a worker needs on a cluster, by the model that it runs."""

from __future__ import annotations

from lve.errors import LveError
from lve.models.registry import provider_of
from lve.settings.model_settings import OFFLINE_PROVIDERS, ModelSettings, WorkerShape
from lve.settings.settings import Settings

LOCAL = "hf"


def shape_of(entry: ModelSettings, settings: Settings) -> WorkerShape:
    """Return the CPUs, GPUs and memory of workers that run a model: those of its settings, else
    those of the workspace, else the default."""
    if entry.worker is not None:
        return entry.worker
    if settings.worker is not None:
        return settings.worker
    return WorkerShape()


def is_served(model: str, settings: Settings) -> bool:
    """Whether a model runs on a server that all workers ask; otherwise each worker loads its
    own."""
    return _provider(model, settings) not in OFFLINE_PROVIDERS


def answers_at_once(model: str, settings: Settings) -> bool:
    """Whether a model computes nothing, as `replay`, so that only checkers take time."""
    return not is_served(model, settings) and _provider(model, settings) != LOCAL


def _provider(model: str, settings: Settings) -> str:
    try:
        return provider_of(model, settings)
    except LveError:  # a name without a provider, which is sent to --base-url
        return "openai"
