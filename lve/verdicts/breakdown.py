"""Counts and mean scores of a test's results, in total and by category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from lve.checkers.contract import Outcome
from lve.data_classes import dataclass, field
from lve.documents.json_lines import json_line
from lve.json_types import JsonObject
from lve.sessions.instance_result import InstanceResult
from lve.spec.check_names import SCORER
from lve.spec.spec import Spec

MAX_CATEGORIES = 200
"""A column with a different value in every row must not fill the memory: further categories are
counted together."""
MAX_METRICS = 20
"""Metrics over all results of a test that are kept at most."""
SHARES = 512
"""Parts of metrics are added up in so many shares, to limit the memory. Intervals come from
these."""
UNSCORED = "the test hasn't finished"
REST = "(others)"
NONE = "(none)"


@dataclass(slots=True, repr=False, eq=False)
class Group:
    """Counts and mean score of a group of results."""

    counts: Counter[Outcome] = field(default_factory=Counter)
    rows: int = 0
    """Results of the first repeat."""
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
        self.rows += result.repeat == 0
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
    by: Mapping[str, str | None] = field(default_factory=dict)
    """Name of a column or tag by which results are counted -> the test's own tag of that name."""
    groups: dict[str, dict[str, Group]] = field(default_factory=dict)
    """Name -> value -> the results. A row's own value counts, else that of the test's tag."""
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(right label, chosen label) -> number of results that passed or failed."""
    parts: dict[str, dict[int, list[float]]] = field(default_factory=dict)
    """Metric over all results -> share of the rows -> the number of results, and the sums of
    their parts. Of few rows, each is a share of its own."""
    overall: Mapping[str, float] | str | None = None
    """Of a test with a scorer: what that gives all rows together, or why nothing yet."""
    member_of: Sequence[JsonObject] = ()
    """Groups of tests with a score that the test is part of (`Spec.groups`)."""

    @classmethod
    def of(cls, spec: Spec) -> Breakdown:
        """Return an empty breakdown for a test."""
        column = (spec.reader_cfg or {}).get("category_column")
        answer = [c for c in spec.checkers if c.name == "AnswerChecker"]
        is_answer = answer or (spec.infer_cfg is not None and not spec.checkers)
        metric = str(answer[0].args.get("metric", "accuracy")) if answer else "accuracy"
        tags = {tag.name: tag.value for tag in spec.tags}
        by = {name: tags.get(name) for name in spec.by}
        overall = UNSCORED if any(c.name == SCORER for c in spec.checkers) else None
        name = metric if is_answer else "score"
        return cls(column, name, by=by, overall=overall, member_of=spec.groups)

    def add(self, result: InstanceResult) -> None:
        """Count a result."""
        self.whole.add(result)
        if self.column is not None:
            _count(self.categories, result.args.get(self.column), result)
        for name, tag in self.by.items():
            value = result.args.get(name, tag)
            _count(self.groups.setdefault(name, {}), value, result)
        if result.labels is not None:
            is_rest = result.labels not in self.labels and len(self.labels) >= MAX_CATEGORIES**2
            self.labels[(REST, REST) if is_rest else result.labels] += 1
        if result.parts is not None and result.verdict in ("passed", "failed"):
            for name, numbers in result.parts.items():
                if name in self.parts or len(self.parts) < MAX_METRICS:
                    sums = self.parts.setdefault(name, {}).setdefault(result.line % SHARES, [])
                    sums[:] = map(sum, zip_longest(sums, (1.0, *numbers), fillvalue=0.0))

    @property
    def has_shares(self) -> bool:
        """Whether every score is between 0 and 1, as those of AnswerChecker are."""
        return self.metric != "score"

    @property
    def is_scale(self) -> bool:
        """Whether the mean score differs from the pass rate, so that it is worth reporting."""
        score, rate = self.whole.score, self.whole.rate
        return score is not None and (rate is None or abs(score - rate) > 1e-9)


def _count(groups: dict[str, Group], value: object, result: InstanceResult) -> None:
    """Count a result in the group of its value."""
    name = NONE if value is None else value if isinstance(value, str) else json_line(value)
    if name not in groups and len(groups) >= MAX_CATEGORIES:
        name = REST
    groups.setdefault(name, Group()).add(result)
