"""Each text is requested once, and old results are evicted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lve.extensions.opencompass.retrievers.example_texts import TextCache


def test_texts_are_asked_for_once_and_what_is_needed_soon_with_them() -> None:
    asked: list[list[str]] = []

    async def ask(texts: Sequence[str]) -> list[int]:
        asked.append(list(texts))
        return list(map(len, texts))

    async def run() -> list[list[int]]:
        known = TextCache[int](size=10)
        first = await known.get(["aa", "b", "aa"], ask, prefetch=lambda: ["b", "ccc"])
        return [first, await known.get(["ccc"], ask, prefetch=lambda: ["never"])]

    assert asyncio.run(run()) == [[2, 1, 2], [3]]
    assert asked == [["aa", "b", "ccc"]]


def test_a_question_larger_than_what_is_kept_is_answered_once() -> None:
    asked: list[list[str]] = []

    async def ask(texts: Sequence[str]) -> list[str]:
        asked.append(list(texts))
        return list(texts)

    async def run() -> list[str]:
        known = TextCache[str](size=2)
        await known.get(["a", "b"], ask)
        return await known.get(["a", "b", "c", "d", "e"], ask)

    assert asyncio.run(run()) == ["a", "b", "c", "d", "e"]
    assert asked == [["a", "b"], ["c", "d", "e"]]
