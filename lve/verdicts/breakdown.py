"""Counts and mean scores of a test's results, in total and by category."""

from __future__ import annotations

from collections import Counter

from lve.checkers.contract import Outcome
from lve.data_classes import dataclass, field
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Spec

MAX_CATEGORIES = 200
"""A column with a different value in every row must not fill the memory: further categories are
counted together."""
REST = "(others)"
NONE = "(none)"


@dataclass(slots=True, repr=False, eq=False)
class Group:
    """Counts and mean score of a group of results."""

    counts: Counter[Outcome] = field(default_factory=Counter)
    scored: int = 0
    score_sum: float = 0.0

    @property
    def judged(self) -> int:
        """Results that passed or failed."""
        return self.counts["passed"] + self.counts["failed"]

    @property
    def rate(self) -> float | None:
        """The share of judged results that passed; None if none was judged."""
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
    """Counts and scores of a test's results, in total and by the values of a column."""

    column: str | None = None
    """`reader_cfg.category_column`; None: no categories."""
    metric: str = "score"
    """Name of the score: the `metric` of AnswerChecker, else `score`."""
    whole: Group = field(default_factory=Group)
    categories: dict[str, Group] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: Spec) -> Breakdown:
        """Return an empty breakdown for a test."""
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
        """Whether every score is between 0 and 1, as those of AnswerChecker are."""
        return self.metric != "score"

    @property
    def is_scale(self) -> bool:
        """Whether the mean score differs from the pass rate, so that it is worth reporting."""
        score, rate = self.whole.score, self.whole.rate
        return score is not None and (rate is None or abs(score - rate) > 1e-9)
