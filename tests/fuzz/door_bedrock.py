"""What Amazon Bedrock sends: AWS's binary event streams and bodies, through boto3."""

from __future__ import annotations

import asyncio
import io
import random
import struct
from binascii import crc32
from functools import cache
from typing import Any

from support.event_stream import event_stream
from support.wire_cases import CASES, read_case

from lve.extensions.bedrock.endpoint import Access
from lve.extensions.bedrock.plugin import BedrockWire
from lve.extensions.bedrock.transport import BedrockTransport
from lve.messages import Completion
from lve.models.http.chat import HttpChatModel
from lve.models.http.endpoint import Endpoint
from lve.models.http.keys import NO_KEY, Secret

from .attempts import Door, Parts
from .door_streams import WAYS, keeps
from .hostile_inputs import MUTATIONS
from .json_mutations import mutated_json, written

STATUSES = (200, 200, 200, 200, 200, 400, 403, 404, 424, 429, 500, 503)
ERRORS = (
    "ThrottlingException",
    "ValidationException",
    "ModelStreamErrorException",
    "AccessDeniedException",
    "modelTimeoutException",
    "\u0130",
    "",
    "x" * 5000,
)


def bedrock() -> Door:
    """Return the door of Bedrock's answers."""
    return Door(_draw, _eat, cost=6.0)


@cache
def _originals() -> tuple[tuple[str, Any], ...]:
    originals: list[tuple[str, Any]] = []
    for path in sorted((CASES / "bedrock").glob("*.json")):
        for answer in read_case(path).get("answers", ()):
            originals.append(
                ("stream", answer["events"]) if "events" in answer else ("chat", answer["body"])
            )
    return tuple(originals)


def _draw(draw: random.Random) -> Parts:
    how, answer = draw.choice(_originals())
    if draw.random() < 0.8:
        answer = mutated_json(
            draw, answer, tuple(one for _, one in draw.choices(_originals(), k=3))
        )
    is_events = (
        how == "stream"
        and isinstance(answer, list)
        and all(isinstance(one, dict) for one in answer)
    )
    body = _stream(answer) if is_events else written(answer, draw)
    if draw.random() < 0.3:
        body = _framed_again(draw, body) if is_events else draw.choice(MUTATIONS)(draw, body)
    parts = {"how": how.encode(), "status": b"%d" % draw.choice(STATUSES), "body": body}
    if draw.random() < 0.2:
        parts["error"] = draw.choice(ERRORS).encode()
    return parts


def _stream(events: list[dict[str, Any]]) -> bytes:
    """Return events as bytes, but for names that no header can have."""
    short = [{name: inner for name, inner in one.items() if len(name) < 200} for one in events]
    try:
        return event_stream(short)
    except UnicodeEncodeError:
        return b""


def _framed_again(draw: random.Random, body: bytes) -> bytes:
    """Damage a stream, often so that the sums of its first message are still right."""
    damaged = draw.choice(MUTATIONS)(draw, body)
    if draw.random() < 0.3 or len(damaged) < 16:
        return damaged
    length = draw.choice((len(damaged), 16, 2**32 - 1, 0, 17 * 1024 * 1024))
    prelude = struct.pack(">I", length) + damaged[4:8]
    head = prelude + struct.pack(">I", crc32(prelude))
    whole = head + damaged[12:-4]
    return whole + struct.pack(">I", crc32(whole))


class _Raw(io.BytesIO):
    """What urllib3 gives to boto3."""

    def stream(self, amount: int = 1024, decode_content: bool | None = None) -> Any:
        """Yield the body in pieces."""
        while piece := self.read(amount):
            yield piece


@cache
def _model() -> tuple[HttpChatModel, dict[str, Any]]:
    """Return a model, and what the next request gets: boto3's client takes long to make."""
    from botocore.awsrequest import AWSResponse

    answer: dict[str, Any] = {}

    def respond(**_: Any) -> Any:
        raw = _Raw(answer["body"])
        return AWSResponse("https://bedrock", answer["status"], answer["headers"], raw)

    transport = BedrockTransport(Access("eu-central-1", None), timeout_s=30, max_connections=4)
    transport._client = transport._session().client(
        "bedrock-runtime",
        config=transport._config(),
        aws_access_key_id="AKIA",
        aws_secret_access_key="s",
    )
    transport._client.meta.events.register("before-send.bedrock-runtime", respond)
    endpoint = Endpoint("bedrock", "https://bedrock", "m", Secret(NO_KEY), 30.0)
    return HttpChatModel("bedrock/m", endpoint, BedrockWire("m"), transport), answer


def _eat(parts: Parts) -> None:
    model, answer = _model()
    how = parts.get("how", b"").decode()
    kind = "application/vnd.amazon.eventstream" if how == "stream" else "application/json"
    headers = {"content-type": kind}
    if "error" in parts:
        headers["x-amzn-errortype"] = parts["error"].decode("utf-8", "replace")
    answer.update(
        body=parts.get("body", b""), status=int(parts.get("status") or 200), headers=headers
    )
    completion = asyncio.run(WAYS.get(how, WAYS["chat"])(model, b""))
    if isinstance(completion, Completion):
        keeps(completion)
