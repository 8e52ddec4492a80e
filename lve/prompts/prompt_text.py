"""One prompt of a test as its author wrote it, wherever it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lve.errors import Problem, SpecError
from lve.messages import Message
from lve.prompts.message_object import did_you_mean
from lve.prompts.prompt_file import ParsedPrompt, read_prompt_file
from lve.spec.model import Position, PromptSource, Spec
from lve.workspace import display_path

SUFFIX = ".prompt"


@dataclass(frozen=True, slots=True)
class PromptText:
    """The messages of a prompt and where they stand, for messages about them."""

    source: PromptSource
    messages: tuple[Message, ...]
    parsed: ParsedPrompt | None = None
    """Where they come from a prompt file."""

    def position(
        self, index: int, field: str | None = None, *, part: str = "", offset: int = 0
    ) -> Position:
        """Return where a message stands, or a part of one of its fields.

        Args:
            index: of the message.
            field: `content`, `image_url` or `variable`; None for the message.
            part: what is looked for, as written in the value.
            offset: where it stands in the value.
        """
        if self.parsed is not None:
            return self.parsed.position(index, field or "", part=part, offset=offset)
        positions = self.source.message_positions
        place = positions[index] if index < len(positions) else self.source.position
        path = place.path if place.path is None or field is None else f"{place.path}.{field}"
        return Position(place.file, place.line, place.column, path)


def read_prompt(spec: Spec, source: PromptSource) -> PromptText:
    """Return a prompt with its file read.

    Raises:
        SpecError: the file is not a prompt file in the test folder, or its text is wrong.
    """
    if source.file is None:
        return PromptText(source, tuple(source.messages or ()))
    path = _checked_file(spec, source, source.file)
    parsed = read_prompt_file(path, display_path(source.file))
    return PromptText(source, parsed.messages, parsed)


def _checked_file(spec: Spec, source: PromptSource, path: Path) -> Path:
    folder = spec.folder.resolve()
    try:
        resolved = path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, a NUL in the name
        raise _refused(source, "`prompt_file` is no usable file name", None) from None
    if not resolved.is_relative_to(folder):
        message = f"`prompt_file` is outside of the test folder: {path.name}"
        raise _refused(source, message, "copy it beside the test document")
    if path.suffix != SUFFIX:
        message = f"`prompt_file` must end in {SUFFIX}, and {path.name} doesn't"
        raise _refused(source, message, f"rename it to {path.stem}{SUFFIX}")
    if not resolved.is_file():
        raise _refused(source, f"prompt file {path.name} does not exist", _others(path))
    return resolved


def _refused(source: PromptSource, message: str, hint: str | None) -> SpecError:
    at = source.position
    return SpecError([Problem(message, at.file, at.line, at.column, at.path, hint)])


def _others(path: Path) -> str:
    """Say which prompt files there are instead."""
    there: Sequence[str] = sorted(p.name for p in path.parent.glob(f"*{SUFFIX}"))
    if not there:
        return "write the prompt into a file of that name, beside the test document"
    return did_you_mean(path.name, tuple(there)) or f"there is {', '.join(there[:5])}"
