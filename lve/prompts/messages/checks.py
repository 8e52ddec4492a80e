"""Checks the messages of a prompt: open turns, placeholders, addresses, files, calls of tools.

The schema has already checked keys and types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from lve.errors import PlaceholderError, Problem, PromptError, Severity
from lve.limits.problems import MAX_PROBLEMS
from lve.messages import Message, Part, Role, Tool, file_name, names_file
from lve.prompts.addresses import HINT, addresses, is_certainly_local, refusal
from lve.prompts.attachments import TotalFileSize, inspected_file
from lve.prompts.conversation import RESPONSE
from lve.prompts.fill import parse_template
from lve.prompts.messages.answers import NamedAnswers, placeholders_in
from lve.prompts.messages.parameters import (
    Parameters,
    is_known,
    spec_problem,
    why_unknown,
    with_doubled_braces,
)
from lve.prompts.messages.texts import PromptText, filled_texts, literal_names
from lve.prompts.size import MAX_TURNS
from lve.prompts.tools.prompt_calls import call_problems

MAX_REPORTED = 20
"""Problems of one kind in a message that are reported one by one."""
PLACEHOLDER = "placeholder"
BRACES = "literal_braces"
"""Code of warnings about parameters in braces that aren't placeholders."""
_FIELD = re.compile(r"\{([^{}]*)\}")
TURNS = "message_roles"
"""Code of problems with the order of messages and with open turns."""


def check_prompt(
    prompt: PromptText, parameters: Parameters, folder: Path, tools: Sequence[Tool] = ()
) -> list[Problem]:
    """Return the problems of a prompt, errors before warnings. The search ends once there are more
    errors than are shown.

    Args:
        prompt: to check.
        parameters: the names that its placeholders may have.
        folder: the test folder, with the files that the prompt names.
        tools: the tools of the test.
    """
    errors, warnings = list[Problem](), list[Problem]()
    for problem in chain(_problems(prompt, parameters, folder), _check_calls(prompt, tools)):
        (errors if problem.severity == "error" else warnings).append(problem)
        if len(errors) > MAX_PROBLEMS:
            break
    return errors + warnings[: MAX_PROBLEMS + 1]


def _problems(prompt: PromptText, parameters: Parameters, folder: Path) -> Iterator[Problem]:
    yield from _check_open_turns(prompt)
    total, answers = TotalFileSize(), NamedAnswers(prompt.messages)
    for index, message in enumerate(prompt.messages):
        names = parameters.for_message(index, answers)
        if message.role is not Role.assistant:
            yield from _check_filled_message(prompt, index, message, names)
        else:
            yield from _check_fixed_turn(prompt, index, message, names)
        yield from _check_addresses(prompt, index, message)
        if message.content is not None and not isinstance(message.content, str):
            yield from _check_files(prompt, index, message.content, folder, total)


def _check_calls(prompt: PromptText, tools: Sequence[Tool]) -> Iterator[Problem]:
    if any(
        message.tool_calls or message.tool_call_id or message.role is Role.tool
        for message in prompt.messages
    ):
        for wrong in call_problems(prompt.messages, tools):
            yield _problem(
                prompt,
                wrong.place,
                wrong.field,
                wrong.message,
                wrong.hint,
                wrong.severity,
                code="tool_calls",
            )


def _check_open_turns(prompt: PromptText) -> Iterator[Problem]:
    messages = prompt.messages
    last = len(messages) - 1
    turns = sum(message.is_open for message in messages)
    if turns > MAX_TURNS:
        text = f"the prompt has {turns:,} open turns; at most {MAX_TURNS:,} are allowed"
        yield _problem(prompt, last, None, text, "make several tests of it", code=TURNS)
    turn_of_variable: dict[str, int] = {}
    for index, message in enumerate(messages):
        if not message.is_open:
            continue
        if index == 0:
            text = "the model has to speak first: nothing stands before this open turn"
            yield _problem(
                prompt, index, None, text, "most servers refuse this", "warning", code=TURNS
            )
        if message.variable is None and index != last:
            hint = f'name the answer, such as "variable": "answer{len(turn_of_variable) + 1}"'
            yield _problem(prompt, index, None, "an open turn needs a `variable`", hint, code=TURNS)
        elif message.variable in turn_of_variable:
            text = f"variable '{message.variable}' is used twice"
            yield _problem(
                prompt,
                index,
                "variable",
                text,
                "give every open turn its own name",
                code="duplicate_name",
            )
        if message.variable is not None:
            turn_of_variable.setdefault(message.variable, index)
    if not messages[last].is_open and RESPONSE in turn_of_variable:
        text = f"variable '{RESPONSE}' is used twice: it is also the name of the last answer"
        hint = "give this open turn another name"
        yield _problem(
            prompt, turn_of_variable[RESPONSE], "variable", text, hint, code="duplicate_name"
        )


def _check_filled_message(
    prompt: PromptText, index: int, message: Message, parameters: Parameters
) -> Iterator[Problem]:
    if message.variable is not None:
        text = f"`variable` has no meaning on a {message.role} message"
        yield _problem(
            prompt, index, "variable", text, "only answers have names", "warning", code=TURNS
        )
    for field, text in filled_texts(message):
        yield from _check_placeholders(prompt, index, field, text, parameters)
        yield from _check_literal_names(prompt, index, field, text, parameters)
    yield from _check_no_answers(prompt, index, message, parameters)


