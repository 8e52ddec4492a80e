"""Writes recorded instances into a test's `instances/` folder, in the LVE repository's format.

One JSON object per line: `args`, `response`, `passed`, `author`, `run_info`, and `prompt_out` where
it is asked for. `response` is a text; an object of variables where the model filled several turns;
a list of these where an instance has several conversations: in a multi-run test, and for a row
with a request per turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lve.documents.json_lines import plain
from lve.errors import SessionError
from lve.files.atomic_file import append_inside
from lve.messages import Transcript
from lve.redaction import Redactor
from lve.results.records import InstanceResult
from lve.workspace import display_path

MAX_FILE_BYTES = 1_000_000_000
"""Size of a file that instances are appended to; appending copies it."""


def instance_to_json(
    result: InstanceResult,
    *,
    is_multi_run: bool,
    author: str | None,
    run_info: Mapping[str, Any],
    with_prompt: bool = False,
) -> dict[str, Any]:
    """Return a result as an instance of the LVE repository.

    Args:
        result: one that passed or failed; an error is nothing to record.
        is_multi_run: `Spec.is_multi_run`: whether the response is a list, even of one.
        author: who records it.
        run_info: where the answer comes from (time, versions, `source`).
        with_prompt: whether all messages go into `prompt_out`.

    Raises:
        ValueError: the result has no verdict.
    """
    if result.verdict not in ("passed", "failed"):
        raise ValueError(f"an instance with the verdict {result.verdict!r} can't be recorded")
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
    if with_prompt:
        runs = [_prompt_out(transcript) for transcript in result.transcripts]
        fields["prompt_out"] = runs if is_list else runs[0]
    return fields


def has_secret(fields: dict[str, Any], redact: Redactor) -> bool:
    """Return whether an instance's args hold a secret: without it, they would ask another thing."""
    args = _one_line(fields["args"])
    return redact(args) != args


def append_instances(file: Path, instances: list[dict[str, Any]], *, redact: Redactor) -> None:
    """Append instances to a file such as `instances/x.jsonl` of a test folder: all of them or none.

    What the file has stays byte for byte as it is; a missing line end at its end is added.

    Raises:
        SessionError: the file can't be written, or is a link, or outside of the test folder.
    """
    lines = "".join(redact(_one_line(fields)) + "\n" for fields in instances)
    folder, name = file.parent.parent, f"{file.parent.name}/{file.name}"
    try:
        append_inside(folder, name, lines.encode("ascii"), max_bytes=MAX_FILE_BYTES)
    except OSError as error:
        raise SessionError(
            f"{display_path(file)} can't be written: {error.strerror}; --to names another file",
            code="unwritable",
        ) from error


def _one_line(fields: dict[str, Any]) -> str:
    text = json.dumps(plain(fields), ensure_ascii=False)
    # Half a surrogate pair is no character, and readers refuse it.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.dumps(json.loads(whole))


def _turns(transcript: Transcript) -> list[dict[str, Any]]:
    """Return all that the model said where it asked for tools or a simulated user went on, with
    what these answered, so that it can be replayed; nothing where there was nothing of both."""
    messages = transcript.messages
    is_plain = not any(messages[index].tool_calls for index in transcript.filled)
    if is_plain and not any(message.is_simulated for message in messages):
        return []
    turns: list[dict[str, Any]] = []
    for index in transcript.filled:
        said = messages[index]
        turn: dict[str, Any] = {"text": said.content if isinstance(said.content, str) else ""}
        if said.tool_calls:
            results = messages[index + 1 : index + 1 + len(said.tool_calls)]
            turn["tool_calls"] = [call._asdict() for call in said.tool_calls]
            turn["results"] = [str(one.content) for one in results]
        after = index + 1 + len(said.tool_calls)
        if after < len(messages) and messages[after].is_simulated:
            turn["user"] = messages[after].content
        turns.append(turn)
    return turns


def _prompt_out(transcript: Transcript) -> list[dict[str, Any]]:
    return [message.to_json() for message in transcript.messages]
