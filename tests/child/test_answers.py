"""What a child process may write into its pipe: nothing of it may take more than its limits."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.child.answers import (
    LONG,
    SHORT,
    AnswerLimits,
    UnreadableAnswerError,
    check_structure,
    exchange,
    limits_for_text,
    parse_answer,
)

Pipes = tuple[int, int, int, int]
HOSTILE_TEXTS = st.text(alphabet=st.sampled_from('[]{},:"\\ \né\ud800\U0001f600a'), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | HOSTILE_TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(HOSTILE_TEXTS, inner, max_size=5),
    max_leaves=30,
)


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    """The four ends: the child's request and answer, the parent's request and answer."""
    child_in, to = os.pipe()
    back, child_out = os.pipe()
    os.set_blocking(to, False)
    yield child_in, child_out, to, back
    for end in (child_in, child_out, to, back):
        with suppress(OSError):
            os.close(end)


def asked(pipes: Pipes, answer: bytes, limits: AnswerLimits = SHORT, seconds: float = 30) -> bytes:
    """Return what the parent reads if the child writes `answer` and ends."""

    def write() -> None:
        rest = answer
        with suppress(OSError):  # nobody reads any more
            while rest:
                rest = rest[os.write(pipes[1], rest) :]
            os.close(pipes[1])

    writing = threading.Thread(target=write, daemon=True)
    writing.start()
    try:
        return exchange(
            pipes[2], pipes[3], b"x\n", limits=limits, deadline=time.monotonic() + seconds
        )
    finally:
        os.close(pipes[3])
        writing.join(10)


def size(value: Any) -> tuple[int, int, int]:
    """Return the number of values, that of empty lists and objects, and the depth."""
    if not isinstance(value, list | dict):
        return 1, 0, 0
    inner = [size(one) for one in (value.values() if isinstance(value, dict) else value)]
    if not inner:
        return 1, 1, 1
    values, empty, depths = zip(*inner, strict=True)
    return 1 + sum(values), sum(empty), 1 + max(depths)


@given(VALUES, st.integers(1, 40), st.integers(1, 5), st.booleans())
def test_values_and_levels_are_counted_as_the_parser_makes_them(
    value: Any, most: int, levels: int, ascii_only: bool
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    values, empty, depth = size(value)
    try:
        check_structure(text, AnswerLimits(10_000, most, levels))
    except UnreadableAnswerError:
        assert values + empty > most or depth > levels
    else:
        assert values <= most
        assert depth <= levels


@given(st.text(alphabet="[]{}", max_size=40), st.integers(1, 12))
def test_brackets_that_match_are_counted_and_others_are_left_to_the_parser(
    text: str, levels: int
) -> None:
    try:
        check_structure(text.encode(), AnswerLimits(10_000, 1000, levels))
    except UnreadableAnswerError:
        refused = True
    else:
        refused = False
    try:
        depth = size(json.loads(text))[2]
    except ValueError:
        return
    assert refused == (depth > levels)


@pytest.mark.parametrize("levels", [1, 2, 7, 50])
@pytest.mark.parametrize("pair", ["[]", "{}", "mixed"])
def test_depth_is_exact(levels: int, pair: str) -> None:
    opened = {"[]": "[", "{}": '{"a":', "mixed": '[{"a":'}[pair]
    closed = {"[]": "]", "{}": "}", "mixed": "}]"}[pair]
    each = 2 if pair == "mixed" else 1
    text = f"{opened * levels}1{closed * levels}".encode()
    check_structure(text, AnswerLimits(10_000, 1000, each * levels))
    with pytest.raises(UnreadableAnswerError, match="levels deep"):
        check_structure(text, AnswerLimits(10_000, 1000, each * levels - 1))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'{"a":[' + b"{}," * 300_000 + b"{}]}", "more than 1,000 values"),
        (b'{"a":[' + b'"",' * 300_000 + b'""]}', "more than 1,000 values"),
        (b'"' * 999_999, "no valid JSON"),
        (b"[" * 1000 + b'"' * 900_000, "more than 1,000 values"),
        (b'{"a":[' + b"\\" * 900_000, "no valid JSON"),
        (b"[" * 100 + b"]" * 100, "nested more than 20 levels deep"),
        (b"[" * 999_999, "more than 1,000 values"),
        (b"]" * 999_999, "no valid JSON"),
        (b'{"a":' + b"9" * 900_000 + b"}", "no valid JSON"),
        (b'{"a":1e999}', "no valid JSON"),
        (b'{"a":NaN}', "no valid JSON"),
        (b'{"a":1,"a":2}', "no valid JSON"),
        (b'{"a":"\xff"}', "no valid JSON"),
        (b"", "no valid JSON"),
        (b"[1]", "no JSON object"),
        (b"null", "no JSON object"),
        (b" " * 1_000_000, "more than 1 MB"),
    ],
)
def test_what_is_no_answer_is_refused_at_once_in_a_sentence(text: bytes, why: str) -> None:
    began = time.process_time()
    with pytest.raises(UnreadableAnswerError, match=why) as caught:
        parse_answer(text + b"\n", SHORT)
    assert time.process_time() - began < 1
    assert len(str(caught.value)) < 100


def test_a_long_text_of_json_is_one_value() -> None:
    text = json.dumps([{"a": "[", "b": [[]]}] * 200_000)
    assert parse_answer(json.dumps({"text": text}).encode() + b"\n", LONG) == {"text": text}


@pytest.mark.parametrize("text", ["\\", '\\"', '"\\', '\\\\"', '"', "\\u0022"])
def test_escapes_do_not_hide_what_follows_a_text(text: str) -> None:
    limits = AnswerLimits(10_000, values=10, levels=3)
    check_structure(json.dumps({"text": text, "other": ",[{" * 50}).encode(), limits)
    with pytest.raises(UnreadableAnswerError, match="more than 10 values"):
        check_structure(json.dumps([text, *range(10)]).encode(), limits)
    with pytest.raises(UnreadableAnswerError, match="3 levels deep"):
        check_structure(json.dumps([text, [[[]]]]).encode(), limits)


def test_half_a_surrogate_pair_may_be_in_an_answer() -> None:
    assert parse_answer(b'{"text":"\\ud800"}\n', SHORT) == {"text": "\ud800"}


@pytest.mark.parametrize("character", ["a", "é", "\U0001f600"])
def test_a_text_comes_back_however_it_is_spelled(character: str) -> None:
    text = character * 200_000
    limits = limits_for_text(len(text))
    line = json.dumps({"text": text}).encode() + b"\n"
    assert parse_answer(line, limits) == {"text": text}
    assert limits.max_bytes == 1_000_000 + 12 * len(text)


def test_what_was_asked_is_sent_and_the_line_returned(pipes: Pipes) -> None:
    assert asked(pipes, b'{"a":1}\n') == b'{"a":1}\n'
    assert os.read(pipes[0], 10) == b"x\n"


@pytest.mark.parametrize("answer", [b"a" * 5_000_000, b"a" * 1_000_000 + b"\n"])
def test_no_more_is_read_than_an_answer_may_have(pipes: Pipes, answer: bytes) -> None:
    with pytest.raises(UnreadableAnswerError, match="more than 1 MB"):
        asked(pipes, answer)


@pytest.mark.parametrize("answer", [b"{}\n{}\n", b"{}\n ", b"{}\n\n"])
def test_only_one_line_answers(pipes: Pipes, answer: bytes) -> None:
    with pytest.raises(UnreadableAnswerError, match="several answers"):
        asked(pipes, answer)


@pytest.mark.parametrize("answer", [b"", b"{}", b"a" * 999_999])
def test_an_answer_that_ends_early_is_returned_without_a_line_end(
    pipes: Pipes, answer: bytes
) -> None:
    assert asked(pipes, answer) == answer
    with pytest.raises(UnreadableAnswerError, match="without an end"):
        parse_answer(answer, SHORT)


@pytest.mark.skipif(os.name != "posix", reason="only there a pipe can be waited for")
def test_a_pipe_that_something_keeps_open_is_given_up_after_the_deadline(
    pipes: Pipes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.child.answers.END_S", 0.1)
    began = time.monotonic()
    os.write(pipes[1], b"{")  # and never a line end
    soon = began + 0.1
    assert exchange(pipes[2], pipes[3], b"x\n", limits=SHORT, deadline=soon) == b"{"
    large = b"x" * 1_000_000  # nobody reads the request
    assert exchange(pipes[2], pipes[3], large, limits=SHORT, deadline=soon) == b""
    assert 0.2 <= time.monotonic() - began < 5
