"""The reports of `--json` (one document, schemas/report.schema.json) and `--jsonl` (JSON lines).
Lines wait in a temporary file until they are needed, so that memory doesn't grow with them.
"""

from __future__ import annotations

from array import array
from contextlib import suppress
from typing import IO, TYPE_CHECKING, TextIO

from lve.comparison.comparison_json import comparison_json
from lve.documents.json_lines import file_json
from lve.escape import disarm_json
from lve.extension_table import extension_part
from lve.reporting.figures import correction_json, figures_json, score_json
from lve.reporting.reporter import SessionReport
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.checker_answers import answers_to_json
from lve.spec.spec import Expectation
from lve.verdicts.answer_counts import tokens_json
from lve.verdicts.replayed import replay_remarks
from lve.verdicts.summary import verdict_counts
from lve.verdicts.tally import Tally

if TYPE_CHECKING:
    from lve.pipeline.gate import Gated


Place = tuple[str, int, int, int]
"""Sort key of an instance, source, line and repeat; and the number of its text."""


class JsonReporter:
    """Writes one JSON document at the end. Until then the JSON of each instance waits on disk."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._instances: dict[tuple[str, str], list[Place]] = {}
        self._texts = SpooledLines()

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Keep the JSON of an instance."""
        number = self._texts.add(printed(result_to_json(result)))
        instances = self._instances.setdefault((result.test, result.model), [])
        instances.append((result.source, result.line, result.repeat, number))

    def on_tally(self, tally: Tally) -> None:
        """Do nothing: the document is written at the end."""

    def finish(self, report: SessionReport) -> None:
        """Write the document: tests sorted by path, instances by file, line and repeat."""
        write = self._stream.write
        write(f'{{"session":{printed(report.result.session)},"summary":{printed(to_json(report))},')
        write('"tests":[')
        for number, key in enumerate(sorted(report.summary.tallies)):
            tally = report.summary.tallies[key]
            head = printed(tally_to_json(tally)).removesuffix("}")
            write(f'{"," if number else ""}\n{head},"instances":[')
            comma = ""
            for *_, place in sorted(self._instances.pop(key, [])):
                write(f"{comma}\n {self._texts.line(place)}")
                comma = ","
            write("]}")
        write("]}\n")
        self._texts.close()
        self._stream.flush()


class JsonlReporter:
    """Writes JSON lines: one per instance, one per test, and the summary. Each has a `type`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._reported: set[tuple[str, str]] = set()

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Write an instance."""
        head = {"type": "instance", "path": result.test, "model": result.model}
        self._stream.write(printed({**head, **result_to_json(result)}) + "\n")

    def on_tally(self, tally: Tally) -> None:
        """Write a test."""
        self._reported.add((tally.test, tally.model))
        self._stream.write(printed({"type": "test", **tally_to_json(tally)}) + "\n")
        self._stream.flush()

    def finish(self, report: SessionReport) -> None:
        """Write the tests that are not finished, and the summary."""
        for key, tally in report.summary.tallies.items():
            if key not in self._reported:
                self.on_tally(tally)
        fields = {"type": "summary", "session": report.result.session, **to_json(report)}
        self._stream.write(printed(fields) + "\n")
        self._stream.flush()


def printed(value: object) -> str:
    """Return a value as one line of JSON without keys, in which CI commands are made harmless."""
    return disarm_json(file_json(value))


_FIRST = ("source", "line", "repeat", "args", "verdict", "recorded", "reason", "responses")


def result_to_json(result: InstanceResult) -> dict[str, object]:
    """Return a result as JSON for a report, without its transcripts."""
    of_roles = {"asked": answers_to_json(result.asked)} if result.asked else {}
    variant = {} if result.variant is None else {"variant": result.variant}
    return {
        **variant,
        **{name: getattr(result, name) for name in _FIRST},
        "usage": tokens_json(result.usage),
        "cost": result.cost,
        "latency_s": round(result.latency_s, 6),
        "first_token_s": _first_token_s(result),
        "cached": result.cached,
        "error_kind": result.error_kind,
        "score": result.score,
        "redacted": result.judged_by is not None,
        **of_roles,
        "advisory": result.advisory,
    }


def _first_token_s(result: InstanceResult) -> float | None:
    """Return the time to the first token of the first streamed answer."""
    for transcript in result.transcripts:
        for completion in transcript.completions:
            if completion.first_token_s is not None:
                return round(completion.first_token_s, 6)
    return None


