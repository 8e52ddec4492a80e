"""The models of a session: what asks them, with one budget, one cache and each model's limits.

A model is created when it is first needed, once. Nothing is sent before somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lve.execution.budgets.budget import Amount, Budget
from lve.execution.cache.key import key_maker
from lve.execution.completer import Completer
from lve.execution.descriptors import fitting_connections
from lve.execution.retry import DEFAULT_DEADLINE_S, RetryPolicy
from lve.execution.stop import StopSignal
from lve.extension_table import extension_part
from lve.models.chat_model import ChatModel, sent_differently
from lve.models.registry import create_model
from lve.models.replay import ReplayModel
from lve.options.run_options import RunOptions
from lve.pipeline.model_args import writer_of
from lve.pipeline.prices import Prices
from lve.pipeline.resources.resources import Resources
from lve.pipeline.roles.roles import is_users, role_model
from lve.settings.model_settings import ModelSettings, Price
from lve.settings.settings import Settings
from lve.workspace import Workspace

if TYPE_CHECKING:
    from lve.execution.cache.contract import CompletionStore
    from lve.execution.request_limits import ModelLimits
    from lve.pipeline.roles.role_models import Embedder, RoleModels
    from lve.prompts.conversation import Ask

AnyCompleter = TypeVar("AnyCompleter", bound=Completer)


class SessionModels:
    """Makes the completers of a session: of tested models, of models with a role, of embedders."""

    def __init__(
        self,
        workspace: Workspace,
        options: RunOptions,
        resources: Resources,
        stop_signal: StopSignal,
        *,
        warn: Callable[[str], None],
    ) -> None:
        """Args:
        workspace: has the settings, and the folder of the cache.
        options: the run's options.
        resources: makes budget, limits and cache.
        stop_signal: the session's.
        warn: called with each warning.
        """
        self._workspace, self._options, self._settings = workspace, options, workspace.settings
        self._resources, self._stop_signal, self._warn = resources, stop_signal, warn
        self.prices = Prices(self._settings, options)
        self.budget = resources.budget(stop_signal)
        self.role_budgets = RoleBudgets(self._settings, self.prices, resources, self.budget)
        self.completers: dict[str, Completer] = {}
        """Completers by the model's name; a role with its own budget and an embedder have a name of
        their own."""
        self.cache = resources.cache(self._settings, stop_signal, warn=warn)
        workspace.note_keys()  # before anything is sent

    def prepare(self, name: str, *, is_role: bool = False) -> None:
        """Create a model and its completer, once.

        Args:
            name: as the user gave it.
            is_role: whether it has a role, such as `judge`: `--base-url` isn't for it.

        Raises:
            UnknownModelError: there is no such model, or its key or endpoint is missing.
            UsageError: there is a cap on cost and the model has no price.
        """
        if name in self.completers:
            return
        entry = self._settings.models.get(name, ModelSettings())
        shared = {
            completer.limits for completer in self.completers.values()
        }  # some completers share theirs
        planned = sum(limits.connections for limits in shared)
        connections = self._resources.connections(name, entry)
        width = fitting_connections(name, connections, planned, warn=self._warn)
        model = self._options.own_models.get(name) or create_model(
            name,
            self._settings,
            base_url=None if is_role else self._options.base_url,
            max_connections=width,
            write=writer_of(entry),
            from_test=not is_users(name, self._options, self._settings),
            tell=self._warn,
            trusted=self._options.trust,
        )
        price = self.prices.of(name, is_role=is_role)
        self.prices.check(model, price)
        if self._options.batch and not is_role:
            self.completers[name] = self.batching.completer(model, self.open_cache(), price)
            return
        limits = self._resources.limits(name, entry, self._stop_signal, width)
        if getattr(model, "is_remote", False):
            limits.concurrency.probe()
        self.completers[name] = self._completer(Completer, model, model.identity, limits, price)

    def completer(self, name: str) -> Completer:
        """Return the completer of a model; errors as `prepare`."""
        self.prepare(name)
        return self.completers[name]

    def changed_requests(self) -> dict[str, Mapping[str, object]]:
        """Return model -> how requests to it were changed, for models whose servers would refuse
        what lve writes."""
        completers = self.completers.items()
        changed = {name: sent_differently(completer.model) for name, completer in completers}
        return {name: fields for name, fields in changed.items() if fields}

    def role(self, role: str) -> Completer:
        """Return the completer of the model that has a role, with its own cache entries, price and
        limits. It spends from the role's budget, if there is one, within the session's.

        Raises:
            UsageError: no model has the role, or as `prepare`.
        """
        name = role_model(role, self._options, self._settings)
        self.prepare(name, is_role=True)
        if role not in self._settings.role_budgets:
            return self.completers[name]
        if (key := f"{name} ({role})") not in self.completers:
            own = self.completers[name]
            budget = self.role_budgets.of(role, own.model, own.price)
            from lve.execution.role_budget import SharingCompleter  # late: few roles have one

            self.completers[key] = SharingCompleter.of(own, budget, self._completer)
        return self.completers[key]

    @cached_property
    def example_models(self) -> Ask:
        """Asks the models that choose examples."""
        make: Callable[..., Ask] = extension_part("example models")
        return make(self.completer, self.embedder, self._stop_signal)

    @cached_property
    def role_models(self) -> RoleModels:
        """Asks the models that have roles, on behalf of checkers."""
        from lve.pipeline.roles.role_models import RoleModels

        return RoleModels(self.role, self.embedder, self._settings, self._options)

    def embedder(self, name: str, role: str | None = None) -> Embedder:
        """Return the embedder of a model. It spends from the budget of a role, or the session's.

        Raises:
            TemplateError: the model makes no vectors.
            UnknownModelError, UsageError: as `prepare`.
        """
        from lve.pipeline.roles.role_models import Embedder, identity_of_vectors

        embedder = self.completers.get(key := f"{name} (vectors for {role or 'tests'})")
        if not isinstance(embedder, Embedder):
            own = self.completer(name)
            identity = identity_of_vectors(own.model)
            budget = self.role_budgets.of(role, own.model, own.price)
            embedder = self._completer(Embedder, own.model, identity, own.limits, own.price, budget)
            self.completers[key] = embedder
        return embedder

    @cached_property
    def batching(self) -> Any:
        """Makes completers that use the tested models' batch APIs."""
        part = extension_part("batching")
        return part(self._options, self._stop_signal, self.budget)

    def is_replay(self, model: str) -> bool:
        """Whether a model, which must be ready, only repeats recorded answers."""
        return isinstance(self.completers[model].model, ReplayModel)

    async def close(self) -> None:
        """Close the connections to all models that the session has made."""
        for name, completer in self.completers.items():
            if name not in self._options.own_models:
                await completer.close(self._warn)

    def open_cache(self) -> CompletionStore | None:
        """Return the session's cache, opened if there is one."""
        return self.cache.opened(lambda: self.session_dir)

    @property
    def session_dir(self) -> Path:
        """The folder of sessions and cache."""
        return self._options.state or self._workspace.session_dir

    def _completer(
        self,
        kind: type[AnyCompleter],
        model: ChatModel,
        identity: Mapping[str, object] | None,
        limits: ModelLimits,
        price: Price | None,
        budget: Budget | None = None,
    ) -> AnyCompleter:
        cache = self.open_cache() if identity is not None else None
        deadline_s = self._options.deadline_s or DEFAULT_DEADLINE_S
        return kind(
            model,
            stop_signal=self._stop_signal,
            limits=limits,
            budget=budget or self.budget,
            cache=cache,
            key_of=key_maker(identity) if cache is not None and identity else None,
            read_cache=not self._options.refresh,
            policy=RetryPolicy(deadline_s=deadline_s),
            price=price,
        )


