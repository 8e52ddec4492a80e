"""One pytest item per instance, per chunk of a large data set, or per test with a pass rate."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import pluggy
import pytest

from lve.error_boundary import error_boundary
from lve.errors import LveError, UnavailableError
from lve.escape import escape_line, excerpt
from lve.pytest_plugin import options
from lve.pytest_plugin.session.bridge import bridge_of
from lve.pytest_plugin.verdicts import (
    KNOWN_WEAKNESS,
    SHOWN_REASON,
    InconclusiveWarning,
    InfrastructureError,
    InstanceFailed,
    ItemVerdict,
    Undecided,
    UnexpectedPass,
    describe_failure,
    failure,
    item_verdict,
)
from lve.redaction import Redactor, own_redactor
from lve.spec.model import Expectation, Instance, Spec

MAX_KEYWORD = 200
"""Characters of a parameter that `-k` sees."""
MAX_KEYWORDS = 1_000
"""Parameters of an instance that `-k` sees."""


class InstanceItem(pytest.Item):
    """One instance of a test against one model (or many rows of a data set, or all of a test that
    expects a pass rate); repeats live inside.

    What has to happen before there is a verdict happens in `setup`, so that trouble there is an
    error; `runtest` reports the verdict itself.
    """

    def __init__(
        self,
        *,
        spec: Spec,
        model: str | None,
        instances: tuple[Instance, ...],
        collected: int,
        marks: Sequence[pytest.MarkDecorator],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.spec = spec
        self.model = model
        self.instances = self.selected = instances
        self.collected = collected
        self.verdict: ItemVerdict | None = None
        self.had_turn = False
        for mark in marks:
            self.add_marker(mark)
        self._add_keywords()

    def _add_keywords(self) -> None:
        """Add what `-k` finds beside the name: path, tags, model, parameters."""
        words = self.extra_keyword_matches
        words.add(self.spec.path)
        words.update([f"{tag.name}={tag.value}" for tag in self.spec.tags])
        if self.model:
            words.add(self.model)
        if len(self.instances) == 1:
            given = islice(self.instances[0].parameters.items(), MAX_KEYWORDS)
            words.update([f"{name}={value}"[:MAX_KEYWORD] for name, value in given])

    @property
    def ihook(self) -> pluggy.HookRelay:
        """The hooks that hold here."""
        assert self.parent is not None
        return self.parent.ihook

    def setup(self) -> None:
        """Wait for this item's own result; what is no verdict on the model is an error here.

        A test whose checker is not trusted, or needs a package that is not installed, is skipped,
        as in `lve run`.
        """
        if self.config.getoption("setuponly", False):  # and with --setup-plan: no test is run
            return
        bridge = bridge_of(self.session)
        try:
            results = bridge.results_of(self)
        except UnavailableError as error:
            bridge.note_skipped(self.spec, error)
            # Otherwise pytest says that this line was skipped.
            reason = escape_line(own_redactor()(error.message_with_code))
            raise pytest.skip.Exception(reason, _use_item_location=True) from None
        facts = [("prompt_hash", bridge.prompt_hash(self.spec)), ("session", bridge.session_id)]
        with error_boundary("adding up the results"):
            expect, sequential = self._expectation, False
            if expect.kind == "rate":
                expect, sequential = bridge.rate_of(self)
            self.verdict = item_verdict(
                self.spec,
                results,
                expect=expect,
                sequential=sequential,
                errors=bridge.errors_of(self.spec),
                facts=facts,
            )
        self.user_properties += _harmless(self.verdict.properties)
        if self.verdict.outcome == "error":
            raise InfrastructureError(self.verdict.reason)

    @property
    def _expectation(self) -> Expectation:
        """`expect: fail` is pytest's xfail, and so nothing with `--runxfail`."""
        expect = self.spec.expect
        ignored = expect.kind == "fail" and self.config.getoption("runxfail", default=False)
        return Expectation() if ignored else expect

    def runtest(self) -> None:
        """Fail, warn or pass."""
        assert self.verdict is not None
        outcome, reason = self.verdict.outcome, self.verdict.reason
        if self.verdict.is_advisory and outcome != "passed":
            self._advise(outcome, reason)
            return
        if self._expectation.kind == "fail":
            if outcome == "failed":
                raise UnexpectedPass(f"[XPASS(strict)] {KNOWN_WEAKNESS}: {reason}")
            if outcome == "passed":
                raise InstanceFailed(reason)
        if outcome == "failed":
            raise InstanceFailed(reason)
        if outcome == "inconclusive":
            if not options.read(self.config).run.allow_inconclusive:
                raise Undecided(f"inconclusive: {reason}")
            text = escape_line(f"{self.nodeid}: inconclusive: {own_redactor()(reason)}")
            # With line 0: of any other, pytest would print what stands there in the document.
            warnings.warn_explicit(
                InconclusiveWarning(text), None, str(self.reportinfo()[0]), lineno=0
            )

    def _advise(self, outcome: str, reason: str) -> None:
        """Report a verdict that fails nothing, at the end of the output: a warning may be an
        error."""
        text = f"advisory: {self.nodeid}: {outcome}: {own_redactor()(reason)}"
        bridge_of(self.session).note(escape_line(excerpt(text, SHOWN_REASON)))
        if self._expectation.kind == "fail":
            raise InstanceFailed(reason)  # which pytest expects

    def teardown(self) -> None:
        """Report the errors beside a pass rate that holds without them: as in `lve run`, they are
        no success."""
        if self.verdict is not None and self.verdict.errors:
            total = len(self.verdict.results)
            raise InfrastructureError(f"{self.verdict.errors} of {total} ended in an error")

    def _repr_failure_py(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        """As `repr_failure`. pytest calls this one for setup and teardown, and would look up the
        source of each line of the plugin's traceback, which nobody gets to see, for 80 ms."""
        return self.repr_failure(excinfo, style)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the transcript and the checker's reason instead of a traceback of the plugin."""
        try:
            with error_boundary("describing a failure"):
                return self._failure(excinfo, style)
        except LveError as error:
            return failure(self.spec, error.message_with_code, error.message_with_code)

    def _failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any) -> Any:
        error = excinfo.value
        if self.verdict is not None:
            if isinstance(error, UnexpectedPass):
                text = describe_failure(self.spec, self.verdict, unwanted="passed")
                return failure(self.spec, str(error), text)
            if isinstance(
                error, InstanceFailed | InfrastructureError | Undecided | InconclusiveWarning
            ):
                return failure(self.spec, str(error), describe_failure(self.spec, self.verdict))
        if isinstance(error, LveError):
            return failure(self.spec, error.message_with_code, error.message_with_code)
        return super()._repr_failure_py(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """The test document, and a headline (pytest takes an item's own name apart at dots)."""
        text = str(self.path)
        shown = escape_line(text)
        path = self.path if shown == text else Path(shown)  # shown, never opened
        return path, 0, escape_line(f"{self.spec.path} {self.name}")


def _harmless(properties: Sequence[tuple[str, object]]) -> list[tuple[str, object]]:
    """Return what reports say of an item without secrets and control characters."""
    redact = own_redactor()
    return [
        (name, _shown(redact, value) if isinstance(value, str) else value)
        for name, value in properties
    ]


@lru_cache(maxsize=256)  # items have models, sessions and prompts in common
def _shown(redact: Redactor, value: str) -> str:
    return escape_line(redact(value))
