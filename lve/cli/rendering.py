"""What `lve render` shows: a test's prompts, filled for its instances, as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import click

from lve.cli.row_text import print_origins
from lve.errors import Problem, PromptError, SpecError
from lve.messages import Message
from lve.pipeline.options import RunOptions, base_args, request_args
from lve.pipeline.select import COMMAND_LINE, check_selection, select_instances
from lve.prompts.conversation import Conversation, Plan
from lve.prompts.dataset_build import build_dataset_plan
from lve.prompts.dataset_plan import DatasetPlan
from lve.prompts.dataset_warnings import row_warnings
from lve.prompts.message_plan import MessagePlan, PreparedPrompt
from lve.prompts.plan import build_plan
from lve.prompts.row_view import row_view
from lve.reporting.escape import escape, escape_line
from lve.spec.model import Instance, Spec
from lve.spec.settings import load_workspace
from lve.workspace import Settings, display_path


@dataclass(frozen=True, slots=True)
class Selection:
    """Which instances are rendered."""

    parameters: Mapping[str, str] = field(default_factory=dict)
    """As in `lve run`: they override the instances' own."""
    names: tuple[str, ...] = ()
    """Only instances of these files; empty for all."""
    limit: int | None = None
    model: str | None = None
    """Render for this model of the settings: its kind and meta template."""
    provenance: bool = False
    """Whether texts of data sets know where each character comes from."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A test and, lazily, its instances with their conversations."""

    plan: Plan
    instances: Iterable[tuple[Instance, Sequence[Conversation]]]
    settings: Settings
    model: str | None = None

    @property
    def written(self) -> tuple[PreparedPrompt, ...]:
        """The prompts before filling, in the dialect that has them as messages."""
        return self.plan.prompts if isinstance(self.plan, MessagePlan) else ()


def render_test(spec: Spec, selection: Selection, problems: list[Problem]) -> Rendered | None:
    """Return what a test would send; None if its prompts can't be used.

    Args:
        spec: the test.
        selection: which instances.
        problems: gets what is wrong, for the instances as they are iterated over.

    Raises:
        UsageError: a parameter of the command line is not the test's (when iterating).
    """
    settings = load_workspace(spec.root).settings
    try:
        plan = _plan(spec, selection, settings)
    except SpecError as error:
        problems += error.problems
        return None
    problems += plan.warnings
    found = _filled(plan, selection, settings, problems)
    return Rendered(plan, found, settings, selection.model)


def _plan(spec: Spec, selection: Selection, settings: Settings) -> Plan:
    model = None if selection.model is None else settings.entry(selection.model)
    if selection.provenance and spec.infer_cfg is not None:
        return build_dataset_plan(spec, model, trace=True)
    return build_plan(spec, model=model)


def _filled(
    plan: Plan, selection: Selection, settings: Settings, problems: list[Problem]
) -> Iterator[tuple[Instance, Sequence[Conversation]]]:
    options = RunOptions(instances=selection.names, parameters=selection.parameters)
    check_selection(plan.spec, options)
    instances = select_instances(plan.spec, options, settings)
    for instance in islice(instances, selection.limit):
        if isinstance(instance, Problem):
            problems.append(instance)
            continue
        try:
            conversations = plan.conversations(instance)
            if isinstance(plan, DatasetPlan):
                problems += row_warnings(plan, instance)
            yield instance, conversations
        except PromptError as error:
            problems.append(_not_filled(plan.spec, instance, str(error)))


def _not_filled(spec: Spec, instance: Instance, message: str) -> Problem:
    return Problem(message, display_path(spec.folder / instance.source), instance.line)


def _model_args(rendered: Rendered, instance: Instance) -> dict[str, Any]:
    spec, settings = rendered.plan.spec, rendered.settings
    named = rendered.model or next(iter(spec.models), None) or settings.model or ""
    return request_args(base_args(settings, named, spec), instance, RunOptions(), settings)


