"""The content of a session's `session.json` (schemas/session.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from lve.json_types import JsonObject
from lve.named_tuples import TypedDict

Status: TypeAlias = Literal["running", "complete", "interrupted", "budget", "stopped", "failed"]


class AmountInfo(TypedDict, total=False):
    """What was sent to models."""

    cost: float
    """In US dollars; absent if a price is unknown."""
    tokens: int
    """In and out."""
    requests: int
    """Attempts."""


class UnfinishedInfo(TypedDict):
    """A test that hasn't finished against a model."""

    test: str
    model: str


class RowsInfo(UnfinishedInfo):
    """The rows of a test that the session was to run against a model."""

    instances: Mapping[str, Sequence[int]]
    """Source -> lines."""


class SessionInfo(TypedDict, total=False):
    """Fields of `session.json`. The file has all down to `paths`; what it lacks below is unknown,
    or there was nothing to say."""

    version: int
    session: str
    """The session's id."""
    status: Status
    started: str
    ended: str | None
    """None before the end."""
    resumed: Sequence[str]
    """When it was resumed."""
    options: Mapping[str, Any]
    """As the user gave them, those at their default left out."""
    paths: Sequence[str]
    versions: Mapping[str, str]
    """Of lve, Python, the platform and plugins."""
    git: Mapping[str, str] | None
    """`commit` of the checkout that had the tests."""
    roles: Mapping[str, str]
    """Role -> model."""
    sandbox: Mapping[str, bool]
    """Layer of the sandbox -> whether the machine has it."""
    settings: str
    """The sum of the settings."""
    failures_of: str | None
    """The session whose failures this one repeats."""
    models: Sequence[str]
    tests: dict[str, dict[str, str]]
    """Test -> sums of its parts."""
    selected: Sequence[RowsInfo]
    deselected: int
    unfinished: Sequence[UnfinishedInfo]
    spent: AmountInfo
    sent: Mapping[str, Mapping[str, object]]
    """Model -> how requests to it were written, where it doesn't take them as lve writes them."""
    spent_unrecorded: AmountInfo
    summary: JsonObject | None
    """As `lve run --json` prints it; None before the end."""
