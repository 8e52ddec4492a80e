"""Reads the journals of a session, all opened before the first line of any is read.

A line that a later one about the same instance and repeat replaces is left out.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO

from lve.errors import with_code
from lve.files.owner_only import open_private
from lve.named_tuples import NamedTuple
from lve.secrets.secret_values import REDACTED
from lve.sessions.instance_result import InstanceResult, ResultId
from lve.sessions.journal.journal import bounded_lines, result_of_line
from lve.sessions.journal.result_json import args_of_line, identity_of_line
from lve.sessions.session_file import DamagedLines, cannot_read


class OpenedJournal(NamedTuple):
    """A journal that is open for reading."""

    path: Path
    file: BinaryIO


@contextmanager
def opened_journals(paths: Sequence[Path]) -> Iterator[list[OpenedJournal]]:
    """Open journals from the last to the first; close them at the end. Those that don't exist are
    left out.

    The end of a session under xdist moves lines from its parts to its journal: it appends them, and
    removes the part. What has a part open before then still reads it. A part that is gone already
    has its lines in the journal, which is opened after it.

    Args:
        paths: the journal of the session, then those of its parts.

    Raises:
        SessionError: a file can't be opened.
    """
    with ExitStack() as files:
        journals: list[OpenedJournal] = []
        for path in reversed(paths):
            try:
                file = files.enter_context(os.fdopen(open_private(path, os.O_RDONLY), "rb"))
            except FileNotFoundError:
                continue
            except OSError as error:
                raise cannot_read(path, error) from error
            journals.insert(0, OpenedJournal(path, file))
        yield journals


def results_in(
    journals: Sequence[OpenedJournal], *, warn: Callable[[str], None] | None = None
) -> Iterator[tuple[BinaryIO, int, InstanceResult]]:
    """Yield the results in a session's journals, each with its file and the place of its line."""
    seen: set[ResultId] | None = set() if len(journals) > 1 else None
    for journal in journals:
        for start, result in located_results(journal, warn=warn):
            if seen is not None:  # A merge, or a killed one, has a result in two journals.
                if result.id in seen:
                    continue
                seen.add(result.id)
            yield journal.file, start, result


def read_journal(
    path: Path, *, warn: Callable[[str], None] | None = None
) -> Iterator[InstanceResult]:
    """Yield the results of a journal one by one, in the order in which they finished.

    Of an instance that was run again in a resumed session, only the last result is yielded. Damaged
    lines are skipped, and `warn` gets a message with their number.

    Raises:
        SessionError: the file can't be read.
    """
    with opened_journals([path]) as journals:
        for journal in journals:
            for _, result in located_results(journal, warn=warn):
                yield result


def located_results(
    journal: OpenedJournal, *, warn: Callable[[str], None] | None = None
) -> Iterator[tuple[int, InstanceResult]]:
    """Yield the results of `read_journal`, each with the position of its line in the file."""
    path, file = journal
    damaged, end = DamagedLines(), 0
    try:
        again = superseded(partial(_all_lines, file))
        for number, line in enumerate(_all_lines(file)):
            start, end = end, file.tell()
            result = result_of_line(line)
            if result is not None and number not in again:
                yield start, result
            elif result is None and line.endswith(b"\n"):
                damaged.add(number + 1)
    except OSError as error:
        raise cannot_read(path, error) from error
    if damaged.count and warn is not None:
        place = damaged.place(path)
        warn(with_code(f"{place}: {damaged} left out; a resumed run has them again", "left_out"))


def _all_lines(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    return bounded_lines(file)


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
