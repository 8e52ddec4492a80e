"""Converts answers of models to checkers' questions to and from JSON, for the journal and for
recorded instances."""

from __future__ import annotations

import sys
from array import array
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lve.checkers.questions import Answer
from lve.execution.completions import completion_from_json, completion_to_json
from lve.json_types import JsonObject, JsonValue
from lve.messages import Completion

MAX_COST = 10**9
"""US dollars. A forged number with thousands of digits would break sums."""


def answers_to_json(answers: Sequence[Answer]) -> list[dict[str, JsonValue]]:
    """Return answers as JSON values, without their vectors."""
    return [_answer_to_json(answer) for answer in answers]


def _answer_to_json(answer: Answer) -> dict[str, JsonValue]:
    fields: dict[str, Any] = {
        "key": answer.key,
        "role": answer.role,
        "model": answer.model,
        "cost": answer.cost,
    }
    if answer.problem is not None:
        fields |= {"problem": answer.problem, "problem_kind": answer.problem_kind}
    if answer.recorded:
        fields["recorded"] = True
    if (said := answer.completion) is not None:
        fields["text"] = said.text
        fields["completion"] = completion_to_json(said) | {"cached": said.cached}
    return fields


def answers_from_json(data: Sequence[JsonObject]) -> tuple[Answer, ...]:
    """Return the answers that `answers_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: `data` isn't a list of answers.
    """
    return tuple(_answer_from_json(answer) for answer in data)


def _answer_from_json(data: Mapping[str, Any]) -> Answer:
    texts = [data["key"], data["role"], data["model"]]
    optional = [data.get("problem"), data.get("problem_kind")]
    if not all(isinstance(text, str) for text in texts + [text for text in optional if text]):
        raise TypeError("not a text")
    cost, said = data["cost"], data.get("completion")
    if cost is not None and not 0 <= cost <= MAX_COST:
        raise ValueError("not an amount of dollars")
    completion = said and completion_from_json(said, data["text"], cached=said["cached"])
    key, role, model = texts
    recorded = data.get("recorded") is True
    problem, problem_kind = optional
    return Answer(key, role, model, completion, cost, None, problem, problem_kind, recorded)


def recorded_answers(answers: Iterable[Answer]) -> list[dict[str, JsonValue]]:
    """Return answers as a recorded instance has them (`asked`): without failed ones, and without
    what only that run was interested in."""
    return [_recorded_answer(answer) for answer in answers if answer.problem is None]


def _recorded_answer(answer: Answer) -> dict[str, JsonValue]:
    fields: dict[str, Any] = {"key": answer.key, "role": answer.role, "model": answer.model}
    if answer.completion is not None:
        fields["text"] = answer.completion.text
    if answer.vector is not None:
        numbers = _little_endian(array("f", answer.vector))
        fields["vector"] = b2a_base64(numbers, newline=False).decode("ascii")
    return fields


def answers_of_recording(asked: Iterable[Mapping[str, Any]]) -> Iterator[Answer]:
    """Yield the answers in `asked` of a recorded instance. What can't be read isn't there: then the
    question is asked again.

    Args:
        asked: as in the file; valid by its schema.
    """
    for fields in asked:
        answer = Answer(fields["key"], fields["role"], fields["model"], recorded=True)
        if isinstance(text := fields.get("text"), str):
            answer.completion = Completion(text, model=answer.model)
        try:
            numbers = array("f", a2b_base64(fields.get("vector", ""), strict_mode=True))
        except ValueError:
            continue
        answer.vector = _little_endian(numbers).tolist() or None
        if answer.completion is not None or answer.vector is not None:
            yield answer


def _little_endian(numbers: array[float]) -> array[float]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
