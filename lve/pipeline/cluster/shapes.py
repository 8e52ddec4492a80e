"""What a worker takes of a cluster, and what that is for."""

from __future__ import annotations

from lve.errors import LveError
from lve.models.registry import provider_of
from lve.settings.model_settings import OFFLINE_PROVIDERS, ModelSettings
from lve.settings.settings import Settings
from lve.settings.worker_shape import WorkerShape

LOCAL = "hf"


def shape_of(entry: ModelSettings, settings: Settings) -> WorkerShape:
    """Return what a worker takes that runs tests against a model."""
    if entry.worker is not None:
        return entry.worker
    if settings.worker is not None:
        return settings.worker
    return WorkerShape()


def is_served(model: str, settings: Settings) -> bool:
    """Whether a model is at a server, which all workers ask; else each has one of its own."""
    return _provider(model, settings) not in OFFLINE_PROVIDERS


def answers_at_once(model: str, settings: Settings) -> bool:
    """Whether a model computes nothing, so that instances wait for their checkers alone."""
    return not is_served(model, settings) and _provider(model, settings) != LOCAL


def _provider(model: str, settings: Settings) -> str:
    try:
        return provider_of(model, settings)
    except LveError:  # a name that is sent to --base-url as it is
        return "openai"
