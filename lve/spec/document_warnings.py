"""Warnings about a valid test document: keys that have no effect, and likely mistakes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice

from lve.documents.position_types import TYPOGRAPHIC_QUOTES, JsonPath
from lve.documents.read import Document
from lve.documents.validation.value_formats import FORMATS
from lve.errors import Problem
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.json_types import JsonValue
from lve.late import LatePattern
from lve.spec.location import file_inside, runs_of
from lve.spec.model_arg_names import MAX_NAMES, are_alike, misspelt
from lve.spec.rules import model_args_in, texts_in
from lve.suggest import did_you_mean

_CODE = LatePattern(
    r"(owasp|llm[-_ ]?\d|atlas|aml\.|(nist|ai)[- ]|600-1|(gv|mp|ms|mg)-\d|avid|[sep]0\d|cwe)", re.I
)
"""How texts begin that may be a code of a published list of risks."""
_SCHEMAS = frozenset({"json_schema", "output_schema", "parameters", "schema", "tools"})
_DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords of JSON Schema whose values are no schemas."""
YAML_SUFFIXES = (".yaml", ".yml")
_OPENING = "“„‟‘‚‛«"
_FILE_NAME = re.compile(r"[\w./-]{1,100}\.[a-z]{2,8}").fullmatch


def warnings_of(document: Document) -> Iterator[Problem]:
    """Yield all warnings about a valid document."""
    data, folder = document.data, document.path.parent
    if os.path.lexists(folder / "import.json"):  # also a link, which isn't followed
        yield from extension_part("changed imports")(folder)
    for key in ("param_values", "test_path"):
        if key in data:
            yield _warning(document, f"`{key}` is not used any more", (key,), "remove it")
    for path, args in model_args_in(data):
        for name in islice(args, MAX_NAMES):
            if hint := misspelt(name):
                message = f"`{excerpt(name)}` is sent as it is written"
                yield _warning(document, message, (*path, name), hint)
    if isinstance(data.get("expect"), dict):
        yield from _repeats_without_effect(document, data["expect"])
    for path, run in runs_of(data):
        if "repetition" in run:
            where = (*path, "repetition")
            yield _warning(document, "`repetition` is spelled `repetitions`", where, None)
    yield from _typographic_quotes(document)
    yield from _file_as_prompt(document)
    yield from _unknown_formats(document)
    for index, tag in enumerate(data.get("tags") or ()):
        for part in ("name", "value"):
            if _CODE.match(tag.get(part, "")) and (
                wrong := extension_part("unknown code")(tag[part])
            ):
                yield _warning(document, wrong[0], ("tags", index, part), wrong[1])


def _typographic_quotes(document: Document) -> Iterator[Problem]:
    """Yield a warning for each YAML text that begins and ends with typographic quotes, which don't
    quote in YAML. If the text is in real quotes, they are intended."""
    if document.text.isascii() or document.path.suffix not in YAML_SUFFIXES:
        return
    lines = document.text.splitlines()
    for path, text in texts_in(document.data, ()):
        if len(text) < 2 or not {text[0], text[-1]} <= set(TYPOGRAPHIC_QUOTES):
            continue
        if set(_OPENING) & set(text[1:-1]):  # it quotes several words, so this is intended
            continue
        line, column = document.position(path) or (0, 0)
        if 0 < line <= len(lines) and lines[line - 1][column - 1 : column] == text[0]:
            message = f"{text[0]} and {text[-1]} don't quote in YAML: they are part of the text"
            hint = 'write "...", or, if you mean them, put all of it into "..."'
            yield document.problem(message, path, hint=hint, severity="warning", code="suspicious")


def _unknown_formats(document: Document) -> Iterator[Problem]:
    """Yield a warning for each `format` in a JSON Schema that no text is held to."""
    for path, name in texts_in(document.data, ()) if "format" in document.text else ():
        in_schema = any(key in _SCHEMAS for key in path) and not any(key in _DATA for key in path)
        if in_schema and path[-1] == "format" and name not in FORMATS:
            message = f"the format `{excerpt(name)}` is not checked: any text has it"
            hint = did_you_mean(name, FORMATS) or f"there are {', '.join(sorted(FORMATS))}"
            yield document.problem(message, path, hint=hint, severity="warning", code="suspicious")


def _file_as_prompt(document: Document) -> Iterator[Problem]:
    """Yield a warning if the prompt is the name of an existing file."""
    prompt = document.data.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], dict):
        prompt = prompt[0].get("content")
    if not isinstance(prompt, str) or not _FILE_NAME(prompt.strip()):
        return
    name = prompt.strip()
    if not isinstance(file_inside(document.path.parent, name), str):
        prompt_file = name if name.endswith(".prompt") else f"{name.rpartition('.')[0]}.prompt"
        renamed = "" if prompt_file == name else ", and call the file so"
        message = f"the model is sent the text `{name}`, not the content of that file"
        yield _warning(document, message, ("prompt",), f"say `prompt_file: {prompt_file}`{renamed}")


def _repeats_without_effect(document: Document, expect: dict[str, JsonValue]) -> Iterator[Problem]:
    """Yield a warning if the test asks for repeats that can't change the estimated pass rate."""
    args = document.data.get("default_model_args") or {}
    if expect.get("claim") == "population":
        if "max_repeats" in expect:
            message = "`max_repeats` has no effect on a claim about the population"
            yield _warning(document, message, ("expect", "max_repeats"), "use `repeats`")
    elif {document.data.get("repeats", 1), expect.get("max_repeats", 1)} == {1}:
        return
    elif are_alike(args):
        path = ("default_model_args", "temperature" if args.get("temperature") == 0 else "seed")
        message = "repeats would be alike, so the results are counted, without confidence"
        yield _warning(document, message, path, "set a temperature above 0, and no seed")
    elif "temperature" not in args:
        hint = "it is the default: set `default_model_args: {temperature: 1}`"
        yield _warning(document, "repeats would be alike at temperature 0", ("expect",), hint)


def _warning(document: Document, message: str, path: JsonPath, hint: str | None) -> Problem:
    return document.problem(
        message, path, hint=hint, key=True, severity="warning", code="suspicious"
    )
