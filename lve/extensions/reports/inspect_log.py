"""`.eval`: a log that Inspect's viewer and functions read. All tests are one task of it, and
each result is a sample."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from lve.data.row_places import place_of_row
from lve.documents.json_lines import plain
from lve.escape import head
from lve.json_types import JsonValue
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.verdicts.recorded_session import RecordedSession
from lve.version import __version__

LOG_VERSION = 2
"""The version of Inspect's format."""
SUMMARY_CHARS = 1_000
"""The most characters of a text in the list of samples, as in Inspect's own."""
SCORER = "lve"
_STOP = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "STOP"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "MAX_TOKENS"), "max_tokens"),
    **dict.fromkeys(("tool_calls", "tool_use"), "tool_calls"),
    **dict.fromkeys(("content_filter", "refusal", "SAFETY"), "content_filter"),
}
_VALUES = {"passed": "C", "failed": "I", "inconclusive": "N"}
_STATUS = {"complete": "success", "running": "started", "failed": "error"}

Json = dict[str, JsonValue]


def write_inspect_log(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write a log with a sample for each result; one, and a line about each, is in memory."""
    summaries: list[Json] = []
    models = list(dict.fromkeys(tally.model for s in sessions for tally in s.tallies))
    with ZipFile(file, "w", ZIP_DEFLATED) as log:
        for session in sessions:
            for result in session.results():
                name = _sample_id(result, session if len(sessions) > 1 else None, len(models) > 1)
                sample = _sample(name, result)
                _add(log, f"samples/{name}_epoch_{sample['epoch']}.json", sample)
                summaries.append(_summary(sample))
        header = _header(sessions, models, summaries)
        _add(log, "_journal/start.json", {k: header[k] for k in ("version", "eval", "plan")})
        _add(log, "summaries.json", summaries)
        _add(log, "header.json", header)


def _add(log: ZipFile, name: str, value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    log.writestr(name, text.encode("utf-8", "replace"))  # no halves of surrogate pairs


def _sample_id(result: InstanceResult, session: RecordedSession | None, with_model: bool) -> str:
    parts = [f"{result.test}/{place_of_row(result.source, result.line)}"]
    parts += [result.model] if with_model else []
    parts += [session.id] if session is not None else []
    return " ".join(parts).replace("..", "__")  # names in an archive lead nowhere


def _sample(name: str, result: InstanceResult) -> Json:
    """Return a result as a sample. Of several runs, it shows the last one."""
    transcript = result.transcripts[-1] if result.transcripts else Transcript(())
    first = transcript.filled[0] if transcript.filled else len(transcript.messages)
    messages: list[JsonValue] = [_message(m, transcript) for m in transcript.messages]
    completions = transcript.completions
    last = completions[-1] if completions else None
    usage = {last.model or result.model: _usage(result.usage)} if last is not None else {}
    sample: Json = {
        "id": name,
        "epoch": result.repeat + 1,
        "input": messages[:first],
        "target": "",
        "messages": messages,
        "output": _output(result, messages, last),
        "scores": {} if result.verdict == "error" else _scores(result, transcript),
        "metadata": {**_args(result), **_place(result)},
        "store": {},
        "events": [],
        "model_usage": usage,
        "total_time": result.latency_s,
        "working_time": result.latency_s,
        "uuid": sha256(f"{name} {result.repeat}".encode("utf-8", "replace")).hexdigest(),
    }
    if result.verdict == "error":
        sample["error"] = {"message": result.reason, "traceback": "", "traceback_ansi": ""}
    return sample


def _message(message: Message, transcript: Transcript) -> Json:
    shown: Json = {"role": message.role.value, "content": _content(message)}
    if message.role is Role.tool:
        shown["tool_call_id"] = message.tool_call_id
    if message.role is Role.assistant:
        is_answer = any(message is transcript.messages[index] for index in transcript.filled)
        shown["source"] = "generate" if is_answer else "input"
        if message.tool_calls:
            shown["tool_calls"] = [
                {
                    "id": call.id,
                    "function": call.name,
                    "arguments": _arguments(call.arguments),
                    "type": "function",
                }
                for call in message.tool_calls
            ]
    return shown


def _content(message: Message) -> JsonValue:
    content = message.content
    if not isinstance(content, str) and content is not None:
        return [
            {"type": "text", "text": str(part.get("text") or f"({part.get('type')})")}
            for part in content
        ]
    if message.image_url is None:
        return content or ""
    return [
        {"type": "text", "text": content or ""},
        {"type": "image", "image": message.image_url},
    ]


def _arguments(text: str) -> Json:
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        arguments = None
    return arguments if isinstance(arguments, dict) else {"arguments": text}


def _output(result: InstanceResult, messages: list[JsonValue], last: Completion | None) -> Json:
    model = last.model if last is not None and last.model else result.model
    if last is None or not messages:
        return {"model": model, "choices": []}
    stop = _STOP.get(last.finish_reason or "", "unknown")
    return {
        "model": model,
        "choices": [{"message": messages[-1], "stop_reason": stop}],
        "usage": _usage(last.usage or Usage()),
        "time": last.latency_s,
    }


def _usage(usage: Usage) -> Json:
    return {
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }


def _scores(result: InstanceResult, transcript: Transcript) -> Json:
    answer = transcript.response if transcript.messages else ""
    score: Json = {
        "value": _VALUES[result.verdict],
        "answer": answer,
        "explanation": result.reason,
    }
    if result.score is None:
        return {SCORER: score}
    return {SCORER: score, "score": {"value": result.score, "answer": answer}}


def _args(result: InstanceResult) -> Json:
    args: Any = plain(dict(result.args))
    return dict(args)


def _place(result: InstanceResult) -> Json:
    return {
        "lve": {
            "test": result.test,
            "model": result.model,
            "source": result.source,
            "line": result.line,
            "runs": len(result.transcripts),
            "cost": result.cost,
            "cached": result.cached,
        }
    }


def _summary(sample: Json) -> Json:
    """Return what the list of samples shows of one."""
    shown = {key: sample[key] for key in ("id", "epoch", "target", "model_usage", "uuid")}
    messages, scores = sample["input"], sample["scores"]
    assert isinstance(messages, list)
    assert isinstance(scores, Mapping)
    texts = [message["content"] for message in messages if isinstance(message["content"], str)]
    shown["input"] = head("\n".join(texts), SUMMARY_CHARS)
    shown["scores"] = {
        name: {"value": score["value"]} for name, score in scores.items() if isinstance(score, dict)
    }
    shown["completed"] = True
    if "error" in sample:
        error = sample["error"]
        assert isinstance(error, Mapping)
        shown["error"] = head(str(error["message"]), SUMMARY_CHARS)
    return shown


def _header(sessions: Sequence[RecordedSession], models: list[str], samples: list[Json]) -> Json:
    first, last = sessions[0], sessions[-1]
    started, ended = first.info.get("started", ""), last.info.get("ended") or ""
    status = _STATUS.get(last.status, "cancelled")
    names = [f"lve {session.id}" for session in sessions]
    spec: Json = {
        "created": started,
        "task": ", ".join(names),
        "task_id": first.id,
        "run_id": first.id,
        "eval_id": first.id,
        "dataset": {"name": names[0], "samples": len(samples), "shuffled": False},
        "model": models[0] if len(models) == 1 else ", ".join(models) or "none",
        "config": {"epochs": max((_epoch(sample) for sample in samples), default=1)},
        "packages": {"lve": __version__},
    }
    return {
        "version": LOG_VERSION,
        "status": status,
        "eval": spec,
        "plan": {"name": "plan", "steps": [], "config": {}},
        "results": {
            "total_samples": len(samples),
            "completed_samples": len(samples),
            "scores": list(_metrics(sessions)),
        },
        "stats": {"started_at": started, "completed_at": ended, "model_usage": {}},
    }


def _epoch(sample: Json) -> int:
    epoch = sample["epoch"]
    assert isinstance(epoch, int)
    return epoch


def _metrics(sessions: Sequence[RecordedSession]) -> Iterator[Json]:
    """Yield the share of results that passed, of all that have a verdict."""
    tallies = [tally for session in sessions for tally in session.tallies]
    passed = sum(tally.counts["passed"] for tally in tallies)
    judged = passed + sum(tally.counts["failed"] for tally in tallies)
    if judged:
        accuracy: Json = {"name": "accuracy", "value": passed / judged}
        yield {"name": SCORER, "scorer": SCORER, "metrics": {"accuracy": accuracy}}
