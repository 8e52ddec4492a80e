"""Event streams by the WHATWG's standard, compared with a second reader that was written from its
text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.models.http.event_stream import Event, EventStream

PIECES = st.sampled_from(
    [
        *(b"data", b"event", b"id", b"retry", b":", b": ", b":  ", b" ", b"x", b"\xff", b"\x00"),
        *(b"\n", b"\r", b"\r\n", b"\n\n", b"\r\r", b"\r\n\r\n", b"\n\r\n", b"\xc3\xbc"),
        *(b"data: a", b"data:b", b"data", b"data:", b"event: ping", b"event", b": x"),
        *(b"\xef\xbb\xbf", b"\xe2\x80\xa8"),
    ]
)
STREAMS = st.lists(PIECES, max_size=30).map(b"".join)


def by_the_standard(stream: bytes) -> list[tuple[str, str]]:
    """Return the events of a stream: 9.2.6 "Interpreting an event stream", word for word. The one
    difference is at the end: there a blank line is added."""
    text = stream.decode("utf-8-sig", "replace")
    data, event_type, dispatched = "", "", list[tuple[str, str]]()
    for line in [*re.split("\r\n|\n|\r", text), ""]:
        if line == "":
            if data != "":
                dispatched.append((event_type or "message", data.removesuffix("\n")))
            data, event_type = "", ""
            continue
        if line[0] == ":":
            continue
        field, _, value = line.partition(":")
        value = value[1:] if value[:1] == " " else value
        if field == "event":
            event_type = value
        elif field == "data":
            data += value + "\n"
    return dispatched


def events(chunks: Iterable[bytes]) -> Iterator[Event]:
    stream = EventStream()
    for chunk in chunks:
        yield from stream.feed(chunk)
    yield from stream.end()


def told(read: list[Event]) -> list[tuple[str, str]]:
    return [(event, data.decode("utf-8", "replace")) for event, data in read]


def cut(stream: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, *(at for at in cuts if at < len(stream)), len(stream)})
    return [stream[start:end] for start, end in pairwise(places)]


@given(STREAMS, st.lists(st.integers(0, 120), max_size=8))
def test_it_reads_what_the_standard_reads_wherever_the_network_cuts(
    stream: bytes, cuts: list[int]
) -> None:
    assert told([*events(cut(stream, cuts))]) == by_the_standard(stream)


@given(STREAMS)
def test_byte_by_byte_is_the_same(stream: bytes) -> None:
    assert told([*events(stream[at : at + 1] for at in range(len(stream)))]) == by_the_standard(
        stream
    )


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_an_event_is_there_as_soon_as_its_blank_line_is(end: bytes) -> None:
    stream = EventStream()
    assert stream.feed(b"\xef\xbb\xbfevent: a" + end + b"data: 1" + end + b"data:  2") == []
    assert stream.feed(end) == []
    # A CR ends a line at once, though an LF may follow that belongs to it.
    first, rest = (end[:1], end[1:])
    assert stream.feed(first) == [Event("a", b"1\n 2")]
    assert stream.feed(rest + b": comment" + end + b"id: 7" + end + b"retry: 9" + end + end) == []
    assert stream.feed(b"data" + end + end) == [Event("message", b"")]


def test_a_crlf_in_two_reads_ends_one_line() -> None:
    stream = EventStream()
    lines = b"event: a\r\ndata: 1\r\ndata: 2\r\n\r\ndata: 3\n\n"
    found = [event for byte in lines for event in stream.feed(bytes([byte]))]
    assert found == [Event("a", b"1\n2"), Event("message", b"3")]


def test_a_million_pieces_of_a_line_take_no_square_of_time() -> None:
    stream = EventStream()
    for _ in range(200_000):
        assert stream.feed(b"x") == []
    stream.feed(b"\n")
    assert stream.feed(b"data: last") == []
    assert stream.end() == [Event("message", b"last")]
