"""A session: tests and their instances, from the first request to the last line of the journal.

It takes up work while it runs. The command line and Python hand it all tests at once (`add`), the
pytest plugin a few instances at a time (`submit`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial

from lve.border import border
from lve.errors import LveError, MissingExtraError, Problem, SpecError, UnexpectedError
from lve.execution.workers import Later
from lve.pipeline.aside_rows import read_instances
from lve.pipeline.engine import Engine, Work
from lve.pipeline.execute import Bench
from lve.pipeline.loading import InvalidTest, InvalidTests, models_of
from lve.pipeline.preparation import Preparation
from lve.pipeline.resume import Earlier
from lve.pipeline.run_of_test import Pairing
from lve.pipeline.select import check_selection, looks_of, why_empty
from lve.pipeline.session_log import SessionLog
from lve.results.records import InstanceResult, result_id
from lve.spec.model import Instance, Spec
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary


class Watcher:
    """Somebody who wants to know what happens. Called in the loop's thread; does nothing itself."""

    def on_start(self, session: Session) -> None:
        """The tests are lined up, nothing was sent yet."""

    def on_result(self, pairing: Pairing, result: InstanceResult) -> None:
        """An instance has its result, and it is in the journal."""

    def on_earlier(self, pairing: Pairing, result: InstanceResult) -> None:
        """An instance had its result already when the session was resumed."""

    def on_done(self, pairing: Pairing) -> None:
        """A test, or what was submitted of it, is through with a model."""

    def on_refused(self, pairing: Pairing, error: LveError) -> None:
        """What was submitted of a test can't be run."""

    def on_tick(self) -> None:
        """A tenth of a second has passed."""


