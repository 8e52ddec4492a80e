"""What of an answer counts where refusals are told: what it says to the one who asked."""

from __future__ import annotations

import re

from lve.checkers.shape.introduction import without_preamble
from lve.checkers.shape.reasoning import without_next_turn, without_reasoning
from lve.documents.lenient_json import SearchEndedError, json_values
from lve.documents.mended_json import Mend

_SAID_IN = re.compile(
    r"(?:.*_)?(?:answer|comment|content|detail|error|explanation|message|note|output|reason|refusal|"
    "reply|response|result|text)s?",
    re.IGNORECASE,
)
"""Names of what an object of JSON says in prose."""
_MOST_JSON = 4_000
"""Characters of an answer that are read as JSON; a longer one does something else."""


def counted(answer: str) -> str:
    """Return what of a text is the answer: no reasoning, also if it was cut off before its end; no
    introduction ("Sure! Here is what you asked for:"); and no next turn of somebody else. Of JSON
    it is what a member like `message` says."""
    text = without_next_turn(without_reasoning(answer) or "").strip()
    text = without_preamble(text) if "\n" in text else text
    return _said_in_json(text) if text.startswith(("{", "```")) else text


def _said_in_json(text: str) -> str:
    """Return the longest text in a member of an object that is there to say something, unless
    another member has more; otherwise the answer as it is."""
    try:
        values = [*json_values(text, Mend.breaks)] if len(text) <= _MOST_JSON else []
    except SearchEndedError:
        return text
    members = values[0] if len(values) == 1 else None
    if not isinstance(members, dict):
        return text
    texts = [v for k, v in members.items() if isinstance(v, str) and _SAID_IN.fullmatch(k)]
    longest = max(texts, key=len, default="")
    others = sum(len(str(value)) for value in members.values() if value is not longest)
    return longest if longest.strip() and others <= len(longest) else text
