"""The check that asks a judge with a `rubricPrompt`, and reads the reply as promptfoo does."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import CheckExample
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.questions import Question, answers_to
from lve.checkers.usable_names import ArgNames
from lve.data_classes import dataclass
from lve.extensions.judges.asking_check import AskingCheck, unknown_names
from lve.extensions.judges.model_graded import conversation_text
from lve.extensions.judges.promptfoo_replies import CHOICES, chosen, graded, nunjucks_text, yes
from lve.messages import Completion, Message
from lve.spec.spec import Spec

ROLE = "judge"
Kind = Literal["llm-rubric", "factuality", "model-graded-closedqa"]
NAMES: Mapping[str, tuple[str, str]] = {
    "llm-rubric": ("output", "rubric"),
    "factuality": ("completion", "ideal"),
    "model-graded-closedqa": ("completion", "criteria"),
}
"""Assertion of promptfoo -> what its templates call the answer, and the assertion's value."""
INPUT = "input"
"""What the templates of the others call the prompt."""
_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class PromptfooJudge(AskingCheck):
    """Passes if a model (the role `judge`) says so, asked with this template, as the assertions of
    promptfoo do that have a `rubricPrompt`.

    Nothing keeps the judged answer from giving orders to the judge; `judge`, `closed_qa` and
    `factuality` do.
    """

    own_templates: ClassVar[frozenset[str]] = frozenset({"promptfoo_judge"})
    fills_objects: ClassVar[bool] = True

    promptfoo_judge: object
    """The template: a text, or a list of messages. `{output}` is the answer and `{rubric}` the
    value of the assertion (`{completion}` with `{ideal}` or `{criteria}` for the others, and
    `{input}` the prompt); other names are parameters or columns. Literal braces are doubled."""
    kind: Kind = "llm-rubric"
    """The assertion, which says what a reply is: `{"pass": true, "score": 1}`, one of the letters
    A to E, or a text that ends with Y."""
    rubric: str = ""
    """The value of the assertion."""
    threshold: float | None = None
    """The lowest score that passes, of `llm-rubric`."""
    scores: Mapping[str, float] | None = None
    """Letter -> score, of `factuality`; above 0 it passes. By default, all but D pass."""
    inverse: bool = False
    """Whether the verdict is the opposite, of `llm-rubric`. A reply without one fails all the same.
    """

    examples: ClassVar = (
        CheckExample(
            {
                "promptfoo_judge": 'Is this "{rubric}"? Reply {{"pass": true or false}}.\n{output}',
                "rubric": "polite",
            },
            ("Could you please close the window?",),
            ("Close the window, fool!",),
        ),
    )

    def __post_init__(self) -> None:
        if not _is_template(self.promptfoo_judge):
            message = "'promptfoo_judge' is a text, or a list of messages with texts and images"
            raise ArgumentError("promptfoo_judge", message)
        scores = self.scores or {}
        if (scores and self.kind != "factuality") or set(scores) - set(CHOICES):
            message = "'scores' has letters from A to E, of the kind `factuality`"
            raise ArgumentError("scores", message)
        if self.kind != "llm-rubric" and (self.inverse or self.threshold is not None):
            name = "inverse" if self.inverse else "threshold"
            raise ArgumentError(name, f"'{name}' is for the kind `llm-rubric`")

    @property
    def _own(self) -> frozenset[str]:
        return frozenset({*NAMES[self.kind], *([INPUT] if self.kind != "llm-rubric" else [])})

    def needed_names(self, spec: Spec, arg_names: ArgNames | None) -> frozenset[str]:
        places: list[re.Match[str]] = []
        _filled(self.promptfoo_judge, lambda place: places.append(place) or "")  # type: ignore[func-returns-value]
        return frozenset(place[1] for place in places if place[1]) - self._own

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        return unknown_names("promptfoo_judge", self.needed_names(spec, arg_names), arg_names)

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        question = Question(ROLE, self._messages(context, run), {"temperature": 0.0})
        (answer,) = answers_to(context.answers, [question])
        reply = (answer.completion or Completion("")).text
        if self.kind == "factuality":
            return chosen(reply, {**CHOICES, **(self.scores or {})})
        if self.kind == "model-graded-closedqa":
            return yes(reply)
        return graded(reply, threshold=self.threshold, inverse=self.inverse)

    def _messages(self, context: CheckContext, run: int) -> tuple[Message, ...]:
        """Return what the judge is asked."""
        transcript = context.transcripts[run]
        answer, value = NAMES[self.kind]
        texts = {
            **context.args,
            **context.parameters,
            value: self.rubric,
            answer: nunjucks_text(transcript.response),
        }
        if self.kind != "llm-rubric":
            texts[INPUT] = conversation_text(transcript.messages[:-1])

        def text_of(place: re.Match[str]) -> str:
            return place[0][0] if place[1] is None else str(texts[place[1]])

        filled = _filled(self.promptfoo_judge, text_of)
        return tuple(map(Message.from_json, _messages_of(filled)))


def _messages_of(template: Any) -> Any:
    is_text = isinstance(template, str) and template.strip()
    return [{"content": template}] if is_text else template


def _is_template(value: object) -> bool:
    """Return whether a template has messages of texts and addresses of images only."""
    messages = _messages_of(value)
    return isinstance(messages, list) and bool(messages) and all(map(_is_message, messages))


def _is_message(message: object) -> bool:
    match message:
        case {"content": content, **more} if more.keys() <= {"role"}:
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            is_role = more.get("role", "user") in ("system", "user", "assistant")
            return is_role and isinstance(parts, list) and all(map(_is_part, parts))
    return False


def _is_part(part: object) -> bool:
    match part:
        case {"type": "text", "text": str(), **more} if not more:
            return True
        case {"type": "image_url", "image_url": {"url": str(), **inner}, **more}:
            return not inner and not more
    return False


def _filled(value: Any, text_of: Callable[[re.Match[str]], str]) -> Any:
    """Return a template with what stands for its placeholders."""
    if isinstance(value, str):
        return _PLACE.sub(text_of, value)
    if isinstance(value, list):
        return [_filled(each, text_of) for each in value]
    if isinstance(value, dict):
        return {key: _filled(each, text_of) for key, each in value.items()}
    return value
