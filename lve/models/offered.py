"""Asks servers which models they have."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from lve.errors import UnknownModelError
from lve.models.registry import all_providers, create_model
from lve.workspace import Settings


@runtime_checkable
class Offers(Protocol):
    """A model whose server says which others it has."""

    async def offered(self) -> list[str]:
        """Make one attempt to get their names.

        Raises:
            ModelError: the attempt failed.
        """
        ...


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
        if not isinstance(model, Offers):
            raise UnknownModelError(f"{name} is no server that could be asked for its models")
        return await model.offered()
    finally:
        await model.aclose()
