"""Whether the verdict of a test counts, and what is known of the errors of its check."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lve.check_names import JUDGE
from lve.results.records import InstanceResult

if TYPE_CHECKING:
    from lve.verdicts.rates.corrected import JudgeErrors

KEPT_IDS = 20
"""Limit for servers that invent a new id for every answer."""


@dataclass(slots=True, repr=False, eq=False)
class Worth:
    """What a verdict is worth, by the results so far."""

    errors: JudgeErrors | None = None
    """What is known of the errors in the verdicts."""
    judged_by: set[str] = field(default_factory=set)
    """Ids of the judging models, as their servers said."""
    advisory: int = 0
    """Results whose verdict is only reported."""
    has_binding_failure: bool = False
    """Whether a result that counts isn't as the test expects."""

    def add(self, result: InstanceResult) -> None:
        """Count a result that is only reported, or for which models were asked."""
        self.advisory += result.advisory
        for answer in result.asked:
            said = answer.completion if answer.role == JUDGE else None
            if said and said.model and len(self.judged_by) < KEPT_IDS:
                self.judged_by.add(said.model)

    @property
    def other_judges(self) -> frozenset[str]:
        """Ids of judging models that are not those whose errors are known."""
        known = self.errors.served if self.errors else frozenset[str]()
        return frozenset(self.judged_by) - known if known else frozenset()

    @property
    def known_errors(self) -> JudgeErrors | None:
        """The errors, if it is known that they are those of the models that judged."""
        return None if self.other_judges else self.errors

    @property
    def is_advisory(self) -> bool:
        """Whether the verdict is only reported, and fails nothing. A resumed session may also have
        results that count: then these decide."""
        if self.errors is not None and self.errors.is_required and self.other_judges:
            return True
        return self.advisory > 0 and not self.has_binding_failure
