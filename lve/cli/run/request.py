"""What `lve run` is asked for: its options, read together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from lve.cli.run.command_options import given_options
from lve.cli.shared_options import refuse_pairs, report_form
from lve.reporting import Detail


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the command line asks for."""

    paths: tuple[str, ...]
    given: Mapping[str, Any]
    """Fields of `RunOptions` that were given."""
    resume: str | None = None
    """Name of the session to continue."""
    retry_errors: bool = False
    """Whether its errors run again."""
    only_errors: bool = False
    """Whether nothing but its errors runs."""
    last_failed: bool = False
    dry_run: bool = False
    strict: bool = False
    format: str = "text"
    detail: Detail = "normal"

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> RunRequest:
        """Return what the options mean.

        Raises:
            click.UsageError: they contradict each other.
        """
        _refuse_contradictions(given)
        name, detail = report_form(given)
        resume, retry = given["resume"], given["retry_errors"]
        return cls(
            paths=given["paths"],
            given=given_options(given),
            resume=resume or retry,
            retry_errors=retry is not None,
            only_errors=retry is not None and resume is None,
            last_failed=given["last_failed"],
            dry_run=given["dry_run"],
            strict=given["strict"],
            format=name,
            detail=detail,
        )


def _refuse_contradictions(given: Mapping[str, Any]) -> None:
    refuse_pairs(
        given,
        ("no_cache", "refresh"),
        ("resume", "last_failed"),
        ("retry_errors", "last_failed"),
        ("dry_run", "resume"),
        ("dry_run", "retry_errors"),
        ("dry_run", "last_failed"),
    )
    resume, retry = given["resume"], given["retry_errors"]
    if resume and retry not in (None, "last", resume):
        raise click.UsageError("--resume and --retry-errors name different sessions")
