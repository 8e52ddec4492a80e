"""Gives tests, or some of their instances, to the engine; its results to journal and watchers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem, SpecError, UnavailableError, UnexpectedError
from lve.execution.workers import WaitFor
from lve.pipeline.choosing.instances import check_selection, why_empty
from lve.pipeline.choosing.loading import InvalidTest, InvalidTests, models_of
from lve.pipeline.choosing.repeats import RepeatPlan, Rounds, repeat_plan
from lve.pipeline.engine import Engine, Job
from lve.pipeline.preparing.preparation import Preparation
from lve.pipeline.preparing.reading import read_instances
from lve.pipeline.roles.roles import statuses_for
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.pipeline.run_of_test import TestRun, TestRuns
from lve.pipeline.session_log import SessionLog
from lve.pipeline.spec_for_model import ForModel
from lve.sessions.instance_result import InstanceResult
from lve.sessions.resume import PreviousRun
from lve.spec.spec import Instance, Spec
from lve.verdicts.description import described
from lve.verdicts.summary import Summary


class Watcher:
    """Follows a session. The methods are called in the event loop's thread, and do nothing here."""

    def on_start(self, session: Session) -> None:
        """The session starts: its tests are added, nothing was sent yet."""

    def on_result(self, test_run: TestRun, result: InstanceResult) -> None:
        """An instance has run, and its result is in the journal."""

    def on_previous_result(self, test_run: TestRun, result: InstanceResult) -> None:
        """A resumed session already had this result."""

    def on_done(self, test_run: TestRun) -> None:
        """A test, or the submitted instances of one, has run against a model."""

    def on_refused(self, test_run: TestRun, error: LveError) -> None:
        """Submitted instances can't run."""

    def on_tick(self) -> None:
        """A tenth of a second has passed."""


