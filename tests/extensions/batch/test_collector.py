"""Requests become batches: how many, which, and what a session's record of them may hold."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from extensions.batch.openai_batches import batch_server, says
from support.server import ModelServer, Raw, Received, http

from lve.documents.validation.schema import complaints_about
from lve.errors import ModelError
from lve.execution.cache.key import key_maker
from lve.execution.stop import Stopped, StopSignal
from lve.extensions.batch import collector as collector_module
from lve.extensions.batch.collector import BatchCollector
from lve.extensions.batch.log import FILE, BatchLog
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.models.openai.model import OpenAIModel
from lve.models.registry import create_model
from lve.settings.settings import Settings

Work = Callable[[BatchCollector], Awaitable[Any]]


def collected(
    server: ModelServer,
    work: Work,
    folder: Path | None = None,
    *,
    stop: StopSignal | None = None,
    say: Callable[[str], None] = str,
    **limits: int,
) -> Any:
    """Do something with a collector, and return what comes out."""

    async def run() -> Any:
        model = create_model("openai/m", Settings(), base_url=server.url)
        assert isinstance(model, OpenAIModel)
        api = model.batch_api()
        for name, value in limits.items():
            setattr(api, name, value)
        collector = BatchCollector(
            "openai/m",
            api,
            key_maker(model.identity),
            stop_signal=stop or StopSignal(),
            say=say,
            log=lambda: BatchLog(folder),
        )
        try:
            return await work(collector)
        finally:
            await collector.aclose()
            await model.aclose()

    return asyncio.run(run())


def asking(*prompts: str) -> Work:
    async def work(collector: BatchCollector) -> list[Completion | BaseException]:
        asked = [collector.complete(ChatRequest((Message(prompt),))) for prompt in prompts]
        return await asyncio.gather(*asked, return_exceptions=True)

    return work


def echo() -> Any:
    return says(lambda prompt: f"{prompt}!")


@pytest.mark.parametrize("limits", [{"max_requests": 2}, {"max_bytes": 400}])
def test_what_is_too_much_for_one_batch_makes_several(limits: dict[str, int]) -> None:
    with batch_server(echo()) as (server, batches):
        found = collected(server, asking(*"abcde"), **limits)
    assert [one.text for one in found] == ["a!", "b!", "c!", "d!", "e!"]
    assert sorted(len(batches.requests(n)) for n in range(len(batches.batches))) == [1, 2, 2]


def test_equal_requests_have_an_answer_each() -> None:
    with batch_server(echo()) as (server, batches):
        found = collected(server, asking("a", "a"))
    assert [one.text for one in found] == ["a!", "a!"]
    assert len(batches.requests()) == 2


def test_a_text_to_continue_is_no_part_of_a_batch() -> None:
    async def work(collector: BatchCollector) -> None:
        with pytest.raises(ModelError, match="only chats"):
            await collector.complete(ChatRequest(prompt="Once"))

    with batch_server() as (server, _):
        collected(server, work)


@pytest.mark.parametrize("end", ["failed", "completed"])
def test_an_error_of_all_requests_stays_small(end: str) -> None:
    def hook(what: str, request: Received) -> Raw | None:
        return Raw(http(400, b"{}")) if what == "create" and end != "failed" else None

    with batch_server(echo(), end=end, hook=hook) as (server, _):
        found = collected(server, asking(*map(str, range(100))))
    assert all(isinstance(one, ModelError) for one in found)
    assert len(traceback.extract_tb(found[0].__traceback__)) < 20


@pytest.mark.parametrize("closes_at_once", [True, False])
def test_nothing_is_submitted_after_a_stop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, closes_at_once: bool
) -> None:
    """Also if the other requests take longer to end than a batch waits for more of them."""
    monkeypatch.setattr(collector_module, "QUIET_S", 0.05)
    stop = StopSignal()

    async def work(collector: BatchCollector) -> None:
        asked = asyncio.create_task(collector.complete(ChatRequest((Message("a"),))))
        await asyncio.sleep(0)
        stop.set("interrupted")
        with pytest.raises(Stopped):
            await asked
        if not closes_at_once:
            await asyncio.sleep(0.3)

    with batch_server() as (server, batches):
        collected(server, work, tmp_path, stop=stop)
    assert batches.seen == []
    log = BatchLog(tmp_path)
    assert not [*log.earlier_of("openai/m")], "a later run would look for it at the provider"


def test_a_server_that_is_down_for_a_moment_is_asked_again() -> None:
    down = ["poll", "download", "download"]

    def hook(what: str, request: Received) -> Raw | None:
        if what in down:
            down.remove(what)
            return Raw(http(503, b"later"))
        return None

    with batch_server(echo(), hook=hook) as (server, batches):
        (found,) = collected(server, asking("a"))
    assert found.text == "a!"
    assert len(batches.batches) == 1


def submitted(server: ModelServer, folder: Path, *prompts: str) -> None:
    """Submit a batch and end without its answers."""
    stop = StopSignal()

    async def work(collector: BatchCollector) -> None:
        await asking(*prompts)(collector)

    def until_submitted(text: str) -> None:
        assert "is submitted" in text
        stop.set("interrupted")

    collected(server, work, folder, stop=stop, say=until_submitted)


def test_the_next_run_takes_the_answers_and_asks_only_for_what_is_new(tmp_path: Path) -> None:
    with batch_server(echo(), polls=10**6) as (server, batches):
        submitted(server, tmp_path, "a", "b")
        batches.polls = 0
        found = collected(server, asking("a", "b", "c"), tmp_path)
    assert [one.text for one in found] == ["a!", "b!", "c!"]
    assert [len(batches.requests(n)) for n in (0, 1)] == [2, 1]


def test_nobody_knows_an_answer_while_the_server_is_down(tmp_path: Path) -> None:
    with batch_server(echo(), polls=10**6) as (server, batches):
        submitted(server, tmp_path, "a")
        batches.hook = lambda what, request: Raw(http(401, b"{}"))
        (found,) = collected(server, asking("a"), tmp_path)
    assert isinstance(found, ModelError)
    assert found.kind == "authentication"
    assert len(batches.batches) == 1


def without_id(folder: Path) -> None:
    """Have the record say only that a batch was about to be submitted."""
    first, *_ = (folder / FILE).read_text().splitlines()
    (folder / FILE).write_text(first + "\n")


def test_a_batch_without_id_is_found_among_many(tmp_path: Path) -> None:
    with batch_server(echo()) as (server, batches):
        submitted(server, tmp_path, "a")
        for _ in range(5):
            collected(server, asking("x"))
        without_id(tmp_path)
        (found,) = collected(server, asking("a"), tmp_path)
        assert found.text == "a!"
    assert len(batches.batches) == 6
    assert batches.seen.count("list") == 3, "two on a page"


def test_what_is_written_is_as_the_schema_says(tmp_path: Path) -> None:
    with batch_server(echo(), polls=10**6) as (server, _):
        submitted(server, tmp_path, "a", "a")
    lines = [*map(json.loads, (tmp_path / FILE).read_text().splitlines())]
    assert [set(line) for line in lines] == [{"token", "model", "requests"}, {"token", "batch"}]
    assert [complaints_about(line, "batches").complaints for line in lines] == [[], []]


FORGED: list[bytes] = [
    b"\xff\xfe",
    b"[" * 100_000,
    b"7\n[]\n{}\nnull",
    b'{"token": "x", "model": "openai/m", "requests": ["y"]}',
    b'{"token": "%b", "batch": "../files"}' % (b"0" * 32),
    b'{"token": "%b", "model": "openai/m", "requests": "abc"}' % (b"0" * 32),
    b'{"token": "%b", "model": 7, "requests": [7]}' % (b"0" * 32),
]


@pytest.mark.parametrize("content", FORGED)
def test_a_record_that_lve_didnt_write_is_ignored(content: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(content)
    with batch_server(echo()) as (server, batches):
        (found,) = collected(server, asking("a"), tmp_path)
    assert found.text == "a!"
    assert batches.seen[:2] == ["upload", "create"]


def test_a_path_in_place_of_an_id_is_never_asked_for(tmp_path: Path) -> None:
    with batch_server(echo(), polls=10**6) as (server, batches):
        submitted(server, tmp_path, "a")
        first, second = map(json.loads, (tmp_path / FILE).read_text().splitlines())
        second["batch"] = "../../admin"
        lines = f"{json.dumps(first)}\n{json.dumps(second)}\n"
        (tmp_path / FILE).write_text(lines)
        batches.polls = 0
        (found,) = collected(server, asking("a"), tmp_path)
    assert found.text == "a!", "it is found by its token"
    assert len(batches.batches) == 1