def tally_to_json(tally: Tally) -> dict[str, object]:
    """Return the verdict and the statistics of a test as JSON."""
    verdict, reason = tally.verdict()
    rate, figures = tally.rate, tally.figures()
    return {
        "path": tally.test,
        "model": tally.model,
        "verdict": verdict,
        "reason": reason,
        "expect": tally.expect.kind,
        "rows": tally.instances.rows(),
        "repeats": tally.repeats,
        "results": verdict_counts(tally.counts),
        "pass_rate": {
            "passed": rate.passed,
            "judged": rate.total,
            "rate": rate.rate,
            "low": rate.low,
            "high": rate.high,
            "confidence": rate.confidence,
            "has_bounds": rate.has_bounds,
        },
        "corrected": correction_json(tally),
        "advisory": tally.is_advisory,
        **figures_json(figures),
        "score": score_json(tally.numbers, figures),
        "categories": {
            name: {
                "passed": group.counts["passed"],
                "judged": group.judged,
                "errors": group.counts["error"],
                "rate": group.rate,
                "score": group.score,
            }
            for name, group in tally.numbers.categories.items()
        },
    }


def _baseline(gated: Gated | None) -> dict[str, object] | None:
    """Return the comparison of the session with its baseline; None without a baseline."""
    if gated is None:
        return None
    comparison = gated.comparison
    return {
        "problem": gated.problem or None,
        "regressed": gated.says("regressed"),
        "comparison": comparison_json(comparison) if comparison else None,
    }


def to_json(report: SessionReport) -> dict[str, object]:
    """Return the summary of a session as JSON."""
    summary = report.summary
    parts = extension_part("breakdown as JSON")(summary) if summary.is_broken_down else {}
    return {
        "status": report.result.status,
        "exit_code": report.exit_code,
        **summary.to_json(),
        **parts,
        "cost": report.cost,
        "requests": report.result.requests,
        "failed_attempts": report.result.failed_attempts,
        "unpriced_models": list(report.result.unpriced),
        "seconds": round(report.result.seconds, 3),
        "folder": report.folder,
        "stopped_by": report.result.stopped_by,
        "baseline": _baseline(report.result.gated),
        "remarks": [remark.text for remark in replay_remarks(summary)],
        "prompt_changes": [
            {
                "path": change.test,
                "session": change.session,
                "before": change.before,
                "now": change.now,
            }
            for change in report.result.prompt_changes
        ],
        "skipped": [{"path": path, "reason": why} for path, why in summary.skipped.items()],
        "invalid": [
            {"path": path, "problems": problems} for path, problems in summary.invalid.items()
        ],
    }


BLOCK_BYTES = 1 << 18
"""Bytes that are written at once. Fewer need no file."""


class SpooledLines:
    """Texts by number, most of them in a temporary file without a name.

    If the file can't be made or written, they stay in memory: a full disk must not cost results.
    """

    def __init__(self) -> None:
        self._starts = array("Q", [0])
        """Where each text begins, and where the next one will."""
        self._block = bytearray()
        """What is not in the file."""
        self._in_file = 0
        self._file: IO[bytes] | None = None
        self._is_full = False

    def add(self, text: str) -> int:
        """Keep a text and return its number, from 0."""
        self._block += text.encode("utf-8", "surrogatepass")
        self._starts.append(self._in_file + len(self._block))
        if len(self._block) >= BLOCK_BYTES and not self._is_full:
            self._write()
        return len(self._starts) - 2

    def line(self, number: int) -> str:
        """Return the text with a number.

        Raises:
            OSError: the file can't be read any more.
        """
        start, end = self._starts[number], self._starts[number + 1]
        if self._file is None or start >= self._in_file:
            content = bytes(self._block[start - self._in_file : end - self._in_file])
        else:
            self._file.seek(start)
            content = self._file.read(end - start)
        return content.decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def __del__(self) -> None:
        self.close()

    def _write(self) -> None:
        """Move the block to the file; it stays if there is no room, and so do all further ones."""
        try:
            if self._file is None:
                from tempfile import TemporaryFile  # late: most sessions have few results

                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 (closed by `close`)
            self._file.seek(self._in_file)
            left = memoryview(self._block)
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            self._is_full = True
            return
        self._in_file += len(self._block)
        self._block = bytearray()
