"""`.eval`: what Inspect reads of it. (inspect_ai itself reads it where it is installed.)"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from support.recorded import recorded
from support.results import make_result

from lve import __version__
from lve.extensions.reports.inspect_log import write_inspect_log
from lve.messages import Completion, Message, Role, ToolCall, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_tests import SessionTest

PICTURE = "https://example.org/a.png"


def conversation() -> Transcript:
    """Return a run with a picture, a call of a tool and an answer."""
    call = ToolCall("c1", "look", '{"at": "it"}')
    odd = ToolCall("c2", "look", "{")
    messages = (
        Message("Be brief.", Role.system),
        Message("What is it?", image_url=PICTURE),
        Message("", Role.assistant, tool_calls=(call, odd)),
        Message("a cat", Role.tool, tool_call_id="c1"),
        Message("A c\ud800at.", Role.assistant),
    )
    completion = Completion("A cat.", "length", Usage(7, 3), 0.5, model="m-2026")
    return Transcript(messages, (completion,), filled=(2, 4))


RESULTS = [
    make_result(
        test="a/b", model="m", line=1, repeat=1, args={"q": "it", "n": {"x": [1]}}, reason="right",
        score=0.75, transcripts=(conversation(),), usage=Usage(7, 3), latency_s=0.5,
    ),
    make_result(test="a/b", model="m", line=2, verdict="failed", reason="wrong"),
    make_result(test="z/../c", model="n", line=1, verdict="error", reason="it is asleep"),
]  # fmt: skip


def log_of(state: Path, results: list[InstanceResult]) -> Path:
    """Write the log of a session."""
    pairs = dict.fromkeys((result.test, result.model) for result in results)
    path = state / "2026-11-28T00-00-00_lve.eval"
    tests = [SessionTest(*pair) for pair in pairs]
    with recorded(state, results, tests) as session, path.open("wb") as file:
        write_inspect_log([session], file)
    return path


def test_each_result_is_a_sample(tmp_path: Path) -> None:
    with ZipFile(log_of(tmp_path, RESULTS)) as log:
        documents = {name: json.loads(log.read(name)) for name in log.namelist()}
    first = documents["samples/a/b/instances/x.jsonl:1 m_epoch_2.json"]
    assert [message["role"] for message in first["messages"]] == [
        "system", "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert first["input"] == first["messages"][:2]
    assert first["messages"][1]["content"][1] == {"type": "image", "image": PICTURE}
    calls = first["messages"][2]["tool_calls"]
    assert [call["arguments"] for call in calls] == [{"at": "it"}, {"arguments": "{"}]
    assert first["messages"][3]["tool_call_id"] == "c1"
    assert first["output"]["model"] == "m-2026"
    [choice] = first["output"]["choices"]
    assert choice == {"message": first["messages"][4], "stop_reason": "max_tokens"}
    assert first["model_usage"]["m-2026"]["total_tokens"] == 10
    assert first["scores"]["lve"] == {"value": "C", "answer": "A c?at.", "explanation": "right"}
    assert first["scores"]["score"]["value"] == 0.75
    assert first["metadata"]["n"] == {"x": [1]}
    assert first["metadata"]["lve"]["test"] == "a/b"
    failed = documents["samples/a/b/instances/x.jsonl:2 m_epoch_1.json"]
    assert failed["scores"]["lve"]["value"] == "I"
    error = documents["samples/z/__/c/instances/x.jsonl:1 n_epoch_1.json"]
    assert error["scores"] == {}
    assert error["error"]["message"] == "it is asleep"


def test_the_header_and_the_list_of_samples_sum_them_up(tmp_path: Path) -> None:
    with ZipFile(log_of(tmp_path, RESULTS)) as log:
        header, summaries = (
            json.loads(log.read(name)) for name in ("header.json", "summaries.json")
        )
        assert json.loads(log.read("_journal/start.json"))["eval"] == header["eval"]
    session = header["eval"]["task_id"]
    accuracy = {"accuracy": {"name": "accuracy", "value": 0.5}}
    stats = {"started_at": header["stats"]["started_at"], "model_usage": {}}
    assert header == {
        "version": 2,
        "status": "success",
        "eval": {
            "created": stats["started_at"],
            "task": f"lve {session}",
            **dict.fromkeys(("task_id", "run_id", "eval_id"), session),
            "dataset": {"name": f"lve {session}", "samples": 3, "shuffled": False},
            "model": "m, n",
            "config": {"epochs": 2},
            "packages": {"lve": __version__},
        },
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {
            "total_samples": 3,
            "completed_samples": 3,
            "scores": [{"name": "lve", "scorer": "lve", "metrics": accuracy}],
        },
        "stats": {**stats, "completed_at": header["stats"]["completed_at"]},
    }
    assert [summary["scores"].get("lve") for summary in summaries] == [
        {"value": "C"}, {"value": "I"}, None,
    ]  # fmt: skip
    assert summaries[2]["error"] == "it is asleep"
    assert len({summary["uuid"] for summary in summaries}) == 3


def test_inspect_reads_it(tmp_path: Path) -> None:
    logs = pytest.importorskip("inspect_ai.log", reason="pip install inspect_ai")
    path = str(log_of(tmp_path, RESULTS))
    log: Any = logs.read_eval_log(path)
    samples = {sample.id: sample for sample in log.samples}
    assert [*sorted(samples)] == [
        "a/b/instances/x.jsonl:1 m", "a/b/instances/x.jsonl:2 m", "z/__/c/instances/x.jsonl:1 n",
    ]  # fmt: skip
    first = samples["a/b/instances/x.jsonl:1 m"]
    assert first.messages[2].tool_calls[0].arguments == {"at": "it"}
    assert len(logs.read_eval_log_sample_summaries(path)) == 3
    assert logs.read_eval_log_sample(path, id="a/b/instances/x.jsonl:2 m", epoch=1).scores
