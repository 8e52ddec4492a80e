"""A few-shot prompt: instruction, examples and named inputs.

Its text is byte for byte that of a release of ragas 0.1.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from string import Formatter
from typing import Any

from lve.data_classes import dataclass, field
from lve.errors import MissingExtraError, PromptIndexError, PromptObjectError
from lve.escape import listed
from lve.extensions.ragas.fields import (
    FIELDS,
    FIRST,
    TextStyle,
    read_fields,
    style_of,
    unused_fields,
)
from lve.messages import Message
from lve.prompts.fill_texts import as_literal
from lve.prompts.size import CharacterBudget


@dataclass(frozen=True, slots=True)
class PromptValue:
    """A prompt that has been filled in."""

    prompt_str: str

    def to_string(self) -> str:
        """Return the text."""
        return self.prompt_str

    def to_messages(self) -> list[Message]:
        """Return it as one user message."""
        return [Message(content=self.prompt_str)]

    def to_langchain(self) -> object:
        """Return it as LangChain's `StringPromptValue`.

        Raises:
            MissingExtraError: langchain-core is not installed.
        """
        try:
            from langchain_core.prompt_values import StringPromptValue
        except ImportError as error:
            raise MissingExtraError(
                "to_langchain() needs langchain-core: pip install langchain-core"
            ) from error
        return StringPromptValue(text=self.prompt_str)


@dataclass(init=False, slots=True)
class FewShotPrompt:
    """A named few-shot prompt. All fields are checked when it is created."""

    name: str
    """Also the name of the saved file."""
    instruction: str
    """The task for the model."""
    examples: list[dict[str, Any]]
    """Demonstrations, each with a value for every input key and for the output key."""
    input_keys: list[str]
    """Names of the inputs, in the order of the text."""
    output_key: str
    """Name of the model's output."""
    output_type: str
    """`json` or `str`, in any case."""
    language: str
    """Language of the examples."""
    output_format_instruction: str
    """Follows the instruction, since ragas 0.1.6."""
    version: str
    """The release of ragas that renders the same text, such as `0.1.0`."""
    unused: list[str] = field(compare=False, repr=False)
    """Given fields that have no effect."""

    def __init__(self, **fields: Any) -> None:
        """Check and set the fields.

        Args:
            **fields: `name`, `instruction`, `input_keys` and `output_key` are required.

        Raises:
            PromptObjectError: (a ValueError) fields are invalid; has all problems.
        """
        for name, value in read_fields(fields).items():
            setattr(self, name, value)
        self.unused = unused_fields(fields)

    @property
    def is_json(self) -> bool:
        """Whether the output is JSON."""
        return self.output_type.lower() == "json"

    @property
    def content_hash(self) -> str:
        """SHA-256 of all fields; changes if and only if the prompt does."""
        fields = {**self.to_dict(), "output_type": self.output_type.lower()}
        return hashlib.sha256(json.dumps(fields).encode("ascii")).hexdigest()

    @property
    def style(self) -> TextStyle:
        """How the prompt's version renders it."""
        return style_of(self.version) or TextStyle()

    def to_dict(self) -> dict[str, object]:
        """Return the fields in the order of a saved file, without those that ragas 0.1.0 doesn't
        have unless they are needed."""
        fields = {name: getattr(self, name) for name in FIELDS}
        later = self.output_format_instruction
        if later or self.style.headings:
            start = {"name": self.name, "instruction": self.instruction}
            fields = {**start, "output_format_instruction": later, **fields}
        return fields if self.version == FIRST else {**fields, "version": self.version}

    def to_string(self) -> str:
        """Return the prompt as a template, byte for byte as ragas does.

        Braces in example values are doubled only if the output is JSON. Otherwise `str.format` may
        fail on it, as in ragas; `format` doesn't.
        """
        return self._text({key: f"{{{key}}}" for key in self.input_keys}, doubled=True)

    def get_example_str(self, example_no: int) -> str:
        """Return one example as in `to_string()`; negative numbers count from the end.

        Raises:
            PromptIndexError: (a ValueError and IndexError) there is no such example.
        """
        if not -len(self.examples) <= example_no < len(self.examples):
            raise PromptIndexError(
                f"example number {example_no} is out of range: "
                f"the prompt {self.name!r} has {len(self.examples)}"
            )
        text = self._example(self.examples[example_no], doubled=True, fenced=False)
        return f"```{text}```" if self.style.headings else text

    def format(self, /, **kwargs: object) -> PromptValue:
        """Fill in the inputs.

        Braces in values, examples and the instruction are harmless: the template is only filled as
        one if its placeholders are exactly the input keys.

        Args:
            **kwargs: a value for each input key. Texts are inserted unchanged (since ragas 0.1.14
                as JSON strings), other values as `str()` of them.

        Raises:
            PromptError: (a ValueError) a key is missing or unknown, or the text would be too long.
        """
        if set(kwargs) != set(self.input_keys):
            raise PromptObjectError([_mismatch(self.input_keys, kwargs)])
        values = {key: self._input(value) for key, value in kwargs.items()}
        CharacterBudget().take(sum(len(key) + len(values[key]) for key in self.input_keys))
        filled = _fill_template(self.to_string(), values)
        return PromptValue(self._text(values, doubled=False) if filled is None else filled)

    def _input(self, value: object) -> str:
        return json.dumps(value) if self.style.quotes and isinstance(value, str) else f"{value}"

    def _text(self, inputs: Mapping[str, str], *, doubled: bool) -> str:
        """Return the prompt with these inputs; as a template if braces are `doubled`."""
        style, parts = self.style, [self.instruction]
        if style.asks_for_json and self.is_json:
            parts.append("\nOutput in only valid JSON format.")
        if style.headings and self.output_format_instruction:
            later = self.output_format_instruction
            parts.append(f"\n\n{as_literal(later) if doubled else later}")
        parts.append("\n")
        if style.headings and self.examples:
            parts.append("\nExamples:\n")
        for example in self.examples:
            parts.append(self._example(example, doubled=doubled, fenced=style.headings) + "\n")
        if style.headings:
            parts.append("\nYour actual task:\n")
        parts += (f"\n{key}: {inputs[key]}" for key in self.input_keys)
        return f"{''.join(parts)}\n{self.output_key}: \n"

    def _example(self, example: Mapping[str, object], *, doubled: bool, fenced: bool) -> str:
        lines = []
        for key, value in example.items():
            text = json.dumps(value, ensure_ascii=False)
            text = as_literal(text) if doubled and self.is_json else text
            is_fenced = fenced and isinstance(value, dict | list)
            lines.append(f"\n{key}: ```{text}```" if is_fenced else f"\n{key}: {text}")
        return "".join(lines)


def _fill_template(template: str, values: Mapping[str, str]) -> str | None:
    """Fill a template; None if a placeholder isn't just the name of a value."""
    if any(key.endswith(":") for key in values):
        return None  # `{key:}` would be parsed as `{key}`.
    try:
        fields = list(Formatter().parse(template))
    except ValueError:
        return None
    parts, budget = [], CharacterBudget()
    for literal, name, spec, conversion in fields:
        parts.append(literal)
        if name is None:
            continue
        if spec or conversion or name not in values:
            return None
        parts.append(values[name])
        budget.take(len(values[name]))
    return "".join(parts)


def _mismatch(input_keys: list[str], values: Mapping[str, object]) -> str:
    keys = set(input_keys)
    missing = [key for key in input_keys if key not in values]
    unknown = [key for key in values if key not in keys]
    details = [f"missing: {listed(missing)}"] if missing else []
    details += [f"unknown: {listed(unknown)}"] if unknown else []
    return (
        f"Input variables {input_keys} do not match with the given parameters "
        f"{list(values)} ({'; '.join(details)})"
    )
