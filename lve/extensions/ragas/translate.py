"""Translates the examples of a prompt object with a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from lve.documents.lenient_json import json_values
from lve.documents.mended_json import Mend
from lve.errors import AdaptError, MissingModelError, UsageError
from lve.escape import head
from lve.extensions.ragas.few_shot import FewShotPrompt, PromptValue
from lve.json_types import JsonValue, json_type
from lve.messages import Completion, Message, Role
from lve.models.chat_model import DEFAULT_ARG_NAMES, DEFAULT_ARGS, ChatRequest
from lve.plurals import amount

SHOWN_CHARACTERS = 500
"""Characters of an unusable answer that an error shows."""


class Completes(Protocol):
    """A model, or a model behind the engine's cache and retries."""

    async def complete(self, request: ChatRequest) -> Completion: ...


_PROMPTS = json.loads(Path(__file__).with_name("translations.json").read_bytes())
STR_TRANSLATION = FewShotPrompt(**_PROMPTS["text"])
JSON_TRANSLATION = FewShotPrompt(**_PROMPTS["json"])


async def translate_examples(
    prompt: FewShotPrompt, language: str, model: Completes | None, *, attempts: int
) -> list[dict[str, object]]:
    """Return a prompt's examples in another language, with the same keys and types.

    Raises:
        AdaptError: none of `attempts` answers about a value could be used.
        UsageError: `attempts` is below 1, or `model` has no method `complete`.
        MissingModelError: there are words to translate and `model` is None.
    """
    if attempts < 1:
        raise UsageError(f"attempts must be at least 1, not {attempts}", code="python_argument")
    if model is not None and not hasattr(model, "complete"):
        raise UsageError(
            f"the model must have `async complete(ChatRequest)`, {model!r} has not "
            "(`lve prompt adapt --model` takes a name)",
            code="python_argument",
        )
    numbers = range(1, len(prompt.examples) + 1)
    return [await _translate_example(prompt, n, language, model, attempts) for n in numbers]


async def _translate_example(
    prompt: FewShotPrompt, number: int, language: str, model: Completes | None, attempts: int
) -> dict[str, object]:
    """Translate the input and output values of an example; other keys stay unchanged."""
    translated = {}
    for key, value in prompt.examples[number - 1].items():
        translated[key] = value
        if key in prompt.input_keys or key == prompt.output_key:
            is_json_text = key == prompt.output_key and prompt.is_json and isinstance(value, str)
            place = f"{key} of example {number} of the prompt {prompt.name!r}"
            ask = _Translator(language, model, attempts, place)
            translated[key] = await (ask.json_text(value) if is_json_text else ask.value(value))
    return translated


class _Translator:
    """Requests the translation of one value from a model until an answer can be used."""

    def __init__(self, language: str, model: Completes | None, attempts: int, place: str) -> None:
        self.language = language
        self.model = model
        self.attempts = attempts
        self.place = place

    async def json_text(self, text: str) -> str:
        """Translate the values of a text that is JSON; the result is JSON text, too."""
        return json.dumps(await self.value(json.loads(text)), ensure_ascii=False)

    async def value(self, value: object) -> Any:
        """Translate a JSON value; one without words is returned unchanged."""
        if not _has_words(value):
            return value
        if isinstance(value, str):
            question = STR_TRANSLATION.format(translate_to=self.language, input=value)
            return await self._ask(question, lambda answer: _text_answer(answer, value))
        json_text = json.dumps(value, ensure_ascii=False)
        question = JSON_TRANSLATION.format(translate_to=self.language, input=json_text)
        return await self._ask(question, lambda answer: _json_answer(answer, value))

    async def _ask(self, question: PromptValue, read: Callable[[str], object]) -> object:
        if self.model is None:
            raise MissingModelError(f"a model is needed to translate {self.place}")
        messages = tuple(question.to_messages())
        for _ in range(self.attempts):
            request = ChatRequest(messages, DEFAULT_ARGS, by_default=DEFAULT_ARG_NAMES)
            completion = await self.model.complete(request)
            try:
                return read(completion.text)
            except ValueError as error:
                problem = str(error)
                messages = (*question.to_messages(), *_complaint(completion.text, problem))
        raise AdaptError(
            f"{self.place} could not be translated into {self.language}: after {self.attempts} "
            f"attempts {problem}; the model's last answer: {_shown(completion.text)}"
        )


def _complaint(answer: str, problem: str) -> tuple[Message, Message]:
    request = f"This answer can't be used: {problem}. Return only the corrected translation."
    return Message(content=answer, role=Role.assistant), Message(content=request)


def _text_answer(answer: str, original: str) -> str:
    text = answer.strip()
    if text.startswith('"') and not original.strip().startswith('"'):
        # The examples have texts in JSON quotes, so many models answer in quotes, too.
        value = next(_values(text), text)
        text = value if isinstance(value, str) else text
    if not text.strip():
        raise ValueError("the answer is empty")
    return text


def _values(answer: str) -> Iterator[JsonValue]:
    """Yield the JSON values in an answer, the likeliest first. Values of prompt objects may be NaN.

    Raises:
        SearchEndedError: as `json_values`.
    """
    return json_values(answer, Mend.breaks, fences_first=True, with_nan=True)


def _json_answer(answer: str, original: object) -> object:
    problem = "there is no JSON in the answer"
    for value in _values(answer):
        difference = _difference(original, value)
        if difference is None:
            return value
        problem = difference
    raise ValueError(problem)


def _difference(original: Any, translated: Any, path: str = "$") -> str | None:
    """Return the first difference of two values that isn't in the words of a text; None if there is
    none."""
    if type(original) is not type(translated) and json_type(original) != json_type(translated):
        return f"{path} was {json_type(original)} and became {json_type(translated)}"
    if isinstance(original, Mapping):
        if set(original) != set(translated):
            return f"{path} must have the keys {sorted(original)}, not {sorted(translated)}"
        pairs = [(f"{path}.{key}", original[key], translated[key]) for key in original]
    elif isinstance(original, list):
        if len(original) != len(translated):
            return f"{path} must have {amount(len(original), 'item')}, not {len(translated)}"
        pairs = [
            (f"{path}[{i}]", *both) for i, both in enumerate(zip(original, translated, strict=True))
        ]
    elif isinstance(original, str) or json.dumps(original) == json.dumps(translated):
        return None
    else:
        return f"{path} must stay {original!r}, not {translated!r}"
    differences = (_difference(old, new, place) for place, old, new in pairs)
    return next((each for each in differences if each is not None), None)


def _has_words(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_has_words(each) for each in value.values())
    if isinstance(value, list):
        return any(_has_words(each) for each in value)
    return isinstance(value, str) and any(character.isalpha() for character in value)


def _shown(answer: str) -> str:
    more = "..." if len(answer) > SHOWN_CHARACTERS else ""
    return repr(head(answer, SHOWN_CHARACTERS)) + more
