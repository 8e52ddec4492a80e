"""Shows conversations as text: message by message, escaped, and shortened on a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator

from lve.data_classes import dataclass
from lve.escape import ELLIPSIS, escape, head, keyless
from lve.messages import Completion, Message, Part, Transcript, names_file
from lve.plurals import amount
from lve.prompts.attachments import part_words
from lve.sessions.instance_result import InstanceResult

MAX_LINES = 40
"""Lines of a message that are shown on a terminal."""
MAX_LINE = 400
"""Characters of a line that are shown on a terminal, which wraps it."""
MAX_LINE_OF_FILE = 100_000
"""Characters of a line elsewhere: a cell of a table may have 16 million. Reports have them all."""
MAX_URL = 80
"""Characters of an image's URL that are shown on a terminal; of a `data:` URL everywhere."""


@dataclass(slots=True)
class Cuts:
    """Shortens transcripts."""

    are_wanted: bool
    """Whether to shorten; False for files and pipes."""
    were_made: bool = False
    """Whether anything has been shortened."""

    def line(self, text: str, limit: int = MAX_LINE) -> str:
        """Return a line escaped, with a note of how many characters beyond `limit` were cut."""
        limit = limit if self.are_wanted else MAX_LINE_OF_FILE
        if len(text) <= limit:
            return escape(text)
        return f"{escape(head(text, limit))}{self._rest(len(text) - limit)}"

    def lines(self, text: str) -> Iterator[str]:
        """Yield the first `MAX_LINES` lines of a text, and a note of how much was cut."""
        lines = keyless(text).split("\n", MAX_LINES if self.are_wanted else -1)
        first = lines[:MAX_LINES] if self.are_wanted else lines
        yield from map(self.line, first)
        if len(lines) > len(first):
            yield self._rest(len(lines[-1]))

    def _rest(self, count: int) -> str:
        self.were_made = True
        return f"{ELLIPSIS} ({amount(count, 'more character')})"


def transcript_lines(result: InstanceResult, cuts: Cuts) -> Iterator[str]:
    """Yield the lines of an instance's transcripts.

    Args:
        result: a result with transcripts.
        cuts: shortens messages.
    """
    for number, transcript in enumerate(result.transcripts, 1):
        if len(result.transcripts) > 1:
            name = f" {transcript.name}" if transcript.name else ""
            yield escape(f"run {number}{name}")
        thoughts = _thoughts(transcript)
        completions = dict(zip(transcript.filled, transcript.completions, strict=False))
        for index, message in enumerate(transcript.messages):
            answered = " (answer)" if index in transcript.filled else ""
            if thought := thoughts.get(index):
                yield f"[{message.role}] (reasoning, not judged)"
                for line in cuts.lines(thought):
                    yield f"  {line}"
            yield f"[{message.role}]{answered}"
            for line in _content_lines(message, cuts):
                yield f"  {line}"
            if index in completions:
                for title, text in returned_texts(completions[index]):
                    yield f"[{title}]"
                    for line in cuts.lines(text):
                        yield f"  {line}"


def returned_texts(completion: Completion) -> Iterator[tuple[str, str]]:
    """Yield title and text of what an application returned beside its answer."""
    for number, context in enumerate(completion.contexts, 1):
        yield f"context {number} of {len(completion.contexts)}", context
    if completion.metadata:
        yield "metadata", json.dumps(completion.metadata, ensure_ascii=False)
    if completion.cost:
        yield "cost", f"${completion.cost:.6g}"


def _thoughts(transcript: Transcript) -> dict[int, str]:
    """Return index of a message -> the model's reasoning before it."""
    answered = zip(transcript.filled, transcript.completions, strict=False)
    return {index: completion.reasoning for index, completion in answered if completion.reasoning}


def _content_lines(message: Message, cuts: Cuts) -> Iterator[str]:
    content = message.content
    if content is not None and not isinstance(content, str):
        content = "\n".join(map(_part_line, content))
    if content or not message.tool_calls:
        yield from cuts.lines(content or "")
    for call in message.tool_calls:
        yield from cuts.lines(call.as_text)
    if message.image_url:
        yield f"(image {_image(message.image_url, cuts)})"


def _part_line(part: Part) -> str:
    what = part_words(part) if names_file(part) else part.get("type")
    return str(part.get("text", f"({what})"))


def _image(url: str, cuts: Cuts) -> str:
    """Return an image's URL. A `data:` URL, which holds the pixels, is always cut."""
    is_data = url.startswith("data:")
    return (Cuts(are_wanted=True) if is_data else cuts).line(url, MAX_URL)
