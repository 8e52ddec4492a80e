"""The budget of a role, such as `judge`, within the session's budget."""

from __future__ import annotations

from collections.abc import Callable

from lve.execution.budgets.bounds import Bounds
from lve.execution.budgets.budget import Budget, BudgetCaps, Reservation
from lve.execution.completer import Completer
from lve.messages import Usage
from lve.settings.model_settings import Price


class RoleBudget(Budget):
    """Refuses a request that might exceed a cap of the role or of the session."""

    def __init__(self, role: str, caps: BudgetCaps, session: Budget) -> None:
        """Args:
        role: the role's name.
        caps: the role's caps, at least one.
        session: the session's budget.
        """
        super().__init__(
            caps, session.stop_signal, whose=f"the budget of the role `{role}`", role=role
        )
        self._session = session

    @property
    def needs_bounds(self) -> bool:
        """Whether either budget needs them."""
        return self.bounds_answers or self._session.bounds_answers

    async def reserve_for(self, bounds: Bounds, price: Price | None) -> Reservation:
        """Reserve the worst case of an attempt in both budgets; errors as `Budget.reserve`."""
        own = await super().reserve_for(bounds, price)
        try:
            if not self._session.is_capped:
                if self._session.on_change is not None:
                    self._session.on_change()
                return own
            outer = await self._session.reserve_for(bounds, price)
        except BaseException:
            super().release(own)
            raise
        imposed = [
            reservation.imposed for reservation in (own, outer) if reservation.imposed is not None
        ]
        return Reservation(own.amount, min(imposed, default=None), outer)

    def settle(
        self, reservation: Reservation, usage: Usage | None, price: Price | None, *, free: bool
    ) -> None:
        """Replace a reservation by the real cost in both budgets; arguments as `Budget.settle`."""
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
    """A second completer of a model, with another budget. The first one closes the model."""

    @classmethod
    def of(
        cls, other: Completer, budget: Budget, make: Callable[..., SharingCompleter]
    ) -> SharingCompleter:
        """Return a completer for the model of another one.

        Args:
            other: the model's first completer.
            budget: the budget to spend from.
            make: creates a completer from its class, model, identity, limits, price and budget.
        """
        model = other.model
        return make(cls, model, model.identity, other.limits, other.price, budget)

    async def close(self, warn: Callable[[str], None]) -> None:
        """Do nothing: the model's first completer closes it."""
