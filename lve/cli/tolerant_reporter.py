"""Keeps a run going when its report can't be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lve.cli.printing import discard_output
from lve.error_boundary import unexpected
from lve.errors import LveError, UnexpectedError
from lve.reporting.reporter import Reporter, SessionReport
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation
from lve.verdicts.tally import Tally


class TolerantReporter:
    """Passes results on to another reporter, and keeps the run going if that reporter fails.

    The reader of stdout may close it (`lve run ... | head`), or the reporter may raise for one
    test. Neither changes the run's exit code, nor what is reported of other tests.
    """

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._unreported: UnexpectedError | None = None

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Report an instance."""
        try:  # not `_tolerating`: a context costs 2 µs, and this runs for every instance
            self._reporter.on_result(result, expect)
        except BrokenPipeError:
            discard_output()
        except (LveError, OSError):
            raise
        except Exception as error:  # the boundary: other instances can still be reported
            self._unreported = unexpected(error, f"reporting a row of {result.test}")

    def on_tally(self, tally: Tally) -> None:
        """Report a test."""
        with self._tolerating(f"reporting {tally.test}"):
            self._reporter.on_tally(tally)

    def finish(self, report: SessionReport) -> None:
        """Report the end of the session.

        Raises:
            UnexpectedError: an instance or a test could not be reported; all others were.
        """
        with self._tolerating("reporting the session"):
            self._reporter.finish(report)
        if self._unreported is not None:
            raise self._unreported

    @contextmanager
    def _tolerating(self, doing: str) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            discard_output()
        except (LveError, OSError):
            raise
        except Exception as error:  # the boundary: other tests can still be reported
            self._unreported = unexpected(error, doing)
