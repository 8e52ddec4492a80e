"""`.xml`: the JUnit format, as Jenkins, GitLab and GitHub's reporters read it.

A suite is a test with one model, a case is an instance and repeat. A case passes if its verdict is
the one that the test expects. In a test that expects a pass rate, no instance fails; the additional
case `verdict` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import BinaryIO
from xml.sax.saxutils import escape as escape_markup
from xml.sax.saxutils import quoteattr

from lve.checkers.contract import Outcome
from lve.data.row_places import place_of_row
from lve.escape import escape, head
from lve.reporting.files.plain_text import cut, prompt_text, response_text
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_file import seconds_of
from lve.sessions.session_tests import SessionTest
from lve.verdicts.rates.statistics import Rate
from lve.verdicts.recorded_session import RecordedSession
from lve.verdicts.replayed import remarks_of_test
from lve.verdicts.tally import Tally
from lve.verdicts.wording import range_text

MAX_CASES = 200_000
"""Cases of one file; GitLab accepts 500,000. Further cases that passed are only counted."""
MAX_DETAILED = 1000
"""Cases of one file that have the prompt and the answer."""
MAX_TEXT = 4000
"""Characters of a prompt or an answer in a case."""
MAX_ATTRIBUTE = 500
"""Characters of an attribute."""
IN_MEMORY_BYTES = 1_000_000
_ILLEGAL = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}
"""Characters that XML forbids, besides the control characters, which `escape` replaces."""


def write_junit(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write the document; one instance is in memory at a time."""
    seconds = sum(seconds_of(session.info) or 0.0 for session in sessions)
    file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    file.write(f"<testsuites{attributes(name='lve', time=f'{seconds:.3f}')}>\n".encode())
    document = _Document(file, names_sessions=len(sessions) > 1)
    for session in sessions:
        document.add(session)
    file.write(b"</testsuites>\n")


class _Document:
    """The suites of a document, within the limits of a file."""

    def __init__(self, file: BinaryIO, *, names_sessions: bool) -> None:
        self._file = file
        self._names_sessions = names_sessions
        self._cases = self._detailed = 0

    def add(self, session: RecordedSession) -> None:
        """Write the suites of a session."""
        summary = session.summary
        for tally in session.tallies:
            self._add_test(session, tally)
        for test, problems in sorted(summary.invalid.items()):
            reason = problems[0] if problems else ""
            inside = _element("error", "invalid", reason, head("\n".join(problems), MAX_TEXT))
            self._add_single(session, test, "test document", "errors", inside)
        for test, why in sorted(summary.skipped.items()):
            self._add_single(session, test, "skipped", "skipped", _skipped(why))

    def _add_test(self, session: RecordedSession, tally: Tally) -> None:
        pair = (tally.test, tally.model)
        suite, test = _Suite(tally.test, session.tests[pair].document), session.tests[pair]
        label = self._label(session, tally.model)
        for result in session.results(pair):
            counted = _category(result, tally)
            if self._cases >= MAX_CASES and not counted:
                suite.left_out += 1
                continue
            self._cases += 1
            repeat = f" repeat {result.repeat + 1}" if result.repeat else ""
            name = f"{place_of_row(result.source, result.line)}{repeat}{label}"
            suite.add(name, self._inside(result, counted), counted, result.latency_s)
        if tally.expect.kind == "rate" or not (tally.coverage.is_complete and tally.total):
            verdict, reason = tally.verdict()
            counted = _verdict_category(verdict, is_advisory=tally.is_advisory)
            suite.add(
                f"verdict{label}", _outcome_element(counted, verdict, reason, reason), counted
            )
        remarks = [*remarks_of_test(tally)]
        properties = {"session": session.id, **_properties(tally, test)}
        suite.say(remark.text for remark in remarks)
        suite.write(
            self._file, f"{tally.test or '.'}{label}", session, [*properties.items(), *remarks]
        )

    def _add_single(
        self, session: RecordedSession, test: str, name: str, counted: str, inside: str
    ) -> None:
        """Write a test without results."""
        label = self._label(session, None)
        suite = _Suite(test, None)
        suite.add(f"{name}{label}", inside, counted)
        suite.write(self._file, f"{test or '.'}{label}", session, [("session", session.id)])

    def _label(self, session: RecordedSession, model: str | None) -> str:
        """Return a suffix that makes names of cases unique: the model, and the session if there are
        several."""
        parts = [model or "", session.id if self._names_sessions else ""]
        return f" [{' '.join(filter(None, parts))}]" if any(parts) else ""

    def _inside(self, result: InstanceResult, counted: str) -> str:
        if not counted and result.verdict == "passed":
            return ""
        kind = result.error_kind or result.verdict
        if self._detailed >= MAX_DETAILED:
            return _outcome_element(counted, kind, result.reason, result.reason)
        self._detailed += 1
        return _outcome_element(counted, kind, result.reason, _details(result))


