"""Simulates 1,000 workers of a cluster that share one rate limit and one budget.

    python benchmarks/leases.py [--workers 1000] [--killed 0.1]

The lessor, the leases and the messages are the real ones (`lve.extensions.ray`). Time is virtual,
and the server and the network are assumed: an answer takes 2 s on average (log-normal, sigma 0.6),
a message 1 ms plus 2 ms on average (exponential), each worker asks for up to 8 answers at once, and
one in 100 attempts fails without an answer. `--killed 0.1`: a tenth of the workers are gone, one
after the other, without a word; the run hears of it a second later. The budget is used up after two
minutes at the limit.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import random
import selectors
import time
from collections import Counter
from types import SimpleNamespace
from typing import Any

from lve.errors import BudgetError
from lve.execution.budgets.budget import Budget, BudgetCaps
from lve.execution.request_limits import ModelLimits
from lve.execution.stop import StopSignal
from lve.extensions.ray.connections import WorkerHandle
from lve.extensions.ray.lease_server import LeaseServer
from lve.extensions.ray.messages import Call, Outbox, Reply
from lve.extensions.ray.worker_resources import LeasedBudget, LeasedLimits, as_error
from lve.messages import Message, Usage
from lve.models.chat_model import ChatRequest
from lve.settings.model_settings import ModelSettings

RATE = 60_000.0
"""Requests per minute."""
BUDGET = 120_000
"""Requests: two minutes at the limit."""
AT_ONCE = 8
MODEL = "openai/m"
REQUEST = ChatRequest((Message("Compute 2 + 3"),), args={"max_tokens": 100})


class VirtualSelector(selectors.DefaultSelector):
    """Waits for nothing: what would be waited for is over at once."""

    waited_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("everybody waits for somebody else")
        self.waited_s += max(timeout, 1e-6)  # a clock never stands still
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next event."""

    def __init__(self) -> None:
        self.virtual = VirtualSelector()
        super().__init__(self.virtual)

    def time(self) -> float:
        return self.virtual.waited_s


class World:
    """The run, its workers and the server."""

    def __init__(self, workers: int, killed: float, seed: int) -> None:
        self.chance = random.Random(seed)
        self.loop = asyncio.get_running_loop()
        self.stop_signal = StopSignal()
        self.budget = Budget(BudgetCaps(requests=BUDGET), self.stop_signal)
        self.limits = ModelLimits(
            stop_signal=self.stop_signal,
            clock=self.loop.time,
            max_connections=AT_ONCE * workers,
            requests_per_minute=RATE,
        )
        engine: Any = SimpleNamespace(
            budget=self.budget,
            completer=lambda name: SimpleNamespace(limits=self.limits),
            open_cache=lambda: None,
            stop_signal=self.stop_signal,
        )
        self.answering = LeaseServer(engine)
        self.sent_at: list[float] = []
        self.messages: Counter[str] = Counter()
        self.batches = 0
        self.workers = [OneWorker(self, number) for number in range(workers)]
        doomed = self.chance.sample(self.workers, int(killed * workers))
        for worker in doomed:
            self.loop.call_later(self.chance.uniform(1, 119), worker.kill)

    def travel(self, deliver: Any, messages: list[Any]) -> None:
        self.batches += 1
        for one in messages:
            content = one.content if isinstance(one, Call) else one
            self.messages[type(content).__name__] += 1
        delay = 0.001 + self.chance.expovariate(1 / 0.002)
        self.loop.call_later(delay, deliver, messages)

    async def run(self) -> None:
        await asyncio.gather(*(worker.done for worker in self.workers))


class OneWorker:
    """A worker that has always more to ask."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.is_gone = False
        self.asked: dict[int, asyncio.Future[Any]] = {}
        self.next = 0
        self.free_at = 0.0
        connection: Any = SimpleNamespace(send=lambda batch: world.travel(self.receive, batch))
        self.worker = WorkerHandle(number, connection)
        self.outbox = Outbox(lambda batch: world.travel(self.arrive, batch))
        entry = ModelSettings(requests_per_minute=RATE)
        stop = StopSignal()
        self.limits = LeasedLimits(MODEL, entry, stop, AT_ONCE, self.ask, self.outbox.put)
        caps = BudgetCaps(requests=BUDGET)
        self.budget = LeasedBudget(caps, stop, self.ask, self.outbox.put)
        self.tasks = [asyncio.ensure_future(self.work()) for _ in range(AT_ONCE)]
        self.done = asyncio.gather(*self.tasks, return_exceptions=True)

    def receive(self, messages: list[Any]) -> None:
        for one in messages:
            if isinstance(one, Reply) and not self.is_gone:
                future = self.asked.pop(one.number)
                if one.problem is None:
                    future.set_result(one.answer)
                else:
                    future.set_exception(as_error(one.problem))

    def arrive(self, messages: list[Any]) -> None:
        """The run gets messages, unless it knows that the worker is gone."""
        if not self.is_gone:
            for one in messages:
                self.world.answering.take(self.worker, one)

    def kill(self) -> None:
        self.is_gone = True
        for task in self.tasks:
            task.cancel()
        # Ray says so a second later.
        self.world.loop.call_later(1.0, self.world.answering.lose, self.worker)

    async def ask(self, content: Any) -> Any:
        self.next += 1
        future = self.asked[self.next] = self.world.loop.create_future()
        self.outbox.put(Call(self.next, content))
        return await future

    async def work(self) -> None:
        world = self.world
        while True:
            expected = await self.limits.pace(20.0)
            try:
                reservation = await self.budget.reserve(REQUEST, None)
            except BudgetError:
                return
            world.sent_at.append(world.loop.time())
            await asyncio.sleep(world.chance.lognormvariate(0.5, 0.6))
            usage = None if world.chance.random() < 0.01 else Usage(20, 50)
            self.budget.settle(reservation, usage, None, free=False)
            if usage is not None:
                self.limits.correct(expected, 70, 50)


def most_within(times: list[float], window: float) -> int:
    """Return the most requests that were sent within so many seconds."""
    open_: list[float] = []
    most = 0
    for one in sorted(times):
        heapq.heappush(open_, one)
        while open_[0] <= one - window:
            heapq.heappop(open_)
        most = max(most, len(open_))
    return most


async def simulate(workers: int, killed: float, seed: int) -> None:
    """Print what a run came to."""
    world = World(workers, killed, seed)
    began = time.perf_counter()
    await world.run()
    took = time.perf_counter() - began
    sent, last = len(world.sent_at), max(world.sent_at)
    allowed = world.limits._requests.capacity + RATE / 60 * last  # type: ignore[union-attr]
    print(f"{workers} workers, {killed:.0%} killed, seed {seed}: {sent:,} requests in {last:.1f} s")
    print(f"  utilisation of the rate {sent / allowed:.1%}, in 60 s at most", end=" ")
    print(f"{most_within(world.sent_at, 60.0):,} of {RATE:,.0f} + {RATE / 60:,.0f} in a second")
    print(f"  budget: {sent:,} of {BUDGET:,} sent, {world.budget.spent.requests:,} counted")
    total = sum(world.messages.values())
    each = ", ".join(f"{name} {number / last:,.0f}" for name, number in world.messages.items())
    print(f"  messages a second: {total / last:,.0f} ({each}), batches {world.batches / last:,.0f}")
    print(f"  {took / total * 1e6:.0f} µs of CPU per message, both sides and the loop")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--killed", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    loop = VirtualLoop()
    loop.run_until_complete(simulate(given.workers, given.killed, given.seed))
    loop.close()


if __name__ == "__main__":
    main()
