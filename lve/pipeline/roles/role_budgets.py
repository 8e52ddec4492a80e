"""The budgets that the settings give roles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lve.execution.budgets.budget import Amount, Budget
from lve.models.chat_model import ChatModel
from lve.options.run_options import RunOptions
from lve.pipeline.prices import Prices
from lve.pipeline.resources.resources import Resources
from lve.settings.model_settings import Price
from lve.settings.settings import Settings


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
