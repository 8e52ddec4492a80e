"""Keeps a run going when its report can't be written, because the reader of stdout has gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from lve.error_boundary import unexpected
from lve.errors import LveError, UnexpectedError
from lve.reporting.reporter import Reporter, SessionReport
from lve.results.records import InstanceResult
from lve.spec.model import Expectation
from lve.verdicts.tally import Tally


def leave_output() -> None:
    """Discard all further output, including what Python flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class PatientReporter:
    """Passes results on to a reporter whose reader may leave (`lve run ... | head`) or which may
    fail for one test. The run goes on and keeps its exit code."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._unreported: UnexpectedError | None = None

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Report an instance."""
        try:  # not `_patience`, because a context costs 2 µs and this runs for every instance
            self._reporter.on_result(result, expect)
        except BrokenPipeError:
            leave_output()
        except (LveError, OSError):
            raise
        except Exception as error:  # the boundary: the other instances can be reported
            self._unreported = unexpected(error, f"reporting an instance of {result.test}")

    def on_tally(self, tally: Tally) -> None:
        """Report a test."""
        with self._patience(f"reporting {tally.test}"):
            self._reporter.on_tally(tally)

    def finish(self, report: SessionReport) -> None:
        """Report the end of the session.

        Raises:
            UnexpectedError: reporting an instance or test failed; the rest was reported.
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
        except Exception as error:  # the boundary: the other tests can be reported
            self._unreported = unexpected(error, doing)