class Session:
    """Runs tests, writes what comes out, and tells its watchers."""

    def __init__(
        self,
        engine: Engine,
        log: SessionLog,
        *,
        warn: Callable[[str], None],
        watchers: Iterable[Watcher] = (),
        earlier: Earlier | None = None,
    ) -> None:
        """Args:
        engine: executes instances.
        log: gets every result before anybody else.
        warn: is told what looks wrong in a test and stops nothing.
        watchers: are told.
        earlier: what needn't run again.
        """
        self.engine = engine
        self.log = log
        self.earlier = earlier
        self.summary = Summary()
        self.pairings: dict[tuple[str, str], Pairing] = {}
        """Whole tests; what is submitted isn't among them."""
        self.invalid = InvalidTests(self.summary)
        self.preparation = Preparation(engine, warn=warn)
        self._warn = warn
        self._watchers = tuple(watchers)

    def add(self, specs: Iterable[Spec]) -> None:
        """Take tests up. Nothing is sent before `start`.

        Raises:
            UsageError: a test has no model, or a model can't be used.
        """
        for spec in specs:
            if spec.skip is not None:
                self.summary.skipped[spec.path] = spec.skip
                continue
            try:
                with border("taking the test up"):
                    self._add(spec)
            except UnexpectedError as error:
                self.invalid.add(InvalidTest.of(spec.path, spec.file, error))

    def _add(self, spec: Spec) -> None:
        check_selection(spec, self.engine.options)
        for warning in spec.warnings:
            self._warn(warning)
        for model in models_of(spec, self.engine.options, self.engine.settings):
            if self.earlier is not None and not self.earlier.concerns(spec.path, model):
                continue
            pairing = self._pairing(spec, model)
            self._announce(pairing)
            if self.earlier and self.earlier.failures_of:
                pairing.tally.limit_to_failures()
            self.pairings[spec.path, model] = pairing

    def submit(self, spec: Spec, model: str, instances: Sequence[Instance]) -> Pairing:
        """Take up some instances of a test. Watchers hear what becomes of them, under what this
        returns.

        Raises:
            UnknownModelError, UsageError: the model can't be used.
        """
        pairing = self._pairing(spec, model, instances)
        self.engine.add(model, self._work(pairing))
        return pairing

    def _pairing(
        self, spec: Spec, model: str, instances: Sequence[Instance] | None = None
    ) -> Pairing:
        self.engine.prepare_model(model)
        is_replay = self.engine.is_replay(model)
        looks = looks_of(spec, self.engine.options, self.engine.settings, is_replay=is_replay)
        return Pairing(spec, model, tuple(looks), instances)

    def _announce(self, pairing: Pairing) -> None:
        """Have a test in the summary, even if nothing of it runs."""
        spec, model = pairing.spec, pairing.model
        tally = self.summary.tallies.get((spec.path, model))
        if tally is None:
            numbers = Breakdown.of(spec)
            tally = self.summary.expect(spec.path, model, spec.expect, numbers=numbers)
            # Numbers that are looked at several times are judged more strictly.
            tally.expect_looks(len(pairing.points))
        pairing.tally = tally

    def add_earlier(self, results: Iterable[InstanceResult]) -> None:
        """Count results that a session which is continued has already."""
        for result in results:
            pairing = self.pairings.get((result.test, result.model))
            if pairing is not None:
                pairing.tally.add(result)
                pairing.count_round(result)
                for watcher in self._watchers:
                    watcher.on_earlier(pairing, result)

    def start(self) -> None:
        """Line up all tests. The first requests are sent when the event loop goes on."""
        self.log.spending.begin(self.engine)
        for watcher in self._watchers:
            watcher.on_start(self)
        for pairing in self.pairings.values():
            self.engine.add(pairing.model, self._work(pairing))

    def _work(self, pairing: Pairing) -> Iterator[Work | Later]:
        """Yield the work of a test, or what was submitted of it, one instance at a time."""
        try:
            with border("making the test ready"):
                pairing.bench = yield from self._bench(pairing)
                self._announce(pairing)
        except LveError as error:
            self._give_up(pairing, error)
            return
        yield from self._repeats(pairing, pairing.bench)

    def _bench(self, pairing: Pairing) -> Generator[Later, None, Bench]:
        if pairing.instances is not None:
            return (yield from self.preparation.shared(pairing.spec, pairing.model, self._note))
        bench = yield from self.preparation.prepare(pairing.spec, pairing.model)
        for problem in bench.plan.warnings:
            self._warn(str(problem))
        return bench

    def _note(self, bench: Bench) -> None:
        """Take note of a test of which instances were submitted, and say once what looks wrong in
        it."""
        if bench.spec.path not in self.log.hashes:
            for warning in (*bench.spec.warnings, *map(str, bench.plan.warnings)):
                self._warn(warning)
        self.log.note(bench.spec, bench.model)

    def _repeats(self, pairing: Pairing, bench: Bench) -> Iterator[Work | Later]:
        """Return all instances, with the repeats up to the next look at the pass rate."""
        repeats = pairing.next_repeats()
        if pairing.instances is not None:
            return self._submitted(pairing, bench, pairing.instances, repeats)
        return self._selected(pairing, bench, repeats)

    def _submitted(
        self, pairing: Pairing, bench: Bench, instances: Sequence[Instance], repeats: range
    ) -> Iterator[Work]:
        # Their number is known, so the last result ends them, and not the next request for work.
        pairing.pending = len(instances) * len(repeats)
        pairing.is_exhausted = True
        done = partial(self._record, pairing)
        for instance in instances:
            for repeat in repeats:
                yield Work(bench, instance, repeat, done)

    def _selected(self, pairing: Pairing, bench: Bench, repeats: range) -> Iterator[Work | Later]:
        spec, earlier = pairing.spec, self.earlier
        pairing.is_exhausted = False
        done = partial(self._record, pairing)
        for found in self._instances(pairing, warn=None if repeats.start else self._warn):
            if isinstance(found, Later):
                yield found
                continue
            if isinstance(found, Problem):
                self._report(pairing, SpecError([found]))
                pairing.has_gaps = True
                continue
            for repeat in repeats:
                if earlier is not None:
                    wanted = result_id(spec.path, pairing.model, found.source, found.line, repeat)
                    if not earlier.wants(wanted):
                        pairing.left_out += earlier.leaves_gap(wanted)
                        continue
                pairing.pending += 1
                yield Work(bench, found, repeat, done)
        if not pairing.is_given_up:
            self._end(pairing)

    def _instances(
        self, pairing: Pairing, *, warn: Callable[[str], None] | None
    ) -> Iterator[Instance | Problem | Later]:
        """Yield the instances of a test, as far as they can be read."""
        try:
            yield from read_instances(self.engine, pairing.spec, warn=warn)
        except LveError as error:
            self._give_up(pairing, error)

    def _give_up(self, pairing: Pairing, error: LveError) -> None:
        """End a test that can't be run, or not any further; the others go on."""
        if pairing.instances is not None:
            for watcher in self._watchers:
                watcher.on_refused(pairing, error)
            return
        pairing.is_given_up = True
        path, model = pairing.spec.path, pairing.model
        has_begun = pairing.tally.total > 0 or pairing.pending > 0
        if isinstance(error, MissingExtraError) and not has_begun:
            self.summary.skip_unavailable(path, model, str(error))
            return
        self._report(pairing, error)
        if not has_begun:
            # It counts as invalid, so not as a test without a verdict too.
            self.summary.drop(path, model)
            return
        pairing.has_gaps = True
        pairing.looks.clear()
        self._end(pairing)

    def _report(self, pairing: Pairing, error: LveError) -> None:
        """Take note of what is wrong with a test; the same problem of another model only once."""
        spec = pairing.spec
        self.invalid.add(InvalidTest.of(spec.path, spec.file, error))
        pairing.tally.end_early("the rest can't be used")

    def _record(self, pairing: Pairing, result: InstanceResult) -> None:
        result = self.log.append(result)
        if self.earlier is not None:
            self.earlier.errors.discard(result.id)
        pairing.tally.add(result)
        pairing.count_round(result)
        pairing.pending -= 1
        for watcher in self._watchers:
            watcher.on_result(pairing, result)
        if pairing.is_done:
            self._go_on(pairing)

    def _end(self, pairing: Pairing) -> None:
        pairing.is_exhausted = True
        if pairing.pending == 0:
            self._go_on(pairing)

    def _go_on(self, pairing: Pairing) -> None:
        """Add more repeats where the statistics can't tell yet; otherwise the test is through."""
        spec, tally = pairing.spec, pairing.tally
        if not tally.total and spec.path in self.invalid:
            # It counts as invalid, so not as a test without a verdict too.
            self.summary.drop(spec.path, pairing.model)
            return
        if not tally.total:
            tally.end_empty(why_empty(spec, self.engine.options))
        if pairing.bench is not None and pairing.needs_more():
            self.engine.add(pairing.model, self._repeats(pairing, pairing.bench))
            return
        pairing.bench = None
        if pairing.instances is None and not (pairing.has_gaps or pairing.left_out):
            tally.complete()
        for watcher in self._watchers:
            watcher.on_done(pairing)
