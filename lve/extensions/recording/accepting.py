"""Binds recorded answers that somebody has read to the prompt of today: `lve record --accept`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lve.cli.printing import print_error, print_line, print_message
from lve.data.instances import iter_instances
from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem, SpecError
from lve.exit_code import ExitCode
from lve.extensions.recording.instance_writer import rewrite_instances
from lve.json_types import JsonObject, JsonValue
from lve.messages import Answer, Message
from lve.pipeline.choosing.loading import named_model
from lve.prompts.conversation import RESPONSE, Conversation
from lve.prompts.plan import build_plan
from lve.prompts.sent import SentPrompts, is_bound
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace, display_path

BINDING = ("sent", "prompt_out")
"""The keys of an instance that say what it is for."""


def accept_tests(specs: Sequence[Spec], workspace: Workspace) -> ExitCode:
    """Bind all stale and unbound answers of tests, print the files, and return the exit code.

    Args:
        specs: the tests.
        workspace: the workspace with the settings.
    """
    code, count = ExitCode.as_expected, 0
    for spec in specs:
        try:
            with error_boundary(f"accepting the answers of {spec.path}"):
                entry = workspace.settings.entry(named_model(spec, workspace.settings))
                plan = build_plan(spec, model=entry)
                prompts = SentPrompts(plan, model=entry)
                accepted = accept_answers(spec, prompts)
        except LveError as error:
            print_error(error)
            code = ExitCode.errors
            continue
        for source, number in accepted.items():
            count += number
            print_line(
                f"bound {number} to the prompt of today in {display_path(spec.folder / source)}"
            )
    if not count and code == ExitCode.as_expected:
        print_message("nothing to accept: every recorded answer is for the prompt of today")
    return code


def accept_answers(spec: Spec, prompts: SentPrompts) -> dict[str, int]:
    """Bind all stale and unbound answers of a test to what it sends today. Each file is written as
    a whole or not at all, and all other keys of its instances stay.

    Args:
        spec: the test.
        prompts: what it sends.

    Returns:
        File, relative to the test folder -> number of answers bound.

    Raises:
        PromptError: an instance can't fill the prompt.
        SpecError: an instance can't be read, or its file hasn't one object per line.
        SessionError: a file can't be written.
    """
    bindings: dict[str, dict[int, JsonObject]] = {}
    for instance in iter_instances(spec):
        if isinstance(instance, Problem):
            raise SpecError([instance])
        recorded = instance.recorded
        if recorded is None:
            continue
        if not is_bound(recorded, spec) or prompts.change(instance) is not None:
            lines = bindings.setdefault(instance.source, {})
            lines[instance.line] = _binding(spec, prompts, instance)
    for source, lines in bindings.items():
        rewrite_instances(spec.folder, source, lines, without=BINDING)
    return {source: len(lines) for source, lines in bindings.items()}


def _binding(spec: Spec, prompts: SentPrompts, instance: Instance) -> dict[str, JsonValue]:
    conversations = prompts.conversations(instance)
    hashes = prompts.accepted_hashes(instance)
    is_list = spec.is_multi_run or len(hashes) > 1
    binding: dict[str, JsonValue] = {"sent": list(hashes) if is_list else hashes[0]}
    if spec.infer_cfg is None:
        responses = instance.recorded.responses if instance.recorded else ()
        answers = [*responses, *("" for _ in conversations)]
        runs = [_prompt_out(*run) for run in zip(conversations, answers, strict=False)]
        binding["prompt_out"] = runs if is_list else runs[0]
    return binding


def _prompt_out(conversation: Conversation, answer: Answer) -> list[dict[str, JsonValue]]:
    """Return the messages with the recorded answers in place."""
    last = conversation.open_turns[-1]
    messages: Iterator[Message] = (
        replace(message, content=_answer(message, answer, is_last=index == last))
        if message.is_open
        else message
        for index, message in enumerate(conversation.messages)
    )
    return [message.to_json() for message in messages]


def _answer(message: Message, answer: Answer, *, is_last: bool) -> str:
    if isinstance(answer, str):
        return answer if is_last else ""
    return answer.get(message.variable or RESPONSE, "")
