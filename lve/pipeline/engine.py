"""The engine of a session: executes jobs, with a pool of workers per model, one budget, one cache.

It lives in one event loop; other threads use `lve.pipeline.background`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lve.errors import BudgetError
from lve.execution.attachments import Attachments
from lve.execution.budgets.budget import Budget
from lve.execution.cache.key import key_maker
from lve.execution.completer import Completer
from lve.execution.descriptors import fitting_connections
from lve.execution.retry import DEFAULT_DEADLINE_S, RetryPolicy
from lve.execution.stop import INTERRUPTED, Stopped, StopSignal
from lve.execution.workers import WaitFor, WorkerPool
from lve.models.chat_model import ChatModel
from lve.models.registry import create_model
from lve.models.replay import ReplayModel
from lve.pipeline.model_args import writer_of
from lve.pipeline.playing_user import run_one
from lve.pipeline.prepared_test import PreparedTest
from lve.pipeline.prices import Prices
from lve.pipeline.resources.resources import Resources
from lve.pipeline.roles.role_budgets import RoleBudgets
from lve.pipeline.roles.roles import is_users, role_model
from lve.results.records import InstanceResult
from lve.run_options import RunOptions
from lve.settings.model_settings import ModelSettings, Price
from lve.spec.model import Instance
from lve.workspace import Workspace

if TYPE_CHECKING:
    from lve.execution.cache.contract import CompletionStore
    from lve.execution.limits import ModelLimits
    from lve.execution.tools.tool_servers import ToolServers
    from lve.pipeline.remote import RemoteExecutor, RunOne
    from lve.pipeline.resources.batching import Batching
    from lve.pipeline.roles.example_models import Embedder, ExampleModels
    from lve.pipeline.roles.role_models import RoleModels

WORKERS_PER_CONNECTION = 2
"""While one waits for its completion to be stored, or for its next attempt, another uses it."""
BUDGET = "budget"  # the stop signal's reason when the budget is used up
AnyCompleter = TypeVar("AnyCompleter", bound=Completer)


class Job(NamedTuple):
    """One instance to execute once."""

    test: PreparedTest
    instance: Instance
    repeat: int
    done: Callable[[InstanceResult], None]
    """Called with the result, in the event loop's thread."""