class _Suite:
    """The cases of a suite, kept in a temporary file until their counts are known."""

    def __init__(self, test: str, document: str | None) -> None:
        # Jenkins groups classes by the part of the name before the last dot.
        self._place = {"classname": test.replace("/", ".") or ".", "file": document}
        self._cases = SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 (`write` closes it)
        self._counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        self._seconds = 0.0
        self._said = ""
        self.left_out = 0
        """The number of passed cases beyond the limit, which are not written."""

    def add(self, name: str, inside: str, counted: str, seconds: float = 0.0) -> None:
        """Add a case.

        Args:
            name: the name of the case.
            inside: the elements in it, as XML.
            counted: how it is counted: `failures`, `errors`, `skipped`, or empty if it passed.
            seconds: its duration.
        """
        self._counts["tests"] += 1
        self._seconds += seconds
        if counted:
            self._counts[counted] += 1
        head = attributes(name=name, **self._place, time=f"{seconds:.3f}")
        end = f">\n{inside}  </testcase>" if inside else "/>"
        self._cases.write(f"  <testcase{head}{end}\n".encode())

    def say(self, lines: Iterable[str]) -> None:
        """Add lines about the suite as a whole."""
        self._said += "\n".join(lines)

    def write(
        self,
        file: BinaryIO,
        name: str,
        session: RecordedSession,
        properties: Iterable[tuple[str, object]],
    ) -> None:
        """Write the suite with its properties, and close it."""
        counts: dict[str, object] = {**self._counts}
        started = str(session.info["started"])[:19]
        head = attributes(name=name, **counts, time=f"{self._seconds:.3f}", timestamp=started)
        properties = [*properties, ("passed cases left out", self.left_out or None)]
        lines = "".join(
            f"   <property{attributes(name=key, value=value)}/>\n"
            for key, value in properties
            if value is not None
        )
        file.write(f" <testsuite{head}>\n  <properties>\n{lines}  </properties>\n".encode())
        with self._cases as cases:
            cases.seek(0)
            copyfileobj(cases, file)
        if self._said:
            file.write(f"  <system-out>{text(self._said)}</system-out>\n".encode())
        file.write(b" </testsuite>\n")


def _category(result: InstanceResult, tally: Tally) -> str:
    if result.verdict == "error":
        return "" if tally.expect.allows_errors(tally.counts["error"]) else "errors"
    if result.verdict == tally.expect.wanted or tally.expect.kind == "rate":
        return ""
    if result.advisory:
        return "skipped"
    return "failures" if result.verdict == tally.expect.unwanted else "errors"


def _verdict_category(verdict: Outcome, *, is_advisory: bool) -> str:
    if verdict == "passed":
        return ""
    if is_advisory and verdict != "error":
        return "skipped"
    return "failures" if verdict == "failed" else "errors"


def _outcome_element(counted: str, kind: str, reason: str, details: str) -> str:
    if counted == "skipped":
        return _skipped(f"advisory, {kind}: {reason}")
    if counted:
        return _element("failure" if counted == "failures" else "error", kind, reason, details)
    output = text(f"{kind}: {details}" if details else kind)
    return f"   <system-out>{output}</system-out>\n"


def _element(name: str, kind: str, reason: str, details: str) -> str:
    return f"   <{name}{attributes(message=reason or kind, type=kind)}>{text(details)}</{name}>\n"


def _skipped(why: str) -> str:
    return f"   <skipped{attributes(message=why or 'no reason given')}/>\n"


def _details(result: InstanceResult) -> str:
    answer = cut(response_text(result), MAX_TEXT)
    parts = [cut(result.reason, MAX_TEXT), cut(prompt_text(result), MAX_TEXT)]
    return "\n\n".join(filter(None, [*parts, answer and f"[answer]\n{answer}"]))


def _properties(tally: Tally, test: SessionTest) -> dict[str, object]:
    verdict, reason = tally.verdict()
    rate, judged, corrected = tally.rate, tally.judged, tally.corrected()
    return {
        "model": tally.model,
        "served models": ", ".join(sorted(tally.answers.served)) or None,
        "test": tally.test or ".",
        "document": test.document,
        "description": test.description or None,
        "verdict": verdict,
        "reason": reason or None,
        "advisory": "true" if tally.is_advisory else None,
        "expect": tally.expect.kind,
        "rows": tally.instances.rows(),
        "results": tally.total,
        "repeats": tally.repeats,
        "passed": tally.counts["passed"],
        "judged": judged,
        "pass rate": f"{rate.rate:.6g}" if judged else None,
        "pass rate low": f"{rate.low:.6g}" if judged else None,
        "pass rate high": f"{rate.high:.6g}" if judged else None,
        "confidence": f"{rate.confidence:g}" if judged else None,
        "pass rate range": _range(rate) if judged else None,
        "corrected_rate": f"{corrected.value:.4f}" if corrected else None,
        "corrected_rate_low": f"{corrected.low:.4f}" if corrected else None,
        "corrected_rate_high": f"{corrected.high:.4f}" if corrected else None,
        "prompt tokens": tally.answers.usage.prompt_tokens,
        "completion tokens": tally.answers.usage.completion_tokens,
        "cost in US dollars": None if tally.answers.cost is None else f"{tally.answers.cost:.6f}",
        **{f"tag {name}": value for name, value in test.tags},
    }


def _range(rate: Rate) -> str:
    """Return what the lowest and highest pass rate are: an interval or one-sided bounds."""
    return range_text(rate.low, rate.high, rate.confidence, has_bounds=rate.has_bounds)


def text(value: str) -> str:
    """Return a text as the content of an element."""
    return escape_markup(_legal(value))


def attributes(**values: object) -> str:
    """Return attributes, each after a space. Those that are None are left out."""
    present = ((name, value) for name, value in values.items() if value is not None)
    return "".join(
        f" {name}={quoteattr(_legal(cut(str(value), MAX_ATTRIBUTE)))}" for name, value in present
    )


def _legal(value: str) -> str:
    """Return a text whose control characters and illegal characters are written as escapes."""
    return escape(value).translate(_ILLEGAL)
