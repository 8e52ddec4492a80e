"""Gives the verdict of a test over its results, which it adds up (`result_counts`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lve.checkers.contract import Outcome
from lve.verdicts.counted import decide_count, has_failed_for_good
from lve.verdicts.open_results import decide_despite_missing
from lve.verdicts.rates.population import decide_about_population, population_text
from lve.verdicts.rates.statistics import decide_despite_errors
from lve.verdicts.result_counts import ResultCounts
from lve.verdicts.sample_size import higher_is_better
from lve.verdicts.wording import amount, unwanted_text

if TYPE_CHECKING:
    from lve.verdicts.rates.statistics import Decision


@dataclass(slots=True, repr=False, eq=False)
class Tally(ResultCounts):
    """The results of one test against one model so far, and its verdict."""

    def verdict(self) -> tuple[Outcome, str]:
        """Return the test's verdict against what it expects, and the reason."""
        if self.expect.kind == "rate":
            return self._judge_rate()
        if self.counts[self.expect.unwanted]:
            return "failed", self._so_far(self._unwanted())
        if self.counts["error"]:
            return "error", self._so_far(self._errors())
        if not self.is_complete:
            return "inconclusive", self._unfinished()
        if self.counts["inconclusive"] or not self.total:
            return "inconclusive", self._no_verdict()
        all_failed = f"all {self.total} failed, as expected"
        return "passed", all_failed if self.expect.wanted == "failed" else ""

    def _errors(self) -> str:
        return f"{self.counts['error']} of {self.total} ended in an error"

    def _unwanted(self) -> str:
        return unwanted_text(self.expect.unwanted, self.counts[self.expect.unwanted], self.judged)

    def _so_far(self, reason: str) -> str:
        return reason if self.is_complete else f"{reason}; {self._unfinished()}"

    def _unfinished(self) -> str:
        why = f", {self.why_incomplete}" if self.why_incomplete else ""
        return f"unfinished: {self.total} done{why}"

    def _no_verdict(self) -> str:
        if not self.total:
            return f"no row was run{self.why_empty and ': ' + self.why_empty}"
        return f"{self.counts['inconclusive']} of {self.total} have no clear verdict"

    def _decide(self, missing: int) -> Decision | None:
        """Return the decision about the rate, whether errors and so many missing results count as
        passed or as failed; None if that matters."""
        passed, judged, errors = self.counts["passed"], self.judged, self.counts["error"]
        if self.expect.counts_results:
            return decide_count(self.expect, passed, judged, errors, missing)[0]
        if self.expect.claim != "population":
            sequential, without = self.ended_early, errors + missing
            return decide_despite_errors(
                self.expect, passed, judged, without, sequential=sequential
            )
        if self.clusters is not None:
            return self.clusters.decide(self.expect, missing)
        return decide_about_population(self.expect, self.instances.counts(), errors + missing)

    def _rate_text(self) -> str:
        expected = f"expected {self.expect.wanted_rate}"
        if self.has_failures_only:
            return f"only what failed before ran again: no rate, {expected}"
        if self.expect.counts_results:
            passed, errors = self.counts["passed"], self.counts["error"]
            left = (self.expect.number or 0) if self.left is None else self.left
            missing = self._missing + (0 if self.is_complete else left)
            return decide_count(self.expect, passed, self.judged, errors, missing)[1]
        if self.expect.claim == "population":
            whose = population_text(self.population(), self.expect.cluster)
            return f"pass rate of {whose}, {expected}"
        return f"pass rate {self.rate}, {expected}"

    @property
    def _missing(self) -> int:
        """Number of results that could still pass or fail, without errors and what didn't run."""
        return self.not_recorded.results + self.counts["inconclusive"]

    def may_be_lost(self) -> bool:
        """Whether it depends on the number of results that are left if an expectation that counts
        can still be met."""
        if self.has_failures_only or not (self.total and self.expect.counts_results):
            return False
        passed = self.counts["passed"]
        return passed < self.total if higher_is_better(self.expect) else passed > 0

    def _why_lost(self) -> str | None:
        """Return why an expectation that counts can't be met any more, whatever is left; None if it
        can."""
        if not self.expect.counts_results:
            return None
        reason = self._rate_text()
        if has_failed_for_good(self.expect, self.counts["passed"]):
            return reason
        if self.left is not None and self._decide(self._missing + self.left) == "failed":
            return f"{reason}; what is left ({amount(self.left, 'result')}) can't change that"
        return None

    def _judge_rate(self) -> tuple[Outcome, str]:
        """Judge the pass rate. The decision must be the same whether results that are missing, and
        errors, count as passed or as failed."""
        reason = self._rate_text()
        if self.has_failures_only:
            return "inconclusive", reason
        if not self.is_complete and (why_lost := self._why_lost()) is not None:
            return "failed", self._so_far(why_lost)
        decision, why_open = decide_despite_missing(
            self._decide, self.not_recorded, self.counts["inconclusive"]
        )
        if decision is None:
            return "error", f"{self._so_far(self._errors())}; {reason}"
        if not self.is_complete:
            return "inconclusive", f"{self._unfinished()}; {reason}"
        if decision == "inconclusive" and self.judged and not self.expect.counts_results:
            reason = f"{reason}; {self._what_would_decide()}"
        return decision, f"{reason}; {why_open}" if why_open else reason

    def _what_would_decide(self) -> str:
        from lve.verdicts.sample_size import what_would_decide

        is_about_all = self.expect.claim == "population"
        counts = self.cluster_counts() if is_about_all else self.instances.counts()
        return what_would_decide(self.expect, counts, self.ended_early)
