"""Searches texts for many spellings at once, quickly if there is none, as nearly always."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from lve.spellings import spellings

_RARE_FIRST = "%&QZXJKVYWUGqHFBDzPNMOLxRj\\ECSTAI7968543k2v1b0wfygpcdlu"
"""Characters ordered from rare to frequent in texts and JSON."""
_RARE = 4
"""How many of a spelling's characters are searched for before the spelling itself."""
Groups = tuple[tuple[str, tuple[tuple[str, str, str, tuple[str, ...]], ...]], ...]
"""Rarest character -> the three next rarest -> spellings."""


@lru_cache(maxsize=64)  # a process makes several redactors of the same secrets
def spelled_rarest(secret: str) -> dict[str, str]:
    """Return a secret's spellings, each with its rarest characters."""
    return {spelling: _rarest(spelling) for spelling in spellings(secret)}


def _rarest(text: str) -> str:
    """Return the four characters of `text` that are rarest in texts in general."""
    rare = ""
    for letter in _RARE_FIRST:
        if letter in text:
            rare += letter
            if len(rare) == _RARE:
                return rare
    return (rare or text[0]).ljust(_RARE, rare[-1:] or text[0])


def grouped(rarest: Mapping[str, str]) -> Groups:
    """Group spellings by their rarest characters. Searching for one character takes a tenth of the
    time of searching for a text, and most texts lack one of the rarest of a spelling."""
    groups: dict[str, dict[str, list[str]]] = {}
    for spelling, rare in rarest.items():
        groups.setdefault(rare[0], {}).setdefault(rare[1:], []).append(spelling)
    return tuple(
        (first, tuple((*others, tuple(spelled)) for others, spelled in more.items()))
        for first, more in groups.items()
    )


def is_any_in(text: str, groups: Groups) -> bool:
    """Return whether a text has one of the spellings."""
    for first, more in groups:
        if first in text:
            for second, third, fourth, spelled in more:
                if second in text and third in text and fourth in text:
                    for spelling in spelled:
                        if spelling in text:
                            return True
    return False


def may_be_in(text: str, groups: Groups) -> bool:
    """Return whether a text has all the rarest characters of one of the spellings."""
    for first, more in groups:
        if first in text:
            for second, third, fourth, _ in more:
                if second in text and third in text and fourth in text:
                    return True
    return False
