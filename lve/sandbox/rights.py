"""What a process in a sandbox may do beside the usual."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Sandbox(NamedTuple):
    """What a process may do beside running Python and writing into its temporary folder."""

    folder: str | None = None
    """A folder that it may read, but for what is hidden at its top."""
    read: tuple[str, ...] = ()
    """Files and folders that it may read."""
    write: tuple[str, ...] = ()
    """Files and folders that it may read, write and remove."""
    network: bool = False
    """Whether it may use the network."""
    private: tuple[str, ...] = ()
    """Folders of which nothing is allowed just because Python is installed around them."""

    def to_json(self) -> dict[str, Any]:
        """Return it as the process is told."""
        return self._asdict()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Sandbox:
        """Return what `to_json` gave."""
        lists = {name: tuple(data[name]) for name in ("read", "write", "private")}
        return cls(**{**data, **lists})
