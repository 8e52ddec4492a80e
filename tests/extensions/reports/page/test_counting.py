"""Results that are counted together give what they give one by one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import pytest
from extensions.reports.page.test_counted_lines import ordinary

from lve.extensions.reports.page.counted_lines import OrdinaryResult
from lve.extensions.reports.page.counting import count_results
from lve.messages import Completion, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.tally import Tally

CHANCE = random.Random(3)


def result(kind: type[InstanceResult], **fields: Any) -> InstanceResult:
    """Return a result that differs from the others in all that is counted of an ordinary one."""
    chosen: dict[str, Any] = {
        "line": CHANCE.randint(1, 30),
        "repeat": CHANCE.choice([0, 0, 1, 4]),
        "source": CHANCE.choice(["instances/x.jsonl", "data.jsonl"]),
        "verdict": CHANCE.choice(["passed", "failed"]),
        "recorded": CHANCE.choice([None, None, "passed", "failed"]),
        "score": CHANCE.choice([None, 0.1, 0.7, -2.5]),
        "cost": CHANCE.choice([None, 0.1, 0.3]),
        "usage": Usage(CHANCE.randint(0, 9), CHANCE.randint(0, 9)),
        "cached": CHANCE.random() < 0.5,
        "args": {"question": CHANCE.choice("abc")},
        "responses": (),
        "transcripts": (said(CHANCE.choice([None, *map(str, range(30))])),),
    }
    whole = ordinary(**{**chosen, **fields})
    return kind(*(getattr(whole, name) for name in InstanceResult.__slots__))


def said(model: str | None) -> Transcript:
    return Transcript((), (Completion("", model=model, cached=False),))


def ordinary_ones(amount: int) -> list[InstanceResult]:
    return [result(OrdinaryResult) for _ in range(amount)]


EMPTY = {
    "all must pass": Tally("a/b", "p/m"),
    "all must fail": Tally("a/b", "p/m", Expectation(kind="fail")),
    "by column": Tally("a/b", "p/m", numbers=Breakdown(by={"question": None})),
    "categories": Tally("a/b", "p/m", numbers=Breakdown(column="question")),
    "clusters": Tally("a/b", "p/m", Expectation(cluster="question")),
}


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize(
    "batches",
    [
        [ordinary_ones(1)],
        [ordinary_ones(50), ordinary_ones(1), ordinary_ones(80)],
        [[*ordinary_ones(5), result(InstanceResult, advisory=True, labels=("a", "b"))]],
        [[result(InstanceResult, verdict="error", error_kind="timeout")], ordinary_ones(9)],
    ],
)
def test_the_tally_is_the_same(name: str, batches: Sequence[list[InstanceResult]]) -> None:
    together, each = deepcopy(EMPTY[name]), deepcopy(EMPTY[name])
    for batch in batches:
        count_results(together, batch)
        for one in batch:
            each.add(one)
    assert values_of(together) == values_of(each)


def values_of(value: object) -> object:
    """Return all that is in a tally, as text."""
    if isinstance(value, dict):
        return {repr(key): values_of(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [values_of(each) for each in value]
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    if slots:
        return {name: values_of(getattr(value, name, None)) for name in slots}
    return repr(value)
