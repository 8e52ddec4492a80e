"""How a model is asked: one text, one text per label, or a dialogue turn by turn.

Each inferencer is a value with the arguments of `infer_cfg.inferencer`. Nothing here calls a model:
`requests` yields what to send and is sent the reply.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from lve.errors import TemplateError
from lve.prompts.dialogue import Dialogue, Mark, Prompt, Row
from lve.prompts.in_context import InContext
from lve.prompts.model_format import ModelFormat
from lve.prompts.raw_template import RawMessages
from lve.spec.json_types import json_type

InferMode = Literal["every", "every_with_gt", "last"]
Requests = Generator[Any, "str | None", None]
"""Yields what the model receives; is sent the reply, or None where the request failed."""
Length = Callable[[str], int]

INFER_MODES = ("every", "every_with_gt", "last")


@dataclass(frozen=True)
class GenInferencer:
    """Ask for a continuation."""

    gen_field_replace_token: Any = ""
    max_seq_len: int | None = None
    max_out_len: int | None = None
    stopping_criteria: Sequence[str] = ()
    min_out_len: int | None = None
    multiround: bool = False
    """Fill each empty assistant message of raw messages in turn."""

    def requests(self, chat: Sequence[Any], model: ModelFormat, row: Row) -> Requests:
        """Fill the empty assistant messages one after another (`multiround`)."""
        messages = [dict(m) if isinstance(m, Mapping) else m for m in chat]
        for n, message in enumerate(messages):
            if not isinstance(message, dict) or message.get("role") != "assistant":
                continue
            if message.get("content", ""):
                continue
            reply = yield model.parse(RawMessages(messages[:n]), "gen", row)
            if reply is None:
                raise TemplateError("a request failed in the middle of a dialogue", stage="infer")
            message["content"] = reply


@dataclass(frozen=True)
class PPLInferencer:
    """Choose the label whose prompt has the lowest perplexity."""

    labels: Sequence[Any] | None = None
    max_seq_len: int | None = None
    fallback: Literal["generate"] | None = None
    """`generate`: where the model gives no log-probabilities, ask for an answer instead."""

    def choose(self, scores: Mapping[Any, float]) -> Any:
        """Return the label with the lowest score; of equals, the first. Not a number never wins."""
        usable = {label: math.inf if s != s else s for label, s in scores.items()}
        return min(usable, key=lambda label: usable[label])


@dataclass(frozen=True)
class LLInferencer(PPLInferencer):
    """Choose the label whose text the model finds most likely (highest log-likelihood)."""

    def choose(self, scores: Mapping[Any, float]) -> Any:
        """Return the label with the highest score; of equals, the first."""
        return super().choose({label: -score for label, score in scores.items()})


@dataclass(frozen=True)
class CLPInferencer(LLInferencer):
    """Choose the label to whose first token the model gives the highest probability."""


@dataclass(frozen=True)
class MultiTurnGenInferencer:
    """Ask turn by turn (AISBench); `infer_mode` says what stands where the model has spoken."""

    infer_mode: Any = "every"
    gen_field_replace_token: Any = ""
    max_out_len: int | None = None
    stopping_criteria: Sequence[str] = ()

    def requests(self, prompt: Prompt, model: ModelFormat, row: Row) -> Requests:
        """Yield a request per turn of BOT (`last`: only for the last one)."""
        _check_mode(self.infer_mode)
        dialogue: Dialogue = prompt if isinstance(prompt, list) else []
        if Mark("round", True) not in dialogue:
            raise TemplateError("MultiTurnGenInferencer needs a dialogue template", stage="infer")
        start = dialogue.index(Mark("round", True)) + 1
        stop = dialogue.index(Mark("round", False))
        chat = [dict(message) for message in dialogue[start:stop]]
        turns = [n for n, message in enumerate(chat) if _role(message) == "BOT"]
        if self.infer_mode == "last":
            turns = _last(turns)
        for n in turns:
            reply = yield _parsed(model, [*dialogue[:start], *chat[:n], *dialogue[stop:]], row)
            if reply is None:
                return  # The rest of the dialogue would hang in the air.
            if self.infer_mode == "every":
                chat[n]["prompt"] = reply


@dataclass(frozen=True)
class ChatInferencer:
    """Ask turn by turn (OpenCompass), with a chat made from the row's columns."""

    infer_mode: Any = "last"
    max_out_len: int = 512

    def requests(self, chat: Sequence[Mapping[str, Any]], model: ModelFormat) -> Requests:
        """Yield a request per assistant message (`last`: only for the last one)."""
        _check_mode(self.infer_mode)
        parser = model.chat()
        messages = [dict(message) for message in chat]
        turns = [n for n, message in enumerate(messages) if message.get("role") == "assistant"]
        if self.infer_mode == "last":
            turns = _last(turns)
        for n in turns:
            reply = yield parser.parse(messages[:n])
            if reply is None:
                raise TemplateError("a request failed in the middle of a dialogue", stage="infer")
            if self.infer_mode == "every":
                messages[n]["content"] = reply


