"""Which stored answers answer a request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, cast

import pytest

from lve.errors import SessionError
from lve.execution.cache.lookup import CachedAnswers, StoredAnswer
from lve.execution.stop import Stopped, StopSignal
from lve.execution.traffic import Traffic
from lve.messages import Completion
from lve.models.chat_model import ChatRequest


class OneAnswer:
    """A cache with one answer, whatever is asked."""

    def __init__(self, stored: Completion | None) -> None:
        self._stored = stored
        self.claims: Claims | None = None
        self.asking: dict[str, list[asyncio.Future[None]]] = {}

    def get(self, key: str) -> Completion | None:
        return self._stored

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        self._stored = completion


@pytest.mark.parametrize(
    ("fields", "by_default", "answers"),
    [
        ({}, (), True),
        ({"left_out": ("temperature",)}, ("temperature",), True),
        ({"left_out": ("temperature",)}, (), False),  # this request sets it on purpose
        ({"finish_reason": "length"}, (), True),
        ({"finish_reason": "error"}, (), False),  # the server gave it up
        (None, (), False),
    ],
)
def test_a_stored_answer_is_taken_at_once_or_the_model_is_asked(
    fields: dict[str, Any] | None, by_default: tuple[str, ...], answers: bool
) -> None:
    stored = None if fields is None else Completion("old", **fields)
    traffic = Traffic()
    cached = CachedAnswers(
        "m", OneAnswer(stored), lambda _: "key", StopSignal(), traffic, is_read=True, patience_s=1
    )
    request = ChatRequest(by_default=frozenset(by_default))
    answer: Any = cached.complete(request, cast(Any, None))
    assert isinstance(answer, StoredAnswer) is answers
    assert traffic.cached == answers
    if isinstance(answer, StoredAnswer):
        assert answer[0] is stored
        with pytest.raises(StopIteration) as ended:
            next(answer.__await__())
        assert ended.value.value is stored
    else:
        answer.close()


class Rows:
    """Rows with the same request, each a task. A row's model answers when it is told to."""

    def __init__(self, *, is_read: bool = True) -> None:
        self.store, self.stop_signal, self.traffic = OneAnswer(None), StopSignal(), Traffic()
        self._cached = CachedAnswers(
            "m",
            self.store,
            lambda _: "key",
            self.stop_signal,
            self.traffic,
            is_read=is_read,
            patience_s=1,
        )
        self.asked: list[asyncio.Future[Completion]] = []
        """What each row that asks waits for, in order."""

    def begin(self, count: int) -> list[asyncio.Task[Completion]]:
        return [asyncio.create_task(self._row()) for _ in range(count)]

    async def _row(self) -> Completion:
        return await self._cached.complete(ChatRequest(), self._obtain)

    def _obtain(self, request: ChatRequest) -> Awaitable[Completion]:
        self.asked.append(asyncio.get_running_loop().create_future())
        return self.asked[-1]


async def turns() -> None:
    """Let everything happen that waits for nothing."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_rows_with_the_same_request_wait_for_the_one_that_asks() -> None:
    async def scenario() -> None:
        rows = Rows()
        tasks = rows.begin(5)
        await turns()
        assert len(rows.asked) == 1
        rows.asked[0].set_result(Completion("new"))
        assert [(await task).text for task in tasks] == ["new"] * 5
        assert (len(rows.asked), rows.traffic.cached, rows.store.asking) == (1, 4, {})

    asyncio.run(scenario())


@pytest.mark.parametrize("end", ["error", "cancelled"])
def test_if_the_one_that_asks_gets_nothing_all_others_ask_at_once(end: str) -> None:
    """One after the other would take eight times as long where a model fails after minutes."""

    async def scenario() -> None:
        rows = Rows()
        first, *others = rows.begin(4)
        await turns()
        if end == "error":
            rows.asked[0].set_exception(ValueError("no"))
        else:
            first.cancel()
        await turns()
        assert first.done()
        assert len(rows.asked) == 4
        for asked in rows.asked[1:]:
            asked.set_result(Completion("new"))
        assert [(await task).text for task in others] == ["new"] * 3
        assert rows.store.asking == {}
        await asyncio.gather(first, return_exceptions=True)

    asyncio.run(scenario())


def test_a_row_that_waits_may_be_cancelled_alone() -> None:
    async def scenario() -> None:
        rows = Rows()
        first, second, third = rows.begin(3)
        await turns()
        second.cancel()
        await turns()
        assert (first.done(), second.cancelled(), third.done()) == (False, True, False)
        rows.asked[0].set_result(Completion("new"))
        assert (await first).text == (await third).text == "new"
        assert len(rows.asked) == 1

    asyncio.run(scenario())


def test_rows_that_wait_end_with_the_session() -> None:
    async def scenario() -> None:
        rows = Rows()
        first, *others = rows.begin(3)
        await turns()
        rows.stop_signal.set("interrupted")
        await turns()
        assert [type(task.exception()) for task in others] == [Stopped, Stopped]
        rows.asked[0].set_result(Completion("new"))
        assert (await first).text == "new", "its request was in flight"

    asyncio.run(scenario())


class Claims:
    """What another machine does: it has the answer, has none, or its store can't be reached."""

    def __init__(self, stored: Completion | SessionError | None) -> None:
        self._stored = stored
        self.released: list[str] = []

    async def claim(self, key: str, patience_s: float) -> Completion | None:
        if isinstance(self._stored, SessionError):
            raise self._stored
        return self._stored

    def release(self, key: str) -> None:
        self.released.append(key)


@pytest.mark.parametrize(
    ("claimed", "asks", "text"),
    [
        (Completion("theirs"), 0, "theirs"),
        (Completion("theirs", finish_reason="error"), 1, "ours"),  # their server gave it up
        (None, 1, "ours"),
        (SessionError("no store"), 0, None),
    ],
)
def test_what_another_machine_has_isnt_asked_again(
    claimed: Completion | SessionError | None, asks: int, text: str | None
) -> None:
    async def scenario() -> None:
        rows = Rows()
        rows.store.claims = claims = Claims(claimed)
        [task] = rows.begin(1)
        await turns()
        assert len(rows.asked) == asks
        for asked in rows.asked:
            asked.set_result(Completion("ours"))
        if text is not None:
            assert (await task).text == text
            assert (rows._cached.failure, rows.stop_signal.reason) == (None, None)
        else:
            with pytest.raises(Stopped) as stopped:
                await task
            assert stopped.value.__cause__ is claimed is rows._cached.failure
            assert (str(stopped.value), rows.stop_signal.reason) == ("failure", "failure")
        assert claims.released == ["key"] * asks, "what it asked for itself"

    asyncio.run(scenario())


def test_rows_that_read_no_cache_all_ask() -> None:
    async def scenario() -> None:
        rows = Rows(is_read=False)
        tasks = rows.begin(3)
        await turns()
        for number, asked in enumerate(rows.asked):
            asked.set_result(Completion(str(number)))
        assert [(await task).text for task in tasks] == ["0", "1", "2"]

    asyncio.run(scenario())
