"""Builds a new test from its author's input: the document and the files beside it.

Values are written as YAML that `lve.documents.yaml_text` reads back as the same value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.checkers.usable_names import REFERENCE, placeholder_names
from lve.data_classes import dataclass, field
from lve.documents.yaml_rules import ScalarError, plain_value
from lve.json_types import JsonObject
from lve.prompts.conversation import RESPONSE
from lve.prompts.fill import placeholders
from lve.prompts.messages.prompt_file import parse_prompt_file
from lve.reporting.files.markdown_text import fence
from lve.spec.check_names import CHECK_KEYS
from lve.spec.load import PROMPT_SOURCES

if TYPE_CHECKING:
    from yaml import SafeDumper, ScalarNode


WIDTH = 96
"""Columns after which a string continues on the next line."""


def yaml_text(value: Mapping[str, object]) -> str:
    """Return an object as a YAML document: short lists and objects on one line."""
    import yaml  # costs start-up time

    class Dumper(yaml.SafeDumper):
        """Quotes strings that YAML 1.2 would parse as another type."""

        def ignore_aliases(self, data: object) -> bool:
            return True

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, indentless=False)

    Dumper.add_representer(str, _text)
    text = yaml.dump(
        value,
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=WIDTH,
    )
    assert isinstance(text, str)
    return text


def _text(dumper: SafeDumper, text: str) -> ScalarNode:
    style = None
    if not all(line.isprintable() for line in text.split("\n")) or not _is_plain(text):
        style = '"'
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _is_plain(text: str) -> bool:
    """Whether a string without quotes is parsed as the same string."""
    try:
        return plain_value(text) == text
    except ScalarError:
        return False


PROMPT_FILE = "prompt.prompt"
README = "README.md"
_ORDER = (
    *("description", "author", "model", "models", "default_model_args", *PROMPT_SOURCES),
    *("prompt_parameters", "prompt_parameters_validator", *CHECK_KEYS, "pass_when"),
    *("expect", "repeats", "tags", "dataset", "examples", "allow_changes"),
)
"""Keys of a document in the order in which they are written; others come last."""


@dataclass(frozen=True, slots=True)
class AuthorInput:
    """The author's input for a new test. None or empty: not given."""

    description: str | None = None
    model: str | None = None
    prompt: str | None = None
    """The text of a `.prompt` file."""
    check: Mapping[str, Any] | None = None
    """A check in the short form."""
    at_least: int | float | str | None = None
    """How many results must pass: a number, or a share such as 0.9 or `90%`. None: all."""
    tags: Mapping[str, str] = field(default_factory=dict)
    author: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    """Values of the parameters in the examples."""
    passes: tuple[str, ...] = ()
    """Example answers that must pass."""
    fails: tuple[str, ...] = ()
    """Example answers that must fail."""


