"""A value that can be used but not printed."""

from __future__ import annotations

from typing import NoReturn


class Secret:
    """A key. Its text comes out of `reveal` and of nothing else."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the text, for the one place that sends it."""
        return self._value

    def hide(self, text: str) -> str:
        """Return `text` with every occurrence of the secret blotted out."""
        # Placeholder keys such as `none` are words of the language: blotting them out would
        # only garble messages.
        return text.replace(self._value, "***") if len(self._value) >= 8 else text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret can't be pickled")
