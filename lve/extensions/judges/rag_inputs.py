"""What the checks of retrieval have in common: contexts, question, reference."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence

from lve.checkers.arguments import ArgumentError
from lve.checkers.contract import CheckContext
from lve.errors import CheckerError
from lve.extensions.judges.votes import conversation

YES_OR_NO = {"type": "integer", "enum": [0, 1]}
TEXT = {"type": "string"}


def contexts_of(name: str, value: str | Sequence[str]) -> list[str]:
    """Return the contexts that an argument gives: a list, the list that a column has, or one text.

    Args:
        name: the argument's name.
        value: its value. A column with a list is filled into a text as Python or JSON writes it.

    Raises:
        ArgumentError: there is no context.
    """
    texts = [value] if isinstance(value, str) else [*value]
    if len(texts) == 1:
        texts = _listed(texts[0])
    if not texts or not all(text.strip() for text in texts):
        raise ArgumentError(name, f"'{name}' has no context, or an empty one")
    return texts


def _listed(text: str) -> list[str]:
    if text.strip()[:1] == "[":
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(text.strip())
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
            if isinstance(value, list) and all(isinstance(element, str) for element in value):
                return value
    return [text]


def question_texts(question: str | None, context: CheckContext, run: int) -> Mapping[str, str]:
    """Return title -> text of the question: the given one, or else the conversation."""
    return conversation(context, run, "QUESTION") if question is None else {"QUESTION": question}


def reference_of(reference: str | None, context: CheckContext) -> str:
    """Return the given reference, or else the data set's right answer.

    Raises:
        CheckerError: there is none, or an empty one.
    """
    text = str(context.reference or "") if reference is None else reference
    if not text.strip():
        raise CheckerError(
            "there is no right answer to compare with: give `reference`, or a data set with "
            "right answers",
            code="missing_reference",
        )
    return text


def numbered(texts: Sequence[str]) -> str:
    """Return statements as a judge sees them: numbered from 1."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
