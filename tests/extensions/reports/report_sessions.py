"""Sessions to report on: folders as runs write them, with results that look like real ones."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from support.recorded import session_folder

from lve.checkers.questions import Answer
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest
from lve.spec.spec import Expectation

TESTS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "cases/report_page/tests.json").read_text(encoding="utf-8")
)
MODELS = (
    "openai/gpt-6-luna",
    "anthropic/claude-opus-5",
    "local/mistral-small",
    "openai/gpt-6-mini",
    "gemini/gemini-4-flash",
    "bedrock/nova-3",
)
STARTED = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
SECONDS = 74
SUM = "3f1a0c5e" * 8


def make_session(
    state: Path,
    *,
    tests: int = len(TESTS),
    models: int = 3,
    repeats: int = 3,
    seed: int = 1,
    shift: float = 0.0,
) -> SessionFolder:
    """Make the folder of a session that ran, and return it.

    Args:
        state: gets it.
        tests: how many; from the ninth on they are variants.
        models: how many, up to six.
        repeats: of each instance.
        seed: of what comes out.
        shift: is added to every model's chance to pass.
    """
    chosen = [_variant(number) for number in range(tests)]
    names = list(MODELS[:models])
    began = STARTED + timedelta(minutes=seed)
    return session_folder(
        state,
        results(chosen, names, repeats, random.Random(seed), shift),
        [_described(test, model) for test in chosen for model in names],
        began=began,
        ended=began + timedelta(seconds=SECONDS),
        options={"models": names, "repeats": repeats, "max_cost": 5.0},
        paths=["repository"],
        models=names,
        roles={"judge": "anthropic/claude-opus-5"},
        versions={"lve": "0.9.0", "python": "3.12.4", "platform": "Linux 6.8.0 x86_64"},
        git={"commit": "9f2c1e7ab04d5c36d1a2f3e4b5c6d7e8f9a0b1c2"},
        tests={test["test"]: {"document": SUM, "data": SUM[::-1]} for test in chosen},
    )


def results(
    tests: Sequence[dict[str, Any]],
    models: Sequence[str],
    repeats: int,
    chance: random.Random,
    shift: float,
) -> Iterator[InstanceResult]:
    """Yield what comes out of tests."""
    for test in tests:
        [(name, values)] = test["parameters"].items()
        for number, model in enumerate(models):
            rate = test["rates"][number % 3] + (0.1 if number > 2 else 0) + shift
            for line, value in enumerate(values, 1):
                hard = chance.random() * 0.3 - 0.1
                for repeat in range(repeats):
                    passed = chance.random() < rate + hard
                    args = {name: value, "temperature": 0.7}
                    yield _result(test, model, line, repeat, args, passed, chance)


def _variant(number: int) -> dict[str, Any]:
    test = TESTS[number % len(TESTS)]
    again = number // len(TESTS)
    return {**test, "test": f"{test['test']}_{again + 1}"} if again else test


def _described(test: dict[str, Any], model: str) -> SessionTest:
    is_rate = "reliability" in test["test"]
    return SessionTest(
        test=test["test"],
        model=model,
        document=f"{test['test']}/test.yaml",
        description=test["description"],
        category="/".join(test["test"].split("/")[1:-1]),
        tags=tuple(map(tuple, test["tags"])),
        parameters=tuple(test["parameters"]),
        expect=Expectation("rate", threshold=0.9) if is_rate else Expectation(),
    )


def _result(
    test: dict[str, Any],
    model: str,
    line: int,
    repeat: int,
    args: dict[str, Any],
    passed: bool,
    chance: random.Random,
) -> InstanceResult:
    prompt = test["prompt"].format_map(args)
    asked = [Message(test["system"], Role.system)] if "system" in test else []
    latency = chance.lognormvariate(0.2 if "local" in model else -0.3, 0.5)
    fields: dict[str, Any] = {
        "test": test["test"],
        "model": model,
        "source": "instances/openai--gpt-6-luna.jsonl",
        "line": line,
        "repeat": repeat,
        "args": args,
    }
    if "local" in model and chance.random() < 0.03:
        return InstanceResult(
            **fields,
            verdict="error",
            reason="no answer within 60 seconds, tried 3 times: is the server overloaded?",
            error_kind="timeout",
            latency_s=60.0,
        )
    text = test["good" if passed else "bad"]
    usage = Usage(len(prompt) // 4 + 12, len(text) // 4 + 1)
    said = Completion(text, "stop", usage, latency, latency / 3, model=model.split("/")[1])
    messages = (*asked, Message(prompt), Message(text, Role.assistant, variable="response"))
    judged = ()
    if "asked" in test and not passed:
        verdict = Completion(test["asked"], "stop", Usage(220, 40), 0.9, model="claude-opus-5")
        judged = (Answer("k", "judge", "anthropic/claude-opus-5", verdict, 0.0021),)
    return InstanceResult(
        **fields,
        verdict="passed" if passed else "failed",
        reason="" if passed else test["reason"],
        recorded="passed" if repeat == 0 and line == 1 else None,
        responses=(text,),
        transcripts=(Transcript(messages, (said,), filled=(len(messages) - 1,)),),
        usage=usage,
        cost=None
        if "local" in model
        else (usage.prompt_tokens * 2 + usage.completion_tokens * 8) / 1e6,
        latency_s=latency,
        asked=judged,
    )
