"""A session: the tests of one `lve run`, from the first request to the last line of the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from lve.checkers.base import Outcome
from lve.errors import LveError, Problem, SpecError
from lve.pipeline.engine import Engine, Work
from lve.pipeline.loading import InvalidTest, models_of
from lve.pipeline.select import check_selection, repeats_of, select_instances
from lve.results.records import InstanceResult
from lve.spec.model import Spec

Key = tuple[str, str, str, int, int]


@dataclass(slots=True)
class Pairing:
    """A test and a model it runs against, and how far that has come."""

    spec: Spec
    model: str
    counts: dict[Outcome, int] = field(default_factory=dict)
    pending: int = 0
    """Instances (times repeats) that are under way."""
    is_exhausted: bool = False
    """Whether all its instances have been taken up."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        """Whether nothing of it is left to do."""
        return self.is_exhausted and self.pending == 0

    @property
    def done(self) -> int:
        """How many instances (times repeats) have a result."""
        return sum(self.counts.values())

    def count(self, result: InstanceResult) -> None:
        """Take note of a result."""
        self.counts[result.verdict] = self.counts.get(result.verdict, 0) + 1


class Watcher(Protocol):
    """Somebody who wants to know what happens, in the loop's thread."""

    def on_result(self, result: InstanceResult) -> None:
        """An instance has its result, and it is in the journal."""
        ...

    def on_done(self, pairing: Pairing) -> None:
        """A test is through with a model."""
        ...


class Recorder(Protocol):
    """What a session wants of a journal."""

    def append(self, result: InstanceResult) -> None:
        """Write a result. It survives the end of the process when this returns."""
        ...


class Session:
    """Runs tests and tells its watchers."""

    def __init__(
        self,
        engine: Engine,
        *,
        journal: Recorder | None = None,
        watchers: Iterable[Watcher] = (),
        is_wanted: Callable[[Key], bool] | None = None,
    ) -> None:
        """Args:
        engine: executes instances.
        journal: gets every result before anybody else.
        watchers: are told.
        is_wanted: whether an instance is to be executed; None for all of them. A resumed session
            doesn't want what is done.
        """
        self.engine = engine
        self.pairings: list[Pairing] = []
        self.invalid: dict[str, InvalidTest] = {}
        self.skipped: list[Spec] = []
        self._journal = journal
        self._watchers = tuple(watchers)
        self._is_wanted = is_wanted

    def add(self, specs: Iterable[Spec]) -> None:
        """Line up tests. Their models must be known; nothing is sent before all of them are.

        Raises:
            UsageError: a test has no model, or a model can't be used.
        """
        options, settings = self.engine.options, self.engine.settings
        added = []
        for spec in specs:
            if spec.skip is not None:
                self.skipped.append(spec)
                continue
            check_selection(spec, options)
            for model in models_of(spec, options, settings):
                self.engine.prepare_model(model)
                added.append(Pairing(spec, model))
        self.pairings += added
        for pairing in added:
            self.engine.add(pairing.model, self._work(pairing))

    def _work(self, pairing: Pairing) -> Iterator[Work]:
        """Yield the work of a test, one instance at a time."""
        spec, engine = pairing.spec, self.engine
        try:
            bench = engine.bench(spec, pairing.model)
        except LveError as error:
            self._report(pairing, error)
            self._end(pairing)
            return
        done = partial(self._record, pairing)
        repeats = repeats_of(spec, engine.options, engine.settings)
        for found in select_instances(spec, engine.options, engine.settings):
            if isinstance(found, Problem):
                self._report(pairing, SpecError([found]))
                continue
            for repeat in range(repeats):
                key = (spec.path, pairing.model, found.source, found.line, repeat)
                if self._is_wanted is None or self._is_wanted(key):
                    pairing.pending += 1
                    yield Work(bench, found, repeat, done)
        self._end(pairing)

    def _report(self, pairing: Pairing, error: LveError) -> None:
        """Take note of what is wrong with a test; the same problem of another model only once."""
        spec = pairing.spec
        found = InvalidTest.of(spec.path, spec.file, error)
        known = self.invalid.get(spec.path)
        before = known.problems if known else ()
        new = tuple(problem for problem in found.problems if problem not in before)
        pairing.problems += found.problems
        self.invalid[spec.path] = InvalidTest(spec.path, before + new)

    def _record(self, pairing: Pairing, result: InstanceResult) -> None:
        if self._journal is not None:
            self._journal.append(result)
        pairing.count(result)
        pairing.pending -= 1
        for watcher in self._watchers:
            watcher.on_result(result)
        if pairing.is_done:
            self._tell_done(pairing)

    def _end(self, pairing: Pairing) -> None:
        pairing.is_exhausted = True
        if pairing.pending == 0:
            self._tell_done(pairing)

    def _tell_done(self, pairing: Pairing) -> None:
        for watcher in self._watchers:
            watcher.on_done(pairing)
