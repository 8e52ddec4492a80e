"""The model server of the tests as a process of its own: fixed latency, faults, `GET /stats`.

    python benchmarks/server.py --latency-ms 50 --fail-rate 0.2 --fail-kinds 429,500,reset

The first line on stdout is the base URL. Uses uvloop when it can be imported, so that the server is
not what a benchmark measures. `running_server` starts one for the length of a block.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.openai_protocol import Connection
from support.openai_state import FAULTS, Behaviour, State


class RunningServer:
    """A server process."""

    def __init__(self, url: str) -> None:
        self.url = url
        """Ends in `/v1`."""

    def stats(self) -> dict[str, Any]:
        """Return what the server has counted."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats") as response:
            stats: dict[str, Any] = json.load(response)
            return stats

    def reset(self) -> None:
        """Set the counts to zero."""
        request = urllib.request.Request(
            self.url.removesuffix("/v1") + "/stats/reset", data=b"", method="POST"
        )
        urllib.request.urlopen(request).close()


@contextmanager
def running_server(*, latency_s: float = 0.0, **options: object) -> Iterator[RunningServer]:
    """Start a server process, and stop it at the end of the block.

    Args:
        latency_s: seconds until an answer.
        options: further options of the command, with `_` for `-`.
    """
    command = [sys.executable, __file__, "--latency-ms", str(latency_s * 1000)]
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield RunningServer(process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--token-latency-ms", type=float, default=0.0)
    parser.add_argument("--fail-rate", type=float, default=0.0)
    parser.add_argument("--fail-kinds", default=",".join(Behaviour.fail_kinds), help=str(FAULTS))
    parser.add_argument("--fail-attempts", type=int, default=0)
    parser.add_argument("--retry-after", default="1", help="seconds that a 429 asks for")
    parser.add_argument("--max-in-flight", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _state(arguments: argparse.Namespace) -> State:
    kinds = arguments.fail_kinds.split(",")
    if unknown := set(kinds) - set(FAULTS):
        sys.exit(f"unknown faults: {', '.join(unknown)} (known: {', '.join(FAULTS)})")
    behaviour = Behaviour(
        latency_s=arguments.latency_ms / 1000,
        token_latency_s=arguments.token_latency_ms / 1000,
        fail_rate=arguments.fail_rate,
        fail_kinds=kinds,
        fail_attempts=arguments.fail_attempts,
        retry_after=arguments.retry_after,
        max_in_flight=arguments.max_in_flight,
        seed=arguments.seed,
    )
    return State(behaviour, keep=False)


def _raise_file_limit() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _serve(arguments: argparse.Namespace) -> None:
    loop = asyncio.get_running_loop()
    state = _state(arguments)
    server = await loop.create_server(
        lambda: Connection(state, loop), "127.0.0.1", arguments.port, backlog=4096
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    gc.freeze()
    await server.serve_forever()


def main() -> None:
    """Serve until terminated."""
    arguments = _arguments()
    _raise_file_limit()
    try:
        from uvloop import run
    except ImportError:
        from asyncio import run
    run(_serve(arguments))


if __name__ == "__main__":
    main()
