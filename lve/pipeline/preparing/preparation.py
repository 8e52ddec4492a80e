"""Makes a test ready for a model: its prompts, its checkers and its tools, in a `PreparedTest`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from lve.checkers.judge import Judge
from lve.checkers.resolve import checkers_sum, resolve_with, starts_slowly
from lve.error_boundary import error_boundary
from lve.errors import SpecError, with_code
from lve.execution.workers import WaitFor
from lve.models.chat_model import states_cost
from lve.options.run_options import DEFAULTS
from lve.pipeline.engine import Engine
from lve.pipeline.model_args import args_maker, names_by_default
from lve.pipeline.preparing.reading import is_large, read_instances
from lve.pipeline.preparing.run_warnings import RowWarnings, call_warner
from lve.pipeline.roles.roles import check_roles, judged_by_itself
from lve.pipeline.rows.model_of_test import ModelOfTest
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.pipeline.threads import compute_in_thread, make_in_thread
from lve.prompts.plan import Plan, build_plan
from lve.spec.check_names import JUDGE
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS, MAX_NAMES, misspelt_text
from lve.spec.spec import Instance, Spec

if TYPE_CHECKING:
    from lve.checkers.questions import Answering
    from lve.execution.tools.live_tools import LiveTools
    from lve.pipeline.roles.roles import CheckStatuses
    from lve.pipeline.rows.bound_answers import BoundAnswers

MAX_NOTICED = len(KNOWN_MODEL_ARGS) + MAX_NAMES
"""Most names of model args that are remembered, so that each is warned of once."""


class Preparation:
    """Makes the tests of a session ready.

    Its methods are generators that yield a `WaitFor` while something slow starts in a thread.
    Sources of jobs yield from them, so that other tests go on meanwhile.
    """

    def __init__(
        self, engine: Engine, *, warn: Callable[[str], None], statuses: CheckStatuses | None = None
    ) -> None:
        """Args:
        engine: executes the tests' instances.
        warn: called with each warning.
        statuses: tell which checks are advisory; None: none is.
        """
        self._engine = engine
        self._statuses = statuses
        self._warn = warn
        self._shared: dict[tuple[str, str], asyncio.Future[PreparedTest]] = {}
        """(test path, model) -> the prepared test, or the error that prevents it."""
        self._judged_by_itself: set[str] = set()
        """Models for which the warning was given that they judge themselves."""
        self._warnings: set[str] = set()
        self._has_warned_of_sandbox = False
        self._noticed_args = set(KNOWN_MODEL_ARGS)
        self._row_warnings: list[RowWarnings] = []
        self._starting: Executor | None = None
        """A thread that starts checkers' processes, one after the other."""

    def shared(
        self, spec: Spec, model: str, note: Callable[[PreparedTest], None]
    ) -> Generator[WaitFor, None, PreparedTest]:
        """Make a test ready once for all its submitted instances, and return it. If that fails, it
        isn't tried again, because starting a checker may take long.

        Args:
            spec: the test.
            model: the model that its instances are sent to.
            note: called with the test when it has been made ready.

        Raises:
            LveError: as `prepare`, or what `note` raises.
        """
        key = (spec.path, model)
        future = self._shared.get(key)
        if future is None:
            if len(self._shared) >= self._engine.options.max_tests:
                self._shared.pop(next(iter(self._shared)))
            future = self._shared[key] = asyncio.get_running_loop().create_future()
            try:
                prepared = yield from self.prepare(spec, model)
                note(prepared)
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(prepared)
        while not future.done():
            yield WaitFor(asyncio.ensure_future(self._engine.stop_signal.wait(future)))
        return future.result()

    def prepare(self, spec: Spec, model: str) -> Generator[WaitFor, None, PreparedTest]:
        """Make a test ready for a model.

        Raises:
            SpecError: its prompts or checkers can't be used.
            TrustError: its checker or tool server is a program that isn't trusted.
            UnknownModelError: as `Engine.prepare_model`.
            UnexpectedError: a bug in lve.
        """
        engine = self._engine
        engine.models.prepare(model)
        is_replay = engine.models.is_replay(model)
        self._check_roles(spec, model)
        with error_boundary("building the prompts"):
            try:
                plan = yield from self._plan(spec, model)
            except SpecError as error:  # all problems of a test are reported together
                from lve.checkers.static import argument_problems

                raise SpecError([*error.problems, *argument_problems(spec)]) from None
        if spec.expect.kind == "rate":
            yield from self._check_rate(spec)
        if is_replay and (repeats := engine.options.repeats or spec.repeats) > 1:
            yield from self._count_recorded_repeats(replace(spec, repeats=repeats))
        with error_boundary("making the checkers"):
            judge = yield from self._judge(spec, plan)
        live = None
        if spec.tools is not None and not is_replay:
            from lve.pipeline.preparing.live_tools import live_tools  # late: few tests have tools

            live = yield from live_tools(engine, spec)
        self._warn_of_sandbox(runs_code=judge.runs_code or bool(live and live.code))
        asks = spec.infer_cfg is not None and not (plan.asks_for and is_replay)
        return PreparedTest(
            spec=spec,
            plan=plan,
            judge=judge,
            model=self._model_of_test(spec, model, live),
            judged_by=cache(partial(checkers_sum, spec)),
            stop_signal=engine.stop_signal,
            options=engine.options,
            warn_of_row=self._row_warner(plan),
            ask=engine.models.example_models if asks else None,
            asks=self._asks(is_replay=is_replay) if judge.asks else None,
            bound_answers=self._bound_answers(plan, model, is_replay=is_replay),
            plays_user=engine.models.role_models if spec.simulated_user and not is_replay else None,
        )

    def _model_of_test(self, spec: Spec, model: str, live: LiveTools | None) -> ModelOfTest:
        engine, options, settings = self._engine, self._engine.options, self._engine.settings
        completer = engine.models.completer(model)
        return ModelOfTest(
            name=model,
            complete=completer.complete,
            args_of=args_maker(spec, model, options, settings, notice=self._notice_args),
            price=completer.price,
            by_default=names_by_default(settings, model, spec, options),
            timeout_s=options.timeout_s or spec.timeout_s,
            stream=options.stream,
            listen=options.listen,
            is_replay=engine.models.is_replay(model),
            folder=spec.folder,
            attachments=engine.attachments,
            warn_of_call=call_warner(spec, self._warn),
            live_tools=live,
            states_cost=states_cost(completer.model),
        )

    def _asks(self, *, is_replay: bool) -> Answering:
        """Return what asks models for the checkers of a test."""
        engine = self._engine
        if not is_replay:
            return engine.models.role_models
        from lve.pipeline.rows.bound_answers import ReplayedRoles  # late: most runs ask a model

        return ReplayedRoles(engine.models.role_models, engine.roles)

    def _bound_answers(self, plan: Plan, model: str, *, is_replay: bool) -> BoundAnswers | None:
        """Return what tells whether answers are for this prompt, if they are replayed or kept."""
        if not (is_replay or self._engine.options.binds_answers):
            return None
        from lve.pipeline.rows.bound_answers import BoundAnswers  # late: most runs ask a model

        entry = self._engine.settings.entry(model)
        return BoundAnswers(plan, entry, is_replay=is_replay)

    def _plan(self, spec: Spec, model: str) -> Generator[WaitFor, None, Plan]:
        """Build a test's plan, in a thread if its retriever may have many examples to compare."""
        engine = self._engine
        build = partial(build_plan, spec, model=engine.settings.entry(model))
        if spec.infer_cfg is None or not is_large(spec):
            return build()
        building = asyncio.ensure_future(compute_in_thread(build, engine.stop_signal))
        yield WaitFor(building)
        return building.result()

    def _check_rate(self, spec: Spec) -> Iterator[WaitFor]:
        """Refuse a test whose pass rate can't be met with its instances and repeats, and warn of
        one that is always met."""
        from lve.pipeline.prospects.rate_prospects import (  # late: few have a rate
            check_rate,
            has_own_size,
        )

        options = replace(self._engine.options, shard=None)  # all shards together decide
        if has_own_size(options):
            with error_boundary("reading the rows"):
                instances = read_instances(self._engine, spec, "", options=options, warn=None)
                yield from check_rate(spec, self._engine.settings, instances, self._warn_once)

    def _count_recorded_repeats(self, spec: Spec) -> Iterator[WaitFor]:
        """Warn of a test that is replayed with fewer repeats than it asks for."""
        # late: few tests have repeats
        from lve.pipeline.rows.bound_answers import RecordedRepeats

        repeats = RecordedRepeats(spec)
        with error_boundary("reading the rows"):
            for instance in read_instances(self._engine, spec, "", options=DEFAULTS, warn=None):
                if isinstance(instance, WaitFor):
                    yield instance
                repeats.add(instance)
        if warning := repeats.problem("warning"):
            self._warn_once(warning.message_with_code)

    def _warn_once(self, warning: str) -> None:
        """Warn of a test, not again for each model."""
        if warning not in self._warnings:
            self._warnings.add(warning)
            self._warn(warning)

    def _check_roles(self, spec: Spec, model: str) -> None:
        """Check that the roles which a test needs have models, and warn once of a model that judges
        itself."""
        engine = self._engine
        if engine.models.is_replay(model):  # what judges and users said is replayed, too
            return
        check_roles(spec, engine.options, engine.settings)
        for role in spec.roles:
            if role in engine.roles:
                engine.models.role(role)  # reports a missing key before anything is sent
        judge = engine.roles.get(JUDGE) if JUDGE in spec.roles else None
        if judge is None or model in self._judged_by_itself:
            return
        tested, judging = (engine.models.completer(name).model for name in (model, judge))
        if tested is judging or tested.identity == judging.identity is not None:
            self._judged_by_itself.add(model)
            self._warn(with_code(judged_by_itself(model, judge), "judged_by_itself"))

    def _judge(self, spec: Spec, plan: Plan) -> Generator[WaitFor, None, Judge]:
        """Make a test's checkers, in a thread if one of them takes long to start."""
        engine = self._engine
        make = partial(
            resolve_with,
            spec,
            engine.settings,
            trusted=engine.options.trust,
            advisory=self._statuses.advisory(spec) if self._statuses else (),
            plan=plan,
        )
        if not starts_slowly(spec):
            return make()
        if self._starting is None:
            from concurrent.futures import ThreadPoolExecutor

            self._starting = ThreadPoolExecutor(1, thread_name_prefix="lve-start")
        making = asyncio.ensure_future(make_in_thread(make, self._starting, engine.stop_signal))
        yield WaitFor(making)
        return making.result()

    def _warn_of_sandbox(self, *, runs_code: bool) -> None:
        """Warn once of what the sandbox can't prevent on this machine, if a test runs code."""
        if not runs_code or self._has_warned_of_sandbox:
            return
        from lve.sandbox.layers import missing_text  # late: few tests bring code

        self._has_warned_of_sandbox = True
        if missing := missing_text():
            self._warn(with_code(missing, "sandbox"))

    def _notice_args(self, names: Iterable[str]) -> None:
        """Warn of model args that look misspelt, once per name."""
        for name in names:
            if name not in self._noticed_args and len(self._noticed_args) < MAX_NOTICED:
                self._noticed_args.add(name)
                if warning := misspelt_text(name):
                    self._warn(with_code(warning, "suspicious"))

    def _row_warner(self, plan: Plan) -> Callable[[Instance], None] | None:
        """Return a function that warns of rows whose data isn't in the prompt; None unless the test
        has a data set with templates."""
        if plan.rows is None:
            return None
        self._row_warnings.append(RowWarnings(plan.rows, self._warn))
        return self._row_warnings[-1].check

    def close(self) -> None:
        """Report how many warnings about rows were left out."""
        for warnings in self._row_warnings:
            warnings.close()
