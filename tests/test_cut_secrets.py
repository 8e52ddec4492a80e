"""Where a text is cut, no part of a secret is left, however the secret is spelled."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.spelled_keys import SPELLINGS, WINDOW, parts, parts_in

from lve.escape import clip, excerpt, head, last_lines, one_line, tail
from lve.secrets.redaction import Redactor, lasting_redactor, note_secrets, own_redactor
from lve.secrets.secret_values import REDACTED

KEY = "sk-proj-aB3dE/f+gH1_jK2lM3nO4pQ5"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/+=.:"
FILLER = "Die Antwort: "
KEYS = st.text(LETTERS, min_size=20, max_size=48).filter(lambda key: len(set(key)) > 12)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_cut_of_every_spelling(spelling: str) -> None:
    said, windows = SPELLINGS[spelling](KEY), parts(KEY)
    text = f"{FILLER}{said}. Ende."
    for most in range(len(text) + 1):
        for cut in (head(text, most), tail(text, most), excerpt(text, most + 3)):
            assert not parts_in(own_redactor()(cut), windows), (most, cut)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_width_of_a_line(spelling: str) -> None:
    text, windows = f"{FILLER}{SPELLINGS[spelling](KEY)}. Ende.", parts(KEY)
    for width in range(1, len(text), 3):
        for cut in (one_line(text, width), clip(text, width)):
            assert not parts_in(own_redactor()(cut), windows), (width, cut)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_part_of_a_text_that_is_nowhere_whole(spelling: str) -> None:
    """As of a child's output, of which only the last bytes are kept."""
    text, windows = f"{FILLER}{SPELLINGS[spelling](KEY)}. Ende.", parts(KEY)
    redact = Redactor([KEY])
    for at in range(len(text)):
        assert not parts_in(last_lines(text[at:], is_cut=True, most=len(text)), windows)
        assert not parts_in(redact.fragment(text[at:], is_cut_before=True), windows)
        assert not parts_in(redact.fragment(text[:at], is_cut_after=True), windows)
    for at in range(len(FILLER), len(text) - 10):
        part = redact.fragment(text[at : at + 10], is_cut_before=True, is_cut_after=True)
        assert len(part) < WINDOW + len(REDACTED) + 3


@settings(deadline=None, max_examples=60)
@given(KEYS, st.sampled_from(sorted(SPELLINGS)), st.integers(0, 400), st.text(LETTERS, max_size=9))
def test_any_key_any_cut(key: str, spelling: str, most: int, before: str) -> None:
    text, windows = before + SPELLINGS[spelling](key) + " Ende", parts(key)
    redact, most = Redactor([key]), most % (len(text) + 1)
    for cut in (redact(text), redact.head(text, most), redact.tail(text, most)):
        assert not parts_in(cut, windows)


@settings(deadline=None, max_examples=60)
@given(KEYS, st.sampled_from(sorted(SPELLINGS)), st.lists(st.integers(0, 400), max_size=6))
def test_a_stream_in_any_pieces(key: str, spelling: str, places: list[int]) -> None:
    text, windows = f"{FILLER}{SPELLINGS[spelling](key)} Ende", parts(key)
    redact, shown, waiting = Redactor([key]), "", ""
    steps = [0, *sorted({place % len(text) for place in places}), len(text)]
    for start, end in pairwise(steps):
        waiting += text[start:end]
        ready = redact.settled(waiting)
        shown, waiting = shown + redact(waiting[:ready]), waiting[ready:]
    assert not parts_in(shown + redact(waiting), windows)


def test_a_short_piece_that_begins_like_a_secret_waits() -> None:
    redact = Redactor(["00000000123456789:=A"])
    assert [redact.settled("0" * count) for count in range(9)] == [0] * 9
    assert redact.settled("Die 000") == 4


def test_a_text_that_is_short_enough_stays() -> None:
    assert head("as it is", 8) == tail("as it is", 8) == "as it is"
    assert head("as it is", 5) == "as it"
    assert tail("as it is", 5) == "it is"


def test_words_that_begin_like_a_key_stay() -> None:
    text = "the sk-pr words and more"
    assert head(text, len("the sk-pr")) == "the sk-pr"
    assert head("a key: " + KEY, len("a key: sk-pro")) == "a key: " + REDACTED[:6]


def test_occurrences_that_overlap_go_together() -> None:
    assert Redactor(["abcabcabcabc"])("x abcabcabcabcabcabc y") == f"x {REDACTED} y"


def test_noted_secrets_are_found_by_redactors_that_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.secrets.redaction._noted", set())
    early, stranger = lasting_redactor(), Redactor()
    note_secrets(["the-key-of-a-file-1"])
    texts = [
        redact("the-key-of-a-file-1")
        for redact in (early, lasting_redactor(), own_redactor(), stranger)
    ]
    assert texts == [REDACTED, REDACTED, REDACTED, "the-key-of-a-file-1"]


def test_what_is_written_to_files_lacks_keys_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may still repeat a key after a test or the program has removed it."""
    monkeypatch.setenv("SOME_API_KEY", "the-first-key-1")
    redact = lasting_redactor(["the-key-of-settings-1"])
    monkeypatch.setenv("SOME_API_KEY", "the-second-key-1")
    assert lasting_redactor() is redact
    monkeypatch.delenv("SOME_API_KEY")
    for key in ("the-first-key-1", "the-second-key-1", "the-key-of-settings-1"):
        assert redact(f"x {key}") == f"x {REDACTED}"
    assert own_redactor()("the-first-key-1") == "the-first-key-1"
