"""One pytest item per instance, per chunk of a large data set, or per test with a pass rate. The
fixture `lve_target` of a `conftest.py` names what is tested in place of a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import pluggy
import pytest

from lve.checkers.contract import Outcome
from lve.data.row_places import place_of_row
from lve.error_boundary import error_boundary
from lve.errors import LveError, UnavailableError
from lve.escape import escape_line, excerpt, head
from lve.extension_table import extension_part
from lve.options.run_options import RunOptions
from lve.pytest_plugin.options import is_model_chosen, options_of
from lve.pytest_plugin.session.bridge import bridge_of
from lve.pytest_plugin.undecided import report_undecided
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
from lve.secrets.redaction import Redactor, own_redactor
from lve.sessions.instance_result import REPLAY
from lve.spec.spec import Expectation, Instance, Spec
from lve.verdicts.coverage import NotRecorded

TARGET = "lve_target"
"""The model of items whose `conftest.py` names what is tested, until the first one runs."""


def options_for(node: pytest.Collector) -> RunOptions:
    """Return the options for collecting: with the fixture as the model if a `conftest.py` overrides
    it, and the command line names no model."""
    options = options_of(node.config).run_of_all_shards
    fixtures = node.session._fixturemanager.getfixturedefs(TARGET, node) or ()
    if len(fixtures) < 2 or is_model_chosen(node.config):
        return options
    for_target: RunOptions = extension_part("collected for lve_target")(fixtures[-1], options)
    return for_target


MAX_KEYWORD = 200
"""Characters of a parameter that `-k` can match."""
MAX_KEYWORDS = 1_000
"""Parameters of an instance that `-k` can match."""


class InstanceItem(pytest.Item):
    """One instance of a test against one model, with all its repeats; or many rows of a data set;
    or all instances of a test that expects a pass rate.

    `setup` waits for the verdict, so whatever prevents a verdict is an error in pytest, not a
    failure. `runtest` reports the verdict.
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
        self.model, self.has_target = model, model == TARGET
        self.instances = self.selected = instances
        self.collected = collected
        self.verdict: ItemVerdict | None = None
        self.had_turn = False
        for mark in marks:
            self.add_marker(mark)
        self._add_keywords()

    def _add_keywords(self) -> None:
        """Let `-k` match path, tags, model and parameters, too, not only the name."""
        words = self.extra_keyword_matches
        words.add(self.spec.path)
        words.update([f"{tag.name}={tag.value}" for tag in self.spec.tags])
        if self.model:
            words.add(self.model)
        if len(self.instances) == 1:
            parameters = islice(self.instances[0].parameters.items(), MAX_KEYWORDS)
            words.update([head(f"{name}={value}", MAX_KEYWORD) for name, value in parameters])

    @property
    def ihook(self) -> pluggy.HookRelay:
        """The hooks for this item."""
        assert self.parent is not None
        return self.parent.ihook

    def setup(self) -> None:
        """Wait for the results of this item.

        Raises:
            InfrastructureError: there is no verdict.
            LveError: the test or the model can't be used, or the session has stopped.
            pytest.skip.Exception: the checker isn't trusted, or needs a package that isn't
                installed. `lve run` skips such a test, too.
        """
        if self.config.getoption("setuponly", False):  # also set by --setup-plan: no test runs
            return
        if self.has_target:
            extension_part("lve_target of an item")(self)
        bridge = bridge_of(self.session)
        try:
            results = bridge.results_of(self)
        except UnavailableError as error:
            bridge.note_skipped(self, error)
            # Without `_use_item_location`, pytest would name this line as the skipped place.
            reason = escape_line(error.message_with_code)
            raise pytest.skip.Exception(reason, _use_item_location=True) from None
        facts = [("prompt_hash", bridge.prompt_hash(self.spec)), ("session", bridge.session_id)]
        with error_boundary("adding up the results"):
            expect, sequential, missing = self._expectation, False, self._left_out
            if expect.kind == "rate":
                expect, sequential = bridge.rate_of(self)
                missing = bridge.not_recorded(self)
            self.verdict = item_verdict(
                self.spec,
                results,
                expect=expect,
                sequential=sequential,
                errors=bridge.errors_of(self.spec),
                facts=facts,
                left_out=missing,
            )
        self.user_properties += _harmless(self.verdict.properties)
        if self.verdict.outcome == "error":
            raise InfrastructureError(self.verdict.reason)

    def forget_results(self) -> None:
        """Forget the results, which are in the session's journal, once pytest has reported them."""
        if self.verdict is not None:
            self.verdict = _reported(self.verdict.outcome)

    @property
    def _left_out(self) -> NotRecorded:
        """Its rows that a replay leaves out because no answer of theirs is recorded."""
        missing = NotRecorded()
        for instance in self.instances if self.model == REPLAY else ():
            if instance.recorded is None:
                missing.add(f"{self.spec.path}/{place_of_row(instance.source, instance.line)}")
        return missing

    @property
    def _expectation(self) -> Expectation:
        """The test's expectation. `--runxfail` turns `expect: fail`, which is pytest's xfail, into
        `expect: pass`."""
        expect = self.spec.expect
        ignored = expect.kind == "fail" and self.config.getoption("runxfail", default=False)
        return Expectation() if ignored else expect

    def runtest(self) -> None:
        """Report the verdict: pass, fail or warn."""
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
            report_undecided(self, reason)

    def _advise(self, outcome: str, reason: str) -> None:
        """Add an advisory verdict to the lines at the end. Not as a warning: `-W error` would make
        that fail."""
        text = f"advisory: {self.nodeid}: {outcome}: {reason}"
        bridge_of(self.session).note(escape_line(excerpt(text, SHOWN_REASON)))
        if self._expectation.kind == "fail":
            raise InstanceFailed(reason)  # pytest expects it: the item is an xfail

    def teardown(self) -> None:
        """Report errors of single results, although the pass rate holds without them. As in `lve
        run`, a run with errors is no success."""
        if self.verdict is not None and self.verdict.errors:
            total = len(self.verdict.results)
            raise InfrastructureError(f"{self.verdict.errors} of {total} ended in an error")

    def _repr_failure_py(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> Any:
        """Do the same as `repr_failure`. pytest calls this method for setup and teardown; its own
        takes 80 ms to look up source lines of a traceback that isn't shown."""
        return self.repr_failure(excinfo, style)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the transcript and the checker's reason, instead of a traceback of the plugin."""
        try:
            with error_boundary("describing a failure"):
                return self._failure(excinfo, style)
        except LveError as error:
            return failure(self.spec, error.message_with_code, error.message_with_code)

    def _failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any) -> object:
        error = excinfo.value
        if self.verdict is not None:
            is_verbose = self.config.get_verbosity() > 0
            if isinstance(error, UnexpectedPass):
                text = describe_failure(
                    self.spec, self.verdict, unwanted="passed", is_verbose=is_verbose
                )
                return failure(self.spec, str(error), text)
            if isinstance(
                error, InstanceFailed | InfrastructureError | Undecided | InconclusiveWarning
            ):
                text = describe_failure(self.spec, self.verdict, is_verbose=is_verbose)
                return failure(self.spec, str(error), text)
        if isinstance(error, LveError):
            return failure(self.spec, error.message_with_code, error.message_with_code)
        return super()._repr_failure_py(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the test document and a headline. pytest's own would split the name at dots."""
        text = str(self.path)
        line = escape_line(text)
        path = self.path if line == text else Path(line)  # only shown, never opened
        return path, 0, escape_line(f"{self.spec.path} {self.name}")


def _harmless(properties: Sequence[tuple[str, object]]) -> list[tuple[str, object]]:
    """Return an item's report properties without secrets and control characters."""
    redactor = own_redactor()  # another one whenever the secrets are others
    return [_shared(name, value, redactor) for name, value in properties]


@lru_cache(maxsize=1024, typed=True)  # many items have the same ones, and pytest keeps them all
def _shared(name: str, value: object, _: Redactor) -> tuple[str, object]:
    return name, escape_line(value) if isinstance(value, str) else value


@lru_cache
def _reported(outcome: Outcome) -> ItemVerdict:
    return ItemVerdict(outcome, "")
