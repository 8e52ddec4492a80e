"""Continuing an earlier session: what it ran, and what of that is left to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from lve.errors import UsageError
from lve.pipeline.options import RunOptions
from lve.results.provenance import hashes_of
from lve.results.records import InstanceResult
from lve.results.redact import REDACTED
from lve.results.session import SessionFolder
from lve.spec.model import Spec

Key = tuple[str, str, str, int, int]

IDENTITY = frozenset(
    {"models", "instances", "index", "parameters", "model_args", "repeats", "stream"}
)
"""Options that decide what the session's results are: a resumed session can't change them."""


@dataclass(slots=True)
class Earlier:
    """What an earlier run left, by hash of the results' keys (about 70 bytes each)."""

    finished: set[int] = field(default_factory=set)
    errors: set[int] = field(default_factory=set)
    """Those that ended in an error and shall run again. Emptied as they do."""
    only_errors: bool = False
    """Whether what has never run is left out."""
    only: set[int] | None = None
    """Run just these."""
    only_pairings: set[tuple[str, str]] | None = None
    """Tests and models that have any of `only`; the others aren't part of the session."""
    failures_of: str | None = None
    """Id of the session that `only` comes from."""

    @classmethod
    def of_failed(cls, session: SessionFolder, specs: Iterable[Spec]) -> Earlier:
        """Return that just those instances run that went against what their tests expect.

        Args:
            session: the earlier one.
            specs: the tests as they are now. What is of none of them is left out.

        Raises:
            SessionError: its results can't be read.
        """
        unwanted = {spec.path: spec.expect.unwanted for spec in specs}
        only, pairings = set(), set()
        for result in session.results():
            if result.verdict == unwanted.get(result.test):
                only.add(hash(result.key))
                pairings.add((result.test, result.model))
        return cls(only=only, only_pairings=pairings, failures_of=session.id)

    def add(self, result: InstanceResult, *, retry_errors: bool) -> bool:
        """Take note of an earlier result; return whether it stands."""
        if retry_errors and result.verdict == "error":
            self.errors.add(hash(result.key))
            return False
        self.finished.add(hash(result.key))
        return True

    def concerns(self, test: str, model: str) -> bool:
        """Whether a test is part of the session against this model."""
        return self.only_pairings is None or (test, model) in self.only_pairings

    def wants(self, key: Key) -> bool:
        """Whether an instance is to be executed."""
        number = hash(key)
        if self.only is not None and number not in self.only:
            return False
        return number not in self.finished and (not self.only_errors or number in self.errors)

    def leaves_gap(self, key: Key) -> bool:
        """Whether an instance that isn't wanted has no result either."""
        number = hash(key)
        return (self.only is None or number in self.only) and number not in self.finished


def changed_tests(info: Mapping[str, Any], specs: Iterable[Spec]) -> Iterator[str]:
    """Yield a warning for every test that isn't what it was when its session began.

    Args:
        info: the content of `session.json`.
        specs: the tests as they are now.
    """
    began_with = info.get("tests") or {}
    for spec in specs:
        before = began_with.get(spec.path)
        if before is None:
            continue
        now = hashes_of(spec)
        changed = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        if changed:
            yield (
                f"{spec.path} has changed since the session began ({', '.join(changed)}): what is "
                "done stays as it is, what is missing runs as the test is now; a new session, "
                "without --resume, runs all of it"
            )


def stored_options(options: RunOptions) -> dict[str, Any]:
    """Return options as JSON values, those at their default left out."""
    default = RunOptions()
    return {
        item.name: _plain(getattr(options, item.name))
        for item in fields(RunOptions)
        if item.name != "own_models"  # They live in this process only.
        and getattr(options, item.name) != getattr(default, item.name)
    }


def restored_options(stored: Mapping[str, Any], now: Mapping[str, Any]) -> RunOptions:
    """Return the options of a resumed session.

    Args:
        stored: what `stored_options` gave, as `session.json` has it.
        now: what the user gives now: fields of `RunOptions`.

    Raises:
        UsageError: something is given now that would change the session's results, or a secret
            that was kept out of the session's file is not given again.
    """
    stored, now = _given_again(stored, now)
    earlier = RunOptions(**{name: _restored(name, value) for name, value in stored.items()})
    for name in sorted(IDENTITY & set(now)):
        if now[name] != getattr(earlier, name):
            raise UsageError(
                f"{_option(name)} can't change what an earlier session began with; "
                "start a new one without --resume or --last-failed"
            )
    return replace(earlier, **now)


def _given_again(
    stored: Mapping[str, Any], now: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return both options with the secrets that the session's file leaves out, as given now."""
    stored, now = dict(stored), dict(now)
    for name, value in stored.items():
        if name in ("parameters", "model_args"):
            again = now.get(name, {})
            hidden = [key for key, one in value.items() if REDACTED in str(one)]
            _refuse_missing([f"{_option(name)} {key}=..." for key in hidden if key not in again])
            stored[name] = {**value, **{key: again[key] for key in hidden}}
            if hidden:
                now[name] = {**stored[name], **again}
        elif REDACTED in str(value) and name not in now:
            _refuse_missing([_option(name)])
    return stored, now


def _option(name: str) -> str:
    """Return what a field of `RunOptions` is called on the command line."""
    known = {"models": "--model", "model_args": "--model-arg", "parameters": "-p"}
    return known.get(name, f"--{name.replace('_', '-')}")


def _refuse_missing(options: Sequence[str]) -> None:
    if options:
        raise UsageError(
            "the session's file leaves out what looked like a secret; give again: "
            + " ".join(options)
        )


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _restored(name: str, value: Any) -> Any:
    if name == "state" and value is not None:
        return Path(value)
    return tuple(value) if isinstance(value, list) else value
