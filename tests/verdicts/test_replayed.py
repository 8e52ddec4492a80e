"""What reports say of one test whose answers were replayed."""

from __future__ import annotations

from typing import Any

import pytest
from support.results import make_result

from lve.spec.spec import Expectation
from lve.verdicts.replayed import NOTHING_SENT, remarks_of_test
from lve.verdicts.tally import Tally


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({}, []),
        ({"recorded": "failed", "error_kind": "timeout", "verdict": "error"}, []),
        ({"unbound": True}, ["unbound"]),
        ({"error_kind": "stale_recording", "verdict": "error"}, ["stale"]),
        ({"model": "replay"}, ["sent", "removed rows"]),
    ],
)
def test_what_is_said_of_a_test(fields: dict[str, Any], names: list[str]) -> None:
    result = make_result(**{"model": "m", **fields})
    tally = Tally("a", result.model, Expectation())
    tally.add(result)
    remarks = list(remarks_of_test(tally))
    assert [remark.name for remark in remarks] == names
    assert ("sent" in names) == (NOTHING_SENT in [remark.text for remark in remarks])
