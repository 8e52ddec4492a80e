"""Headers, which are decoded when they are asked for, and how many bytes of bodies may wait."""

from __future__ import annotations

import asyncio

import pytest

from lve.models.http.connections import transport
from lve.models.http.connections.transport import AwaitableReader, BufferLimit, Headers

RAW = {b"content-type": b"application/json", b"x-name": "\u00e9".encode("latin-1")}
TEXTS = {"content-type": "application/json", "x-name": "\u00e9"}


def test_headers_are_a_mapping_of_texts() -> None:
    headers = Headers(RAW)
    assert dict(headers) == dict(headers.items()) == TEXTS
    assert headers == TEXTS
    assert len(headers) == 2
    assert headers.get("x-name") == "\u00e9"
    assert headers.get("retry-after") is None
    assert "content-type" in headers
    with pytest.raises(KeyError):
        headers["retry-after"]


class Reader:
    """Somebody to whom a body arrives."""

    def __init__(self) -> None:
        self.said: list[str] = []

    @property
    def is_paused(self) -> bool:
        return self.said[-1:] == ["pause"]

    def pause(self) -> None:
        self.said.append("pause")

    def resume(self) -> None:
        self.said.append("resume")


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> list[Reader]:
    monkeypatch.setattr(transport, "MAX_BUFFERED_BYTES", 100)
    return [Reader() for _ in range(4)]


def paused(readers: list[Reader]) -> list[int]:
    return [number for number, reader in enumerate(readers) if reader.is_paused]


def test_too_many_bodies_arrive_one_after_the_other(readers: list[Reader]) -> None:
    held = BufferLimit()
    for reader in readers:
        held.hold(reader, 33)
    assert paused(readers) == [3]
    held.hold(readers[0], 100)
    held.hold(readers[1], 100)
    assert paused(readers) == [1, 3]
    held.release(readers[0])
    assert paused(readers) == [3], "the oldest that is left gets on"
    held.release(readers[1])
    assert paused(readers) == [], "there is room for both that are left"
    held.release(readers[3])
    assert [reader.said for reader in readers] == [[], ["pause", "resume"], [], ["pause", "resume"]]


def test_bodies_fill_all_the_room(readers: list[Reader]) -> None:
    held = BufferLimit()
    for size in (20, 50):  # what has arrived so far, not what came last
        held.hold(readers[0], size)
    held.hold(readers[1], 50)
    assert paused(readers) == []
    held.hold(readers[1], 51)
    assert paused(readers) == [1]
    held.hold(readers[2], 1)
    held.release(readers[0])
    held.hold(readers[2], 49)
    assert paused(readers) == []
    held.hold(readers[2], 50)
    held.hold(readers[3], 1)
    assert paused(readers) == [2, 3]
    held.release(readers[3])
    assert paused(readers) == [2], "51 and 50 are still too many"
    held.hold(readers[1], 50)
    held.hold(readers[3], 1)
    held.release(readers[3])
    assert paused(readers) == [], "50 and 50 are not"


def test_a_reader_that_failed_while_it_waited_is_let_go(readers: list[Reader]) -> None:
    held = BufferLimit()
    held.hold(readers[0], 90)
    held.hold(readers[1], 20)
    held.release(readers[1])
    assert readers[1].said == ["pause", "resume"]


@pytest.mark.parametrize("size", [0, 1])
def test_what_was_released_is_forgotten(size: int, readers: list[Reader]) -> None:
    held = BufferLimit()
    held.hold(readers[0], size)
    held.release(readers[0])
    held.release(readers[0])
    held.hold(readers[0], 200)
    assert paused(readers) == [], "alone it is the first"
    held.release(readers[0])
    held.hold(readers[1], 50)
    held.hold(readers[2], 51)
    assert paused(readers) == [2], "the room is no larger than before"


def test_a_reader_waits_while_it_is_paused() -> None:
    async def scenario() -> None:
        reader = AwaitableReader()
        await reader.wait()
        reader.pause()
        task = asyncio.create_task(reader.wait())
        await asyncio.sleep(0)
        assert not task.done()
        reader.resume()
        await task

    asyncio.run(asyncio.wait_for(scenario(), 10))
