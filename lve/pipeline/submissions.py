"""Instances that a background session was handed, and what becomes of them in its thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

from lve.border import border
from lve.errors import BudgetError, LveError, SessionError
from lve.execution.workers import Later
from lve.pipeline.engine import BUDGET, Engine, Work
from lve.pipeline.execute import Bench
from lve.pipeline.select import looks_of
from lve.pipeline.session_log import SessionLog
from lve.results.records import InstanceResult
from lve.spec.model import Instance, Spec
from lve.verdicts.statistics import needs_more

Results = list[InstanceResult]


@dataclass(slots=True, eq=False)
class Submission:
    """Instances whose results somebody waits for together."""

    spec: Spec
    model: str
    instances: Sequence[Instance]
    future: Future[Results]
    missing: int = 0
    points: tuple[int, ...] = ()
    """After how many repeats to look whether more are needed."""
    looks: list[int] = field(default_factory=list)
    """Those that are left."""
    repeats: int = 0
    """How many repeats have been taken up."""
    results: Results = field(default_factory=list)

    def add_repeats(self) -> range:
        """Take up the repeats until the next look, and return them."""
        before, self.repeats = self.repeats, self.looks.pop(0)
        self.missing += len(self.instances) * (self.repeats - before)
        return range(before, self.repeats)

    def needs_more(self) -> bool:
        """Whether further repeats are allowed and can change what comes out."""
        if not self.looks:
            return False
        passed = sum(result.verdict == "passed" for result in self.results)
        judged = passed + sum(result.verdict == "failed" for result in self.results)
        return needs_more(
            self.spec.expect, passed, judged, repeats_done=self.repeats, points=self.points
        )

    def resolve(self) -> None:
        """Hand the results over, instance by instance."""
        order = {(i.source, i.line): n for n, i in enumerate(self.instances)}
        self.results.sort(key=lambda r: (order[(r.source, r.line)], r.repeat))
        self.future.set_result(self.results)


class Submissions:
    """Those that the loop has taken up. Lives in the session's thread."""

    def __init__(self, engine: Engine, log: SessionLog, *, warn: Callable[[str], None]) -> None:
        """Args:
        engine: executes them.
        log: takes note of tests and results.
        warn: is told what looks wrong in a test.
        """
        self._engine = engine
        self._log = log
        self._warn = warn
        self._unresolved: set[Submission] = set()
        self._benches: dict[tuple[str, str], Bench | LveError] = {}
        """Tests that are ready, and why others can't be made so."""
        self._making: dict[tuple[str, str], asyncio.Future[None]] = {}
        """Tests that are being made ready for one of their items; the others wait."""
        self._has_ended = False

    @property
    def are_resolved(self) -> bool:
        """Whether nobody waits."""
        return not self._unresolved

    def take(self, submission: Submission) -> None:
        """Line a submission up. Whatever goes wrong, its future hears of it."""
        try:
            self._add(submission)
        except Exception as error:
            # A bug of ours. The event loop would only print it, and somebody waits.
            self._fail(submission, error)

    def give_up(self, failure: BaseException | None) -> None:
        """Tell everybody who still waits that nothing will come."""
        if failure is None and self._engine.brake.reason == BUDGET:
            failure = BudgetError(self._engine.stopped_by or "the budget is used up")
        for submission in self._unresolved:
            submission.future.set_exception(failure or SessionError("the session was stopped"))
        self._unresolved.clear()
        self._has_ended = True

    def _add(self, submission: Submission) -> None:
        if self._has_ended:
            submission.future.set_exception(SessionError("the session has ended"))
            return
        self._unresolved.add(submission)
        if not submission.instances:
            self._resolve(submission)
            return
        engine, spec, model = self._engine, submission.spec, submission.model
        try:
            engine.prepare_model(model)
        except LveError as error:
            self._fail(submission, error)
            return
        is_replay = engine.is_replay(model)
        looks = looks_of(spec, engine.options, engine.settings, is_replay=is_replay)
        submission.points, submission.looks = tuple(looks), looks
        engine.add(model, self._work(submission, submission.add_repeats()))

    def _work(self, submission: Submission, repeats: range) -> Iterator[Work | Later]:
        spec, model = submission.spec, submission.model
        try:
            with border("making the test ready"):
                bench = yield from self._bench(spec, model)
        except LveError as error:
            self._fail(submission, error)
            return
        done = partial(self._record, submission)
        for instance in submission.instances:
            for repeat in repeats:
                yield Work(bench, instance, repeat, done)

    def _record(self, submission: Submission, result: InstanceResult) -> None:
        submission.results.append(self._log.append(result))
        submission.missing -= 1
        if submission.missing > 0:
            return
        if submission.needs_more():
            more = self._work(submission, submission.add_repeats())
            self._engine.add(submission.model, more)
        else:
            self._resolve(submission)

    def _bench(self, spec: Spec, model: str) -> Generator[Later, None, Bench]:
        """Return the test made ready; the items of a test come one after the other."""
        key = (spec.path, model)
        while key in self._making:
            yield Later(self._making[key])
        if key not in self._benches:
            yield from self._make_ready(key, spec, model)
        bench = self._benches[key]
        if isinstance(bench, LveError):
            raise bench
        return bench

    def _make_ready(
        self, key: tuple[str, str], spec: Spec, model: str
    ) -> Generator[Later, None, None]:
        """Make a test ready, or note why that can't be done: starting its checker may have taken
        long, and is not tried again for each of its items."""
        if len(self._benches) >= self._engine.options.max_tests:
            self._benches.pop(next(iter(self._benches)))
        loop = asyncio.get_running_loop()
        made = self._making[key] = loop.create_future()
        try:
            bench = yield from self._engine.bench(spec, model)
            self._begin(bench)
            self._benches[key] = bench
        except LveError as error:
            self._benches[key] = error
        finally:
            del self._making[key]
            if not loop.is_closed():  # a session that was stopped never goes on with this
                made.set_result(None)

    def _begin(self, bench: Bench) -> None:
        """Take note of a test that starts, and say once what looks wrong in it."""
        spec = bench.spec
        if spec.path not in self._log.hashes:
            for warning in (*spec.warnings, *map(str, bench.plan.warnings)):
                self._warn(warning)
        self._log.begin(spec, bench.model)

    def _resolve(self, submission: Submission) -> None:
        self._unresolved.discard(submission)
        submission.resolve()

    def _fail(self, submission: Submission, error: Exception) -> None:
        self._unresolved.discard(submission)
        submission.future.set_exception(error)