def rendered_json(rendered: Rendered) -> dict[str, Any]:
    """Return a rendered test as JSON: `prompts` as written, `instances` with their `runs`."""
    spec = rendered.plan.spec
    return {
        "path": spec.path,
        "file": str(display_path(spec.file)),
        "prompts": [
            {
                "name": prompt.name,
                "repetitions": prompt.repetitions,
                "messages": [message.to_json() for message in prompt.written],
            }
            for prompt in rendered.written
        ],
        "instances": [
            {
                "source": instance.source,
                "line": instance.line,
                "parameters": dict(instance.parameters),
                "model_args": _model_args(rendered, instance),
                "runs": [_run_json(conversation) for conversation in runs],
                **_row_json(rendered.plan, instance),
            }
            for instance, runs in rendered.instances
        ],
    }


def _row_json(plan: Plan, instance: Instance) -> dict[str, Any]:
    """Return how a row of a data set became what is sent."""
    return {"row": row_view(plan, instance)} if isinstance(plan, DatasetPlan) else {}


def _run_json(conversation: Conversation) -> dict[str, Any]:
    return {
        "name": conversation.name,
        "messages": [message.to_json() for message in conversation.messages],
        "open_turns": list(conversation.open_turns),
    }


def print_rendered(rendered: Rendered) -> None:
    """Print a rendered test for people."""
    spec = rendered.plan.spec
    click.secho(escape_line(str(display_path(spec.file))), bold=True)
    if any(prompt.to_fill for prompt in rendered.written):
        _print_written(rendered.written)
    has_instances = False
    for instance, runs in rendered.instances:
        has_instances = True
        if isinstance(rendered.plan, DatasetPlan) and rendered.plan.trace:
            print_origins(rendered.plan, instance)
            continue
        for number, conversation in enumerate(runs, 1):
            _print_run(instance, conversation, number, len(runs))
    if not has_instances:
        names = ", ".join(spec.parameters)
        hint = f": set {names} with -p NAME=VALUE" if names else ""
        click.secho(f"  no instances{hint}", dim=True)
    click.echo()


def _print_written(prompts: Sequence[PreparedPrompt]) -> None:
    for prompt in prompts:
        name = f" ({escape_line(prompt.name)})" if prompt.name else ""
        times = f", {prompt.repetitions} times" if prompt.repetitions > 1 else ""
        click.secho(f"  as written{name}{times}", dim=True)
        _print_messages(prompt.written)


def _print_run(instance: Instance, conversation: Conversation, number: int, count: int) -> None:
    name = f" ({escape_line(conversation.name)})" if conversation.name else ""
    run = f", run {number} of {count}{name}" if count > 1 or name else ""
    place = "" if instance.source == COMMAND_LINE else f":{instance.line}"
    click.secho(f"  {escape_line(instance.source)}{place}{run}", dim=True)
    _print_messages(conversation.messages)


def _print_messages(messages: Sequence[Message]) -> None:
    for message in messages:
        if message.is_open:
            name = f" ({escape_line(message.variable)})" if message.variable else ""
            click.secho(f"    {message.role}{name}: the model answers", fg="cyan")
        else:
            click.secho(f"    {message.role}:", fg="cyan")
            click.echo(textwrap.indent(escape(_text(message)), " " * 6, lambda line: True))


def _text(message: Message) -> str:
    content = message.content
    parts = [content] if isinstance(content, str) else [_part_text(part) for part in content or ()]
    if message.image_url is not None:
        parts.append(f"[image: {message.image_url}]")
    return "\n".join(parts)


def _part_text(part: Mapping[str, Any]) -> str:
    if isinstance(part.get("text"), str):
        return str(part["text"])
    value = part.get(str(part.get("type")), "")
    url = value.get("url") if isinstance(value, Mapping) else value
    return f"[{part.get('type')}: {url}]"
