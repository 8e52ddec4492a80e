"""A key that can't be printed by accident."""

from __future__ import annotations

from typing import NoReturn


class Secret:
    """A key. Only `reveal` returns its text."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the text, to send it."""
        return self._value

    def hide(self, text: str) -> str:
        """Return `text` with every occurrence of the secret replaced by `***`."""
        # Placeholder keys such as `none` are common words: replacing them would garble messages.
        return text.replace(self._value, "***") if len(self._value) >= 8 else text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret can't be pickled")
