"""Judging written answers with a test that is written for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.folders import write_test

from lve.checkers.base import Verdict
from lve.checkers.contract import CheckContext
from lve.checkers.judge import Judge
from lve.messages import Message, Role, Transcript
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


def transcript(response: Response) -> Transcript:
    """Return a conversation with one answer, or one per variable."""
    texts = {"response": response} if isinstance(response, str) else response
    messages = [Message("Say hello.")]
    messages += [Message(text, Role.assistant, name) for name, text in texts.items()]
    return Transcript(tuple(messages), filled=tuple(range(1, len(messages))))


def judge_answers(
    judge: Judge,
    *responses: Response,
    args: Mapping[str, Any] | None = None,
    reference: Any = None,
) -> Verdict:
    """Return what a judge says of answers, one per run; all args are parameters."""
    given = args or {}
    parameters = {name: value for name, value in given.items() if value is not None}
    runs = tuple(transcript(response) for response in responses)
    return judge.judge(CheckContext(runs, parameters, reference, given))
