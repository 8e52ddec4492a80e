"""The checks that `lve init` writes for CI need no key: green for every pattern after `lve record`,
red once the prompt, a check or a recording is changed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import call, lve
from support.judges import yes
from support.openai_answers import Answer, Received, Reply, text_of
from support.server import model_server

from lve.extensions.authoring.patterns import GALLERY, pattern_names

EXTRAS = {"sql_query": "sqlglot", "translation": "sacrebleu"}
CALL = {
    "id": "1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
CLAIMS = json.dumps({"claims": [{"text": "It is so.", "reasoning": "r", "supported": "yes"}]})
SAYS = {
    "polite_reply": "I am sorry about the lamp. Ida will write to you.",
    "rag_answer": "It is so.",
    "tool_call": "It is sunny, 21 degrees.",
}
"""What the model says to patterns without recorded answers."""
Key = tuple[tuple[str, str], ...]


def known_answers(pattern: str) -> dict[Key, str]:
    """Return what was said before -> the answer, of the recorded answers of a pattern."""
    answers: dict[Key, str] = {}
    for file in GALLERY.glob(f"{pattern}/instances/*.jsonl"):
        for row in map(json.loads, file.read_text("utf-8").splitlines()):
            runs = row["prompt_out"]
            for run in runs if isinstance(runs[0], list) else [runs]:
                said = [(message["role"], message["content"]) for message in run]
                for index, (role, text) in enumerate(said):
                    if role == "assistant":
                        answers[tuple(said[:index])] = text
    return answers


def answering(pattern: str) -> Any:
    """Return the function of a server that plays the model and the judge of a pattern."""
    known = known_answers(pattern)

    def answer(request: Received) -> Answer:
        if request.json["model"] == "judge":
            return CLAIMS if pattern == "rag_answer" else yes()
        messages = request.json["messages"]
        if request.json.get("tools") and messages[-1]["role"] == "user":
            return Reply(None, "tool_calls", {"tool_calls": [CALL]})
        key = tuple((one["role"], text_of(one.get("content"))) for one in messages)
        return known[key] if key in known else SAYS[pattern]

    return answer


@contextmanager
def recorded(pattern: str, root: Path) -> Iterator[Path]:
    """Make a test from a pattern, and record it with a server that is gone afterwards."""
    if pattern in EXTRAS:
        pytest.importorskip(EXTRAS[pattern])
    lve("new", "repository/mine/x", "--from", pattern)
    folder = root / "repository/mine/x"
    settings = root / "lve.yaml"
    before = settings.read_text() if settings.exists() else None
    with model_server(answering(pattern)) as server:
        models = {f"openai/{name}": {"base_url": server.url} for name in ("tested", "judge")}
        settings.write_text(yaml.safe_dump({"models": models}))
        ran = lve("record", "repository/mine/x", "--model", "openai/tested", "--to", "tested",
                  "--role", "judge=openai/judge", "-y")  # fmt: skip
        assert "not recorded" not in ran.output, ran.output
    settings.unlink() if before is None else settings.write_text(before)
    (folder / "instances" / "handwritten.jsonl").unlink(missing_ok=True)
    yield folder


def replay() -> tuple[int, Mapping[str, Any]]:
    ran = lve("run", "repository", "--model", "replay", "--json", code=None)
    return ran.exit_code, json.loads(ran.stdout)


def check() -> int:
    return call("check", "repository", "--recorded")[0]


@pytest.mark.parametrize("pattern", pattern_names())
def test_a_recorded_pattern_needs_no_key_and_goes_red(pattern: str, root: Path) -> None:
    with recorded(pattern, root) as folder:
        assert check() == 0
        assert call("check", "--replay", "repository")[0] == 0
        code, report = replay()
        assert code == 0, lve("run", "repository", "--model", "replay").output
        assert report["summary"]["not_recorded"] == report["summary"]["unbound"] == 0
        assert report["summary"]["tests"]["passed"] == 1
        document = (folder / "test.yaml").read_text("utf-8")
        _changed_prompt_is_red(folder, document)
        _other_check_is_red(folder, document)
        (folder / "test.yaml").write_text(document, "utf-8")
        assert (check(), replay()[0]) == (0, 0)
        shutil.rmtree(folder / "instances")
        assert check() == 2


def _changed_prompt_is_red(folder: Path, document: str) -> None:
    changed = yaml.safe_load(document)
    runs = changed.get("multi_run_prompt", changed)
    holder = runs[0] if isinstance(runs, list) else runs
    if isinstance(holder["prompt"], str):
        holder["prompt"] += " Please."
    else:
        message = holder["prompt"][0]
        role = next(name for name in ("user", "system", "content") if name in message)
        message[role] += " Please."
    (folder / "test.yaml").write_text(yaml.safe_dump(changed, allow_unicode=True), "utf-8")
    assert check() == 2
    code, report = replay()
    assert code == 3
    assert set(report["summary"]["error_kinds"]) == {"stale_recording"}


def _other_check_is_red(folder: Path, document: str) -> None:
    changed = yaml.safe_load(document)
    checks = changed.pop("checks", None) or [changed.pop("check")]
    changed["checks"] = [*checks, {"contains": "what nobody says"}]
    (folder / "test.yaml").write_text(yaml.safe_dump(changed, allow_unicode=True), "utf-8")
    assert replay()[0] == 1
    assert call("check", "--replay", "repository")[0] == 1


def test_a_check_that_judges_otherwise_goes_red_although_enough_rows_pass(root: Path) -> None:
    """What a threshold forgives is still another verdict than the recorded one."""
    with recorded("capitals", root) as folder:
        document = yaml.safe_load((folder / "test.yaml").read_text("utf-8"))
        changed = {**document, "expect": {"at_least": 0}, "check": {"contains": "nobody"}}
        (folder / "test.yaml").write_text(yaml.safe_dump(changed), "utf-8")
        assert replay()[0] == 0
        assert call("check", "--replay", "repository")[0] == 1
