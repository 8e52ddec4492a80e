"""One result of `lve doctor`."""

from __future__ import annotations

from typing import Any, Literal

from lve.named_tuples import NamedTuple

Status = Literal["good", "note", "bad"]


class Finding(NamedTuple):
    """A result of one check."""

    area: str
    """The heading of its group: `Python`, `settings`, the name of a model."""
    what: str
    """The name of the thing that was checked, such as `key`."""
    status: Status
    """`note`: something is missing that may not be needed. `bad`: something will fail."""
    text: str
    hint: str | None = None
    """What the user can do about it."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return self._asdict()
