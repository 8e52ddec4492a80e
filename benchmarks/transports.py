"""What a request costs by each way to send it: N sums, C at a time, one process each.

    python benchmarks/transports.py                      # all candidates, all rounds
    python benchmarks/transports.py --only own,aiohttp --rounds 0:64:5000

A round is LATENCY_MS:CONNECTIONS:N. Wall time is also given as a ratio to the physical limit
N * latency / connections; CPU is user + system of the client's process, without its start-up.
Candidates that are not installed are skipped.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from server import running_server

Ask = Callable[[str], Awaitable[str]]
ROUNDS = ("0:64:5000", "50:64:2000", "200:500:5000")


@dataclass(frozen=True)
class Cost:
    """What one run of one candidate took."""

    wall_s: float
    cpu_s: float
    rss_mb: float
    crashed: bool = False
    """Whether the process died after its work was done."""


def _body(prompt: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}]
    return {"model": "m", "messages": messages, "temperature": 0.0, "max_tokens": 16}


def _text(data: bytes) -> str:
    return str(json.loads(data)["choices"][0]["message"]["content"])


async def _model(
    stack: AsyncExitStack, url: str, connections: int, client: str, stream: bool
) -> Ask:
    from lve.messages import Message
    from lve.models.chat_model import ChatRequest
    from lve.models.registry import create_model
    from lve.settings.model_settings import ModelSettings
    from lve.settings.settings import Settings

    settings = Settings(models={"m": ModelSettings(model="m", options={"client": client})})
    model = create_model("m", settings, base_url=url, max_connections=connections)
    stack.push_async_callback(model.aclose)
    args = {"temperature": 0.0, "max_tokens": 16}

    async def ask(prompt: str) -> str:
        return (await model.complete(ChatRequest((Message(prompt),), args, stream=stream))).text

    return ask


async def own(stack: AsyncExitStack, url: str, connections: int) -> Ask:
    """ChatModel over lve.models.http.connections.pool (the default)."""
    return await _model(stack, url, connections, "own", False)


async def own_stream(stack: AsyncExitStack, url: str, connections: int) -> Ask:
    """The same, streamed."""
    return await _model(stack, url, connections, "own", True)


async def openai_option(stack: AsyncExitStack, url: str, connections: int) -> Ask:
    """ChatModel over the openai package, raw responses (`client: openai`)."""
    return await _model(stack, url, connections, "openai", False)


async def openai_plain(stack: AsyncExitStack, url: str, connections: int) -> Ask:
    """AsyncOpenAI as its README has it."""
    import openai

    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    stack.push_async_callback(client.close)
    return _openai_ask(client)


async def openai_aiohttp(stack: AsyncExitStack, url: str, connections: int) -> Ask:
    """AsyncOpenAI over its aiohttp transport."""
    import openai

    http_client = openai.DefaultAioHttpClient()
    client = openai.AsyncOpenAI(
        base_url=url, api_key="none", max_retries=0, http_client=http_client
    )
    stack.push_async_callback(client.close)
    return _openai_ask(client)


def _openai_ask(client: Any) -> Ask:
    async def ask(prompt: str) -> str:
        completion = await client.chat.completions.create(**_body(prompt))
        return str(completion.choices[0].message.content)

    return ask


async def aiohttp(stack: AsyncExitStack, url: str, connections: int) -> Ask:
    """A bare aiohttp session."""
    import aiohttp

    connector = aiohttp.TCPConnector(limit=connections)
    session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))
    headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}

    async def ask(prompt: str) -> str:
        data = json.dumps(_body(prompt)).encode()
        async with session.post(f"{url}/chat/completions", data=data, headers=headers) as answer:
            return _text(await answer.read())

    return ask


async def pyreqwest(stack: AsyncExitStack, url: str, connections: int) -> Ask:
    """A bare pyreqwest client (Rust)."""
    from pyreqwest.client import ClientBuilder

    headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
    client = await stack.enter_async_context(ClientBuilder().default_headers(headers).build())

    async def ask(prompt: str) -> str:
        data = json.dumps(_body(prompt)).encode()
        request = client.post(f"{url}/chat/completions").body_bytes(data).build()
        return _text(bytes(await (await request.send()).bytes()))

    return ask


CANDIDATES = {
    "own": own,
    "own_stream": own_stream,
    "aiohttp": aiohttp,
    "pyreqwest": pyreqwest,
    "openai_option": openai_option,
    "openai_aiohttp": openai_aiohttp,
    "openai_plain": openai_plain,
}


async def _drive(candidate: str, url: str, connections: int, n: int) -> Cost:
    async with AsyncExitStack() as stack:
        ask = await CANDIDATES[candidate](stack, url, connections)
        assert await ask("Compute 1 + 1") == "2"
        numbers = iter(range(n))

        async def worker() -> None:
            for number in numbers:
                text = await ask(f"Compute {number} + 1")
                if text != str(number + 1):
                    sys.exit(f"wrong answer: {text!r}")

        started, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(worker() for _ in range(min(connections, n))))
        wall_s, cpu_s = time.perf_counter() - started, time.process_time() - cpu
        rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return Cost(wall_s, cpu_s, rss_mb)


def _measure(candidate: str, url: str, connections: int, n: int, *, uvloop: bool) -> Cost | None:
    command = [sys.executable, __file__, "--child", candidate, url, str(connections), str(n)]
    done = subprocess.run(
        [*command, "uvloop" if uvloop else "asyncio"], capture_output=True, text=True, check=False
    )
    if "ImportError" in done.stderr or "ModuleNotFoundError" in done.stderr:
        return None
    if not done.stdout:
        sys.exit(f"{candidate}: {done.stderr}")
    return Cost(**json.loads(done.stdout), crashed=done.returncode != 0)


def _child(candidate: str, url: str, connections: str, n: str, loop: str) -> None:
    if loop == "uvloop":
        from uvloop import run
    else:
        from asyncio import run
    cost = run(_drive(candidate, url, int(connections), int(n)))
    print(
        json.dumps({"wall_s": cost.wall_s, "cpu_s": cost.cpu_s, "rss_mb": cost.rss_mb}), flush=True
    )


def _round(text: str, names: list[str], repeats: int, *, uvloop: bool) -> None:
    latency_ms, connections, n = (int(part) for part in text.split(":"))
    limit_s = n * latency_ms / 1000 / connections
    print(f"\n{latency_ms} ms latency, {connections} connections, N={n}, limit {limit_s:.2f} s")
    print("| candidate | wall s | wall / limit | CPU ms/request | requests/s | peak RSS MB |")
    print("|---|---|---|---|---|---|")
    with running_server(latency_s=latency_ms / 1000) as server:
        for name in names:
            costs = [
                _measure(name, server.url, connections, n, uvloop=uvloop) for _ in range(repeats)
            ]
            kept = [cost for cost in costs if cost is not None]
            if not kept:
                print(f"| {name} | not installed | | | | |")
                continue
            wall = statistics.median(cost.wall_s for cost in kept)
            cpu = statistics.median(cost.cpu_s for cost in kept) / n * 1000
            ratio = f"{wall / limit_s:.2f}" if limit_s else ""
            rss = max(cost.rss_mb for cost in kept)
            name += " (crashed at exit)" if any(cost.crashed for cost in kept) else ""
            print(f"| {name} | {wall:.2f} | {ratio} | {cpu:.3f} | {n / wall:.0f} | {rss:.0f} |")


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(CANDIDATES))
    parser.add_argument("--rounds", default=",".join(ROUNDS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--uvloop", action="store_true")
    parser.add_argument("--child", nargs=5)
    arguments = parser.parse_args()
    if arguments.child:
        _child(*arguments.child)
        return
    for text in arguments.rounds.split(","):
        _round(text, arguments.only.split(","), arguments.repeats, uvloop=arguments.uvloop)


if __name__ == "__main__":
    main()