class Engine:
    """Executes instances against models."""

    def __init__(
        self,
        workspace: Workspace,
        options: RunOptions,
        *,
        warn: Callable[[str], None],
        resources: Resources | None = None,
    ) -> None:
        """Args:
        workspace: has the tests and the settings.
        options: the run's options.
        warn: called with each warning.
        resources: its budget, limits and cache; None: all that settings and options allow.
        """
        self.workspace, self.options, self.settings = workspace, options, workspace.settings
        self.stop_signal = StopSignal()
        self.prices = Prices(self.settings, options)
        self._resources = resources or Resources(options)
        self.budget = self._resources.budget(self.stop_signal)
        self.role_budgets = RoleBudgets(self.settings, self.prices, self._resources, self.budget)
        self.stopped_by: str | None = None
        """Why the session was stopped early, in a sentence; see `stop`."""
        self.completers: dict[str, Completer] = {}
        self.pools: dict[str, WorkerPool[Job]] = {}
        self.attachments = Attachments()
        self.tool_servers: ToolServers | None = None  # `live_tools` makes it
        self._warn = warn
        self.cache = self._resources.cache(self.settings, self.stop_signal, warn=warn)
        self.redact = workspace.redactor()
        self.cluster: RemoteExecutor | None = None
        self._run: RunOne = run_one

    def prepare_model(self, name: str, *, is_role: bool = False) -> None:
        """Create a model, its completer and its workers, once. Nothing is sent.

        Args:
            name: as the user gave it.
            is_role: whether it has a role, such as `judge`: `--base-url` isn't for it.

        Raises:
            UnknownModelError: there is no such model, or its key or endpoint is missing.
            UsageError: there is a cap on cost and the model has no price.
        """
        if name in self.pools:
            return
        entry = self.settings.models.get(name, ModelSettings())
        shared = {one.limits for one in self.completers.values()}  # some completers share theirs
        planned = sum(limits.connections for limits in shared)
        wanted = self._resources.connections(name, entry)
        width = fitting_connections(name, wanted, planned, warn=self._warn)
        model = self.options.own_models.get(name) or create_model(
            name,
            self.settings,
            base_url=None if is_role else self.options.base_url,
            max_connections=width,
            write=writer_of(entry),
            from_test=not is_users(name, self.options, self.settings),
            tell=self._warn,
        )
        price = self.prices.of(name, is_role=is_role)
        self.prices.check(model, price)
        if self.options.batch and not is_role:
            self.completers[name] = self.batching.completer(model, self.open_cache(), price)
            self.pools[name] = self.batching.pool(self._execute)
            return
        limits = self._resources.limits(name, entry, self.stop_signal, width)
        self.completers[name] = self._completer(Completer, model, model.identity, limits, price)
        self.pools[name] = WorkerPool(
            self._execute,
            width=self.cluster.width(name) if self.cluster else WORKERS_PER_CONNECTION * width,
            stop_signal=self.stop_signal,
            max_sources=self.options.max_tests,
        )

    def run_on(self, cluster: RemoteExecutor) -> None:
        """Run all instances on a cluster from now on."""
        self.cluster, self._run = cluster, cluster.run
        for name, pool in self.pools.items():
            pool.resize(cluster.width(name))

    def is_replay(self, model: str) -> bool:
        """Whether a model, which must be ready, only repeats recorded answers."""
        return isinstance(self.completers[model].model, ReplayModel)

    def completer(self, name: str) -> Completer:
        """Return the completer of a model; errors as `prepare_model`."""
        self.prepare_model(name)
        return self.completers[name]

    def role(self, role: str) -> Completer:
        """Return the completer of the model that has a role, with its own cache entries, price and
        limits. It spends from the role's budget, if there is one, within the session's.

        Raises:
            UsageError: no model has the role, or as `prepare_model`.
        """
        name = role_model(role, self.options, self.settings)
        self.prepare_model(name, is_role=True)
        if role not in self.settings.role_budgets:
            return self.completers[name]
        if (key := f"{name} ({role})") not in self.completers:
            own = self.completers[name]
            budget = self.role_budgets.of(role, own.model, own.price)
            from lve.execution.role_budget import SharingCompleter  # late: few roles have one

            self.completers[key] = SharingCompleter.of(own, budget, self._completer)
        return self.completers[key]

    @cached_property
    def batching(self) -> Batching:
        """Makes completers that use the tested models' batch APIs."""
        from lve.pipeline.resources.batching import Batching  # late: few sessions need it

        return Batching(self.options, self.stop_signal, self.budget, self.redact)

    @cached_property
    def example_models(self) -> ExampleModels:
        """Asks the models that choose examples."""
        from lve.pipeline.roles.example_models import ExampleModels

        return ExampleModels(self.completer, self.embedder, self.stop_signal)

    @cached_property
    def role_models(self) -> RoleModels:
        """Asks the models that have roles, on behalf of checkers."""
        from lve.pipeline.roles.role_models import RoleModels

        return RoleModels(self.role, self.embedder, self.settings, self.redact, self.options)

    def embedder(self, name: str, role: str | None = None) -> Embedder:
        """Return the embedder of a model. It spends from the budget of a role, or the session's.

        Raises:
            TemplateError: the model makes no vectors.
            UnknownModelError, UsageError: as `prepare_model`.
        """
        from lve.pipeline.roles.example_models import Embedder, identity_of_vectors

        made = self.completers.get(key := f"{name} (vectors for {role or 'tests'})")
        if not isinstance(made, Embedder):
            own = self.completer(name)
            identity = identity_of_vectors(own.model)
            budget = self.role_budgets.of(role, own.model, own.price)
            made = self._completer(Embedder, own.model, identity, own.limits, own.price, budget)
            self.completers[key] = made
        return made

    def add(self, model: str, source: Iterator[Job | WaitFor]) -> None:
        """Add a source of jobs for a model that is ready. Call it in the event loop's thread."""
        self.pools[model].add(source)

    async def join(self) -> None:
        """Wait until all jobs are done or the session has stopped.

        Raises:
            LveError: the session can't go on: the disk is full, say.
        """
        failures = []
        for pool in list(self.pools.values()):
            try:
                await pool.join()
            except Exception as error:  # the other pools' answers must still come in
                failures.append(error)
        others = [one.store_failure for one in self.completers.values()]
        others += [self.cluster.failure] if self.cluster else []
        if failures := [*failures, *filter(None, others)]:
            raise failures[0]

    def stop(self, reason: str = INTERRUPTED, why: str | None = None) -> None:
        """Send nothing more; instances in flight end. `why` tells the user the reason."""
        self.stopped_by = self.stopped_by or why
        self.stop_signal.set(reason)

    def cancel(self) -> None:
        """Give up the instances in flight, too. Completions that have arrived are kept."""
        self.stop_signal.set(INTERRUPTED)
        if self.cluster is not None:
            self.cluster.cancel()
        for pool in self.pools.values():
            pool.cancel()
        self.cache.cancel()

    async def close(self) -> None:
        """Write what the cache still holds, and close all connections."""
        try:
            if self.cluster is not None:
                await self.cluster.close()
            await self.cache.close()
        finally:
            if self.tool_servers is not None:
                await self.tool_servers.close()
            for name, completer in self.completers.items():
                if name not in self.options.own_models:
                    await completer.close(self._warn)

    async def _execute(self, job: Job) -> None:
        try:
            result = await self._run(job.test, job.instance, job.repeat)
        except BudgetError as error:
            self.stop(BUDGET, str(error))
            raise Stopped(BUDGET) from error
        job.done(result)

    def _completer(
        self,
        kind: type[AnyCompleter],
        model: ChatModel,
        identity: Mapping[str, Any] | None,
        limits: ModelLimits,
        price: Price | None,
        budget: Budget | None = None,
    ) -> AnyCompleter:
        cache = self.open_cache() if identity is not None else None
        deadline_s = self.options.deadline_s or DEFAULT_DEADLINE_S
        return kind(
            model,
            stop_signal=self.stop_signal,
            limits=limits,
            budget=budget or self.budget,
            cache=cache,
            key_of=key_maker(identity) if cache is not None and identity else None,
            read_cache=not self.options.refresh,
            policy=RetryPolicy(deadline_s=deadline_s),
            price=price,
            redact=self.redact,
        )

    def open_cache(self) -> CompletionStore | None:
        """Return the session's cache, opened if there is one."""
        return self.cache.opened(lambda: self.session_dir)

    @property
    def session_dir(self) -> Path:
        """The folder of sessions and cache."""
        return self.options.state or self.workspace.session_dir
