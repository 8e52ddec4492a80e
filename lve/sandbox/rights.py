"""Describes what a process in a sandbox may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.named_tuples import NamedTuple


class Sandbox(NamedTuple):
    """What a process may do in addition to running Python and writing into its temporary folder."""

    folder: str | None = None
    """A folder that it may read, except for hidden entries at its top."""
    read: tuple[str, ...] = ()
    """Files and folders that it may read."""
    write: tuple[str, ...] = ()
    """Files and folders that it may read, write and remove."""
    network: bool = False
    """Whether it may use the network."""
    private: tuple[str, ...] = ()
    """Folders that aren't readable just because Python is installed around them."""

    def to_json(self) -> dict[str, Any]:
        """Return the sandbox as JSON, for the child process."""
        return self._asdict()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Sandbox:
        """Return the sandbox that `to_json` was called on."""
        lists = {name: tuple(data[name]) for name in ("read", "write", "private")}
        return cls(**{**data, **lists})
