"""The text output of `lve render`: messages by role, in colour on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

import click

from lve.data.row_places import place_of_row
from lve.escape import escape, escape_line, head
from lve.extensions.rendering.rendering import Filled, Rendered, message_text, token_count
from lve.messages import Message
from lve.pipeline.choosing.instances import COMMAND_LINE
from lve.plurals import amount
from lve.prompts.conversation import Conversation
from lve.prompts.messages.prepared import PreparedPrompt
from lve.spec.spec import Instance
from lve.workspace import display_path

ROLE_COLORS: Mapping[str, str] = {
    "system": "magenta",
    "user": "green",
    "assistant": "cyan",
    "tool": "yellow",
}
MAX_TEXT = 1_000_000
"""Characters of a text that are shown: a cell of a table may have 16 million. JSON has them all."""


def rendered_lines(rendered: Rendered) -> Iterator[str]:
    """Yield the lines of a rendered test, instance by instance."""
    spec = rendered.plan.spec
    variant = f" ({spec.variant})" if spec.variant else ""
    yield click.style(escape_line(f"{display_path(spec.file)}{variant}"), bold=True)
    if any(prompt.to_fill for prompt in rendered.written):
        yield from _written_lines(rendered.written)
    has_instances = False
    for filled in rendered.instances:
        has_instances = True
        yield from _instance_lines(rendered, filled)
    if not has_instances:
        names = escape_line(", ".join(spec.parameters))
        hint = f": set {names} with -p NAME=VALUE" if names else ""
        yield click.style(f"  no rows{hint}", dim=True)
    yield ""


def _written_lines(prompts: Sequence[PreparedPrompt]) -> Iterator[str]:
    for prompt in prompts:
        name = f" ({escape_line(prompt.name)})" if prompt.name else ""
        times = f", {prompt.repetitions} times" if prompt.repetitions > 1 else ""
        yield click.style(f"  as written{name}{times}", dim=True)
        yield from _message_lines(prompt.written)


def _instance_lines(rendered: Rendered, filled: Filled) -> Iterator[str]:
    rows, instance = filled.plan.rows, filled.instance
    if rows is not None:
        yield from rows.lines(instance, filled.examples)
        if rows.trace:
            return
    for number, conversation in enumerate(filled.runs, 1):
        count = rendered.selection.count
        tokens = f", {amount(token_count(conversation, count), 'token')}" if count else ""
        yield from _run_lines(instance, conversation, (number, len(filled.runs)), tokens)


def _run_lines(
    instance: Instance, conversation: Conversation, position: tuple[int, int], tokens: str
) -> Iterator[str]:
    name = f" ({escape_line(conversation.name)})" if conversation.name else ""
    run = f", run {position[0]} of {position[1]}{name}" if position[1] > 1 or name else ""
    is_typed = instance.source == COMMAND_LINE
    place = instance.source if is_typed else place_of_row(instance.source, instance.line)
    yield click.style(f"  {escape_line(place)}{run}{tokens}", dim=True)
    if conversation.toolbox is not None:
        names = ", ".join(conversation.toolbox.shown_names())
        yield click.style(f"    tools: {escape_line(names)}", fg="yellow")
    if conversation.prompt is None:
        yield from _message_lines(conversation.messages)
        if conversation.user is not None:
            times = amount(conversation.user.max_turns, "time")
            yield click.style(f"    simulated user, at most {times}:", fg=ROLE_COLORS["user"])
            yield _indented(conversation.user.instructions)
        return
    yield click.style("    text:", fg="green")
    yield _indented(conversation.prompt)
    what = "rates this text" if conversation.score else "continues this text"
    yield click.style(f"    the model {what}", fg="cyan")


def _message_lines(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        color = ROLE_COLORS[message.role.value]
        if message.is_open:
            name = f" ({escape_line(message.variable)})" if message.variable else ""
            yield click.style(f"    {message.role}{name}: the model answers", fg=color)
        else:
            yield click.style(f"    {message.role}:", fg=color)
            yield _indented(message_text(message))


def _indented(text: str) -> str:
    rest = f"… ({amount(len(text) - MAX_TEXT, 'more character')})" if len(text) > MAX_TEXT else ""
    return textwrap.indent(f"{escape(head(text, MAX_TEXT))}{rest}", " " * 6, lambda line: True)