class Session:
    """Runs tests, records their results, and passes them to its watchers."""

    def __init__(
        self,
        engine: Engine,
        log: SessionLog,
        *,
        warn: Callable[[str], None],
        watchers: Iterable[Watcher] = (),
        previous: PreviousRun | None = None,
    ) -> None:
        """Args:
        engine: executes instances.
        log: writes every result before anybody else gets it.
        warn: called with each warning about a test.
        watchers: called with everything that happens.
        previous: results of an earlier run, which decide what runs now; None: everything runs.
        """
        self.engine, self.log, self.previous = engine, log, previous
        self.summary = Summary()
        self.test_runs = TestRuns(shares=previous is None)  # without submitted instances
        self.invalid = InvalidTests(self.summary)
        self.statuses = statuses_for(engine.workspace, engine.roles, warn=warn)
        self.preparation = Preparation(engine, warn=warn, statuses=self.statuses)
        self.warn, self._watchers = warn, tuple(watchers)
        self._for_model = ForModel(engine.options, engine.settings)

    def add(self, specs: Iterable[Spec]) -> None:
        """Add whole tests. Nothing is sent before `start`.

        Raises:
            UsageError: a test has no model, or a model can't be used.
        """
        for spec in specs:
            if spec.skip is not None:
                self.summary.skipped[spec.path] = spec.skip
                continue
            try:
                with error_boundary("adding the test"):
                    self._add(spec)
            except UnexpectedError as error:
                self.invalid.add(InvalidTest.of(spec.path, spec.file, error))

    def _add(self, spec: Spec) -> None:
        check_selection(spec, self.engine.options)
        for warning in spec.warnings:
            self.warn(warning)
        for model in models_of(spec, self.engine.options, self.engine.settings):
            if self.previous is not None and not self.previous.concerns(spec.path, model):
                continue
            test_run = self._test_run(spec, model)
            self._announce(test_run)
            self.test_runs.add(test_run)

    def submit(self, spec: Spec, model: str, instances: Sequence[Instance]) -> TestRun:
        """Add some instances of a test. Watchers get the returned `TestRun` with their results.

        Raises:
            UnknownModelError, UsageError: the model can't be used.
        """
        test_run = self._test_run(spec, model, instances)
        self.engine.add(model, self._jobs(test_run))
        return test_run

    def _test_run(self, spec: Spec, model: str, rows: Sequence[Instance] | None = None) -> TestRun:
        self.engine.prepare_model(model)
        spec = self._for_model(spec, model)
        return TestRun(spec, model, Rounds(spec.expect, self.repeat_plan(spec, model)), rows)

    def repeat_plan(self, spec: Spec, model: str) -> RepeatPlan:
        """Return how often each instance of a test runs against a model that is ready."""
        engine, is_replay = self.engine, self.engine.models.is_replay(model)
        return repeat_plan(spec, engine.options, engine.settings, is_replay=is_replay)

    def _announce(self, test_run: TestRun) -> None:
        """Add a test to the summary, where it is even if none of its instances runs."""
        spec, previous = test_run.spec, self.previous
        is_new = (spec.path, test_run.model) not in self.summary.tallies
        failures_only = previous is not None and previous.failures_of is not None
        errors = self.statuses.errors(spec) if is_new and self.statuses else None
        test_run.announce(self.summary, failures_only=failures_only, errors=errors)
        if is_new:
            self.log.describe(described(spec, test_run.tally))

    def count_previous(self, results: Iterable[InstanceResult]) -> None:
        """Count results that a resumed session already has."""
        for result in results:
            if test_run := self.test_runs.get((result.test, result.model)):
                test_run.count(result)
                for watcher in self._watchers:
                    watcher.on_previous_result(test_run, result)

    def start(self) -> None:
        """Give all added tests to the engine. It sends requests once the event loop goes on."""
        self.log.start()
        for watcher in self._watchers:
            watcher.on_start(self)
        for test_run in self.test_runs.values():
            self.engine.add(test_run.model, self._jobs(test_run))

    def _jobs(self, test_run: TestRun) -> Iterator[Job | WaitFor]:
        """Make a test ready, then yield the jobs of its instances. An error ends this test only."""
        spec, model = test_run.spec, test_run.model
        try:
            with error_boundary("making the test ready"):
                if test_run.instances is None:
                    if test_run.tally.is_shared:
                        self._announce(test_run)
                    prepared = yield from self.preparation.prepare(spec, model)
                    for warning in prepared.warnings:
                        self.warn(warning)
                else:
                    prepared = yield from self.preparation.shared(spec, model, self._on_prepared)
                test_run.prepared = prepared  # first, as it has the test unpacked
                self._announce(test_run)
                self.log.write_tests()
                if test_run.instances is not None:
                    test_run.instances = list(test_run.replayable(test_run.instances))
        except LveError as error:
            self._give_up(test_run, error)
            return
        yield from self._repeats(test_run, prepared)

    def _on_prepared(self, prepared: PreparedTest) -> None:
        """Record a test of which instances were submitted, and pass on its warnings once."""
        if self.log.note(prepared.spec, prepared.model.name):
            for warning in (*prepared.spec.warnings, *prepared.warnings):
                self.warn(warning)

    def _repeats(self, test_run: TestRun, prepared: PreparedTest) -> Iterator[Job | WaitFor]:
        """Return the jobs of all instances, for the repeats before the next check of the rate."""
        jobs = self._selected if test_run.instances is None else self._submitted
        return jobs(test_run, prepared, test_run.rounds.begin())

    def _submitted(
        self, test_run: TestRun, prepared: PreparedTest, repeats: range
    ) -> Iterator[Job]:
        instances = test_run.instances or ()
        # Their number is known, so the run ends with the last result, not when the pool next asks.
        test_run.pending = len(instances) * len(repeats)
        test_run.is_exhausted = True
        done = partial(self._record, test_run)
        for instance in instances:
            for repeat in test_run.rounds.numbers(instance, repeats):
                yield prepared, instance, repeat, done

    def _selected(
        self, test_run: TestRun, prepared: PreparedTest, repeats: range
    ) -> Iterator[Job | WaitFor]:
        previous, done = self.previous, partial(self._record, test_run)
        test_run.is_exhausted = False
        for item in self._instances(test_run, warn=None if repeats.start else self.warn):
            if isinstance(item, WaitFor):
                yield item
                continue
            if isinstance(item, Problem):
                self._report(test_run, SpecError([item]))
                test_run.has_gaps = True
                continue
            for repeat in test_run.rounds.numbers(item, repeats):
                instance: Instance | None = item
                if previous is not None:
                    turn = previous.take(test_run.path, test_run.model, item, repeat)
                    test_run.left_out += turn.is_left_out
                    instance = turn.instance
                if instance is not None:
                    test_run.pending += 1
                    yield prepared, instance, repeat, done
        if not test_run.is_given_up:
            self._end_jobs(test_run)

    def _instances(
        self, test_run: TestRun, *, warn: Callable[[str], None] | None
    ) -> Iterator[Instance | Problem | WaitFor]:
        """Yield the instances of a test until one can't be read: then give it up."""
        try:
            spec, model, previous = test_run.spec, test_run.model, self.previous
            once = previous is None or previous.only is None  # else chosen by their places
            once = once and not self.engine.models.is_replay(model)
            rows = read_instances(self.engine, spec, model, once=once, warn=warn)
            rows = test_run.replayable(rows, counts=warn is not None)
            yield from rows if previous is None else previous.among(rows, spec.path, model)
        except LveError as error:
            self._give_up(test_run, error)

    def _give_up(self, test_run: TestRun, error: LveError) -> None:
        """End a test that can't run, or can't go on; the other tests go on."""
        if test_run.instances is not None:
            for watcher in self._watchers:
                watcher.on_refused(test_run, error)
            return
        test_run.is_given_up = True
        has_begun = test_run.tally.total > 0 or test_run.pending > 0
        if isinstance(error, UnavailableError) and not has_begun:
            self.summary.skip_unavailable(test_run.path, test_run.model, error.message_with_code)
            return
        self._report(test_run, error)
        if not has_begun:
            # It counts as invalid, so it must not count as a test without a verdict as well.
            self.summary.drop(test_run.path, test_run.model)
            return
        test_run.has_gaps = True
        self._end_jobs(test_run)

    def _report(self, test_run: TestRun, error: LveError) -> None:
        """Report what is wrong with a test, once for all models that it runs against."""
        self.invalid.add(InvalidTest.of(test_run.path, test_run.spec.file, error))
        test_run.tally.coverage.end_early("the rest can't be used")

    def _record(self, test_run: TestRun, result: InstanceResult) -> None:
        """Write a result to the journal, count it, and tell the watchers."""
        result.variant = test_run.variant
        prepared = test_run.prepared
        result = self.log.append(result, prepared.judged_by if prepared else None)
        if self.previous is not None:
            self.previous.has_run(result)
        test_run.count(result)
        test_run.pending -= 1
        for watcher in self._watchers:
            watcher.on_result(test_run, result)
        if test_run.is_exhausted and test_run.pending == 0:
            self._go_on(test_run)

    def _end_jobs(self, test_run: TestRun) -> None:
        test_run.is_exhausted = True
        if test_run.pending == 0:
            self._go_on(test_run)

    def _go_on(self, test_run: TestRun) -> None:
        """Add more repeats if the pass rate can't be decided yet, else end the test."""
        tally = test_run.tally
        if test_run.instances is None and not tally.total:
            if test_run.path in self.invalid or self.engine.options.shard:  # others may have some
                self.summary.drop(test_run.path, test_run.model)
                return
            tally.coverage.end_empty(why_empty(test_run.spec, self.engine.options))
        if test_run.prepared is not None and test_run.needs_more():
            jobs = self._repeats(test_run, test_run.prepared)
            self.engine.add(test_run.model, jobs, test_run.rounds.ahead)
            return
        test_run.prepared = None
        if test_run.instances is None and not (test_run.has_gaps or test_run.left_out):
            tally.coverage.complete()
        for watcher in self._watchers:
            watcher.on_done(test_run)
        self.test_runs.shrink(test_run)
