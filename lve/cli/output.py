"""Standard output that can't be written: its reader has gone, its disk is full."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from lve.border import unexpected
from lve.errors import LveError, UnexpectedError
from lve.reporting.reporter import Reporter, SessionReport
from lve.results.records import InstanceResult
from lve.spec.model import Expectation
from lve.verdicts.tally import Tally


def leave_output() -> None:
    """Let what is still to be written to stdout go nowhere; Python writes the rest at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class PatientReporter:
    """Reports to a reader that may leave (`lve run ... | head`): the run, which is recorded, goes
    on and has its exit code."""

    def __init__(self, reporter: Reporter) -> None:
        """
        Args:
            reporter: writes to stdout.
        """
        self._reporter = reporter
        self._unreported: UnexpectedError | None = None

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Hand an instance on."""
        try:  # not `_patience`: this runs once per instance, and a context costs 2 µs
            self._reporter.on_result(result, expect)
        except BrokenPipeError:
            leave_output()
        except (LveError, OSError):
            raise
        except Exception as error:  # the border: the other instances can be reported
            self._unreported = unexpected(error, f"reporting an instance of {result.test}")

    def on_tally(self, tally: Tally) -> None:
        """Hand a test on."""
        with self._patience(f"reporting {tally.test}"):
            self._reporter.on_tally(tally)

    def finish(self, report: SessionReport) -> None:
        """Hand the end on.

        Raises:
            UnexpectedError: something couldn't be reported; the rest was.
        """
        with self._patience("reporting the session"):
            self._reporter.finish(report)
        if self._unreported is not None:
            raise self._unreported

    @contextmanager
    def _patience(self, doing: str) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            leave_output()
        except (LveError, OSError):
            raise
        except Exception as error:  # the border: the other tests can be reported
            self._unreported = unexpected(error, doing)
