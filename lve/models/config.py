"""The arguments from which a provider makes a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lve.errors import SettingsError
from lve.messages import Message
from lve.named_tuples import NamedTuple
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

Write = Callable[[Sequence[Message]], str]
"""Renders messages as one text, following a meta template."""


class ModelConfig(NamedTuple):
    """The arguments for making a model."""

    name: str
    """The name that the user gave: `PROVIDER/NAME`, or a name from the settings."""
    entry: ModelSettings
    """The model's settings, or defaults if it has none."""
    settings: Settings
    base_url: str | None
    """The server given for this run (`--base-url`)."""
    max_connections: int
    """Maximum number of requests in flight."""
    write: Write | None = None
    from_test: bool = False
    """Whether the name comes from a test document, which isn't trusted."""
    tell: Callable[[str], None] | None = None
    """Called with notes for the user."""
    trusted: bool = False
    """Whether programs that the settings name may run."""

    def refuse_foreign_key(self) -> None:
        """Refuse another workspace's settings if they would send the user's key to a server there.

        Raises:
            SettingsError: `api_key_env` and `base_url` both come from that workspace.
        """
        entry, settings = self.entry, self.settings
        if settings.is_own or self.base_url or not (entry.base_url and entry.api_key_env):
            return
        raise SettingsError(
            f"model {self.name!r}: {settings.file} would send the key in {entry.api_key_env} to "
            f"{entry.base_url}, and you don't stand in its workspace; look at it, then run lve in "
            "there, or give --base-url",
            code="key_withheld",
        )
