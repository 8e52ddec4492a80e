"""What `lve run` costs against the least that Python can do: a protocol that stores its answers.

    python benchmarks/bare.py                                  # this checkout, every round
    python benchmarks/bare.py OLD NEW --rounds 0:64:20000      # several, in turn
    python benchmarks/bare.py --beside FOLDER                  # finds uvloop there, say

A round is LATENCY_MS:CONNECTIONS:N, as in `run.py`. Whole processes are measured, with their start.
The bare one (`--bare`) has one hand-written `asyncio.Protocol` per connection, the standard
library's JSON and one line per answer in a file, flushed. It has no limits, retries, checks or
cache. Each turn measures all, one after the other; the ratios are medians of the turns' ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from process import Cost, measure
from run import QUESTION, ROUNDS, Round, write_tests
from server import RunningServer, running_server

ROOT = Path(__file__).resolve().parents[1]


class Bare(asyncio.Protocol):
    """One connection: sends a request, and completes a future with the body of the answer."""

    buffer = b""
    answer: asyncio.Future[bytes]
    transport: asyncio.Transport

    def connection_made(self, transport: Any) -> None:
        """Keep the transport."""
        self.transport = transport

    def ask(self, request: bytes, loop: asyncio.AbstractEventLoop) -> asyncio.Future[bytes]:
        """Send a request and return its answer's future."""
        self.answer = loop.create_future()
        self.transport.write(request)
        return self.answer

    def data_received(self, data: bytes) -> None:
        """Read an answer."""
        self.buffer += data
        head, blank, rest = self.buffer.partition(b"\r\n\r\n")
        if not blank:
            return
        start = head.lower().index(b"content-length:") + 15
        size = int(head[start:].partition(b"\r\n")[0])
        if len(rest) >= size:
            self.buffer = rest[size:]
            self.answer.set_result(rest[:size])


async def bare(url: str, connections: int, lines: list[Any], store: Path) -> None:
    """Ask about every row's args; write an answer per line."""
    place, loop = urlsplit(f"{url}/chat/completions"), asyncio.get_running_loop()
    head = f"POST {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\n"
    head += "Content-Type: application/json\r\nAuthorization: Bearer none\r\nContent-Length: "
    each = enumerate(lines)
    with store.open("ab") as file:

        async def worker() -> None:
            _, connection = await loop.create_connection(
                Bare, place.hostname or "", place.port or 80
            )
            for number, args in each:
                prompt = QUESTION.format(**args)
                message = {"role": "user", "content": prompt}
                asked = {"model": "bench", "messages": [message], "temperature": 0.0}
                body = json.dumps(asked).encode()
                request = b"%b%d\r\n\r\n%b" % (head.encode(), len(body), body)
                answer = json.loads(await connection.ask(request, loop))
                text = answer["choices"][0]["message"]["content"]
                passed = text == str(int(args["a"]) + int(args["b"]))
                line = {"id": number, "prompt": prompt, "response": text, "passed": passed}
                file.write(json.dumps(line).encode() + b"\n")
                file.flush()

        await asyncio.gather(*(worker() for _ in range(min(connections, len(lines)))))


@contextmanager
def commands(
    this: Round, trees: Sequence[Path], server: RunningServer
) -> Iterator[dict[str, list[str]]]:
    """Give the commands of a turn: name -> command."""
    with tempfile.TemporaryDirectory(prefix="lve-bench-") as folder:
        each: dict[str, list[str]] = {}
        for number, tree in enumerate(trees):
            place = Path(folder) / str(number)
            place.mkdir()
            test = write_tests(place, this.n)
            python = str(tree / ".venv" / "bin" / "python")
            if not each:
                rows = str(test / "instances" / "main.jsonl")
                store = str(Path(folder) / "answers.jsonl")
                asked = ["--bare", server.url, str(this.connections), rows, store]
                each["bare"] = [python, __file__, *asked]
            run = [python, "-m", "lve", "run", str(test), "-q", "-j", str(this.connections)]
            each[f"{tree.name} fresh"] = run
            each[f"{tree.name} cached"] = run
        yield each


def turn(this: Round, trees: Sequence[Path], beside: str) -> dict[str, Cost]:
    """Measure everything once, against a fresh server."""
    costs: dict[str, Cost] = {}
    with (
        running_server(latency_s=this.latency_s) as server,
        commands(this, trees, server) as each,
    ):
        for name, command in each.items():
            server.reset()
            tree = name.rpartition(" ")[0]
            path = next((str(t) for t in trees if t.name == tree), str(ROOT))
            costs[name] = measure(
                command,
                cwd=None if name == "bare" else Path(command[4]),
                OPENAI_API_KEY="none",
                OPENAI_BASE_URL=server.url,
                PYTHONPATH=os.pathsep.join(filter(None, (path, beside))),
            )
            asked = 0 if name.endswith(" cached") else this.n
            requests = server.stats()["requests"]
            assert requests == asked, f"{name}: {requests} requests instead of {asked}"
    return costs


def print_round(this: Round, turns: Sequence[dict[str, Cost]]) -> None:
    """Print the medians of a round's turns, and of their ratios to the bare protocol."""
    print(f"\n{this.latency_s * 1000:g} ms, {this.connections} connections, N={this.n}\n")
    print("| | wall s | / bare | CPU ms/instance | / bare | peak RSS MB |")
    print("|---|---|---|---|---|---|")
    for name in turns[0]:
        costs = [(turn[name], turn["bare"]) for turn in turns]
        wall_s = statistics.median(cost.wall_s for cost, _ in costs)
        cpu_s = statistics.median(cost.cpu_s for cost, _ in costs)
        wall = statistics.median(cost.wall_s / bare.wall_s for cost, bare in costs)
        cpu = statistics.median(cost.cpu_s / bare.cpu_s for cost, bare in costs)
        rss_mb = statistics.median(cost.rss_mb for cost, _ in costs)
        print(
            f"| {name} | {wall_s:.2f} | {wall:.2f} | {cpu_s / this.n * 1000:.4f} | {cpu:.2f} "
            f"| {rss_mb:.0f} |",
            flush=True,
        )


def main() -> None:
    """Measure and print the tables."""
    if sys.argv[1:2] == ["--bare"]:
        url, connections, rows, store = sys.argv[2:]
        lines = [json.loads(line)["args"] for line in Path(rows).read_text().splitlines()]
        asyncio.run(bare(url, int(connections), lines, Path(store)))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs="*", type=Path, default=[ROOT])
    parser.add_argument("--rounds", nargs="+", default=ROUNDS)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--beside", default="", help="a folder that the processes find, too")
    options = parser.parse_args()
    trees = [tree.resolve() for tree in options.trees]
    for text in options.rounds:
        this = Round.parse(text)
        print_round(this, [turn(this, trees, options.beside) for _ in range(options.repeat)])


if __name__ == "__main__":
    main()
