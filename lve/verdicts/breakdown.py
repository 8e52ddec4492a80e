"""The numbers of a data set besides its verdict: its mean score and its categories."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from lve.checkers.contract import Outcome
from lve.results.records import InstanceResult
from lve.spec.model import Spec

MAX_CATEGORIES = 200
"""Limit for columns with a different value in every row: they must not fill the memory."""
REST = "(others)"
NONE = "(none)"


@dataclass(slots=True, repr=False, eq=False)
class Group:
    """Counts and mean score of some results of a test."""

    counts: Counter[Outcome] = field(default_factory=Counter)
    scored: int = 0
    score_sum: float = 0.0

    @property
    def judged(self) -> int:
        """Results that passed or failed."""
        return self.counts["passed"] + self.counts["failed"]

    @property
    def rate(self) -> float | None:
        """The share that passed; None if nothing was judged."""
        return self.counts["passed"] / self.judged if self.judged else None

    @property
    def score(self) -> float | None:
        """The mean score; None if no checker gave one."""
        return self.score_sum / self.scored if self.scored else None

    def add(self, result: InstanceResult) -> None:
        """Count a result."""
        self.counts[result.verdict] += 1
        if result.score is not None and result.score == result.score:
            self.scored += 1
            self.score_sum += result.score


@dataclass(slots=True, repr=False, eq=False)
class Breakdown:
    """Counts and scores of all results of a test, and by the values of a column."""

    column: str | None = None
    """`reader_cfg.category_column`; None: there are no categories."""
    metric: str = "score"
    """Name of the score: `metric` of the checker, if it has one."""
    whole: Group = field(default_factory=Group)
    categories: dict[str, Group] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: Spec) -> Breakdown:
        """Return the empty breakdown of a test."""
        column = (spec.reader_cfg or {}).get("category_column")
        answer = [c for c in spec.checkers if c.name == "AnswerChecker"]
        is_answer = answer or (spec.infer_cfg is not None and not spec.checkers)
        metric = str(answer[0].args.get("metric", "accuracy")) if answer else "accuracy"
        return cls(column, metric if is_answer else "score")

    def add(self, result: InstanceResult) -> None:
        """Count a result."""
        self.whole.add(result)
        if self.column is None:
            return
        value = result.args.get(self.column)
        name = NONE if value is None else str(value)
        if name not in self.categories and len(self.categories) >= MAX_CATEGORIES:
            name = REST
        self.categories.setdefault(name, Group()).add(result)

    @property
    def has_shares(self) -> bool:
        """Whether every score is from 0 to 1, as AnswerChecker's metrics are."""
        return self.metric != "score"

    @property
    def is_scale(self) -> bool:
        """Whether the mean score says more than the pass rate."""
        score, rate = self.whole.score, self.whole.rate
        return score is not None and (rate is None or abs(score - rate) > 1e-9)
