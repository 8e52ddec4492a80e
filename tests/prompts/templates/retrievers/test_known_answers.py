"""Each text is asked for once, and old answers are forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lve.prompts.templates.retrievers.known_answers import KnownAnswers


def test_texts_are_asked_for_once_and_what_is_needed_soon_with_them() -> None:
    asked: list[list[str]] = []

    async def ask(texts: Sequence[str]) -> list[int]:
        asked.append(list(texts))
        return list(map(len, texts))

    async def run() -> list[list[int]]:
        known = KnownAnswers[int](kept=10)
        first = await known.of(["aa", "b", "aa"], ask, ahead=lambda: ["b", "ccc"])
        return [first, await known.of(["ccc"], ask, ahead=lambda: ["never"])]

    assert asyncio.run(run()) == [[2, 1, 2], [3]]
    assert asked == [["aa", "b", "ccc"]]


def test_a_question_larger_than_what_is_kept_is_answered_once() -> None:
    asked: list[list[str]] = []

    async def ask(texts: Sequence[str]) -> list[str]:
        asked.append(list(texts))
        return list(texts)

    async def run() -> list[str]:
        known = KnownAnswers[str](kept=2)
        await known.of(["a", "b"], ask)
        return await known.of(["a", "b", "c", "d", "e"], ask)

    assert asyncio.run(run()) == ["a", "b", "c", "d", "e"]
    assert asked == [["a", "b"], ["c", "d", "e"]]
