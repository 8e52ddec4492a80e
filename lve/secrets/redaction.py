"""Removes the secrets of this process from texts, and cuts texts without leaving a part of one.

A secret is recognised by the name of its environment variable. It is replaced as it is, and in the
encodings in which a server that knows it could send it back (`lve.secrets.spellings`). Parts of a
secret, other encodings and secrets that aren't in the environment can't be recognised.

So a text is redacted before it is cut. Where only a part of a text exists, because a pipe or a
server's body isn't kept whole, the part of a secret at the cut is removed, too: `fragment`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from threading import Lock

from lve.secrets.secret_values import MIN_LENGTH, REDACTED, find_secrets
from lve.secrets.spellings import grouped, is_any_in, may_be_in, readings, spelled_rarest

MIN_PART = 6
"""Shorter parts of a secret at a cut stay: nobody can use them, and words begin like them."""
_APART = "\0"
"""Stands between the spellings. No environment variable can hold it."""

_key_variables: set[str] = set()
_values: dict[bytes | str, bytes | str] = {}
"""The environment when its secrets were last looked for."""
_secrets: dict[bytes | str, set[str]] = {}
"""Variable -> the secrets in its value. Variables without secrets are left out."""
_noted: set[str] = set()
"""Secrets that aren't in the environment, or not now."""
_own: list[frozenset[str]] = []
"""All secrets in `_values`, and `_noted`. Empty if others may have been added."""


class Redactor:
    """Replaces known secrets in texts before they are written."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """
        Args:
            secrets: the values. Those shorter than `MIN_LENGTH` are ignored.
        """
        self._rarest: dict[str, str] = {}
        """Spelling -> its rarest characters."""
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Replace these secrets, too, from now on. Those shorter than `MIN_LENGTH` are ignored."""
        rarest = dict(self._rarest)  # another thread may be reading the old one
        for secret in secrets:
            if len(secret) >= MIN_LENGTH:
                rarest.update(spelled_rarest(secret))
        self._rarest = rarest
        self._joined = ""
        self._openings: frozenset[str] = frozenset()
        self._groups = grouped(rarest)
        self.has_secrets = bool(self._groups)
        """Whether any secret is known."""
        self._escapes = grouped({text: rare for text, rare in rarest.items() if "\\" in text})

    def __call__(self, text: str) -> str:
        """Return `text` (plain or JSON) without the secrets."""
        has_secret = is_any_in(text, self._groups) or (
            "\\" in text
            and may_be_in(text, self._escapes)  # cheaper than the search for two backslashes
            and "\\\\" in text
            and any(is_any_in(read.text, self._escapes) for read in readings(text))
        )
        return _without(text, self._places(text)) if has_secret else text

    def head(self, text: str, most: int) -> str:
        """Return the beginning of `text`, at most `most` characters, without secrets and without
        the part of a secret that the cut would leave."""
        if len(text) <= most:
            return self(text)[:most]
        return self.fragment(text[:most], is_cut_after=True)[:most]

    def tail(self, text: str, most: int) -> str:
        """Return the end of `text`, as `head` returns its beginning."""
        if len(text) <= most:
            return self(text)[-most:]
        return self.fragment(text[-most:], is_cut_before=True)[-most:]

    def fragment(
        self, text: str, *, is_cut_before: bool = False, is_cut_after: bool = False
    ) -> str:
        """Return a part of a longer text without secrets and without the parts of a secret, from
        `MIN_PART` characters on, at its ends.

        Args:
            text: the part that exists.
            is_cut_before: whether there was more text before it.
            is_cut_after: whether there was more text after it.
        """
        if not self._groups:
            return text
        places = list(self._places(text))
        for read in readings(text):
            start, end = self._start_of_part(read.text), self._end_of_part(read.text)
            if is_cut_after and start < len(read.text):
                places.append((read.place(start), len(text)))
            if is_cut_before and end > 0:
                places.append((0, read.place(end)))
        return _without(text, places)

    def settled(self, text: str) -> int:
        """Return how many characters of an unfinished text can be redacted now: no secret begins
        in them and goes on in the rest."""
        if not self._groups:
            return len(text)
        settled = min(read.place(self._opening(read.text)) for read in readings(text))
        for start, end in _merged(self._places(text)):
            if start < settled < end:
                return start
        return settled

    def _opening(self, text: str) -> int:
        """Return where the beginning of a spelling starts that `text` ends with, however short."""
        start = self._start_of_part(text)
        if start < len(text):
            return start
        openings = self._all_openings()
        sizes = range(min(MIN_PART - 1, start), 0, -1)
        return start - next((size for size in sizes if text[-size:] in openings), 0)

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the secrets are, in no order; they may overlap."""
        for read in readings(text):
            for spelling in self._rarest:
                start = read.text.find(spelling)
                while start >= 0:
                    yield read.place(start), read.place(start + len(spelling))
                    start = read.text.find(spelling, start + 1)

    def _start_of_part(self, text: str) -> int:
        """Return where the beginning of a spelling starts that `text` ends with; the length of
        `text` if there is none."""
        joined, last = self._all_joined(), text[-MIN_PART:]
        longest, at = 0, joined.find(last) if len(last) == MIN_PART else -1
        while at >= 0:
            part = joined[joined.rfind(_APART, 0, at) + 1 : at + MIN_PART]
            if len(part) > longest and text.endswith(part):
                longest = len(part)
            at = joined.find(last, at + 1)
        return len(text) - longest

    def _end_of_part(self, text: str) -> int:
        """Return where the end of a spelling stops that `text` begins with; 0 if there is none."""
        joined, first = self._all_joined(), text[:MIN_PART]
        longest, at = 0, joined.find(first) if len(first) == MIN_PART else -1
        while at >= 0:
            part = joined[at : joined.find(_APART, at)]
            if len(part) > longest and text.startswith(part):
                longest = len(part)
            at = joined.find(first, at + 1)
        return longest

    def _all_openings(self) -> frozenset[str]:
        """Return the beginnings of spellings that are shorter than `MIN_PART`."""
        if not self._openings:
            self._openings = frozenset(
                spelling[:size] for spelling in self._rarest for size in range(1, MIN_PART)
            )
        return self._openings

    def _all_joined(self) -> str:
        if not self._joined:
            self._joined = _APART.join(["", *self._rarest, ""])
        return self._joined


def _without(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Return `text` with the given places replaced."""
    pieces: list[str] = []
    at = 0
    for start, end in _merged(places):
        pieces += (text[at:start], REDACTED)
        at = end
    return "".join([*pieces, text[at:]])


