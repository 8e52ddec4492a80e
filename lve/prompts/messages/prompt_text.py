"""A prompt as its author wrote it: in the test document or in a prompt file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lve.documents.places import Position
from lve.messages import Message
from lve.prompts.messages.prompt_file import ParsedPrompt, read_prompt_file
from lve.spec.model import PromptSource


@dataclass(frozen=True, slots=True)
class PromptText:
    """The messages of a prompt and their positions, for error messages."""

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


def read_prompt_text(source: PromptSource, folder: Path) -> PromptText:
    """Return a prompt, read from its file if it has one.

    Args:
        source: the prompt.
        folder: of the test; the file must not be outside of it.

    Raises:
        SpecError: the file can't be read, or its text is wrong.
    """
    if source.file is None:
        return PromptText(source, tuple(source.messages or ()))
    parsed = read_prompt_file(source.file, folder=folder)
    return PromptText(source, parsed.messages, parsed)
