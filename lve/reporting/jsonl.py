"""`--jsonl`: a stream of JSON lines, one per instance as it ends, one per test, and the summary.

Every line has a `type`: `instance`, `test` or `summary`.
"""

from __future__ import annotations

from typing import TextIO

from lve.reporting.json_ import printed, result_to_json, tally_to_json, to_json
from lve.reporting.reporter import SessionReport
from lve.results.records import InstanceResult
from lve.spec.model import Expectation
from lve.verdicts.tally import Tally


class JsonlReporter:
    """Writes JSON lines and keeps nothing but which tests have had theirs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._told: set[tuple[str, str]] = set()

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Write an instance."""
        head = {"type": "instance", "path": result.test, "model": result.model}
        self._stream.write(printed({**head, **result_to_json(result)}) + "\n")

    def on_tally(self, tally: Tally) -> None:
        """Write a test."""
        self._told.add((tally.test, tally.model))
        self._stream.write(printed({"type": "test", **tally_to_json(tally)}) + "\n")
        self._stream.flush()

    def finish(self, report: SessionReport) -> None:
        """Write the tests that aren't through, and the summary."""
        for key, tally in report.summary.tallies.items():
            if key not in self._told:
                self.on_tally(tally)
        fields = {"type": "summary", "session": report.session, **to_json(report)}
        self._stream.write(printed(fields) + "\n")
        self._stream.flush()
