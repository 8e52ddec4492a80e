"""Runs the vectors of LVE prompts against the real implementation."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lve.errors import PromptError, SpecError
from lve.execution.conversations.conversation import hold_conversation
from lve.messages import Completion, Message, Transcript
from lve.models.chat_model import ChatRequest
from lve.prompts.conversation import Conversation
from lve.prompts.messages.plan import MessagePlan
from lve.prompts.messages.prepared import PreparedPrompt
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec
from lve.spec.spec import Instance

SURROUNDINGS = {
    "description": "d",
    "model": "dummy/dummy",
    "checker_args": {"checker_name": "LambdaChecker", "func": "lambda r, **kw: True"},
}


def actual(vector: Mapping[str, Any], workdir: Path) -> dict[str, Any]:
    """Load, fill and run a vector's test in the fresh folder `workdir`."""
    folder = write_test(vector["input"], workdir)
    try:
        plan = build_plan(load_spec(folder))
    except SpecError as error:
        return refusal("load", error)
    assert isinstance(plan, MessagePlan)
    params = vector["input"].get("params", {})
    instance = Instance(params, params, {}, "vector", 1)
    try:
        conversations = plan.preview(instance)
    except PromptError as error:
        return refusal("fill", error)
    return {"ok": True, "runs": asyncio.run(hold(plan, conversations))}


def write_test(given: Mapping[str, Any], folder: Path) -> Path:
    for name, text in given.get("files", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8"))
    document = {**SURROUNDINGS, **given["test"]}
    (folder / "test.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def refusal(stage: str, error: Exception) -> dict[str, Any]:
    return {"ok": False, "stage": stage, "message": str(error)}


async def hold(plan: MessagePlan, conversations: tuple[Conversation, ...]) -> list[dict[str, Any]]:
    prompts = [prompt for prompt in plan.prompts for _ in range(prompt.repetitions)]
    runs = []
    for prompt, conversation in zip(prompts, conversations, strict=True):
        model = CountingModel()
        transcript = await hold_conversation(conversation, model.complete, args={})
        run = described(prompt, conversation, transcript, model.calls)
        runs.append({**run, "name": prompt.name} if plan.spec.is_multi_run else run)
    return runs


class CountingModel:
    """Answers its k-th call with `R<k>` and notes how many messages each call had."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    async def complete(self, request: ChatRequest) -> Completion:
        self.calls.append(len(request.messages))
        return Completion(f"R{len(self.calls)}")


def described(
    prompt: PreparedPrompt, conversation: Conversation, transcript: Transcript, calls: list[int]
) -> dict[str, Any]:
    return {
        "parsed": as_json(prompt.written),
        "filled": as_json(conversation.messages[: len(prompt.written)]),
        "calls": calls,
        "transcript": as_json(transcript.messages),
        "variables": transcript.variables,
    }


def as_json(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    return [message.to_json() for message in messages]
