"""Workspaces whose settings define an application, and requests to it, for tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lve
from lve.messages import Completion, Message, Role
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.registry import create_model
from lve.pipeline.result import RunResult
from lve.spec.settings_file import load_workspace

TARGET = "app/target"


def workspace(root: Path, provider: str, options: Mapping[str, Any], **fields: Any) -> Path:
    """Write settings with one target, and return their folder."""
    settings = {"models": {TARGET: {"provider": provider, "options": options, **fields}}}
    (root / "lve.yaml").write_text(json.dumps(settings), encoding="utf-8")
    return root


def target(
    root: Path, provider: str, options: Mapping[str, Any], *, trusted: bool = True, **fields: Any
) -> ChatModel:
    """Return the target of a workspace."""
    workspace(root, provider, options, **fields)
    settings = load_workspace(root).settings
    return create_model(TARGET, settings, trusted=trusted)


def asked(model: ChatModel, *texts: str | ChatRequest) -> list[Completion]:
    """Return a target's answers to prompts, asked at once; close it."""

    async def ask() -> list[Completion]:
        try:
            requests = [
                text if isinstance(text, ChatRequest) else ChatRequest((Message(text),))
                for text in texts
            ]
            return await asyncio.gather(*map(model.complete, requests))
        finally:
            await model.aclose()

    return asyncio.run(ask())


def conversation(
    model: ChatModel, turns: Sequence[str], system: str | None = None, *, stays_open: bool = False
) -> list[str]:
    """Return a target's answers in a conversation, and close it unless it stays open."""

    async def hold() -> list[str]:
        messages = [] if system is None else [Message(system, Role.system)]
        answers = []
        for turn in turns:
            messages.append(Message(turn))
            completion = await model.complete(ChatRequest(tuple(messages)))
            answers.append(completion.text)
            state = completion.provider_state
            messages.append(Message(completion.text, Role.assistant, provider_state=state))
        return answers

    async def whole() -> list[str]:
        try:
            return await hold()
        finally:
            if not stays_open:
                await model.aclose()

    return asyncio.run(whole())


def write_test(root: Path, rows: Sequence[Mapping[str, Any]], **document: Any) -> Path:
    """Write a test with the parameter names of its rows below a workspace; return its folder."""
    folder = root / "tests" / "case"
    (folder / "instances").mkdir(parents=True, exist_ok=True)
    names = sorted({name for row in rows for name in row})
    fields = {"model": TARGET, "description": "a test", "prompt_parameters": names, **document}
    (folder / "test.json").write_text(json.dumps(fields), encoding="utf-8")
    lines = "".join(json.dumps({"args": row}) + "\n" for row in rows)
    (folder / "instances" / "rows.jsonl").write_text(lines, encoding="utf-8")
    return folder


def run(folder: Path, **options: Any) -> RunResult:
    """Run a test without a cache."""
    return lve.run(folder, **{"use_cache": False, **options})