def _merged(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return places in order, with those that overlap joined."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


class _LastingRedactor(Redactor):
    """Learns, and never forgets."""

    def __init__(self) -> None:
        super().__init__()
        self._learnt: set[str] = set()
        self._learning = Lock()

    def learn(self, secrets: Set[str]) -> None:
        """Replace these secrets, too, from now on. Several threads may call it."""
        if not secrets <= self._learnt:
            with self._learning:
                self.add(secrets - self._learnt)
                self._learnt |= secrets


redact = _LastingRedactor()
"""Removes the secrets that `lasting_redactor` has learnt of, from texts that are compared or handed
on. What writes a text redacts it itself, with the secrets that are there by then."""


def note_key_variables(names: Iterable[str]) -> None:
    """Remember the names of environment variables that hold keys although their names may not show
    it, such as `api_key_env` in the settings."""
    new = set(names) - _key_variables
    _key_variables.update(new)
    if new:
        _values.clear()
        _secrets.clear()  # all are read again, and one that is gone isn't remembered
        _own.clear()


def note_secrets(secrets: Iterable[str]) -> None:
    """Replace secrets that aren't in the environment, too, from now on."""
    new = set(secrets) - _noted
    _noted.update(new)
    if new:
        redact.learn(new)
        _own.clear()


def lasting_redactor(secrets: Iterable[str] = ()) -> Redactor:
    """Return the redactor of everything that is written to files, always the same object. It learns
    of all secrets that are noted, or in the environment at a call of this function, and forgets
    none: a server may still repeat a key that is gone.

    Args:
        secrets: further ones that it learns of.
    """
    redact.learn(_own_secrets())
    redact.learn({*secrets})
    return redact


def own_redactor() -> Redactor:
    """Return the redactor of everything that is shown (`lve.escape`, the streams of `lve`): for the
    secrets that are in the environment now."""
    return _redactor_of(_own_secrets())


def _own_secrets() -> frozenset[str]:
    """Return the secrets that are in the environment now.

    Every text that is shown asks, because other tests of a pytest session may have set a key
    meanwhile. So it only reads the variables that changed. It compares the undecoded values,
    because decoding all of them would take longer than everything else.
    """
    raw = getattr(os.environ, "_data", None)  # undocumented, but present in every CPython
    if _own and raw == _values:
        return _own[0]
    if not isinstance(raw, dict):
        return frozenset(find_secrets(os.environ, _key_variables) | _noted)
    for name in {name for name, _ in raw.items() ^ _values.items()}:
        variable = {os.fsdecode(name): os.fsdecode(raw[name])} if name in raw else {}
        _secrets[name] = find_secrets(variable, _key_variables)
    _values.clear()
    _values.update(raw)
    _own[:] = [frozenset(_noted).union(*list(_secrets.values()))]
    return _own[0]


@lru_cache(maxsize=1)
def _redactor_of(secrets: frozenset[str]) -> Redactor:
    return Redactor(secrets)
