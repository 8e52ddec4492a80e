"""One thing that `lve doctor` has looked at."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Status = Literal["good", "note", "bad"]


class Finding(NamedTuple):
    """What is so, and what to do about it."""

    area: str
    """The heading it stands under: `Python`, `settings`, a model."""
    what: str
    status: Status
    """`note`: nothing is wrong, but something isn't there. `bad`: something will fail."""
    text: str
    hint: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return self._asdict()
