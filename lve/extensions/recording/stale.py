"""Recorded answers whose prompt has changed: a model is asked again (`lve record --stale`), or what
somebody has read is bound to the prompt of today (`lve record --accept`)."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lve.cli.printing import print_error, print_line, print_message
from lve.data.instances import iter_instances
from lve.data.row_places import place_of_row
from lve.data_classes import dataclass, field
from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem, PromptError, SpecError
from lve.escape import excerpt
from lve.exit_code import ExitCode
from lve.extensions.recording.instance_writer import rewrite_instances
from lve.extensions.recording.recording import Recording
from lve.json_types import JsonObject, JsonValue
from lve.messages import Answer, Message
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.choosing.loading import models_named, named_model
from lve.plurals import amount
from lve.prompts.conversation import RESPONSE, Conversation
from lve.prompts.plan import build_plan
from lve.prompts.sent_prompts import SentPrompts, is_bound
from lve.sessions.instance_result import InstanceResult, ResultId, result_id
from lve.sessions.resume import PreviousRun
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


ANSWER = (
    "response",
    "passed",
    "run_info",
    "turns",
    "asked",
    "sent",
    "prompt",
    "prompt_in",
    "prompt_out",
)
"""The keys of an instance that a new answer replaces."""
SHOWN = 3
"""Places that a line names."""


class Renewal(Recording):
    """Collects new answers, each of which takes the place of a stale one."""

    def file_of(self, result: InstanceResult) -> Path:
        """Return the file that has the stale answer."""
        return self.specs[result.test].folder / result.source

    def put(self, file: Path, rows: list[tuple[int, dict[str, object]]]) -> None:
        """Replace answers in a file. An instance keeps its args, and whose it is unless it says."""
        changes = dict[int, dict[str, object]]()
        for line, fields in rows:
            del fields["args"]
            if fields["author"] is None:
                del fields["author"]
            changes[line] = fields
        folder = file.parent.parent
        source = file.relative_to(folder).as_posix()
        rewrite_instances(folder, source, changes, without=ANSWER)


@dataclass(slots=True)
class StaleAnswers:
    """The stale answers of tests: which are asked again, and which stay as they are."""

    renewable: Counter[ResultId] = field(default_factory=Counter)
    staying: dict[tuple[str, str | None], list[str]] = field(default_factory=dict)
    """Folder of a test, and a model that isn't asked or None where the file names none -> places of
    their answers."""

    def add(self, spec: Spec, instance: Instance, models: Collection[str]) -> None:
        """Add the stale answer of an instance.

        Args:
            spec: the test.
            instance: with the answer.
            asked: the models that are asked. An answer gets a new one from its own model alone.
        """
        model = instance.recorded.model if instance.recorded is not None else None
        if model is not None and model in models:
            self.renewable[
                result_id(spec.path, model, instance.source, instance.line, instance.repeat)
            ] += 1
            return
        folder = str(display_path(spec.folder))
        place = f"{folder}/{place_of_row(instance.source, instance.line)}"
        self.staying.setdefault((folder, model), []).append(place)

    @property
    def selection(self) -> PreviousRun:
        """What makes each test run exactly the rows that are asked again, once."""
        return PreviousRun(only=self.renewable)

    def lines(self) -> Iterator[str]:
        """Yield which stale answers stay as they are, and what to do about them."""
        for (folder, model), places in self.staying.items():
            record = f"lve record {shlex.quote(excerpt(folder))}"
            if model is None:
                why = " that no model gave, as far as its file says,"
                do = f"Read it: `{record} --accept` keeps it for the prompt of today"
            else:
                why = f" of {excerpt(model)}"
                do = f"`{record} --stale --model {shlex.quote(excerpt(model))}` asks it again"
            yield f"{_stay(places, why)}. {do}"


def _stay(places: Sequence[str], whose: str) -> str:
    stays = "stays as it is" if len(places) == 1 else "stay as they are"
    named_places = ", ".join(places[:SHOWN]) + ", ..." * (len(places) > SHOWN)
    return f"{amount(len(places), 'stale answer')}{whose} {stays}: {named_places}"


def stale_answers(specs: Iterable[Spec], options: RunOptions, workspace: Workspace) -> StaleAnswers:
    """Return the stale answers of tests. Those of the models that the tests run against are asked
    again, each of its own model.

    Args:
        specs: the tests.
        options: of the run; they may choose rows and models.
        workspace: the workspace with the settings.

    Raises:
        SpecError: a test's prompts can't be built.
    """
    answers = StaleAnswers()
    for spec in specs:
        for instance in _stale(spec, options, workspace):
            answers.add(spec, instance, models_named(spec, options, workspace.settings))
    return answers


def _stale(spec: Spec, options: RunOptions, workspace: Workspace) -> Iterator[Instance]:
    entry = workspace.settings.entry(named_model(spec, workspace.settings))
    prompts = SentPrompts(build_plan(spec, model=entry), model=entry)
    for instance in select_instances(spec, options, workspace.settings):
        if isinstance(instance, Instance):
            with suppress(PromptError):  # the run reports what can't be filled
                if prompts.change(instance) is not None:
                    yield instance
