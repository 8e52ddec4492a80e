"""Which tests of an earlier session are unfinished, according to its `session.json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lve.errors import UsageError
from lve.pipeline.loading import models_of
from lve.results.session import Status
from lve.run_options import RunOptions
from lve.spec.model import Spec
from lve.verdicts.summary import Summary
from lve.workspace import Settings


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Tests of a session, each with its model, that aren't through."""

    status: Status
    """What the session ended with; `running` also after a crash."""
    pairs: frozenset[tuple[str, str]]
    is_exact: bool
    """Whether all others are through. What was killed can't tell: then no test is."""
    has_failures_only: bool = False
    """Whether the session ran only what failed in another one."""

    @classmethod
    def of(cls, info: Mapping[str, Any], specs: Iterable[Spec], settings: Settings) -> Unfinished:
        """Read it.

        Args:
            info: the content of `session.json`.
            specs: the tests as they are now.
            settings: the workspace's.
        """
        status: Status = info["status"]
        noted, failures_only = info.get("unfinished"), bool(info.get("failures_of"))
        if status == "running" or (noted is None and status != "complete"):
            pairs = frozenset(_all(info, specs, settings))
            return cls(status, pairs, is_exact=False, has_failures_only=failures_only)
        pairs = frozenset((one["test"], one["model"]) for one in noted or ())
        return cls(status, pairs, is_exact=True, has_failures_only=failures_only)

    def has(self, test: str, model: str) -> bool:
        """Whether a test isn't known to be through against a model."""
        return not self.is_exact or (test, model) in self.pairs

    def status_of(self, summary: Summary) -> Status:
        """Return the status to report for some of the session's tests."""
        if all(tally.is_complete for tally in summary.tallies.values()):
            return "complete"
        return "interrupted" if self.status == "running" else self.status


def unfinished_of(summary: Summary) -> list[dict[str, str]]:
    """Return what `session.json` says of a session's tests that aren't through."""
    return [
        {"test": tally.test, "model": tally.model}
        for tally in summary.tallies.values()
        if not tally.is_complete
    ]


def _all(
    info: Mapping[str, Any], specs: Iterable[Spec], settings: Settings
) -> Iterable[tuple[str, str]]:
    """Yield all tests of a session with their models."""
    if info.get("failures_of"):
        return  # Only some of them are part of it, and its file doesn't say which.
    options = RunOptions(models=tuple(info["options"].get("models", ())))
    began_with = info.get("tests") or {}
    for spec in specs:
        if spec.path not in began_with or spec.skip is not None:
            continue
        try:
            models = models_of(spec, options, settings)
        except UsageError:  # It had a model then.
            continue
        yield from ((spec.path, model) for model in models)
