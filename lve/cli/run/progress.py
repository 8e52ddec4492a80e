"""Shows progress on stderr: one line that is redrawn on a terminal; in a CI log a plain line every
ten seconds.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from threading import Thread
from typing import TextIO

from lve.data_classes import dataclass, field
from lve.escape import one_line
from lve.pipeline.engine import Engine
from lve.pipeline.row_totals import RowTotals
from lve.pipeline.session import Session
from lve.plurals import amount
from lve.reporting.terminal import Terminal

INTERVAL_S = 0.1
PLAIN_INTERVAL_S = 10.0
"""Seconds between two lines in a log."""
ERASE_LINE = "\r\x1b[2K"
BAR_WIDTH = 20
PLAIN_SIGNS = str.maketrans("█░·✓✗↑↻", "#.-+x^~")


@dataclass(slots=True)
class ProgressFacts:
    """The numbers of a progress line."""

    done: int = 0
    total: int | None = None
    """None until all instances are counted; they are read one by one."""
    passed: int = 0
    failed: int = 0
    expected_failures: int = 0
    """Failed instances of tests with `expect: fail`; `failed` includes them."""
    errors: int = 0
    inconclusive: int = 0
    tokens: int = 0
    cost: float | None = None
    in_flight: int = 0
    limit: int = 0
    """How many requests may be in flight at the moment; less than `maximum` after overload."""
    maximum: int = 0
    """How many requests may be in flight at most."""
    waits: dict[str, int] = field(default_factory=dict)
    """Why requests wait (the last failed attempt, or `rate limit of the settings`) -> how many."""


class ProgressLine:
    """Draws a progress line and redraws it."""

    def __init__(
        self,
        facts: Callable[[], ProgressFacts],
        *,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        already_done: int = 0,
        plain: bool = False,
    ) -> None:
        """Args:
        facts: returns the current numbers.
        stream: where to draw; stderr by default.
        clock: returns the time in seconds.
        already_done: instances that were finished before the session was resumed; they don't count
            for the rate.
        plain: whether to write plain lines, because `stream` isn't a terminal.
        """
        self._facts = facts
        self._stream = stream or sys.stderr
        self._clock = clock
        self._started = clock()
        self._plain = plain
        self._drawn_at = self._started if plain else 0.0
        self._already_done = already_done
        self._visible = False

    def update(self) -> None:
        """Draw the line, at most once per interval."""
        now = self._clock()
        if now - self._drawn_at < (PLAIN_INTERVAL_S if self._plain else INTERVAL_S):
            return
        self._drawn_at = now
        facts = self._facts()
        rate = (facts.done - self._already_done) / max(now - self._started, 1e-9)
        if self._plain:
            line = self._writable(describe_progress(facts, rate, bar=False))
            self._stream.write(f"lve: {line}\n")
            self._stream.flush()
            return
        line = fit_progress(facts, rate, shutil.get_terminal_size().columns - 1)
        self._stream.write(ERASE_LINE + self._writable(line))
        self._stream.flush()
        self._visible = True

    def _writable(self, line: str) -> str:
        """Return `line`, with ASCII signs if the stream's encoding lacks the symbols."""
        return line if Terminal(self._stream).can_show(line) else line.translate(PLAIN_SIGNS)

    def clear(self) -> None:
        """Erase the line, so that other text can be printed."""
        if self._visible:
            self._stream.write(ERASE_LINE)
            self._stream.flush()
            self._visible = False


def fit_progress(facts: ProgressFacts, rate: float, width: int) -> str:
    """Return the longest form of the line that fits into `width` columns: with a bar, without a
    bar, or abbreviated."""
    for line in (describe_progress(facts, rate), describe_progress(facts, rate, bar=False)):
        if len(line) <= width:
            return line
    parts = _short_parts(facts, rate)
    while len(parts) > 1 and len("  ".join(parts)) > width:
        parts.pop()
    return "  ".join(parts)[:width]


def _short_parts(facts: ProgressFacts, rate: float) -> list[str]:
    """Return the parts of the abbreviated line, the most important first."""
    marks = f"✓{facts.passed} ✗{facts.failed - facts.expected_failures}"
    parts = [
        f"{facts.done}/{facts.total}" if facts.total else f"{facts.done} done",
        f"{marks} !{facts.errors}" if facts.errors else marks,
        *_pace(facts, rate),
        f"↑{facts.in_flight}/{facts.limit}",
    ]
    parts += [f"↻{count} {why}" for why, count in facts.waits.items() if count]
    parts += [f"{_short(facts.tokens)} tok"] if facts.tokens else []
    parts += [f"${facts.cost:.{2 if facts.cost >= 1 else 4}f}"] if facts.cost else []
    return parts


