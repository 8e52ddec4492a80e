"""Judging written answers with a test that is written for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.folders import write_test

from lve.checkers.base import Verdict
from lve.checkers.contract import CheckContext
from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve
from lve.messages import Message, Role, ToolCall, Transcript
from lve.spec.load import load_spec
from lve.spec.spec import Spec

Response = str | Mapping[str, str]


def spec_with(folder: Path, *, parameters: Sequence[str] = (), **document: Any) -> Spec:
    """Write a test with these parameters and return it."""
    content = "Say hello. " + " ".join(f"{{{name}}}" for name in parameters)
    return load_spec(
        write_test(
            folder,
            prompt=[{"role": "user", "content": content}],
            prompt_parameters=list(parameters) or None,
            **document,
        ),
        folder,
    )


def judge_of(check: object, folder: Path, *, trusted: bool = False, **document: Any) -> Judge:
    """Return the judge of a test with a check (an object) or several (a list)."""
    key = "checks" if isinstance(check, list) else "check"
    write_test(folder, **{"checker_args": None, key: check, **document})
    return resolve(load_spec(folder, folder), trusted=trusted)


def transcript(response: Response, name: str | None = None) -> Transcript:
    """Return a run with one answer, or one per variable, each to a message of its own."""
    texts = {"response": response} if isinstance(response, str) else response
    messages: list[Message] = []
    for variable, text in texts.items():
        messages += (Message("Say it."), Message(text, Role.assistant, variable))
    return Transcript(tuple(messages), name=name, filled=tuple(range(1, len(messages), 2)))


def run_of_calls(text: str) -> Transcript:
    """Return a run from its calls, `name(arguments)` one per line; an empty line begins a turn."""
    messages = [Message("Do it.")]
    for turn in text.split("\n\n"):
        lines = [line.partition("(") for line in turn.split("\n") if line]
        calls = tuple([ToolCall("1", name, said[:-1]) for name, _, said in lines])
        messages.append(Message("", Role.assistant, tool_calls=calls))
    return Transcript(tuple(messages), filled=tuple(range(1, len(messages))))


def context_of(
    *responses: Response,
    args: Mapping[str, Any] | None = None,
    reference: Any = None,
    recorded: tuple[str, ...] = (),
) -> CheckContext:
    """Return what checkers see of answers, one per run; all args are parameters."""
    given = args or {}
    parameters = {name: value for name, value in given.items() if value is not None}
    runs = tuple(map(transcript, responses))
    return CheckContext(runs, parameters, reference, given, recorded=recorded)


def judge_answers(judge: Judge, *responses: Response, **context: Any) -> Verdict:
    """Return what a judge says of answers; `context` as for `context_of`."""
    return judge.judge(context_of(*responses, **context))
