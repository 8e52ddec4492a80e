"""Compares a session with a baseline when it has ended (`--baseline FILE`)."""

from __future__ import annotations

from collections.abc import Callable

from lve.comparison.baseline import BaselineSide, read_baseline
from lve.comparison.compare import compare
from lve.comparison.compared import Comparison
from lve.comparison.gate_verdict import GateDecision, decide_gate
from lve.comparison.session_side import SessionSide
from lve.data_classes import dataclass
from lve.errors import LveError, UsageError
from lve.options.run_options import RunOptions
from lve.sessions.session_folder import SessionFolder
from lve.settings.settings import ComparisonSettings, Settings


@dataclass(frozen=True, slots=True)
class Gated:
    """The outcome of comparing a session with a baseline."""

    comparison: Comparison | None
    problem: str = ""
    """Why they couldn't be compared; empty if they were."""

    @property
    def decision(self) -> GateDecision | None:
        """What the gate says; None if they couldn't be compared."""
        return None if self.comparison is None else decide_gate(self.comparison)

    def says(self, verdict: str) -> bool:
        """Whether this is the name of the gate's verdict (`GateVerdict`)."""
        return self.decision is not None and self.decision.verdict.name == verdict


class Gate:
    """A baseline that a session will be compared with."""

    def __init__(self, baseline: BaselineSide, settings: ComparisonSettings) -> None:
        self._baseline = baseline
        self._settings = settings

    @classmethod
    def of(cls, options: RunOptions, settings: Settings) -> Gate | None:
        """Read the baseline that the options name; return None if they name none. Call this before
        anything is paid for.

        Raises:
            UsageError: the baseline can't be read, the session isn't kept, or the options name two
                gates.
        """
        chosen = settings.comparison.with_chosen(
            gate=options.gate,
            max_broken=options.max_broken,
            allow_missing=options.allow_missing or None,
        )
        if options.baseline is None:
            return None
        if not options.keep:
            raise UsageError(
                "a baseline is compared with a session that is kept: drop keep=False",
                code="conflicting_options",
            )
        return cls(read_baseline(options.baseline), chosen)

    def compared(self, folder: SessionFolder, warn: Callable[[str], None]) -> Gated:
        """Compare a session that has ended. An error doesn't raise, because the run is over: it is
        the `problem` of what is returned.

        Args:
            folder: the session's folder.
            warn: called with each warning about what can't be read.
        """
        try:
            side = SessionSide(folder, warn=warn)
            return Gated(compare(self._baseline, side, settings=self._settings))
        except LveError as error:
            return Gated(None, str(error))
