"""Fences around texts that a model judges, so that it can tell them from its instructions.

A judged text may say "ignore the rubric", or pretend to end and continue with an instruction. So
each text stands between two lines with a mark that its author can't know: a hash of the task and
all texts. An attacker would need a text that contains its own hash, which takes about 2^95
attempts. The same texts always get the same mark, so that answers can be cached and verdicts
repeated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256

from lve.checkers.shape.patterns import pattern
from lve.documents.json_lines import canonical_json
from lve.errors import CheckerError

MAX_CHARACTERS = 200_000
"""The most characters of all texts together, as a judge's context and budget are limited."""
_MARK_DIGITS = 24
_ROLE_MARKERS = re.compile(pattern("chat_template_marker"), re.IGNORECASE)
"""The first character of a chat template's marker. A server may take a marker for the end of a
message, wherever it occurs."""


class Fence:
    """Writes texts between lines that they can't imitate.

    Attributes:
        mark: the mark in these lines.
    """

    def __init__(self, texts: Mapping[str, str], task: str = "") -> None:
        """Args:
        texts: title in capitals -> text.
        task: the judge's task, which the mark depends on, too.

        Raises:
            CheckerError: the texts are too long.
        """
        size = sum(map(len, texts.values()))
        if size > MAX_CHARACTERS:
            raise CheckerError(
                f"the texts to judge have {size:,} characters together, and a judge gets "
                f"{MAX_CHARACTERS:,} at most",
                code="too_much_work",
            )
        whole = canonical_json(["lve fence 2", dict(texts), task]).encode("utf-8", "surrogatepass")
        self.mark = sha256(whole).hexdigest()[:_MARK_DIGITS]
        self._texts = texts

    def __str__(self) -> str:
        return "\n\n".join(self._block(title, text) for title, text in self._texts.items())

    def _block(self, title: str, text: str) -> str:
        return f"<<<BEGIN {title} {self.mark}>>>\n{disarmed(text)}\n<<<END {title} {self.mark}>>>"


def disarmed(text: str) -> str:
    """Return a text without markers of chat templates: a space is inserted after the first
    character of each."""
    return _ROLE_MARKERS.sub(lambda marker: f"{marker[0]} ", text)
