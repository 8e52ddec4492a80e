"""Asks servers which models they have."""

from __future__ import annotations

from lve.errors import UnknownModelError
from lve.models.openai.model import OpenAIModel
from lve.models.registry import all_providers, create_model
from lve.workspace import Settings


async def offered_models(name: str, settings: Settings, *, base_url: str | None) -> list[str]:
    """Return the names of a server's models, sorted.

    Args:
        name: a provider (`openai`, `ollama`, ...), or a model of the settings.
        settings: the workspace's.
        base_url: of the command line.

    Raises:
        UnknownModelError: there is no such provider, or it has no list of models.
        ModelError: the list can't be had.
    """
    is_provider = name not in settings.models and name in all_providers()
    # A list of models is no model's; the name only says which server is asked.
    model = create_model(f"{name}/models" if is_provider else name, settings, base_url=base_url)
    try:
        if not isinstance(model, OpenAIModel):
            raise UnknownModelError(f"{name} is no server that could be asked for its models")
        return await model.offered()
    finally:
        await model.aclose()
