"""Converts the assertions of a test, with their sets and weights, to a list of checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any

from lve.documents.read import DocumentPosition
from lve.extensions.importing.promptfoo.assertions import ASKING, SCRIPTS, Checks
from lve.extensions.importing.promptfoo.source import UnsupportedError
from lve.extensions.importing.promptfoo.thresholds import NOT, Check, number

SET = "assert-set"
Placed = tuple[Any, DocumentPosition]
"""A value of the configuration and its position."""
Path = tuple[int, ...]
"""Where an assertion is: its number, and that in its set; empty: all of a test."""


def check_list(
    checks: Checks, asserted: Sequence[Placed], threshold: object
) -> list[tuple[Path, Check]]:
    """Return the checks of a test, each with the assertion that it is made of. Those without a
    counterpart are left out and reported.

    Args:
        checks: converts single assertions.
        asserted: the assertions.
        threshold: the share of the weights that must pass; None: all assertions must pass.
    """
    if threshold is not None:
        whole = {
            "type": SET,
            "assert": [assertion for assertion, _ in asserted],
            "threshold": threshold,
        }
        kept = _kept(checks, [(whole, position) for _, position in asserted[:1]])
        return [((), check) for _, check in kept]
    return list(_kept(checks, asserted))


def _kept(checks: Checks, asserted: Sequence[Placed]) -> Iterator[tuple[Path, Check]]:
    for index, (assertion, position) in enumerate(asserted):
        try:
            resolved = checks.source.resolved(assertion)
            if not isinstance(resolved, dict) or resolved.get("type") != SET:
                if _decides(checks, resolved):
                    yield (index,), checks.convert(resolved)
            elif resolved.get("threshold") is not None:
                yield (index,), _weighted(checks, resolved)
            else:
                for member, check in _members_checks(checks, resolved, position):
                    yield (index, member), check
        except UnsupportedError as error:
            checks.source.leave_out(position, str(error))


def _members_checks(
    checks: Checks, assertion: dict[str, object], position: DocumentPosition
) -> Iterator[tuple[int, Check]]:
    """Yield the checks of a set whose members must all pass. Sets can't be nested."""
    for index, member in enumerate(_members(assertion)):
        try:
            if _decides(checks, member):
                yield index, checks.convert(member)
        except UnsupportedError as error:
            checks.source.leave_out(position.below(("assert", index)), str(error))


def weighs_nothing(asserted: Placed) -> bool:
    """Return whether an assertion decides nothing: its weight is 0. That of a set counts only where
    the test has a threshold."""
    assertion = asserted[0]
    is_single = isinstance(assertion, dict) and assertion.get("type") != SET
    return is_single and assertion.get("weight") == 0


def _decides(checks: Checks, assertion: object) -> bool:
    """Return whether an assertion has a weight; it is told if it has none."""
    if not isinstance(assertion, dict) or assertion.get("weight") != 0:
        return True
    checks.source.tell("an assertion whose weight is 0 decides nothing, and is left out")
    return False


def _weighted(checks: Checks, assertion: dict[str, object]) -> Check:
    """Return the check for a set of which a share must pass.

    Raises:
        UnsupportedError: a member has no counterpart; without it, the share would mean something
            else.
    """
    members, is_scored = [], False
    for member in _members(assertion):
        weight = member.get("weight", 1) if isinstance(member, dict) else 1
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < inf:
            raise UnsupportedError("left out: a weight in it isn't a number from 0")
        if not _decides(checks, member):
            continue
        check, has_score = _scored(checks, member)
        is_scored = is_scored or has_score
        members.append(check if weight == 1 else {**check, "weight": weight})
    if not members:
        raise UnsupportedError("left out: a set in which nothing has a weight")
    whole = {"weighted": members, "threshold": number(assertion, above=0, highest=1)}
    return {**whole, "by": "score"} if is_scored else whole


def _scored(checks: Checks, member: object) -> tuple[Check, bool]:
    """Return the check of a member of a set, whose score counts if it has one, and whether
    promptfoo gives it one."""
    kind = str(member.get("type")) if isinstance(member, dict) else ""
    has_score = kind.removeprefix(NOT) in (*ASKING, *SCRIPTS)
    try:
        checks.is_scored = True
        check = checks.convert(member)
    finally:
        checks.is_scored = False
    if has_score and "not" in check:
        raise UnsupportedError(
            f"left out: {kind} in a set with a threshold, where its score counts"
        )
    return check if has_score or "contains_all" not in check else {"all": [check]}, has_score


def _members(assertion: dict[str, object]) -> list[object]:
    members = assertion.get("assert")
    if not isinstance(members, list) or not members:
        raise UnsupportedError("left out: a set without assertions")
    return members
