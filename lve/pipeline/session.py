"""A session: the tests of one `lve run`, from the first request to the last line of the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from lve.border import border
from lve.data.weight import is_large
from lve.errors import LveError, MissingExtraError, Problem, SpecError, UnexpectedError
from lve.execution.workers import Later
from lve.pipeline.aside_rows import read_aside
from lve.pipeline.engine import Engine, Work
from lve.pipeline.execute import Bench
from lve.pipeline.loading import InvalidTest, models_of
from lve.pipeline.resume import Earlier
from lve.pipeline.select import check_selection, looks_of, select_instances, why_empty
from lve.results.records import InstanceResult, result_id
from lve.spec.model import Instance, Spec
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.statistics import needs_more
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally


@dataclass(slots=True)
class Pairing:
    """A test and a model it runs against, and how far that has come."""

    spec: Spec
    model: str
    tally: Tally
    """What came out so far."""
    pending: int = 0
    """Instances (times repeats) that are under way."""
    is_exhausted: bool = False
    """Whether all its instances have been taken up."""
    is_given_up: bool = False
    """Whether something of the test itself stands in the way of running it."""
    has_gaps: bool = False
    """Whether instances were left out that can't have a result: their lines are wrong."""
    left_out: int = 0
    """Instances (times repeats) without a result whose turn it wasn't: only errors run again."""
    rounds: dict[int, list[int]] = field(default_factory=dict)
    """Repeat -> [passed, passed or failed], where a pass rate is expected."""
    repeats: int = 0
    """How many repeats of every instance have been taken up."""
    points: tuple[int, ...] = ()
    """After how many repeats to look at the pass rate; the last is how many there are at most."""
    looks: list[int] = field(default_factory=list)
    """Those that are left."""
    bench: Bench | None = None
    """While it runs."""

    @property
    def is_done(self) -> bool:
        """Whether nothing of it is left to do."""
        return self.is_exhausted and self.pending == 0

    def count_round(self, result: InstanceResult) -> None:
        """Take note of a result for the decision whether more repeats are needed."""
        if self.spec.expect.kind == "rate" and result.verdict in ("passed", "failed"):
            counts = self.rounds.setdefault(result.repeat, [0, 0])
            counts[0] += result.verdict == "passed"
            counts[1] += 1

    def needs_more(self) -> bool:
        """Whether the statistics can't tell yet, after the repeats taken up so far."""
        # Only what these repeats gave: a resumed session must decide as one that went through.
        counted = [counts for repeat, counts in self.rounds.items() if repeat < self.repeats]
        passed, total = (sum(counts[i] for counts in counted) for i in (0, 1))
        return needs_more(
            self.spec.expect, passed, total, repeats_done=self.repeats, points=self.points
        )


class Watcher:
    """Somebody who wants to know what happens. Called in the loop's thread; does nothing itself."""

    def on_start(self, session: Session) -> None:
        """The tests are lined up, nothing was sent yet."""

    def on_result(self, pairing: Pairing, result: InstanceResult) -> None:
        """An instance has its result, and it is in the journal."""

    def on_earlier(self, pairing: Pairing, result: InstanceResult) -> None:
        """An instance had its result already when the session was resumed."""

    def on_done(self, pairing: Pairing) -> None:
        """A test is through with a model."""

    def on_tick(self) -> None:
        """A tenth of a second has passed."""


class Recorder(Protocol):
    """What a session wants of a journal."""

    def append(self, result: InstanceResult) -> InstanceResult:
        """Write a result, and return what was written: an error where it can't be. It survives the
        end of the process when this returns."""
        ...