def _check_no_answers(
    prompt: PromptText, index: int, message: Message, parameters: Parameters
) -> Iterator[Problem]:
    """Refuse answers in addresses and file names: a model must not choose what the next request
    fetches or sends."""
    if not parameters.answers:
        return
    parts = message.content if not isinstance(message.content, str | None) else ()
    files = filter(None, map(file_name, parts))
    field = "content" if message.image_url is None else "image_url"
    for address in (*addresses(message), *files):
        for name in {*placeholders_in(address)} & {*parameters.answers}:
            text = f"{{{name}}} is an answer, which can't be part of an address or a file's name"
            yield _problem(
                prompt, index, field, text, "put it into the text", part=address, code="address"
            )


def _check_addresses(prompt: PromptText, index: int, message: Message) -> Iterator[Problem]:
    field = "content" if message.image_url is None else "image_url"
    for address in islice(filter(is_certainly_local, addresses(message)), MAX_REPORTED):
        yield _problem(prompt, index, field, refusal(address), HINT, part=address, code="address")


def _check_files(
    prompt: PromptText, index: int, content: Sequence[Part], folder: Path, total: TotalFileSize
) -> Iterator[Problem]:
    """Yield the problems of files whose names have no placeholders."""
    is_answer = prompt.messages[index].role is Role.assistant
    for part in islice(filter(names_file, content), MAX_REPORTED):
        if total.is_too_large:
            return
        kind, name = str(part["type"]), str(file_name(part))
        if is_answer:
            text = "an assistant message takes no files"
            yield _problem(
                prompt,
                index,
                kind,
                text,
                "put it into a user message",
                part=name,
                code="attachment",
            )
        elif "{" not in name and "}" not in name:
            try:
                total.add(inspected_file(folder, kind, name).size)
            except PromptError as error:
                yield _problem(prompt, index, kind, str(error), None, part=name, code="attachment")


def _check_placeholders(
    prompt: PromptText, index: int, field: str, text: str, parameters: Parameters
) -> Iterator[Problem]:
    try:
        placeholders = parse_template(text).placeholders()
    except PlaceholderError as error:
        part = text[error.offset : error.offset + 1]
        yield _problem(
            prompt, index, field, str(error), None, part=part, offset=error.offset, code=error.code
        )
        return
    unknown = {p.name: p for p in reversed(placeholders) if not is_known(p.name, parameters)}
    wrong = [
        p for p in placeholders if unknown.get(p.name) is p or spec_problem(p, unknown, parameters)
    ]
    for number, at in enumerate(wrong[: MAX_REPORTED + 1]):
        hint = None
        if number == MAX_REPORTED:
            message = f"{len(wrong) - MAX_REPORTED:,} more placeholders are wrong, from this one on"
        elif at.name in unknown:
            message, hint = why_unknown(at.name, parameters)
        else:
            message = str(spec_problem(at, unknown, parameters))
        yield _problem(
            prompt,
            index,
            field,
            message,
            hint,
            part="{" + at.name,
            offset=at.offset,
            code=PLACEHOLDER,
        )


def _check_literal_names(
    prompt: PromptText, index: int, field: str, text: str, parameters: Parameters
) -> Iterator[Problem]:
    """Yield a warning for each parameter in braces that are literal: it isn't filled in."""
    names = {*(parameters.names or ()), *parameters.answers}
    for match in islice(literal_names(text, names), MAX_REPORTED):
        name, offset = match[1], match.start()
        if prompt.has_double_braces:
            message = f"{{{name}}} is sent as it stands: placeholders are {{{{{name}}}}} here"
            hint = f"write {{{{{name}}}}} for the value"
        else:
            message = f"{match[0]} is sent as {{{name}}}: doubled braces are literal ones"
            hint = f"write {{{name}}} for the value, or `braces: double` in the test"
        part = match[0] if offset == 0 else "{" + name
        yield _problem(
            prompt, index, field, message, hint, "warning", part=part, offset=offset, code=BRACES
        )


def _check_fixed_turn(
    prompt: PromptText, index: int, message: Message, parameters: Parameters
) -> Iterator[Problem]:
    content = message.content if isinstance(message.content, str) else ""
    fields = dict.fromkeys(_FIELD.findall(content)) if "{" in content else ()
    names = {*(parameters.names or ()), *parameters.answers} if fields else ()
    literal_names = (name for name in fields if name in names)
    for name in islice(literal_names, MAX_REPORTED):
        text = f"{{{name}}} is sent as it stands: assistant messages are not filled in"
        yield _problem(
            prompt, index, "content", text, None, "warning", part=f"{{{name}}}", code=PLACEHOLDER
        )


def _problem(
    prompt: PromptText,
    index: int,
    field: str | None,
    message: str,
    hint: str | None,
    severity: Severity = "error",
    *,
    part: str = "",
    offset: int = 0,
    code: str,
) -> Problem:
    if prompt.has_double_braces and code == PLACEHOLDER:
        message, hint = with_doubled_braces(message), hint and with_doubled_braces(hint)
    position = prompt.position(index, field, part=part, offset=offset)
    return position.problem(message, hint, severity, code=code)
