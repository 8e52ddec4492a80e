"""What `lve run` costs from start to end: the whole process, with cache and journal.

    python benchmarks/run.py                        # every round, median of 5
    python benchmarks/run.py --rounds 0:64:20000 --repeat 1

A round is LATENCY_MS:CONNECTIONS:N: one test folder with N sums against `server.py` on this
machine. Two floors are measured in the same turn: a bare loop over the same transport (same start
of Python, no folder, no check, nothing kept) and the physical limit N * latency / connections.
`cached` runs again what is in the cache; `stream` streams the answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from process import Cost, measure, medians
from server import RunningServer, running_server

ROUNDS = ("50:64:2000", "200:500:5000", "0:64:20000")
MODES = ("floor", "lve run", "lve run --stream", "lve run, cached")
QUESTION = "Compute {a} + {b}. Write a single number."


@dataclass(frozen=True)
class Round:
    """How many sums, how fast the server, how many at a time."""

    latency_s: float
    connections: int
    n: int

    @classmethod
    def parse(cls, text: str) -> Round:
        latency_ms, connections, n = text.split(":")
        return cls(float(latency_ms) / 1000, int(connections), int(n))

    @property
    def limit_s(self) -> float:
        """The physical limit."""
        return self.n * self.latency_s / self.connections


def write_tests(folder: Path, n: int) -> Path:
    """Write one test of N sums and return its folder."""
    (folder / ".lverepo").touch()
    test = folder / "repository" / "bench" / "sum"
    (test / "instances").mkdir(parents=True)
    document = {
        "description": "adds two numbers",
        "model": "openai/bench",
        "prompt": [{"role": "user", "content": QUESTION}],
        "prompt_parameters": ["a", "b"],
        "checker_args": {
            "checker_name": "LambdaChecker",
            "func": "lambda r, a, b: int(r) == int(a) + int(b)",
        },
    }
    (test / "test.json").write_text(json.dumps(document), encoding="utf-8")
    sums = [(i // 1000 + 1, i % 1000 + 1) for i in range(n)]
    random.Random(1).shuffle(sums)
    with (test / "instances" / "main.jsonl").open("w", encoding="utf-8") as file:
        for a, b in sums:
            row = {"args": {"a": str(a), "b": str(b)}, "response": str(a + b), "passed": True}
            file.write(json.dumps({**row, "run_info": {}}) + "\n")
    return test


def measure_against(server: RunningServer, command: Sequence[str]) -> Cost:
    """Run a command that asks a server, and return what its process took."""
    server.reset()
    cost = measure(command, OPENAI_API_KEY="none", OPENAI_BASE_URL=server.url)
    return replace(cost, requests=server.stats()["requests"])


async def floor(url: str, connections: int, n: int) -> None:
    """The bare loop: the same requests over the same transport, and nothing else."""
    from lve.messages import Message
    from lve.models.chat_model import ChatRequest
    from lve.models.registry import create_model
    from lve.settings.settings import Settings

    model = create_model("openai/bench", Settings(), base_url=url, max_connections=connections)
    sums = ((i // 1000 + 1, i % 1000 + 1) for i in range(n))

    async def worker() -> None:
        for a, b in sums:
            message = Message(QUESTION.format(a=a, b=b))
            answer = await model.complete(ChatRequest((message,), {"temperature": 0.0}))
            if answer.text != str(a + b):
                raise SystemExit(f"{a} + {b} is not {answer.text}")

    await asyncio.gather(*(worker() for _ in range(connections)))
    await model.aclose()


@contextmanager
def workplace(n: int) -> Iterator[Path]:
    """Give a test in a fresh folder."""
    with tempfile.TemporaryDirectory(prefix="lve-bench-") as folder:
        yield write_tests(Path(folder), n)


def one_turn(this: Round, modes: Sequence[str]) -> dict[str, Cost]:
    """Measure every mode once, against a fresh server."""
    lve = str(Path(sys.executable).with_name("lve"))
    costs: dict[str, Cost] = {}
    options = ["-q", "-j", str(this.connections)]
    with running_server(latency_s=this.latency_s) as server:
        if "floor" in modes:
            command = [sys.executable, __file__, "--floor", server.url]
            command += [str(this.connections), str(this.n)]
            costs["floor"] = measure_against(server, command)
        for mode in ("lve run", "lve run --stream"):
            if mode not in modes:
                continue
            with workplace(this.n) as test:
                command = [*mode.split(), str(test), *options]
                command[0] = lve
                costs[mode] = measure_against(server, command)
                if mode == "lve run" and "lve run, cached" in modes:
                    costs["lve run, cached"] = measure_against(server, command)
                    assert costs["lve run, cached"].requests == 0, "the cache was not used"
    return costs


def print_table(this: Round, costs: dict[str, Cost]) -> None:
    """Print the figures of a round, with ratios to the floors."""
    print(
        f"\n{this.latency_s * 1000:g} ms, {this.connections} connections, N={this.n}: "
        f"physical limit {this.limit_s:.2f} s\n"
    )
    print(
        "| | wall s | / limit | / floor | instances/s | CPU ms/instance | peak RSS MB | requests |"
    )
    print("|---|---|---|---|---|---|---|---|")
    base = costs.get("floor")
    for mode, cost in costs.items():
        limit = f"{cost.wall_s / this.limit_s:.2f}" if this.limit_s else ""
        to_floor = f"{cost.wall_s / base.wall_s:.2f}" if base else ""
        print(
            f"| {mode} | {cost.wall_s:.2f} | {limit} | {to_floor} | {this.n / cost.wall_s:.0f} "
            f"| {cost.cpu_s / this.n * 1000:.3f} | {cost.rss_mb:.0f} | {cost.requests} |"
        )


def main() -> None:
    """Measure and print the tables."""
    if len(sys.argv) == 5 and sys.argv[1] == "--floor":
        asyncio.run(floor(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", nargs="+", default=ROUNDS)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    given = parser.parse_args()
    for text in given.rounds:
        this = Round.parse(text)
        turns = [one_turn(this, given.modes) for _ in range(given.repeat)]
        print_table(this, {mode: medians([turn[mode] for turn in turns]) for mode in turns[0]})


if __name__ == "__main__":
    main()
