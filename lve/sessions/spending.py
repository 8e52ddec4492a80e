"""Counts what a session spends over all its runs, including those that were killed.

While a session runs, `spent.json` (the ledger) says what it may have spent so far. It is written
before each request: with a budget, the worst case of all requests in flight; without, the number of
requests, rounded up by at most a hundredth. It is written in place, without waiting for the disk,
so it survives `kill -9` but not a power loss. At its normal end, a session writes what it spent to
`session.json` and deletes the ledger. If several processes run a session, each has a ledger of its
own, such as `spent-gw0.json`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from math import inf
from pathlib import Path

from lve.checkers.questions import Answer
from lve.documents.json_text import decode_written
from lve.errors import SessionError
from lve.execution.budgets.budget import Amount, Budget
from lve.execution.completer import Completer
from lve.files.owner_only import open_private, read_private
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_file import cannot_write
from lve.sessions.session_info import AmountInfo, SessionInfo

LEDGER_FILE = "spent.json"
WIDTH = 200
"""Size of the amount in bytes, so that a shorter text overwrites a longer one."""
COUNT_WIDTH = 21
"""Size of the number of requests that follows it."""


class Ledger:
    """Keeps `spent.json` up to date."""

    def __init__(self, path: Path, total: Callable[[], Amount]) -> None:
        """Args:
        path: the file, in the session's folder.
        total: returns the most that all runs of the session may have spent so far.

        Raises:
            SessionError: the file can't be written.
        """
        self.sent = 0
        """Requests of all runs of the session, without a budget."""
        self._noted = 0
        self._path = path
        self._total = total
        try:
            self._handle = open_private(self._path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise self._unwritable(error) from error

    def write(self) -> None:
        """Write the current total.

        Raises:
            SessionError: the file can't be written.
        """
        text = json.dumps(asdict(self._total())).ljust(WIDTH - 1) + "\n"
        try:
            _write_at(self._handle, text.encode("ascii"), 0)
        except OSError as error:
            raise self._unwritable(error) from error

    def count(self) -> None:
        """Count a request that is about to be sent; errors as `write`. Some are noted ahead."""
        self.sent += 1
        if self.sent <= self._noted:
            return
        self._noted = self.sent + self.sent // 100
        try:
            _write_at(self._handle, b"%20d\n" % self._noted, WIDTH)
        except OSError as error:
            raise self._unwritable(error) from error

    def close(self, *, delete: bool) -> None:
        """Close the file.

        Args:
            delete: whether to delete it, because `session.json` has the same.
        """
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)
        if delete:
            self._path.unlink(missing_ok=True)

    def _unwritable(self, error: OSError) -> SessionError:
        return cannot_write(self._path, error)


def _seek_and_write(handle: int, data: bytes, position: int) -> int:
    """Do what `os.pwrite` does, which Windows hasn't."""
    os.lseek(handle, position, os.SEEK_SET)
    return os.write(handle, data)


_write_at = getattr(os, "pwrite", _seek_and_write)


def ledger_file(folder: Path, part: str | None) -> Path:
    """Return the path of a session's ledger, or of one of several processes that run the
    session."""
    return folder / (LEDGER_FILE if part is None else f"spent-{part}.json")


def amount_in_ledger(path: Path) -> Amount:
    """Return what a killed session may have spent; an empty amount without a ledger."""
    total, content = Amount(), b""
    with suppress(OSError):
        content = read_private(path, WIDTH + COUNT_WIDTH)
    line, end, count = content.rpartition(b"}")
    with suppress(ValueError, TypeError):
        amount = Amount(**decode_written((line + end).decode("ascii")))
        if all(type(n) in (int, float) and 0 <= n < inf for n in asdict(amount).values()):
            total = amount
    if (count := count.strip(b"\0 \n")).isdigit():
        total.requests = max(total.requests, int(count))
    return total


