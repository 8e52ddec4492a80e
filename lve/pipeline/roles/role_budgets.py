"""The budgets that the settings give roles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lve.execution.budgets.budget import Amount, Budget
from lve.models.chat_model import ChatModel
from lve.pipeline.prices import Prices
from lve.pipeline.resources.resources import Resources
from lve.run_options import RunOptions
from lve.settings.model_settings import Price
from lve.settings.settings import Settings


class RoleBudgets:
    """Makes the budget of each role when it is first needed."""

    def __init__(
        self, settings: Settings, prices: Prices, resources: Resources, session: Budget
    ) -> None:
        """Args:
        settings: say which roles have one.
        prices: tell whether a cap on cost can be kept.
        resources: make them.
        session: the session's budget.
        """
        self._settings = settings
        self._prices = prices
        self._resources = resources
        self._session = session
        self._earlier: Mapping[str, Amount] = {}
        self._made: dict[str, Budget] = {}

    def go_on(self, earlier: Mapping[str, Amount]) -> None:
        """Let the budgets go on where the session's earlier runs ended.

        Args:
            earlier: what these have spent, by role.
        """
        self._earlier = earlier
        for role, budget in self._made.items():
            budget.spent = self._spent(role)

    def of(self, role: str | None, model: ChatModel, price: Price | None) -> Budget:
        """Return what a role spends from: its budget, or the session's.

        Args:
            role: its name; None: no role.
            model: that has the role.
            price: the model's.

        Raises:
            UsageError: there is a cap on cost and the model has no price.
        """
        if role is None or role not in self._settings.role_budgets:
            return self._session
        if role not in self._made:
            most = RunOptions(**self._settings.role_budgets[role])
            self._prices.check(model, price, most.max_cost)
            made = self._resources.role_budget(role, model.name, most, self._session)
            made.spent = self._spent(role)
            self._made[role] = made
        return self._made[role]

    def _spent(self, role: str) -> Amount:
        return replace(self._earlier.get(role, Amount()))
