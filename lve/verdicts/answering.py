"""Counts the recorded answers of a replay by the model that gave them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from lve.escape import one_line
from lve.verdicts.wording import amount

MAX_MODELS = 20
"""Models that are told apart, because their names come from files, and from servers, which may
return a new id with every answer."""
SHOWN_MODELS = 5


@dataclass(slots=True)
class AnsweringModels:
    """How many of a replay's answers each recorded model gave."""

    counts: Counter[str] = field(default_factory=Counter)
    """Name of the model -> answers."""
    of_others: int = 0
    """Answers of models beyond the first `MAX_MODELS`."""
    unnamed: int = 0
    """Answers that a person wrote, or whose file names no model."""

    @property
    def are_several(self) -> bool:
        """Whether the answers aren't all of one model, so that one could cover for another."""
        return len(self.counts) + bool(self.of_others) + bool(self.unnamed) > 1

    def add(self, model: str, answers: int = 1) -> None:
        """Count answers.

        Args:
            model: as the recording names it; empty if it names none.
            answers: how many.
        """
        if not model:
            self.unnamed += answers
        elif model in self.counts or len(self.counts) < MAX_MODELS:
            self.counts[model] += answers
        else:
            self.of_others += answers

    def merge(self, other: AnsweringModels) -> None:
        """Count the answers of another test, too."""
        for model, answers in other.counts.items():
            self.add(model, answers)
        self.of_others += other.of_others
        self.unnamed += other.unnamed

    def __str__(self) -> str:
        ranked = sorted(self.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        parts = [f"{one_line(model)} {answers:,}" for model, answers in ranked[:SHOWN_MODELS]]
        others = self.of_others + sum(answers for _, answers in ranked[SHOWN_MODELS:])
        parts += [f"others {others:,}"] if others else []
        parts += [f"no named model {self.unnamed:,}"] if self.unnamed else []
        more = " or more" if self.of_others else ""
        return (
            f"answers of {amount(len(ranked), 'model')}{more}: {', '.join(parts)}; "
            "`--instances NAME` judges one file alone"
        )
