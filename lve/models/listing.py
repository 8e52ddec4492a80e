"""Lists the models of a server (`GET /models`)."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from lve.errors import UnknownModelError
from lve.models.registry import all_providers, create_model
from lve.settings.settings import Settings


@runtime_checkable
class ListsModels(Protocol):
    """A model whose server can list its models."""

    async def list_models(self) -> list[str]:
        """Return the names of the server's models. Makes one attempt.

        Raises:
            ModelError: the attempt failed.
        """
        ...


async def list_models(name: str, settings: Settings, *, base_url: str | None) -> list[str]:
    """Return the names of a server's models, sorted.

    Args:
        name: a provider (`openai`, `ollama`, ...), or a model in the settings.
        settings: the workspace's settings.
        base_url: the server given on the command line (`--base-url`).

    Raises:
        UnknownModelError: there is no such provider, or it has no list of models.
        ModelError: the request failed.
    """
    is_provider = name not in settings.models and name in all_providers()
    # Listing models doesn't need one; the name only picks the server.
    model = create_model(f"{name}/models" if is_provider else name, settings, base_url=base_url)
    try:
        if not isinstance(model, ListsModels):
            raise UnknownModelError(f"{name} is no server that could be asked for its models")
        return await model.list_models()
    finally:
        await model.aclose()
