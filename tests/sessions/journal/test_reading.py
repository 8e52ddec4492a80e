"""Lines of a journal that a later line replaces."""

from __future__ import annotations

import pytest

from lve.sessions.journal.reading import superseded


def line(number: int, args: str = "{}") -> bytes:
    written = f'{{"test":"t","model":"m","source":"i.jsonl","line":{number},"repeat":0'
    return f'{written},"args":{args},"verdict":"passed"}}\n'.encode()


def found(*lines: bytes) -> set[int]:
    return superseded(lambda: iter(lines))


def test_a_later_line_about_the_same_instance_replaces_the_earlier_one() -> None:
    assert found(line(1), line(2), line(1)) == {0}
    assert found(line(1, '{"a":1}'), line(1, '{"a":2}')) == set()


def test_lines_whose_identities_have_the_same_hash_are_reported_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lve.sessions.journal.reading.hash", lambda _: 1, raising=False)
    assert found(line(1), line(2), line(1)) == {0}
