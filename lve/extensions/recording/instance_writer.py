"""Writes recorded instances into a test's `instances/` folder, in the LVE repository's format:
appends them, or changes them where they are.

A line is a JSON object with `args`, `response`, `passed`, `author`, `run_info`, `sent` (the hash of
what was sent), `asked` (what judges answered), and, unless left out, `prompt_out`. `response` is a
text, or an object of variables if the model filled several turns. It is a list of these if the
instance has several conversations: in a multi-run test, or for a row with a request per turn.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from lve.documents.json_lines import file_json, plain
from lve.documents.json_text import parse_json, whole_characters
from lve.documents.position_types import MAX_NESTING, TextError
from lve.errors import Problem, SessionError, SpecError
from lve.execution.completions import returned_to_json
from lve.files.atomic_file import append_inside, replace_inside
from lve.files.file_text import file_text
from lve.files.inside import read_inside
from lve.json_types import JsonObject, JsonValue
from lve.messages import Transcript
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.checker_answers import recorded_answers
from lve.workspace import display_path

MAX_FILE_BYTES = 1_000_000_000
"""Size of a file to which instances are appended, because appending copies it."""


def instance_to_json(
    result: InstanceResult,
    *,
    is_multi_run: bool,
    author: str | None,
    run_info: JsonObject,
    with_prompt: bool = False,
) -> dict[str, JsonValue]:
    """Return a result as an instance of the LVE repository.

    Args:
        result: must have passed or failed.
        is_multi_run: `Spec.is_multi_run`: whether `response` is always a list.
        author: of the recorded instance.
        run_info: origin of the answer (time, versions, `source`).
        with_prompt: whether to add all messages as `prompt_out`.

    Raises:
        ValueError: the result neither passed nor failed.
    """
    if result.verdict not in ("passed", "failed"):
        raise ValueError(f"a row with the verdict {result.verdict!r} can't be recorded")
    responses = list(result.responses)
    is_list = is_multi_run or len(responses) > 1
    fields: dict[str, Any] = {
        "args": dict(result.args),
        "response": responses if is_list else responses[0],
        "passed": result.verdict == "passed",
        "author": author,
        "run_info": dict(run_info),
    }
    turns = [_turns(transcript) for transcript in result.transcripts]
    if any(turns):
        fields["turns"] = turns if is_list else turns[0]
    returned = [returned_to_json(transcript) for transcript in result.transcripts]
    if any(returned):
        fields["returned"] = returned
    if result.asked:
        fields["asked"] = recorded_answers(result.asked)
    if result.sent:
        fields["sent"] = list(result.sent) if is_list else result.sent[0]
    if with_prompt:
        runs = [_prompt_out(transcript) for transcript in result.transcripts]
        fields["prompt_out"] = runs if is_list else runs[0]
    return fields


def has_secret(fields: dict[str, Any]) -> bool:
    """Whether the args of an instance have a secret. Without it they would be another instance."""
    args = instance_line(fields["args"])
    return file_text(args) != args


def append_instances(file: Path, instances: list[dict[str, Any]]) -> None:
    """Append all instances, or none, to a file such as `instances/x.jsonl` of a test folder.

    The content of the file is unchanged, but for a line end that is missing at its end.

    Raises:
        SessionError: the file can't be written, is a link, or is outside of the test folder.
    """
    lines = "".join(file_json(fields, instance_line) + "\n" for fields in instances)
    folder, name = file.parent.parent, f"{file.parent.name}/{file.name}"
    try:
        append_inside(folder, name, lines.encode("ascii"), max_bytes=MAX_FILE_BYTES)
    except OSError as error:
        raise SessionError(
            f"{display_path(file)} can't be written: {error.strerror}; --to names another file",
            code="unwritable",
        ) from error


def instance_line(fields: dict[str, JsonValue]) -> str:
    """Return an instance as one line of ASCII."""
    text = json.dumps(plain(fields, levels=MAX_NESTING), ensure_ascii=False)
    # Readers refuse half a surrogate pair, so it is replaced.
    return json.dumps(json.loads(whole_characters(text)))


def rewrite_instances(
    folder: Path,
    source: str,
    changes: Mapping[int, Mapping[str, Any]],
    *,
    without: Collection[str],
) -> None:
    """Change instances of one file, all or none.

    Args:
        folder: of the test.
        source: the file, relative to the folder.
        changes: number of the line, from 1 -> keys that it gets. Other keys keep their values.
        without: keys that these lines lose.

    Raises:
        SpecError: a line isn't a whole instance.
        SessionError: the file can't be written, is a link, or is outside of the folder.
    """
    file = folder / source
    try:
        lines = read_inside(folder, source, MAX_FILE_BYTES).split(b"\n")
        for number, change in changes.items():
            raw = lines[number - 1]
            fields = _fields(raw, file, number)
            for name in without:
                fields.pop(name, None)
            new = json.loads(file_json(dict(change), instance_line))
            lines[number - 1] = _line({**fields, **new}, like=raw)
        replace_inside(folder, source, b"\n".join(lines), max_bytes=MAX_FILE_BYTES)
    except OSError as error:
        raise SessionError(
            f"{display_path(file)} can't be written: {error.strerror}", code="unwritable"
        ) from error


def _fields(raw: bytes, file: Path, number: int) -> dict[str, JsonValue]:
    try:
        fields = parse_json(raw.decode("utf-8-sig"))
    except (TextError, UnicodeDecodeError):
        fields = None
    if isinstance(fields, dict):
        return fields
    hint = "write one object per line, and try again"
    place = display_path(file)
    raise SpecError([Problem("can't be changed", place, number, hint=hint, code="instance")])


def _line(fields: JsonObject, *, like: bytes) -> bytes:
    """Return an instance as a line, with the line end of the old one, and as ASCII if that was."""
    try:
        line = json.dumps(fields, ensure_ascii=like.isascii()).encode()
    except UnicodeEncodeError:  # half a surrogate pair
        line = json.dumps(fields).encode()
    return line + (b"\r" if like.endswith(b"\r") else b"")


def _turns(transcript: Transcript) -> list[dict[str, JsonValue]]:
    """Return all turns of the model, with the results of tools and the answers of a simulated user,
    so that they can be replayed; nothing if there were neither tools nor such a user."""
    messages = transcript.messages
    is_plain = not any(messages[index].tool_calls for index in transcript.filled)
    if is_plain and not any(message.is_simulated for message in messages):
        return []
    turns: list[dict[str, Any]] = []
    for index in transcript.filled:
        message = messages[index]
        turn: dict[str, Any] = {"text": message.content if isinstance(message.content, str) else ""}
        if message.tool_calls:
            results = messages[index + 1 : index + 1 + len(message.tool_calls)]
            turn["tool_calls"] = [call._asdict() for call in message.tool_calls]
            turn["results"] = [str(result.content) for result in results]
        after = index + 1 + len(message.tool_calls)
        if after < len(messages) and messages[after].is_simulated:
            turn["user"] = messages[after].content
        turns.append(turn)
    return turns


def _prompt_out(transcript: Transcript) -> list[dict[str, JsonValue]]:
    return [message.to_json() for message in transcript.messages]