@dataclass(frozen=True, slots=True)
class NewTest:
    """A test that isn't written yet."""

    document: Mapping[str, Any] = field(default_factory=dict)
    """The test document without `$schema`; empty before the author's input."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Path -> content of the files beside the document, with `/` between folders."""

    def with_input(self, answers: AuthorInput) -> NewTest:
        """Return the test, updated with the author's input.

        Raises:
            SpecError, PlaceholderError: the prompt is invalid.
        """
        document, files = dict(self.document), dict(self.files)
        for key in ("description", "author"):
            if getattr(answers, key) is not None:
                document[key] = getattr(answers, key)
        if answers.model is not None:
            document.pop("models", None)
            document["model"] = answers.model
        if answers.prompt is not None:
            _take_out(document, (*PROMPT_SOURCES, "prompt_parameters_validator", "examples"))
            document["prompt_file"] = PROMPT_FILE
            files[PROMPT_FILE] = answers.prompt.encode()
        if answers.check is not None:
            _take_out(document, (*CHECK_KEYS, "pass_when", "examples"))
            document["check"] = dict(answers.check)
        if answers.prompt is not None or answers.check is not None:
            files = {n: content for n, content in files.items() if not n.startswith("instances/")}
            document["prompt_parameters"] = _parameters(document, answers)
        if answers.at_least is not None:
            document["expect"] = {"at_least": answers.at_least}
        if answers.tags:
            document["tags"] = [{"name": n, "value": v} for n, v in answers.tags.items()]
        if answers.passes or answers.fails:
            document["examples"] = [*document.get("examples", ()), *_examples(answers)]
        return NewTest({key: document[key] for key in _ordered(document)}, files)

    @property
    def parameters(self) -> list[str]:
        """The parameters of its prompt."""
        return list(self.document.get("prompt_parameters") or ())

    def contents(self, *, name: str, schema: str, as_json: bool) -> dict[str, bytes]:
        """Return the paths and contents of all files of the test.

        Args:
            name: the name of its folder.
            schema: the address of the schema of test documents.
            as_json: whether the document is `test.json` instead of `test.yaml`.
        """
        files = dict(self.files)
        if as_json:
            whole = {"$schema": schema, **self.document}
            files["test.json"] = (json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode()
        else:
            line = f"# yaml-language-server: $schema={schema}\n"
            files["test.yaml"] = (line + yaml_text(self.document)).encode()
        if README not in files:
            files[README] = _readme(name, self.document).encode()
        return files


def parsed_amount(text: str) -> int | float | str:
    """Return an amount as `at_least` has it: `42` is a number, `0.9` a share, `90%` stays a text.

    Raises:
        ValueError: it is nothing of that kind; the message says what would be.
    """
    if re.fullmatch(r"[0-9]{1,15}", text):
        return int(text)
    if re.fullmatch(r"[01]?\.[0-9]{1,15}", text) and float(text) <= 1:
        return float(text)
    share = re.fullmatch(r"([0-9]{1,3}(\.[0-9]{1,15})?) ?%", text)
    if share is None or float(share[1]) > 100:
        raise ValueError("it is a share such as 90% or 0.9, or a number of rows such as 42")
    return text


def prompt_parameters(prompt: str) -> list[str]:
    """Return the parameters in the text of a `.prompt` file, in order.

    Raises:
        SpecError: the text isn't a valid prompt file.
        PlaceholderError: a brace doesn't belong to a placeholder.
    """
    messages = parse_prompt_file(prompt, Path(PROMPT_FILE)).messages
    answers = {message.variable for message in messages if message.variable}
    texts = [message.content for message in messages if isinstance(message.content, str)]
    parameters = [name for text in texts for name in placeholders(text)]
    return [name for name in dict.fromkeys(parameters) if name not in answers]


def _take_out(document: dict[str, object], keys: tuple[str, ...]) -> None:
    for key in keys:
        document.pop(key, None)


def _parameters(document: Mapping[str, Any], answers: AuthorInput) -> list[str]:
    """Return the parameters of the prompt, and those that only the check uses, such as the right
    answer."""
    before = list(document.get("prompt_parameters") or ())
    of_prompt = before if answers.prompt is None else prompt_parameters(answers.prompt)
    names = {*of_prompt, RESPONSE, REFERENCE}
    of_check = _names_in([document[key] for key in CHECK_KEYS if key in document])
    return [*of_prompt, *(name for name in dict.fromkeys(of_check) if name not in names)]


def _names_in(value: object) -> Iterator[str]:
    """Yield the placeholders in the strings of a check, at any depth."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _names_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _names_in(part)
    elif isinstance(value, str):
        yield from placeholder_names(value)


def _examples(answers: AuthorInput) -> Iterator[dict[str, Any]]:
    for verdict, texts in (("passed", answers.passes), ("failed", answers.fails)):
        for text in texts:
            args = {"args": dict(answers.args)} if answers.args else {}
            yield {"verdict": verdict, "response": text, **args}


def _ordered(document: JsonObject) -> list[str]:
    return sorted(document, key=lambda key: _ORDER.index(key) if key in _ORDER else len(_ORDER))


def _readme(name: str, document: Mapping[str, object]) -> str:
    title = name.replace("_", " ").replace("-", " ").strip().capitalize() or name
    check = next((document[key] for key in CHECK_KEYS if key in document), None)
    lines = [f"# {title}", "", str(document.get("description", "")).strip()]
    if check is not None:
        written = yaml_text({"check": check}).strip()
        lines += ["", "A failure means that an answer was not as the check wants it:", ""]
        lines += [fence(written, "yaml").rstrip("\n")]
    return "\n".join(lines) + "\n"
