"""Compares recorded verdicts with new ones."""

from __future__ import annotations

from lve.data_classes import dataclass, field
from lve.sessions.instance_result import InstanceResult
from lve.verdicts.short_result import ShortResult

RECORDED_VERDICTS = "recorded verdicts"
"""Those in instance files."""
SESSION_VERDICTS = "verdicts of the session"
"""Those that a session gave, when it is judged again."""
MAX_CHANGES = 20
"""Results with a changed verdict that are kept."""


@dataclass(slots=True)
class Agreement:
    """Counts of results by their earlier verdict and their new one."""

    same: int = 0
    now_failed: int = 0
    """Recorded as passed, failed now."""
    now_passed: int = 0
    """Recorded as failed, passed now."""
    earlier: str = RECORDED_VERDICTS
    """What the earlier verdicts are, in words."""
    changes: list[ShortResult] = field(default_factory=list)
    """The first results whose verdict changed."""

    @property
    def compared(self) -> int:
        """Number of results with both verdicts."""
        return self.same + self.now_failed + self.now_passed

    def add(self, result: InstanceResult) -> None:
        """Count a result, if it has both verdicts."""
        if result.recorded is None or result.verdict not in ("passed", "failed"):
            return
        if result.verdict == result.recorded:
            self.same += 1
            return
        if result.verdict == "failed":
            self.now_failed += 1
        else:
            self.now_passed += 1
        if len(self.changes) < MAX_CHANGES:
            self.changes.append(ShortResult.of(result))

    def __str__(self) -> str:
        text = f"{self.earlier}: {self.same} of {self.compared} the same"
        if self.now_failed:
            text += f", {self.now_failed} passed and now fail"
        if self.now_passed:
            text += f", {self.now_passed} failed and now pass"
        return text

    def merge(self, other: Agreement) -> None:
        """Add the counts of `other`, which compares with verdicts of the same kind."""
        self.earlier = other.earlier
        self.same += other.same
        self.now_failed += other.now_failed
        self.now_passed += other.now_passed