class Session:
    """Runs tests and tells its watchers."""

    def __init__(
        self,
        engine: Engine,
        *,
        warn: Callable[[str], None],
        journal: Recorder | None = None,
        watchers: Iterable[Watcher] = (),
        earlier: Earlier | None = None,
    ) -> None:
        """Args:
        engine: executes instances.
        warn: is told what looks wrong in a test and stops nothing.
        journal: gets every result before anybody else.
        watchers: are told.
        earlier: what needn't run again.
        """
        self.engine = engine
        self.summary = Summary()
        self.pairings: dict[tuple[str, str], Pairing] = {}
        self.invalid: dict[str, InvalidTest] = {}
        self._problems: dict[str, dict[Problem, str]] = {}
        """Test -> its problems, as they are told."""
        self._warn = warn
        self._journal = journal
        self._watchers = tuple(watchers)
        self.earlier = earlier

    def add(self, specs: Iterable[Spec]) -> None:
        """Take tests up. Nothing is sent.

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
                self.add_invalid([InvalidTest.of(spec.path, spec.file, error)])

    def _add(self, spec: Spec) -> None:
        options, settings = self.engine.options, self.engine.settings
        check_selection(spec, options)
        for warning in spec.warnings:
            self._warn(warning)
        for model in models_of(spec, options, settings):
            if self.earlier is not None and not self.earlier.concerns(spec.path, model):
                continue
            self.engine.prepare_model(model)
            tally = self.summary.expect(spec.path, model, spec.expect, numbers=Breakdown.of(spec))
            if self.earlier and self.earlier.failures_of:
                tally.limit_to_failures()
            self.pairings[spec.path, model] = Pairing(spec, model, tally)

    def add_invalid(self, tests: Iterable[InvalidTest]) -> None:
        """Take note of tests that can't be run."""
        for test in tests:
            # A test may have a thousand problems, and they come one by one.
            known = self._problems.setdefault(test.path, {})
            known.update({problem: str(problem) for problem in test.problems})
            self.invalid[test.path] = InvalidTest(test.path, tuple(known))
            self.summary.invalid[test.path] = tuple(known.values())

    def add_earlier(self, result: InstanceResult) -> None:
        """Count a result of an earlier run."""
        pairing = self.pairings.get((result.test, result.model))
        if pairing is not None:
            pairing.tally.add(result)
            pairing.count_round(result)
            for watcher in self._watchers:
                watcher.on_earlier(pairing, result)

    def start(self) -> None:
        """Line up all tests. The first requests are sent when the event loop goes on."""
        for watcher in self._watchers:
            watcher.on_start(self)
        for pairing in self.pairings.values():
            self.engine.add(pairing.model, self._work(pairing))

    def tick(self) -> None:
        """Give the watchers a moment."""
        for watcher in self._watchers:
            watcher.on_tick()

    def _work(self, pairing: Pairing) -> Iterator[Work | Later]:
        """Yield the work of a test, one instance at a time."""
        spec = pairing.spec
        try:
            bench = yield from self.engine.bench(spec, pairing.model)
        except LveError as error:
            self._give_up(pairing, error)
            return
        for problem in bench.plan.warnings:
            self._warn(str(problem))
        yield from self._repeats(pairing, bench, range(self._first_repeats(pairing)))

    def _repeats(self, pairing: Pairing, bench: Bench, repeats: range) -> Iterator[Work | Later]:
        """Yield these repeats of all instances."""
        spec, earlier = pairing.spec, self.earlier
        pairing.is_exhausted = False
        pairing.repeats = repeats.stop
        pairing.bench = bench
        done = partial(self._record, pairing)
        for found in self._selected(pairing, warn=None if repeats.start else self._warn):
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

    def _selected(
        self, pairing: Pairing, *, warn: Callable[[str], None] | None
    ) -> Iterator[Instance | Problem | Later]:
        """Yield the instances of a test, as far as they can be read."""
        options, settings = self.engine.options, self.engine.settings
        told: list[str] = []  # by this thread, later
        look = None if warn is None else told.append
        try:
            with border("reading the instances"):
                found = select_instances(pairing.spec, options, settings, warn=look)
                if is_large(pairing.spec):
                    yield from read_aside(found, self.engine.brake)
                else:
                    yield from found
            for warning in told:
                self._warn(warning)
        except LveError as error:
            self._give_up(pairing, error)

    def _give_up(self, pairing: Pairing, error: LveError) -> None:
        """End a test that can't be run, or not any further; the others go on."""
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

    def _first_repeats(self, pairing: Pairing) -> int:
        """Return after how many repeats to stop or look: all of them, but for a pass rate."""
        options, spec = self.engine.options, pairing.spec
        is_replay = self.engine.is_replay(pairing.model)
        found = looks_of(spec, options, self.engine.settings, is_replay=is_replay)
        pairing.points, pairing.looks = tuple(found), found
        # Numbers that are looked at several times are judged more strictly.
        pairing.tally.expect_looks(len(found))
        return pairing.looks.pop(0)

    def _report(self, pairing: Pairing, error: LveError) -> None:
        """Take note of what is wrong with a test; the same problem of another model only once."""
        spec = pairing.spec
        self.add_invalid([InvalidTest.of(spec.path, spec.file, error)])
        pairing.tally.end_early("the rest can't be used")

    def _record(self, pairing: Pairing, result: InstanceResult) -> None:
        if self._journal is not None:
            result = self._journal.append(result)
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
        bench, done = pairing.bench, pairing.repeats
        if not pairing.tally.total and pairing.spec.path in self.invalid:
            # It counts as invalid, so not as a test without a verdict too.
            self.summary.drop(pairing.spec.path, pairing.model)
            return
        if not pairing.tally.total:
            pairing.tally.end_empty(why_empty(pairing.spec, self.engine.options))
        if bench is not None and pairing.looks and pairing.needs_more():
            more = range(done, pairing.looks.pop(0))
            self.engine.add(pairing.model, self._repeats(pairing, bench, more))
            return
        pairing.bench = None
        if not (pairing.has_gaps or pairing.left_out):
            pairing.tally.complete()
        for watcher in self._watchers:
            watcher.on_done(pairing)
