"""Paths into an application's answers: those of the check `json_path`, and `[*]` for all items."""

from __future__ import annotations

from lve.documents.json_paths import at_step, path_steps
from lve.errors import SettingsError

ALL = "[*]"
MAX_VALUES = 10_000
"""Most values that a path with `[*]` leads to."""


class ValuePath:
    """A path such as `$.sources[*].text`."""

    def __init__(self, text: str, where: str) -> None:
        """Args:
        text: the path.
        where: the setting that has it, for messages.

        Raises:
            SettingsError: it is malformed.
        """
        self.text = text
        parts = [path_steps(part or "$") for part in text.strip().removeprefix("$").split(ALL)]
        if any(part is None for part in parts):
            raise SettingsError(
                f"{where}: a path is such as $.reply, $.choices[0].text or $.sources[*].text, "
                f"not {text!r}",
                code="target",
            )
        self._parts = [part for part in parts if part is not None]

    @property
    def has_several(self) -> bool:
        """Whether it leads to the items of a list (`[*]`)."""
        return len(self._parts) > 1

    def values_in(self, data: object) -> list[object]:
        """Return the values at the path. What isn't there is left out."""
        values = [data]
        for number, steps in enumerate(self._parts):
            if number:
                items = [item for value in values if isinstance(value, list) for item in value]
                values = items[:MAX_VALUES]
            for step in steps:
                values = [value for outer in values for value in _step(outer, step)]
        return values

    def value_in(self, data: object) -> object:
        """Return the value at the path, or the list of values of one with `[*]`; None if there is
        none."""
        values = self.values_in(data)
        if self.has_several:
            return values or None
        return values[0] if values else None


def _step(value: object, step: str | int) -> list[object]:
    try:
        return [at_step(value, step)]
    except LookupError:
        return []
