"""A budget of its own for what has a role, within the session's."""

from __future__ import annotations

from collections.abc import Callable

from lve.conventions import ROLE_BUDGET
from lve.execution.budgets.bounds import Bounds
from lve.execution.budgets.budget import Budget, BudgetCaps, Reservation
from lve.execution.completer import Completer
from lve.messages import Usage
from lve.settings.model_settings import Price


class RoleBudget(Budget):
    """Lets no request begin that might exceed a cap of the role or of the session."""

    def __init__(self, role: str, caps: BudgetCaps, session: Budget) -> None:
        """Args:
        role: whose it is.
        caps: the role's; there is one at least.
        session: the session's budget.
        """
        super().__init__(caps, session.stop_signal, whose=f"{ROLE_BUDGET} `{role}`")
        self._session = session

    @property
    def needs_bounds(self) -> bool:
        """Whether either of the budgets does."""
        return self.bounds_answers or self._session.bounds_answers

    async def reserve_for(self, bounds: Bounds, price: Price | None) -> Reservation:
        """Reserve the worst case of an attempt in both budgets; errors as of `Budget`."""
        own = await super().reserve_for(bounds, price)
        if not self._session.is_capped:
            return own
        try:
            outer = await self._session.reserve_for(bounds, price)
        except BaseException:
            super().release(own)
            raise
        imposed = [one.imposed for one in (own, outer) if one.imposed is not None]
        return Reservation(own.amount, min(imposed, default=None), outer)

    def settle(
        self, reservation: Reservation, usage: Usage | None, price: Price | None, *, free: bool
    ) -> None:
        """Replace a reservation by the real cost in both budgets; arguments as of `Budget`."""
        own, outer = reservation._replace(outer=None), reservation.outer
        super().settle(own, usage, price, free=free)
        if outer is not None:
            self._session.settle(outer, usage, price, free=free)

    def release(self, reservation: Reservation) -> None:
        """Give back a reservation in both budgets."""
        super().release(reservation)
        if reservation.outer is not None:
            self._session.release(reservation.outer)


class SharingCompleter(Completer):
    """Gets completions from a model that has another completer, too, which closes it."""

    @classmethod
    def of(
        cls, other: Completer, budget: Budget, make: Callable[..., SharingCompleter]
    ) -> SharingCompleter:
        """Return a completer for the model of another one.

        Args:
            other: the model's own.
            budget: what it spends from.
            make: makes a completer of a class, for model, identity, limits, price and budget.
        """
        model = other.model
        return make(cls, model, model.identity, other.limits, other.price, budget)

    async def close(self, warn: Callable[[str], None]) -> None:
        """Do nothing."""
