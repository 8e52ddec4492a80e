"""Whole runs with models of Anthropic, Gemini and Bedrock that refuse args."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from models.native_providers import ADDRESSES, set_keys
from support import command_line
from support.folders import write_test
from support.strict_server import strict_server
from support.wire_cases import CASES, answered, read_case

TEMPERATURE = ("temperature_is_refused", '"temperature"', {"left_out": ["temperature"]})
SYSTEM = ("system_messages_are_refused", '"system', {"system_as": "user"})


@pytest.mark.parametrize(
    ("provider", "refusal"),
    [
        ("anthropic", TEMPERATURE),
        ("gemini", TEMPERATURE),
        ("gemini", SYSTEM),
        ("bedrock", TEMPERATURE),
        ("bedrock", SYSTEM),
    ],
)
def test_a_run_learns_once_what_a_model_refuses(
    provider: str, refusal: Any, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if provider == "bedrock":
        pytest.importorskip("boto3", reason="pip install boto3")
    set_keys(monkeypatch)
    name, word, recorded = refusal
    case = read_case(CASES / provider / f"{name}.json")
    refused, answer = answered(case)
    write_test(
        root / "t",
        prompt=[{"role": "system", "content": "Be brief."}, {"content": "Say Hi to {name}."}],
        prompt_parameters=["name"],
        instances=[{"args": {"name": name}} for name in ("Ana", "Bo", "Cy")],
        checker_args=None,
        check={"contains": "Hi"},
    )
    model = f"{provider}/{case['model']}"
    with strict_server(
        lambda _: None, lambda asked: refused if word in json.dumps(asked.body) else answer
    ) as server:
        monkeypatch.setenv(ADDRESSES[provider], server.url)
        code, _, said = command_line.call("run", "t", "--model", model, "-j", "1")
    assert code == 0
    assert len(server.requests) == 4, "one request is refused, then all are written differently"
    assert said.count(case["tells"][0]) == 1
    (session,) = root.glob(".lve/runs/*/session.json")
    (sent,) = json.loads(session.read_text(encoding="utf-8"))["sent"].values()
    assert {**sent, **recorded} == sent
