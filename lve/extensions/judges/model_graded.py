"""The check that asks a judge with a template of one's own, as OpenAI's model-graded evals do."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.questions import Question, answers_to
from lve.checkers.usable_names import ArgNames
from lve.data_classes import dataclass
from lve.escape import quoted
from lve.extensions.judges.asking_check import AskingCheck, unknown_names
from lve.messages import Completion, Message, Role
from lve.prompts.fill_texts import as_literal
from lve.spec.spec import Spec

ROLE = "judge"
MAX_TOKENS = 1024
"""As in OpenAI's evals."""
MAX_CHOICES = 100
COMPLETION, INPUT = "completion", "input"
OWN = frozenset({COMPLETION, INPUT})
_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class ModelGraded(AskingCheck):
    """Passes if a model (the role `judge`) chooses a good enough one of several words, asked with
    this template.

    Nothing keeps the judged answer from giving orders to the judge; `judge`, `closed_qa` and
    `factuality` do. Use this one to keep the scores of an eval that has its own template.
    """

    own_templates: ClassVar[frozenset[str]] = frozenset({"model_graded"})

    model_graded: str
    """The template. `{completion}` is the answer, `{input}` the conversation before it; other names
    are parameters or columns. Literal braces are doubled."""
    choices: Mapping[str, float]
    """Each word that the judge may choose, without punctuation, and its score."""
    threshold: float | None = None
    """The lowest score that passes; by default the highest of all choices."""
    line: Literal["first", "last"] = "last"
    """Whether the first or the last line of the reply that has a choice counts."""
    match: Literal["starts_or_endswith", "endswith", "exact", "include"] = "starts_or_endswith"
    """How a line has a choice, once its punctuation is left out; `include`: the choice includes
    it."""

    examples: ClassVar = (
        CheckExample(
            {
                "model_graded": "Is this funny? Reply Yes or No.\n\n{completion}",
                "choices": {"Yes": 1, "No": 0},
            },
            ("I told my computer a joke about UDP, but it didn't get it.",),
            ("It rains.",),
        ),
    )

    def __post_init__(self) -> None:
        scores = self.choices.values()
        if not 2 <= len(self.choices) <= MAX_CHOICES:
            raise ArgumentError("choices", f"'choices' has from 2 to {MAX_CHOICES} words")
        for word in self.choices:
            if not word or word.translate(_NO_PUNCTUATION) != word:
                raise ArgumentError("choices", f"the choice {quoted(word)} has punctuation")
        if f"{{{COMPLETION}}}" not in self.model_graded:
            message = "'model_graded' has no {completion}: the judge wouldn't see the answer"
            raise ArgumentError("model_graded", message)
        if not min(scores) < self._least() <= max(scores):
            message = "'threshold' is above the lowest score of 'choices' and at most the highest"
            raise ArgumentError("threshold", message)

    def needed_names(self, spec: Spec, arg_names: ArgNames | None) -> frozenset[str]:
        return frozenset(place[1] for place in _PLACE.finditer(self.model_graded) if place[1]) - OWN

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        return unknown_names("model_graded", self.needed_names(spec, arg_names), arg_names)

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        args = {"temperature": 0.0, "max_tokens": MAX_TOKENS}
        question = Question(ROLE, (Message(self._prompt(context, run)),), args)
        (answer,) = answers_to(context.answers, [question])
        reply = (answer.completion or Completion("")).text
        choice = self._choice(reply)
        score = min(self.choices.values()) if choice is None else self.choices[choice]
        said = f"no choice in {quoted(reply)}" if choice is None else f"chose {quoted(choice)}"
        return judged(score >= self._least(), f"the judge {said}", score)

    def _least(self) -> float:
        return max(self.choices.values()) if self.threshold is None else self.threshold

    def _prompt(self, context: CheckContext, run: int) -> str:
        """Return the filled template."""
        transcript = context.transcripts[run]
        texts: dict[str, object] = {
            # The package shows its judges the conversation with doubled braces.
            INPUT: as_literal(conversation_text(transcript.messages[:-1])),
            **context.args,
            **context.parameters,
            COMPLETION: transcript.response,
        }

        def text_of(place: re.Match[str]) -> str:
            name = place[1]
            return place[0][0] if name is None else str(texts[name])

        return _PLACE.sub(text_of, self.model_graded)

    def _choice(self, reply: str) -> str | None:
        lines = reply.strip().split("\n")
        for line in lines if self.line == "first" else reversed(lines):
            bare = line.strip().translate(_NO_PUNCTUATION)
            if not bare:
                continue
            for choice in self.choices:
                if self._has(bare, choice):
                    return choice
        return None

    def _has(self, line: str, choice: str) -> bool:
        match self.match:
            case "starts_or_endswith":
                return line.startswith(choice) or line.endswith(choice)
            case "endswith":
                return line.endswith(choice)
            case "exact":
                return line == choice
            case "include":  # as in the package
                return line in choice


def conversation_text(messages: Sequence[Message]) -> str:
    """Return messages as one text: a single one alone, several in lines that begin with their role
    (except those of the system)."""
    texts = [
        (message.role, message.content if isinstance(message.content, str) else "")
        for message in messages
    ]
    if len(texts) == 1:
        return texts[0][1]
    return "".join(
        f"{text}\n" if role is Role.system else f"{role.value.capitalize()}: {text}\n"
        for role, text in texts
    ).lstrip()
