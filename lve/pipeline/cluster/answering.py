"""What a run answers to its workers: from its cache, its budgets and its rates."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

from lve.error_boundary import unexpected
from lve.errors import BudgetError, LveError, SessionError
from lve.execution.budgets.budget import Budget
from lve.execution.cache.contract import ClaimingStore
from lve.execution.stop import Stopped
from lve.pipeline.cluster.links import Seat
from lve.pipeline.cluster.messages import (
    Correct,
    GiveBack,
    Keep,
    Lease,
    Look,
    Pace,
    Problem,
    Question,
    Reply,
    Reserve,
    Settle,
    Unclaim,
)
from lve.pipeline.engine import Engine


class Answering:
    """Answers workers, and keeps account of what each has leased."""

    def __init__(self, engine: Engine) -> None:
        """Args:
        engine: of the run.
        """
        self._engine = engine
        self._numbers = count()
        self._keeping: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Wait until all answers that have arrived are kept."""
        if self._keeping:
            await asyncio.wait(self._keeping)

    def take(self, seat: Seat, message: Any) -> None:
        """Take a message about what is leased, or a question."""
        match message:
            case Question():
                self._answer_soon(seat, message)
            case Settle(lease, usage, price, free):
                if (found := seat.leases.pop(lease, None)) is not None:
                    found[0].settle(found[1], usage, price, free=free)
            case GiveBack(lease):
                if (found := seat.leases.pop(lease, None)) is not None:
                    found[0].release(found[1])
            case Correct(model, expected, actual, answer):
                self._engine.completer(model).limits.correct(expected, actual, answer)
            case Unclaim(key):
                self._unclaim(seat, key)

    def lose(self, seat: Seat) -> None:
        """Take back what a worker has that is gone. Attempts that it may have made count as spent:
        nobody knows what they took."""
        for task in seat.tasks:
            task.cancel()
        for budget, reservation, price in seat.leases.values():
            budget.settle(reservation, None, price, free=False)
        seat.leases.clear()
        for key in list(seat.claimed):
            self._unclaim(seat, key)

    def _answer_soon(self, seat: Seat, question: Question) -> None:
        """Answer at once, or when the answer is there."""
        content = question.content
        if isinstance(content, Look) and self._claims() is None:
            cache = self._engine.open_cache()
            found = None if cache is None else cache.get(content.key)
            seat.outbox.put(Reply(question.number, found))
            return
        task = asyncio.get_running_loop().create_task(self._answer(seat, question))
        # What arrived is kept, whatever becomes of who asked.
        tasks = self._keeping if isinstance(content, Keep) else seat.tasks
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def _answer(self, seat: Seat, question: Question) -> None:
        number = question.number
        try:
            reply = Reply(number, await self._found(seat, question.content))
        except BudgetError as error:
            reply = Reply(number, None, Problem("budget", str(error)))
        except Stopped as error:
            reply = Reply(number, None, Problem("stopped", str(error)))
        except LveError as error:
            reply = Reply(number, None, Problem("session", str(error)))
        except Exception as error:  # a bug: the worker waits for a reply
            bug = unexpected(error, "answering a worker")
            reply = Reply(number, None, Problem("session", str(bug)))
        seat.outbox.put(reply)

    async def _found(self, seat: Seat, content: Any) -> Any:
        match content:
            case Reserve():
                return await self._lease(seat, content)
            case Pace(model, tokens):
                return await self._engine.completer(model).limits.pace(tokens)
            case Keep(key, completion, model):
                cache = self._engine.open_cache()
                if cache is not None:
                    await cache.put(key, completion, model=model)
                seat.claimed.discard(key)
                return None
            case Look(key, patience_s):
                return await self._claimed(seat, key, patience_s)
        raise SessionError(f"unknown question {type(content).__name__}", code="ray")

    async def _lease(self, seat: Seat, wanted: Reserve) -> Lease:
        budget = self._budget(wanted)
        reservation = await budget.reserve_for(wanted.bounds, wanted.price)
        number = next(self._numbers)
        seat.leases[number] = (budget, reservation, wanted.price)
        return Lease(number, reservation.imposed)

    def _budget(self, wanted: Reserve) -> Budget:
        if wanted.role is None:
            return self._engine.budget
        own = self._engine.completer(wanted.model)
        return self._engine.role_budgets.of(wanted.role, own.model, own.price)

    async def _claimed(self, seat: Seat, key: str, patience_s: float) -> Any:
        claims = self._claims()
        assert claims is not None
        found = await claims.claim(key, patience_s)
        if found is None:
            seat.claimed.add(key)
        return found

    def _unclaim(self, seat: Seat, key: str) -> None:
        seat.claimed.discard(key)
        if (claims := self._claims()) is not None:
            claims.release(key)

    def _claims(self) -> ClaimingStore | None:
        """Return the cache if several runs share it."""
        cache: object = self._engine.open_cache()
        return cache if isinstance(cache, ClaimingStore) else None
