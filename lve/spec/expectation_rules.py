"""The rules for the key `expect` that a JSON Schema can't express."""

from __future__ import annotations

from collections.abc import Iterator

from lve.documents.read import Document
from lve.errors import Problem
from lve.settings.settings import Caps
from lve.spec.model_entries import entries_in

_RATES = ("at_least", "at_most", "pass_rate")
_KEYS_OF_RATE = {
    "pass_rate": ("confidence", "max_repeats", "claim", "cluster"),
    "at_least": ("max_errors",),
    "at_most": ("max_errors",),
}


def expectation_problems(document: Document, _: Caps) -> Iterator[Problem]:
    """Yield the problems of `expect`: what it counts, and keys that belong to something else."""
    for path, entry in ((), document.data), *entries_in(document.data):
        expect = entry.get("expect")
        if not isinstance(expect, dict):
            continue
        where, kinds = (*path, "expect"), [key for key in _RATES if key in expect]
        if len(kinds) != 1:
            message = f"needs one of {', '.join(f'`{key}`' for key in _RATES)}" + (
                f", not {' and '.join(f'`{key}`' for key in kinds)}" if kinds else ""
            )
            hint = "`at_least: 0.9` counts this run's results"
            yield document.problem(message, where, hint=hint, code="expectation")
            continue
        (kind,) = kinds
        for other in set(expect) - {kind, *_KEYS_OF_RATE[kind]}:
            if any(other in keys for keys in _KEYS_OF_RATE.values()):
                message = f"`{other}` says nothing beside `{kind}`"
                hint = f"beside it: {', '.join(f'`{key}`' for key in _KEYS_OF_RATE[kind])}"
                yield document.problem(
                    message, (*where, other), hint=hint, key=True, code="expectation"
                )
        if kind != "pass_rate" and isinstance(expect[kind], float) and expect[kind] > 1:
            message = "a share is from 0 to 1, and a number of results is a whole number"
            yield document.problem(message, (*where, kind), code="expectation")