def describe_progress(facts: ProgressFacts, rate: float, *, bar: bool = True) -> str:
    """Return the whole line: done and total, outcomes, rate, tokens, cost, requests in flight, and
    why requests wait."""
    parts = [_share(facts, bar=bar), _outcomes(facts), *_pace(facts, rate)]
    if facts.tokens:
        parts.append(f"{_short(facts.tokens)} tokens")
    if facts.cost:
        parts.append(f"${facts.cost:.4f}")
    parts.append(_concurrency(facts))
    parts += [f"{count} wait: {why}" for why, count in facts.waits.items() if count]
    return " · ".join(parts)


def _share(facts: ProgressFacts, *, bar: bool) -> str:
    if not facts.total:
        return f"{facts.done} done"
    if not bar:
        return f"{facts.done} of {facts.total}"
    filled = min(BAR_WIDTH, BAR_WIDTH * facts.done // facts.total)
    drawn = "█" * filled + "░" * (BAR_WIDTH - filled)
    return f"{drawn} {facts.done}/{facts.total}"


def _outcomes(facts: ProgressFacts) -> str:
    texts = [f"{facts.passed} passed", f"{facts.failed - facts.expected_failures} failed"]
    if facts.expected_failures:
        texts.append(f"{facts.expected_failures} failed as expected")
    if facts.errors:
        texts.append(amount(facts.errors, "error"))
    if facts.inconclusive:
        texts.append(f"{facts.inconclusive} inconclusive")
    return ", ".join(texts)


def _pace(facts: ProgressFacts, rate: float) -> list[str]:
    parts = [f"{rate:.0f}/s" if rate >= 10 else f"{rate:.1f}/s"]
    if facts.total is not None and rate > 0 and facts.done < facts.total:
        parts.append(f"ETA {_duration((facts.total - facts.done) / rate)}")
    return parts


def _concurrency(facts: ProgressFacts) -> str:
    text = f"{facts.in_flight} in flight"
    if facts.limit < facts.maximum:
        text += f" (limit {facts.limit} of {facts.maximum}: the server is overloaded)"
    return text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _short(number: int) -> str:
    if number < 10_000:
        return str(number)
    return f"{number / 1000:.0f}k" if number < 10_000_000 else f"{number / 1e6:.1f}M"


MAX_FAILURE_COLUMNS = 60
"""The cause of retries is cut to so many columns in the progress line."""


class SessionProgress:
    """Shows the progress of a session. The instances to run are counted meanwhile, in a thread."""

    def __init__(self, session: Session, *, plain: bool) -> None:
        """Args:
        session: that is running.
        plain: whether stderr is no terminal.
        """
        self._session = session
        self._total: int | None = None
        done = sum(session.summary.results().values())
        self._line = ProgressLine(
            lambda: facts_of(session, self._total), already_done=done, plain=plain
        )
        Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        self._total = RowTotals(self._session).total()

    def update(self) -> None:
        """Draw the line, at most once per interval."""
        self._line.update()

    def clear(self) -> None:
        """Erase the line."""
        self._line.clear()


def facts_of(session: Session, total: int | None) -> ProgressFacts:
    """Return the numbers of a session for its progress line. `total` is the number of instances, if
    it is known."""
    counts = session.summary.results()
    facts = ProgressFacts(
        done=sum(counts.values()),
        total=total,
        passed=counts["passed"],
        failed=counts["failed"],
        expected_failures=session.summary.expected_failures(),
        errors=counts["error"],
        inconclusive=counts["inconclusive"],
    )
    _add_traffic(facts, session.engine)
    return facts


def _add_traffic(facts: ProgressFacts, engine: Engine) -> None:
    """Add tokens, cost, concurrency, and why requests wait, summed over all models."""
    limited = 0
    retrying: Counter[str] = Counter()
    for completer in engine.models.completers.values():
        traffic, limits = completer.traffic, completer.limits
        facts.tokens += traffic.prompt_tokens + traffic.completion_tokens
        facts.cost = (facts.cost or 0.0) + traffic.cost
        facts.in_flight += limits.in_flight
        facts.limit += int(limits.concurrency.limit)
        facts.maximum += limits.concurrency.maximum
        retrying[one_line(traffic.last_failure, MAX_FAILURE_COLUMNS)] += traffic.waiting_for_retry
        limited += limits.waiting_for_rate
    facts.waits = {**retrying, "rate limit of the settings": limited}
