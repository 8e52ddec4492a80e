"""Writes a log of Inspect as a session: a test for each scorer, a result for each sample."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lve.checkers.contract import Outcome
from lve.data_classes import dataclass, field
from lve.errors import UsageError
from lve.escape import head
from lve.extensions.importing.inspect_logs.log import Log, texts_of
from lve.files.owner_only import make_private_folder
from lve.json_types import JsonObject
from lve.messages import Completion, Message, Role, ToolCall, Transcript, Usage
from lve.plurals import amount
from lve.sandbox.removal import remove_tree
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_file import VERSION, cannot_write, new_id
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo, Status
from lve.sessions.session_tests import SessionTest, append_tests
from lve.verdicts.recorded_session import summary_of
from lve.version import __version__

SOURCE = "samples"
"""What results have as their file."""
_OTHERS = re.compile(r"[^A-Za-z0-9._/-]+")
_LETTERS: Mapping[object, float] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, True: 1.0, False: 0.0}
_STATUS: Mapping[object, Status] = {"success": "complete", "cancelled": "interrupted"}
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_ROLES = {role.value: role for role in Role}


@dataclass(slots=True)
class LogImport:
    """Converts the samples of a log."""

    log: Log
    losses: Counter[str] = field(default_factory=Counter)
    """What the session has no place for, or has in another way -> how often."""
    _scorers: tuple[str, ...] = ()
    """Those that the log's header names, if it names several."""
    _places: set[tuple[str, int, int]] = field(default_factory=set)
    """Test, line and repeat of each result."""
    _lines: dict[str, int] = field(default_factory=dict)

    def write(self, place: Path) -> SessionFolder:
        """Write the session's folder, and return it.

        Raises:
            UsageError: the log can't be read or has no scored samples, or the folder exists.
            SessionError: the folder can't be written.
        """
        name = new_id(datetime.now(UTC))
        draft = SessionFolder(place.parent / f"importing-{name}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            make_private_folder(draft.path, exist_ok=False)
            try:
                self._fill(draft, name)
                if place.exists():
                    raise UsageError(f"{place} exists: name a new folder", code="exists")
                draft.path.rename(place)
            finally:
                remove_tree(draft.path)
        except OSError as error:
            raise cannot_write(place, error) from error
        return SessionFolder(place)

    def _fill(self, draft: SessionFolder, name: str) -> None:
        about = texts_of(self.log.header["eval"])
        stats, model = texts_of(self.log.header.get("stats")), head(str(about.get("model")), 200)
        draft.write(
            {
                "version": VERSION,
                "session": name,
                "status": _STATUS.get(str(self.log.header.get("status")), "failed"),
                "started": _moment(stats.get("started_at")),
                "ended": _moment(stats.get("completed_at")),
                "resumed": [],
                "paths": [],
                "versions": {"lve": __version__, "inspect_ai": _version(about)},
                "options": {},
                "models": [model],
            }
        )
        ids = texts_of(about.get("dataset")).get("sample_ids")
        self._lines = {
            str(name): n for n, name in enumerate(ids if isinstance(ids, list) else (), 1)
        }
        scorers = about.get("scorers")
        if isinstance(scorers, list) and len(scorers) > 1:
            self._scorers = tuple(str(texts_of(each).get("name")) for each in scorers)
        tests: dict[str, None] = {}
        with closing(draft.open_journal()) as journal:
            for sample in self.log.samples():
                for result in self._results(sample, _name(about.get("task")), model):
                    tests[result.test] = None
                    journal.append(result)
        if not tests:
            raise UsageError("the log has no samples with a score", code="nothing_to_import")
        description = head(f"Imported from Inspect: {about.get('task')}", 500)
        # As of any test, all rows are expected to pass: 0 of 4 right must not be green.
        append_tests(draft.path, [SessionTest(t, model, description=description) for t in tests])
        info: SessionInfo = draft.info()
        draft.write({**info, "summary": summary_of(draft, info).to_json()})

    def _results(self, sample: JsonObject, task: str, model: str) -> Iterator[InstanceResult]:
        """Yield a result for each score of a sample; for one that failed, an error of each."""
        line = self._lines.setdefault(str(sample.get("id")), len(self._lines) + 1)
        epoch = sample.get("epoch")
        transcript = _transcript(sample)
        usage = _usage(sample)
        error, scores = texts_of(sample.get("error")), texts_of(sample.get("scores"))
        judged: list[tuple[str | None, Mapping[str, Any]]] = []
        judged += ((name, texts_of(score)) for name, score in scores.items())
        is_one = len(judged) < 2 and not self._scorers
        if error:
            judged = [(name, {}) for name in self._scorers]
        for name, score in judged or [(None, {})]:
            verdict, number, reason = _verdict(score.get("value"), score)
            if error:
                verdict, reason = "error", str(error.get("message") or "the sample failed")
            elif verdict is None:
                what = "samples without a score" if name is None else "scores that aren't one value"
                self.losses[f"left out: {what}"] += 1
                continue
            elif number is not None and number > 1:
                self.losses["passed: scores above 1, whatever their scale"] += 1
            test = task if name is None or is_one else f"{task}/{_name(name)}"
            repeat = max(0, epoch - 1) if type(epoch) is int else 0
            if (test, line, repeat) in self._places:
                self.losses["left out: earlier results of a sample and epoch that come twice"] += 1
            self._places.add((test, line, repeat))
            yield InstanceResult(
                test=test,
                model=model,
                source=SOURCE,
                line=line,
                repeat=repeat,
                args=_args(sample),
                verdict=verdict,
                reason=head(reason, 10_000),
                responses=(transcript.response,) if transcript.messages else (),
                transcripts=(transcript,) if transcript.messages else (),
                usage=usage,
                latency_s=_seconds(sample.get("total_time")),
                score=number,
            )


def _verdict(value: object, score: Mapping[str, Any]) -> tuple[Outcome | None, float | None, str]:
    """Return the verdict of a score: 1, C or true has passed, anything less has failed. None if it
    isn't one value."""
    number = _LETTERS.get(value) if isinstance(value, str | bool) else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None, None, ""
    if not abs(number) <= sys.float_info.max:
        return None, None, ""
    reason = score.get("explanation") or f"Inspect's score is {value}"
    return ("passed" if number >= 1 else "failed"), float(number), str(reason)


def _args(sample: JsonObject) -> dict[str, Any]:
    """Return what a sample is about: its id, its target, and its metadata as far as these are
    single values."""
    metadata = texts_of(sample.get("metadata")).items()
    plain = {name: value for name, value in metadata if isinstance(value, str | int | float)}
    target = sample.get("target")
    shown = "; ".join(map(str, target)) if isinstance(target, list) else str(target)
    return {**plain, "id": str(sample.get("id")), "target": shown}


def _transcript(sample: JsonObject) -> Transcript:
    written = sample.get("messages")
    messages = [_message(each) for each in written if isinstance(each, dict)] if isinstance(
        written, list
    ) else []  # fmt: skip
    filled = [n for n, message in enumerate(messages) if message.role is Role.assistant][-1:]
    if not filled:
        return Transcript(())
    output = texts_of(sample.get("output"))
    choices = output.get("choices")
    first = texts_of(choices[0]) if isinstance(choices, list) and choices else {}
    answer = messages[filled[0]]
    completion = Completion(
        str(answer.content or ""),
        str(first["stop_reason"]) if first.get("stop_reason") else None,
        _usage(sample),
        _seconds(output.get("time")),
        model=str(output["model"]) if output.get("model") else None,
    )
    completion.tool_calls = answer.tool_calls
    return Transcript(tuple(messages[: filled[0] + 1]), (completion,), None, tuple(filled))


def _message(data: Mapping[str, Any]) -> Message:
    role, content = _ROLES.get(str(data.get("role")), Role.user), data.get("content")
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        content = "\n".join(str(part.get("text") or f"({part.get('type')})") for part in parts)
    calls = data.get("tool_calls")
    made = [
        ToolCall.from_json(
            {"id": str(c.get("id") or ""), "name": str(c.get("function") or ""), **_given(c)}
        )
        for c in (calls if isinstance(calls, list) else ())
        if isinstance(c, dict)
    ]
    answers = data.get("tool_call_id") if role is Role.tool else None
    return Message(
        str(content or ""),
        role,
        tool_calls=tuple(made) if role is Role.assistant else (),
        tool_call_id=None if answers is None else str(answers),
    )


def _given(call: Mapping[str, Any]) -> dict[str, Any]:
    return {"arguments": call.get("arguments") or {}}


def _usage(sample: JsonObject) -> Usage:
    usage = Usage()
    for counts in map(texts_of, texts_of(sample.get("model_usage")).values()):
        numbers = [counts.get(name) for name in ("input_tokens", "output_tokens")]
        usage.add(Usage(*(n if type(n) is int and n >= 0 else 0 for n in numbers)))
    return usage


def _seconds(value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 1e9 else 0.0  # type: ignore[operator, arg-type]


def _name(value: object) -> str:
    """Return the name of a task or scorer as that of a test."""
    steps = _OTHERS.sub("-", head(str(value or "task"), 100)).split("/")
    return "/".join(filter(None, (step.strip(".-") for step in steps))) or "task"


def _version(about: Mapping[str, Any]) -> str:
    return head(str(texts_of(about.get("packages")).get("inspect_ai", "unknown")), 40)


def _moment(value: object) -> str:
    match = _MOMENT.match(str(value))
    return f"{match[0]}.000+00:00" if match else "1970-01-01T00:00:00.000+00:00"


def import_log(path: Path, place: Path) -> tuple[SessionFolder, list[str]]:
    """Write a log as a session, and return its folder, and what it has no place for.

    Args:
        path: the log.
        place: the folder, which must not exist.

    Raises:
        UsageError: the log can't be read, or the folder exists.
        SessionError: the folder can't be written.
    """
    conversion = LogImport(Log(path))
    session = conversion.write(place)
    counts = conversion.losses.items()
    return session, [f"{what} ({amount(count, 'time')})" for what, count in counts]