Inferencer = GenInferencer | PPLInferencer | MultiTurnGenInferencer | ChatInferencer

INFERENCERS: Mapping[str, type[Any]] = {
    "GenInferencer": GenInferencer,
    "PPLInferencer": PPLInferencer,
    "LLInferencer": LLInferencer,
    "CLPInferencer": CLPInferencer,
    "MultiTurnGenInferencer": MultiTurnGenInferencer,
    "ChatInferencer": ChatInferencer,
}
PLUMBING = ("batch_size", "save_every", "output_json_filepath", "output_json_filename")
"""Arguments that say how upstream runs and stores; accepted without effect."""


def make_inferencer(config: Any) -> Any:
    """Return the inferencer that `infer_cfg.inferencer` describes.

    Raises:
        TemplateError: stage `infer`.
    """
    if not isinstance(config, Mapping):
        raise TemplateError(
            f"`inferencer` must be an object, not {json_type(config)}", stage="infer"
        )
    name = str(config.get("type", "GenInferencer")).rsplit(".", 1)[-1]
    if name not in INFERENCERS:
        raise TemplateError(
            f"there is no inferencer {name!r}; there are {', '.join(INFERENCERS)}", stage="infer"
        )
    kind = INFERENCERS[name]
    known = [f.name for f in fields(kind)]
    arguments = {k: v for k, v in config.items() if k != "type" and k not in PLUMBING}
    unknown = [key for key in arguments if key not in known]
    if unknown:
        raise TemplateError(
            f"{name} has no argument {unknown[0]!r}; it has {', '.join(known)}", stage="infer"
        )
    return kind(**arguments)


def generation_prompt(
    context: InContext,
    row: Row,
    positions: Sequence[int],
    *,
    model: ModelFormat,
    max_length: int | None = None,
    length: Length | None = None,
) -> Prompt:
    """Return the prompt of a row. Examples are dropped from the end while it is too long; the
    prompt itself is never cut."""
    prompt = context.prompt(row, context.ice(positions))
    if max_length is None or length is None:
        return prompt
    while positions and input_length(model, prompt, row, length) > max_length:
        positions = positions[:-1]
        prompt = context.prompt(row, context.ice(positions))
    return prompt


def label_prompts(
    context: InContext,
    row: Row,
    positions: Sequence[int],
    labels: Sequence[Any],
    *,
    model: ModelFormat,
    max_length: int | None = None,
    length: Length | None = None,
) -> list[Prompt]:
    """Return a prompt per label. A label that is too long drops examples for the labels after it
    too, as upstream does."""
    result = []
    ice = context.ice(positions)
    for label in labels:
        prompt = context.label_prompt(row, ice, label)
        while max_length is not None and length is not None and positions:
            if input_length(model, prompt, row, length, mode="ppl") <= max_length:
                break
            positions = positions[:-1]
            ice = context.ice(positions)
            prompt = context.label_prompt(row, ice, label)
        result.append(prompt)
    return result


def input_length(
    model: ModelFormat,
    prompt: Prompt,
    row: Row,
    length: Length,
    *,
    mode: Literal["gen", "ppl"] = "gen",
) -> int:
    """Return the length of what the model would receive."""
    parsed = model.parse(prompt, mode, row)
    if isinstance(parsed, str):
        return length(parsed)
    if parsed and all("content" in item for item in parsed):
        return sum(length(str(item)) for item in parsed)
    return length("".join(_words(item) for item in parsed))


def word_count(text: str) -> int:
    """Return the length of a text as upstream counts it for API models, whose tokenizer it doesn't
    have: words of Latin letters and digits, and Chinese characters."""
    return len(_LATIN_WORD.findall(text)) + len(_CHINESE.findall(text))


_LATIN_WORD = re.compile(r"[A-Za-z0-9]+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def _words(item: Any) -> str:
    text = item.get("prompt", "") if isinstance(item, Mapping) else item
    return text if isinstance(text, str) else str(text)


def _parsed(model: ModelFormat, dialogue: Dialogue, row: Row) -> Any:
    try:
        return model.parse(dialogue, "gen", row)
    except TemplateError as error:
        raise TemplateError(str(error), stage="infer") from error


def _role(message: Mapping[str, Any]) -> Any:
    if "role" not in message:
        raise TemplateError("a message of the dialogue has no `role`", stage="infer")
    return message["role"]


def _last(turns: Sequence[int]) -> list[int]:
    if not turns:
        raise TemplateError("the dialogue has no turn of the model", stage="infer")
    return [turns[-1]]


def _check_mode(mode: Any) -> None:
    if mode not in INFER_MODES:
        raise TemplateError(
            f"infer_mode {mode!r} is none of {', '.join(INFER_MODES)}", stage="infer"
        )
