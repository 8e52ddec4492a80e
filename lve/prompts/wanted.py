"""What choosing the examples of a row takes from a model: vectors of texts, or rated texts.

A plan sends nothing. Where answers are missing it raises `AnswersWanted`; whoever may ask models
(the engine in `lve run`, `lve render --embed`) supplies them and tries again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from lve.errors import Problem, TemplateError
from lve.prompts.conversation import Plan
from lve.workspace import display_path

AnswerKind = Literal["vectors", "scores"]
KEPT_VECTORS = 4096
"""Of test rows; those of the examples are kept besides."""
KEPT_SCORES = 1 << 17


class AnswersWanted(TemplateError):
    """Choosing examples takes answers of a model that nobody has asked for yet.

    Attributes:
        answers: where they are missing and go to.
        texts: what the model is asked for.
    """

    def __init__(self, answers: Answers, texts: Sequence[str]) -> None:
        super().__init__(
            f"the examples are chosen by {answers.kind} of {answers.model}, and nobody asked for "
            "them",
            stage="retrieve",
        )
        self.answers = answers
        self.texts = tuple(texts)


class Answers:
    """A model's answers by text; the oldest are forgotten."""

    def __init__(
        self,
        model: str,
        kind: AnswerKind,
        *,
        read: Callable[[Any], Any],
        kept: int,
    ) -> None:
        """Args:
        model: who is asked.
        kind: for what: a vector per text, or the completion of a rated text.
        read: turns an answer into what is kept.
        kept: so many at least; what one question gives is kept wholly.
        """
        self.model = model
        self.kind: AnswerKind = kind
        self._read = read
        self._kept = kept
        self._known: dict[str, Any] = {}

    def of(self, texts: Sequence[str], *, ahead: Sequence[str] = ()) -> list[Any]:
        """Return the answer for each text.

        Args:
            texts: each is asked for once, however often it occurs.
            ahead: will be needed soon: asked for in the same request, if there is one.

        Raises:
            AnswersWanted: some are missing.
        """
        if self.missing(texts):
            raise AnswersWanted(self, self.missing([*texts, *ahead]))
        return [self._known[text] for text in texts]

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Return those of the texts that have no answer yet, each once."""
        return [text for text in dict.fromkeys(texts) if text not in self._known]

    def supply(self, texts: Sequence[str], answers: Sequence[Any]) -> None:
        """Keep answers."""
        for text, answer in zip(texts, answers, strict=True):
            self._known[text] = self._read(answer)
        for text in list(self._known)[: max(0, len(self._known) - max(self._kept, len(texts)))]:
            del self._known[text]


def leave_examples_out(plan: Plan, wanted: AnswersWanted) -> tuple[Plan, Problem]:
    """Return a plan that chooses no examples, for where nothing may be sent, and a warning."""
    from lve.prompts.dataset_plan import DatasetPlan

    assert isinstance(plan, DatasetPlan)
    problem = Problem(
        f"examples are left out: choosing them takes {wanted.answers.kind} of "
        f"{wanted.answers.model}, and nothing is sent here",
        display_path(plan.spec.file),
        path="$.infer_cfg.retriever",
        hint="`lve run` asks for them, and so does `lve render --embed`",
        severity="warning",
    )
    return plan.without_examples(), problem
