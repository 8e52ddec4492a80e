"""The run's side of leases: answers workers' calls about budget, rate limits and the cache.

The workers' side is `lve.extensions.ray.worker_resources`.
"""

from __future__ import annotations

import asyncio
from itertools import count

from lve.error_boundary import unexpected
from lve.errors import BudgetError, LveError, SessionError
from lve.execution.budgets.budget import Budget
from lve.execution.cache.contract import Claims, CompletionStore
from lve.execution.stop import Stopped, resolve
from lve.extensions.ray.connections import WorkerHandle
from lve.extensions.ray.messages import (
    Call,
    Correct,
    Lease,
    LookUp,
    Pace,
    Problem,
    ReleaseClaim,
    ReleaseLease,
    Reply,
    Reserve,
    Settle,
    StoreCompletion,
)
from lve.messages import Completion
from lve.pipeline.session_models import SessionModels


class LeaseServer:
    """Answers the calls of all workers, and records what each has leased."""

    def __init__(self, models: SessionModels) -> None:
        """Args:
        models: the run's models, with their budgets, limits and cache.
        """
        self._models = models
        self._numbers = count()
        self._storing: set[asyncio.Task[None]] = set()
        """Tasks that store answers in the cache."""

    async def close(self) -> None:
        """Wait until all answers that have arrived are in the cache."""
        if self._storing:
            await asyncio.wait(self._storing)

    def take(self, worker: WorkerHandle, message: object) -> None:
        """Handle a call of a worker, or a message about one of its leases."""
        match message:
            case Call():
                self._answer_soon(worker, message)
            case Settle(lease, usage, price, free):
                if (held := worker.leases.pop(lease, None)) is not None:
                    held[0].settle(held[1], usage, price, free=free)
            case ReleaseLease(lease):
                if (held := worker.leases.pop(lease, None)) is not None:
                    held[0].release(held[1])
            case Correct(model, expected, actual, answer):
                self._models.completer(model).limits.correct(expected, actual, answer)
            case ReleaseClaim(key):
                self._release_claim(worker, key)

    def lose(self, worker: WorkerHandle) -> None:
        """Take back the leases and claims of a lost worker. The worst case of its attempts counts
        as spent, since their cost isn't known."""
        for task in worker.tasks:
            task.cancel()
        for budget, reservation, price in worker.leases.values():
            budget.settle(reservation, None, price, free=False)
        worker.leases.clear()
        for key in list(worker.claimed):
            self._release_claim(worker, key)

    def _answer_soon(self, worker: WorkerHandle, call: Call) -> None:
        """Answer a call: a lookup in a local cache at once, others in a task."""
        content = call.content
        if isinstance(content, LookUp) and self._claims() is None:
            cache = self._models.open_cache()
            if cache is None or content.key not in cache.asking:
                completion = None if cache is None else cache.get(content.key)
                if completion is None:
                    self._note_claim(worker, content.key)
                worker.outbox.put(Reply(call.number, completion))
                return
        task = asyncio.get_running_loop().create_task(self._answer(worker, call))
        # An answer that has arrived is stored even if its worker is lost meanwhile.
        tasks = self._storing if isinstance(content, StoreCompletion) else worker.tasks
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def _answer(self, worker: WorkerHandle, call: Call) -> None:
        number = call.number
        try:
            reply = Reply(number, await self._result(worker, call.content))
        except BudgetError as error:
            reply = Reply(number, None, Problem("budget", str(error), error.role))
        except Stopped as error:
            reply = Reply(number, None, Problem("stopped", str(error)))
        except LveError as error:
            reply = Reply(number, None, Problem("session", str(error)))
        except Exception as error:  # a bug: the worker waits for a reply
            bug = unexpected(error, "answering a worker")
            reply = Reply(number, None, Problem("session", str(bug)))
        worker.outbox.put(reply)

    async def _result(self, worker: WorkerHandle, content: object) -> object:
        match content:
            case Reserve():
                return await self._lease(worker, content)
            case Pace(model, tokens):
                return await self._models.completer(model).limits.pace(tokens)
            case StoreCompletion(key, completion, model):
                cache = self._models.open_cache()
                if cache is not None:
                    await cache.put(key, completion, model=model)
                self._release_claim(worker, key)
                return None
            case LookUp(key, patience_s):
                return await self._claim(worker, key, patience_s)
        raise SessionError(f"unknown call {type(content).__name__}", code="ray")

    async def _lease(self, worker: WorkerHandle, request: Reserve) -> Lease:
        budget = self._budget(request)
        reservation = await budget.reserve_for(request.bounds, request.price)
        number = next(self._numbers)
        worker.leases[number] = (budget, reservation, request.price)
        return Lease(number, reservation.imposed)

    def _budget(self, request: Reserve) -> Budget:
        if request.role is None:
            return self._models.budget
        own = self._models.completer(request.model)
        return self._models.role_budgets.of(request.role, own.model, own.price)

    async def _claim(self, worker: WorkerHandle, key: str, patience_s: float) -> Completion | None:
        cache, claims, completion = self._models.open_cache(), self._claims(), None
        if claims is not None:
            completion = await claims.claim(key, patience_s)
        elif cache is not None:
            completion = await _from_another_worker(cache, key)
        if completion is None:
            self._note_claim(worker, key)
        return completion

    def _note_claim(self, worker: WorkerHandle, key: str) -> None:
        worker.claimed.add(key)
        if (cache := self._models.open_cache()) is not None:
            cache.asking.setdefault(key, [])

    def _release_claim(self, worker: WorkerHandle, key: str) -> None:
        worker.claimed.discard(key)
        if (cache := self._models.open_cache()) is not None:
            for waiting in cache.asking.pop(key, ()):
                resolve(waiting)
        if (claims := self._claims()) is not None:
            claims.release(key)

    def _claims(self) -> Claims | None:
        """Return the claims of keys; None while nobody else uses the cache."""
        cache = self._models.open_cache()
        return None if cache is None else cache.claims


async def _from_another_worker(cache: CompletionStore, key: str) -> Completion | None:
    """Return the answer that another worker is asking for; None: it got none."""
    if (completion := cache.get(key)) is not None or key not in cache.asking:
        return completion
    waiting = asyncio.get_running_loop().create_future()
    cache.asking[key].append(waiting)
    await waiting
    return cache.get(key)
