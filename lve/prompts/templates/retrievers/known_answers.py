"""A cache of what models gave for texts, so that each text is asked for once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class KnownAnswers(Generic[Answer]):
    """Answers by text; the oldest are forgotten."""

    def __init__(self, kept: int) -> None:
        """Args:
        kept: answers to keep at least; the answers to one question are always kept together.
        """
        self._kept = kept
        self._known: dict[str, Answer] = {}

    async def of(
        self,
        texts: Sequence[str],
        ask: Callable[[Sequence[str]], Awaitable[Sequence[Answer]]],
        *,
        ahead: Callable[[], Sequence[str]] = tuple,
    ) -> list[Answer]:
        """Return the answer for each text.

        Args:
            texts: each is asked for once, however often it occurs.
            ask: gets the answers that are missing.
            ahead: gives texts that will be needed soon: asked for in the same request, if there is
                one.
        """
        found = {text: self._known[text] for text in texts if text in self._known}
        if len(found) < len(set(texts)):
            wanted = dict.fromkeys([*texts, *ahead()])
            missing = [text for text in wanted if text not in self._known]
            new = dict(zip(missing, await ask(missing), strict=True))
            self._keep(new)
            found.update(new)
        return [found[text] for text in texts]

    def _keep(self, new: dict[str, Answer]) -> None:
        self._known.update(new)
        most = max(self._kept, len(new))
        for text in list(self._known)[: max(0, len(self._known) - most)]:
            del self._known[text]
