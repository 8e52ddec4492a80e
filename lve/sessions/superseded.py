"""Finds the lines of a journal that a later line about the same instance and repeat replaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from lve.secrets.secret_values import REDACTED
from lve.sessions.result_json import args_of_line, identity_of_line


def superseded(lines: Callable[[], Iterator[bytes]]) -> set[int]:
    """Return the numbers (from 0) of the lines that a later line replaces.

    If rows moved while a session was stopped, different instances had the same file and line. They
    differ in their args. A result that couldn't be written has no args and is replaced in any case.

    Args:
        lines: yields the lines of the journal; called twice if an instance may have run again.
    """
    seen: set[int] = set()
    twice: set[int] = set()
    for line in lines():
        hashed = hash(identity_of_line(line))  # takes less memory; equal hashes are looked at again
        (twice if hashed in seen else seen).add(hashed)
    newest: dict[bytes, dict[str, int]] = defaultdict(dict)
    replaced: set[int] = set()
    for number, line in enumerate(lines() if twice else ()):
        identity = identity_of_line(line)
        if hash(identity) in twice:
            args, others = args_of_line(line), newest[identity]
            same = [args] if args in others else [old for old in others if _are_alike(old, args)]
            replaced.update(others.pop(old) for old in same)
            others[args] = number
    return replaced


def _are_alike(old: str, new: str) -> bool:
    """Whether two lines may have the args of one instance: they are equal, except for secrets that
    are redacted in one of them, because the environment changed while the session was stopped."""
    return old == "{}" or _hides_only(old, new) or _hides_only(new, old)


def _hides_only(redacted: str, whole: str) -> bool:
    """Whether `redacted` is `whole` with parts of it redacted."""
    first, *others = redacted.split(REDACTED)
    if not others or not whole.startswith(first):
        return False
    position = len(first)
    for part in others[:-1]:
        place = whole.find(part, position)
        if place < 0:
            return False
        position = place + len(part)
    return whole.endswith(others[-1]) and len(whole) >= position + len(others[-1])
