"""The content of files in requests, and how much of it is in flight."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import threading
from collections.abc import Callable, Coroutine, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from prompts.files_to_send import PDF, TEXT, png, write_files

from lve.errors import PermanentModelError, PromptError
from lve.execution.attachments import SMALL_BYTES, Attachments
from lve.extensions.anthropic.request_parts import messages_body as anthropic
from lve.extensions.bedrock.request import messages_body as bedrock
from lve.extensions.gemini.request_parts import contents_body as gemini
from lve.extensions.responses.items import input_items as responses
from lve.messages import Completion, Message
from lve.models.chat_model import ChatRequest
from lve.prompts.attachments import with_files
from lve.prompts.conversation import Conversation


def image(name: str = "red.png", **more: Any) -> Message:
    described = {"bytes": len(png()), "sha256": sha256(png()).hexdigest(), **more}
    return Message(({"type": "image", "image": name, **described},))


class Server:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.waiting: list[asyncio.Future[Completion]] = []
        self.seen: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> Completion:
        self.seen.append(request)
        self.waiting.append(asyncio.get_running_loop().create_future())
        return await self.waiting[-1]


def within_seconds(work: Coroutine[Any, Any, object]) -> None:
    """Run something that would wait for ever if it were wrong."""
    asyncio.run(asyncio.wait_for(work, 20))


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_only_so_much_is_in_flight_and_the_others_wait_in_order(tmp_path: Path) -> None:
    write_files(tmp_path)

    async def scenario() -> None:
        server, size = Server(), len(png())
        send = Attachments(2 * size).sending(server.complete, tmp_path)
        requests = [ChatRequest((image(),), {"n": number}) for number in range(5)]
        tasks = [asyncio.ensure_future(send(request)) for request in requests]
        await turns()
        assert [request.args["n"] for request in server.seen] == [0, 1]
        tasks[2].cancel()  # its turn goes to the next one
        server.waiting[0].set_exception(PermanentModelError("no", kind="x"))
        await turns()
        assert [request.args["n"] for request in server.seen] == [0, 1, 3]
        server.waiting[1].set_result(Completion("a"))
        server.waiting[2].set_result(Completion("b"))
        await turns()
        server.waiting[3].set_result(Completion("c"))
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert [getattr(one, "text", type(one).__name__) for one in done] == [
            "PermanentModelError", "a", "CancelledError", "b", "c"
        ]  # fmt: skip

    within_seconds(scenario())


def test_a_turn_that_was_given_to_a_cancelled_request_is_given_back(tmp_path: Path) -> None:
    write_files(tmp_path)

    async def scenario() -> None:
        server = Server()
        send = Attachments(len(png())).sending(server.complete, tmp_path)
        tasks = [asyncio.ensure_future(send(ChatRequest((image(),)))) for _ in range(3)]
        await turns()
        server.waiting[0].set_result(Completion("a"))
        await asyncio.sleep(0)  # the first one ends, the second one gets its turn ...
        tasks[1].cancel()  # ... and is cancelled before it takes it
        await turns()
        server.waiting[-1].set_result(Completion("b"))
        assert (await tasks[2]).text == "b"

    within_seconds(scenario())


def test_what_is_larger_than_all_that_may_be_in_flight_goes_alone(tmp_path: Path) -> None:
    write_files(tmp_path)

    async def scenario() -> None:
        server = Server()
        send = Attachments(1).sending(server.complete, tmp_path)
        tasks = [asyncio.ensure_future(send(ChatRequest((image(),)))) for _ in range(2)]
        for number in range(2):
            await turns()
            assert len(server.waiting) == number + 1
            server.waiting[number].set_result(Completion("a"))
        await asyncio.gather(*tasks)

    within_seconds(scenario())


def test_a_file_that_changes_meanwhile_is_not_sent(tmp_path: Path) -> None:
    write_files(tmp_path)
    server = Server()
    send = Attachments().sending(server.complete, tmp_path)
    (tmp_path / "red.png").write_bytes(png(red=3))
    with pytest.raises(PromptError, match=r"red\.png` has changed while it was used"):
        within_seconds(send(ChatRequest((image(),))))
    assert not server.seen


def test_the_loop_reads_no_large_file_itself(tmp_path: Path) -> None:
    (tmp_path / "large.png").write_bytes(png() + bytes(SMALL_BYTES))
    parts = ({"type": "image", "image": "large.png"},)
    readers = list[str]()

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if reading and event == "open" and str(arguments[0]).endswith("large.png"):
            readers.append(threading.current_thread().name)

    async def complete(request: ChatRequest) -> Completion:
        return Completion("a")

    async def scenario() -> None:
        attachments = Attachments()
        planned = [Conversation((Message(parts),))]
        [conversation] = await attachments.described(planned, tmp_path / "test.json")
        send = attachments.sending(complete, tmp_path)
        assert (await send(ChatRequest(conversation.messages))).text == "a"

    sys.addaudithook(note)
    reading = True
    within_seconds(scenario())
    reading = False
    assert readers == ["lve-files_0"] * 2


@pytest.mark.parametrize("write", [anthropic, gemini, responses, bedrock])
def test_every_way_to_a_model_writes_the_files(
    tmp_path: Path, write: Callable[[Sequence[Message]], Any]
) -> None:
    write_files(tmp_path)
    parts = [{"type": "image", "image": "red.png"}]
    parts += [{"type": "file", "file": "a.pdf"}, {"type": "file", "file": "a.txt"}]
    [conversation] = with_files([Conversation((Message(parts),))], tmp_path / "test.json")
    asked: list[ChatRequest] = []

    async def complete(request: ChatRequest) -> Completion:
        asked.append(request)
        return Completion("a")

    send = Attachments().sending(complete, tmp_path)
    within_seconds(send(ChatRequest(conversation.messages)))
    written = json.dumps(write(asked[0].messages), ensure_ascii=False)
    for content in (png(), PDF):
        assert base64.b64encode(content).decode() in written
    assert json.dumps(TEXT, ensure_ascii=False) in written
    assert "red.png" not in written
