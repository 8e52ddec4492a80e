"""Making tests ready for their models: prompts, checkers, and all that their instances need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from lve.border import border
from lve.check_names import JUDGE, USER
from lve.checkers.judge import Judge
from lve.checkers.resolve import checkers_sum, resolve_with, starts_slowly
from lve.errors import SpecError, with_code
from lve.execution.workers import Later
from lve.model_arg_names import KNOWN_MODEL_ARGS, MAX_LOOKED_AT, misspelt_text
from lve.pipeline.aside import computed_aside, made_aside
from lve.pipeline.engine import Engine
from lve.pipeline.execute import PreparedTest
from lve.pipeline.model_args import args_maker, names_by_default
from lve.pipeline.preparing.reading import is_large, read_instances
from lve.pipeline.preparing.warnings_of_runs import RowWarnings, call_warner
from lve.pipeline.roles.roles import check_roles, judged_by_itself, roles_of
from lve.prompts.plan import Plan, build_plan
from lve.spec.model import Instance, Spec

if TYPE_CHECKING:
    from lve.calibration.standing import Standings

MAX_NOTICED = len(KNOWN_MODEL_ARGS) + MAX_LOOKED_AT


class Preparation:
    """Makes the tests of a session ready.

    Sources of work yield from its methods: a checker that takes its time to start takes none of the
    loop's.
    """

    def __init__(
        self, engine: Engine, *, warn: Callable[[str], None], standings: Standings | None = None
    ) -> None:
        """Args:
        engine: executes the tests' instances.
        warn: called with a warning when a row's data gets lost in its prompt.
        standings: say which checks are advisory; None: none is.
        """
        self._engine = engine
        self._standings = standings
        self._warn = warn
        self._shared: dict[tuple[str, str], asyncio.Future[PreparedTest]] = {}
        """Tests that are ready or being made so, or why they can't be."""
        self._judged_by_itself: set[str] = set()
        """Models that were warned of."""
        self._knows_sandbox = False
        self._noticed_args = set(KNOWN_MODEL_ARGS)
        self._row_warnings: list[RowWarnings] = []
        self._starting: Executor | None = None
        """Waits for the processes of checkers to start, one after the other."""

    def shared(
        self, spec: Spec, model: str, note: Callable[[PreparedTest], None]
    ) -> Generator[Later, None, PreparedTest]:
        """Return a test made ready for all that is submitted of it. What can't be made ready isn't
        tried again: starting its checker may have taken long.

        Args:
            spec: the test.
            model: that its instances are sent to.
            note: hears of the test when it has been made ready.

        Raises:
            LveError: as `prepare`, or what `note` raises.
        """
        key = (spec.path, model)
        made = self._shared.get(key)
        if made is None:
            if len(self._shared) >= self._engine.options.max_tests:
                self._shared.pop(next(iter(self._shared)))
            made = self._shared[key] = asyncio.get_running_loop().create_future()
            try:
                prepared = yield from self.prepare(spec, model)
                note(prepared)
            except Exception as error:
                made.set_exception(error)
            else:
                made.set_result(prepared)
        while not made.done():
            yield Later(asyncio.ensure_future(self._engine.stop_signal.wait(made)))
        return made.result()

    def prepare(self, spec: Spec, model: str) -> Generator[Later, None, PreparedTest]:
        """Make a test ready for a model.

        Raises:
            SpecError: its prompts or checkers can't be used.
            TrustError: its checker or tool server is a program, and isn't trusted.
            UnknownModelError: as `Engine.prepare_model`.
            UnexpectedError: a bug was met.
        """
        engine = self._engine
        completer, is_replay = engine.completer(model), engine.is_replay(model)
        self._check_roles(spec, model)
        with border("building the prompts"):
            try:
                plan = yield from self._plan(spec, model)
            except SpecError as error:  # all problems of a test are reported together
                from lve.checkers.static import argument_problems

                raise SpecError([*error.problems, *argument_problems(spec)]) from None
        if spec.expect.kind == "rate" and not is_replay:
            yield from self._check_reach(spec)
        with border("making the checkers"):
            judge = yield from self._judge(spec)
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
            model=model,
            price=completer.price,
            complete=completer.complete,
            redact=engine.redact,
            judged_by=cache(partial(checkers_sum, spec)),
            is_replay=is_replay,
            stop_signal=engine.stop_signal,
            timeout_s=engine.options.timeout_s or spec.timeout_s,
            args_of=args_maker(
                spec, model, engine.options, engine.settings, notice=self._notice_args
            ),
            options=engine.options,
            by_default=names_by_default(engine.settings, model, spec, engine.options),
            attachments=engine.attachments,
            warn_of_row=self._row_warner(plan),
            live_tools=live,
            warn_of_call=call_warner(spec, self._warn, engine.redact),
            ask=engine.example_models if asks else None,
            asks=engine.role_models if judge.asks else None,
            plays_user=engine.role_models if spec.simulated_user and not is_replay else None,
        )

    def _plan(self, spec: Spec, model: str) -> Generator[Later, None, Plan]:
        """Build a test's plan: in a thread if the retriever may have many examples to compare."""
        engine = self._engine
        build = partial(build_plan, spec, model=engine.settings.entry(model))
        if spec.infer_cfg is None or not is_large(spec):
            return build()
        building = asyncio.ensure_future(computed_aside(build, engine.stop_signal))
        yield Later(building)
        return building.result()

    def _check_reach(self, spec: Spec) -> Iterator[Later]:
        from lve.pipeline.estimate.reach import check_reach, is_as_written  # late: few have a rate

        if is_as_written(options := replace(self._engine.options, shard=None)):  # as all find
            with border("reading the instances"):
                found = read_instances(self._engine, spec, "", options=options, warn=None)
                yield from check_reach(spec, self._engine.settings, found)

    def _check_roles(self, spec: Spec, model: str) -> None:
        """Check the roles that a test needs, and warn of a model that judges itself, once."""
        engine = self._engine
        if engine.is_replay(model):  # the user is replayed, too
            spec = replace(spec, roles=tuple(role for role in spec.roles if role != USER))
        check_roles(spec, engine.options, engine.settings)
        roles = roles_of(engine.options, engine.settings)
        for role in spec.roles:
            if role in roles:
                engine.role(role)  # whatever is missing is said before anything is sent
        judge = roles.get(JUDGE) if JUDGE in spec.roles else None
        if judge is None or model in self._judged_by_itself:
            return
        mine, its = engine.completer(model).model, engine.completer(judge).model
        if mine is its or (mine.identity is not None and mine.identity == its.identity):
            self._judged_by_itself.add(model)
            self._warn(with_code(judged_by_itself(model, judge), "judged_by_itself"))

    def _judge(self, spec: Spec) -> Generator[Later, None, Judge]:
        engine = self._engine
        make = partial(
            resolve_with,
            spec,
            engine.settings,
            trusted=engine.options.trust,
            advisory=self._standings.advisory(spec) if self._standings else (),
        )
        if not starts_slowly(spec):
            return make()
        if self._starting is None:
            from concurrent.futures import ThreadPoolExecutor

            self._starting = ThreadPoolExecutor(1, thread_name_prefix="lve-start")
        making = asyncio.ensure_future(made_aside(make, self._starting, self._engine.stop_signal))
        yield Later(making)
        return making.result()

    def _warn_of_sandbox(self, *, runs_code: bool) -> None:
        """Say once what code isn't kept from on this machine."""
        if not runs_code or self._knows_sandbox:
            return
        from lve.sandbox.layers import missing_text  # late: few tests bring code

        self._knows_sandbox = True
        if said := missing_text():
            self._warn(with_code(said, "sandbox"))

    def _notice_args(self, names: Iterable[str]) -> None:
        """Warn of model args that look misspelt, of each name once."""
        for name in names:
            if name not in self._noticed_args and len(self._noticed_args) < MAX_NOTICED:
                self._noticed_args.add(name)
                if warning := misspelt_text(name):
                    self._warn(with_code(warning, "suspicious"))

    def _row_warner(self, plan: Plan) -> Callable[[Instance], None] | None:
        """Return what warns of rows whose data gets lost in prompts; only data sets have them."""
        if plan.spec.infer_cfg is None:
            return None
        self._row_warnings.append(RowWarnings(plan, self._warn))
        return self._row_warnings[-1].look

    def close(self) -> None:
        """Say how many more such rows there are."""
        for warnings in self._row_warnings:
            warnings.close()