class RoleBudgets:
    """Makes the budget of each role when it is first needed."""

    def __init__(
        self, settings: Settings, prices: Prices, resources: Resources, session: Budget
    ) -> None:
        """Args:
        settings: the workspace's settings, which give roles their budgets.
        prices: the prices of models.
        resources: creates the budgets.
        session: the session's budget, within which the roles' are.
        """
        self._settings = settings
        self._prices = prices
        self._resources = resources
        self._session = session
        self._earlier: Mapping[str, Amount] = {}
        self._made: dict[str, Budget] = {}

    def add_previous(self, earlier: Mapping[str, Amount]) -> None:
        """Count what earlier runs of the session have spent.

        Args:
            earlier: role -> amount.
        """
        self._earlier = earlier
        for role, budget in self._made.items():
            budget.spent = self._spent(role)

    def of(self, role: str | None, model: ChatModel, price: Price | None) -> Budget:
        """Return the budget that a role spends from: its own, or else the session's.

        Args:
            role: the role's name; None: no role.
            model: the model that has the role.
            price: the model's price.

        Raises:
            UsageError: there is a cap on cost and the model has no price.
        """
        if role is None or role not in self._settings.role_budgets:
            return self._session
        if role not in self._made:
            most = RunOptions(**self._settings.role_budgets[role])
            self._prices.check(model, price, most.max_cost)
            budget = self._resources.role_budget(role, model.name, most, self._session)
            budget.spent = self._spent(role)
            self._made[role] = budget
        return self._made[role]

    def _spent(self, role: str) -> Amount:
        return replace(self._earlier.get(role, Amount()))
