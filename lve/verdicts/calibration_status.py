"""Whether the checks of a test are calibrated: does its verdict count, and how often is its judge
wrong?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lve.data_classes import dataclass, field
from lve.sessions.instance_result import InstanceResult
from lve.spec.check_names import JUDGE
from lve.verdicts.answer_counts import MAX_MODELS

if TYPE_CHECKING:
    from lve.verdicts.rates.corrected import JudgeErrors


@dataclass(slots=True, repr=False, eq=False)
class CalibrationStatus:
    """Calibration of a test's checks, according to the results so far."""

    errors: JudgeErrors | None = None
    """Measured error rates of the judge; None if it isn't calibrated."""
    judged_by: set[str] = field(default_factory=set)
    """Ids of the judging models, as returned by their servers."""
    advisory: int = 0
    """Number of results whose verdict is only reported."""
    has_binding_failure: bool = False
    """Whether a result that counts went against what the test expects."""

    def add(self, result: InstanceResult) -> None:
        """Count a result that is advisory, or that has answers of models to checkers."""
        self.advisory += result.advisory
        for answer in result.asked:
            completion = answer.completion if answer.role == JUDGE else None
            if completion and completion.model and len(self.judged_by) < MAX_MODELS:
                self.judged_by.add(completion.model)

    @property
    def other_judges(self) -> frozenset[str]:
        """Ids of the judging models that aren't those with measured error rates."""
        measured = self.errors.served if self.errors else frozenset[str]()
        return frozenset(self.judged_by) - measured if measured else frozenset()

    @property
    def known_errors(self) -> JudgeErrors | None:
        """The error rates, unless other models have judged."""
        return None if self.other_judges else self.errors

    @property
    def is_advisory(self) -> bool:
        """Whether the verdict is only reported and can't fail a session. A resumed session may also
        have results that count: if one of them failed, the verdict counts, too."""
        if self.errors is not None and self.errors.is_required and self.other_judges:
            return True
        return self.advisory > 0 and not self.has_binding_failure
