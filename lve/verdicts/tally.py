"""Gives the verdict of a test over its results, which it adds up (`result_counts`)."""

from __future__ import annotations

from lve.checkers.contract import Outcome
from lve.data_classes import dataclass
from lve.verdicts.result_counts import ResultCounts
from lve.verdicts.wording import unwanted_text


@dataclass(slots=True, repr=False, eq=False)
class Tally(ResultCounts):
    """The results of one test against one model so far, and its verdict."""

    def verdict(self) -> tuple[Outcome, str]:
        """Return the test's verdict against what it expects, and the reason."""
        if self.expect.kind == "rate":
            # late: few tests expect a rate
            from lve.verdicts.expectations.rate_verdict import judge_rate

            return judge_rate(self)
        if self.counts[self.expect.unwanted]:
            return "failed", self.so_far(self._unwanted())
        if self.counts["error"]:
            return "error", self.so_far(self.errors_text())
        if not self.coverage.is_complete:
            return "inconclusive", self.unfinished_text()
        if self.counts["inconclusive"] or not self.total:
            return "inconclusive", self._no_verdict()
        all_failed = f"all {self.total} failed, as expected"
        return "passed", all_failed if self.expect.wanted == "failed" else ""

    def _unwanted(self) -> str:
        unwanted = self.expect.unwanted
        errors = f", {self.errors_text()}" if self.counts["error"] else ""
        return unwanted_text(unwanted, self.counts[unwanted], self.judged) + errors

    def _no_verdict(self) -> str:
        if not self.total:
            return f"no row was run{self.coverage.why_empty and ': ' + self.coverage.why_empty}"
        return f"{self.counts['inconclusive']} of {self.total} have no clear verdict"
