"""What `lve render` prints for people: messages by role, in colour on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import click

from lve.cli.rendering import Filled, Rendered, message_text, token_count
from lve.cli.row_text import print_origins, print_stages
from lve.escape import escape, escape_line
from lve.messages import Message
from lve.pipeline.select import COMMAND_LINE
from lve.prompts.conversation import Conversation
from lve.prompts.dataset_plan import DatasetPlan
from lve.prompts.message_plan import PreparedPrompt
from lve.spec.model import Instance
from lve.workspace import display_path

ROLE_COLORS: Mapping[str, str] = {"system": "magenta", "user": "green", "assistant": "cyan"}
"""Others are yellow."""


def print_rendered(rendered: Rendered) -> None:
    """Print a rendered test."""
    spec = rendered.plan.spec
    click.secho(escape_line(str(display_path(spec.file))), bold=True)
    if any(prompt.to_fill for prompt in rendered.written):
        _print_written(rendered.written)
    has_instances = False
    for filled in rendered.instances:
        has_instances = True
        _print_instance(rendered, filled)
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


def _print_instance(rendered: Rendered, filled: Filled) -> None:
    plan, instance = filled.plan, filled.instance
    if isinstance(plan, DatasetPlan):
        if plan.trace:
            print_origins(plan, instance)
            return
        print_stages(plan, instance)
    for number, conversation in enumerate(filled.runs, 1):
        count = rendered.selection.count
        tokens = f", {token_count(conversation, count)} tokens" if count is not None else ""
        _print_run(instance, conversation, (number, len(filled.runs)), tokens)


def _print_run(
    instance: Instance, conversation: Conversation, position: tuple[int, int], tokens: str
) -> None:
    name = f" ({escape_line(conversation.name)})" if conversation.name else ""
    run = f", run {position[0]} of {position[1]}{name}" if position[1] > 1 or name else ""
    place = "" if instance.source == COMMAND_LINE else f":{instance.line}"
    click.secho(f"  {escape_line(instance.source)}{place}{run}{tokens}", dim=True)
    if conversation.prompt is None:
        _print_messages(conversation.messages)
        return
    click.secho("    text:", fg="green")
    _print_text(conversation.prompt)
    what = "rates this text" if conversation.score else "continues this text"
    click.secho(f"    the model {what}", fg="cyan")


def _print_messages(messages: Sequence[Message]) -> None:
    for message in messages:
        color = ROLE_COLORS.get(message.role.value, "yellow")
        if message.is_open:
            name = f" ({escape_line(message.variable)})" if message.variable else ""
            click.secho(f"    {message.role}{name}: the model answers", fg=color)
        else:
            click.secho(f"    {message.role}:", fg=color)
            _print_text(message_text(message))


def _print_text(text: str) -> None:
    click.echo(textwrap.indent(escape(text), " " * 6, lambda line: True))