class Spending:
    """Counts what a session spends over all its runs, so that a budget holds for the whole session.

    The journal has the cost of results. What a run spent on anything else (failed attempts, judges,
    instances that didn't finish) is in `session.json` after its normal end. After `kill -9`, the
    ledger has the most that it can have been.
    """

    def __init__(
        self, budget: Budget, completers: Mapping[str, Completer], info: SessionInfo | None = None
    ) -> None:
        """Args:
        budget: the session's.
        completers: all that ask models in this run; without caps, their traffic is what is spent.
        info: the content of `session.json`, if the session is continued.
        """
        self._budget, self._completers = budget, completers
        self.before = Amount(**((info or {}).get("spent_unrecorded") or {}))
        """What earlier runs spent; complete once all their results were added."""
        self.of_roles: dict[str, Amount] = {}
        """Role -> what its answers in the journal of earlier runs took."""
        self._began = False
        self._at_least = Amount()
        self._recorded = Amount()
        """What the results in the journal took, from earlier runs and this one."""

    def add_previous(self, result: InstanceResult, *, is_final: bool) -> None:
        """Add a result of an earlier run.

        Args:
            result: the result, from the journal.
            is_final: False if the instance runs again, so that a new result replaces this one.
        """
        _add(self.before, result)
        for answer in result.asked:
            _add_answer(self.of_roles.setdefault(answer.role, Amount()), answer)
        if is_final:
            _add(self._recorded, result)

    def add(self, result: InstanceResult) -> None:
        """Add a result of this run, or an error of an earlier run that stays after all."""
        _add(self._recorded, result)

    def at_least(self, amount: Amount) -> None:
        """Set what earlier runs have spent at least, according to the ledger."""
        self._at_least = amount

    def begin(self) -> None:
        """Start the budget with what earlier runs spent, once all their results were added."""
        self._began = True
        self.before = _larger(self.before, self._at_least)
        self._budget.spent = replace(self.before)

    def to_json(self) -> SessionInfo:
        """Return the fields of `session.json` about spending; none if the run never began."""
        return _fields(self.total(), self._recorded) if self._began else {}

    @property
    def is_known(self) -> bool:
        """Whether `to_json` has everything. A run that never began keeps the ledger of earlier
        ones."""
        return self._began or self._at_least == Amount()

    def committed(self) -> Amount:
        """Return what all runs have spent, plus the worst case of requests in flight."""
        return self._budget.committed if self._budget.is_capped else self.total()

    def total(self) -> Amount:
        """Return what all runs have spent."""
        if self._budget.is_capped:
            return self._budget.spent
        spent = replace(self.before)
        for completer in self._completers.values():
            traffic = completer.traffic
            spent.cost += traffic.cost
            spent.tokens += traffic.prompt_tokens + traffic.completion_tokens
            spent.requests += traffic.requests
        return spent


def sum_of_amounts(amounts: Iterable[AmountInfo | None]) -> AmountInfo:
    """Return the sum of amounts as `session.json` has them; None is nothing."""
    parts = [amount or {} for amount in amounts]
    return {
        "cost": sum((part.get("cost", 0) for part in parts), 0.0),
        "tokens": sum(part.get("tokens", 0) for part in parts),
        "requests": sum(part.get("requests", 0) for part in parts),
    }


def spent_by_killed(ledger: Path, results: Iterable[InstanceResult]) -> SessionInfo:
    """Return what a killed process spent, as `Spending.to_json`.

    Args:
        ledger: the path of its ledger, which may not exist.
        results: the results in its journal.
    """
    recorded = Amount()
    for result in results:
        _add(recorded, result)
    return _fields(_larger(amount_in_ledger(ledger), recorded), recorded)


def _fields(spent: Amount, recorded: Amount) -> SessionInfo:
    beside = Amount(
        max(spent.cost - recorded.cost, 0.0),
        max(spent.tokens - recorded.tokens, 0),
        max(spent.requests - recorded.requests, 0),
    )
    return {"spent": _to_json(spent), "spent_unrecorded": _to_json(beside)}


def _to_json(amount: Amount) -> AmountInfo:
    return {"cost": amount.cost, "tokens": amount.tokens, "requests": amount.requests}


def _larger(amount: Amount, other: Amount) -> Amount:
    return Amount(
        max(amount.cost, other.cost),
        max(amount.tokens, other.tokens),
        max(amount.requests, other.requests),
    )


def _add(total: Amount, result: InstanceResult) -> None:
    """Add what an instance's answers took, except those from the cache."""
    total.cost += result.cost or 0.0
    for transcript in result.transcripts:
        for completion in transcript.completions:
            if not completion.cached:
                total.requests += 1
                total.tokens += completion.usage.total_tokens if completion.usage else 0
    for answer in result.asked:
        _add_answer(total, answer)


def _add_answer(total: Amount, answer: Answer) -> None:
    total.cost += answer.cost or 0.0
    if answer.completion is not None and not answer.completion.cached:
        total.requests += 1
        usage = answer.completion.usage
        total.tokens += usage.total_tokens if usage else 0
