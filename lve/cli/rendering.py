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
from lve.prompts.conversation import Conversation, Plan
from lve.prompts.dataset_plan import DatasetPlan, build_dataset_plan
from lve.prompts.message_object import did_you_mean
from lve.prompts.message_plan import MessagePlan, PreparedPrompt
from lve.prompts.plan import build_plan
from lve.prompts.row_view import row_view
from lve.reporting.escape import escape, escape_line
from lve.spec.instances import iter_instances, make_instance
from lve.spec.model import Instance, Spec
from lve.spec.settings import load_workspace
from lve.workspace import display_path

COMMAND_LINE = "command line"
"""Source of the instance that `-p` describes."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which instances are rendered."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Make one instance of these, instead of the test's own, if there are any."""
    names: tuple[str, ...] | None = None
    """Only instances of these files."""
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
    """
    try:
        plan = _plan(spec, selection)
    except SpecError as error:
        problems += error.problems
        return None
    problems += plan.warnings
    return Rendered(plan, _filled(plan, selection, problems))


def _plan(spec: Spec, selection: Selection) -> Plan:
    settings = None
    if selection.model is not None:
        settings = load_workspace(spec.root).settings.models.get(selection.model)
    if selection.provenance and spec.infer_cfg is not None:
        return build_dataset_plan(spec, settings, trace=True)
    return build_plan(spec, model=settings)


def _filled(
    plan: Plan, selection: Selection, problems: list[Problem]
) -> Iterator[tuple[Instance, Sequence[Conversation]]]:
    for instance in islice(_instances(plan.spec, selection), selection.limit):
        if isinstance(instance, Problem):
            problems.append(instance)
            continue
        try:
            yield instance, plan.conversations(instance)
        except PromptError as error:
            problems.append(_not_filled(plan.spec, instance, str(error)))


def _instances(spec: Spec, selection: Selection) -> Iterator[Instance | Problem]:
    if not selection.parameters:
        return iter_instances(spec, selection.names)
    unknown = [n for n in selection.parameters if spec.parameters and n not in spec.parameters]
    if unknown:
        return iter([_unknown_parameter(spec, unknown[0])])
    made = make_instance(spec, selection.parameters, COMMAND_LINE, 1)
    if not spec.parameters:  # The columns of a data set are the parameters.
        made = Instance(made.args, made.args, {}, COMMAND_LINE, 1)
    return iter([made])


def _unknown_parameter(spec: Spec, name: str) -> Problem:
    known = f"it has {', '.join(spec.parameters)}"
    hint = did_you_mean(name, spec.parameters) or known
    return Problem(f"the prompt has no parameter '{name}'", display_path(spec.file), hint=hint)


def _not_filled(spec: Spec, instance: Instance, message: str) -> Problem:
    if instance.source == COMMAND_LINE:
        return Problem(message, display_path(spec.file), hint="give it with -p NAME=VALUE")
    return Problem(message, display_path(spec.folder / instance.source), instance.line)


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
                "model_args": {**spec.model_args, **instance.model_args},
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
        hint = f"; set {names} with -p NAME=VALUE" if names else ""
        click.echo(f"  no instances{hint}; as written:")
        for prompt in rendered.written:
            _print_messages(prompt.messages)
    click.echo()


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
