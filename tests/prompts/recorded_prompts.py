"""Tests with one recorded answer, and what they send."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.folders import write_test

from lve.data.instances import iter_instances
from lve.prompts.plan import build_plan
from lve.prompts.sent_prompts import SentPrompts
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec

BASE: Mapping[str, Any] = {
    "prompt": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Say hello to {name}."},
    ],
    "prompt_parameters": ["name"],
}


def loaded(folder: Path, recorded: Mapping[str, Any], **document: Any) -> tuple[Spec, Instance]:
    line = {"args": {"name": "Ann"}, "response": "Hello", **recorded}
    spec = load_spec(write_test(folder, instances=[line], **{**BASE, **document}), folder)
    instance = next(iter_instances(spec))
    assert isinstance(instance, Instance)
    return spec, instance


def hashes(folder: Path, **document: Any) -> tuple[str, ...]:
    spec, instance = loaded(folder, {}, **document)
    return SentPrompts(build_plan(spec)).hashes(instance)


def change(folder: Path, recorded: Mapping[str, Any], **document: Any) -> str | None:
    spec, instance = loaded(folder, recorded, **document)
    return SentPrompts(build_plan(spec)).change(instance)


SYSTEM, USER = BASE["prompt"]


def said(content: str, role: str = "user", **more: Any) -> dict[str, Any]:
    return {"content": content, "role": role, **more}


BEFORE = [said("Be brief.", "system"), said("Say hello to Ann.")]
ANSWER = said("Hello", "assistant", variable="response")
