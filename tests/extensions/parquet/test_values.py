"""Values of Parquet files on their way through a process: the same after it, and nothing else."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import orjson
import pytest

from lve.extensions.parquet.values import decoded, encoded, kind_of, plain_value

pyarrow = pytest.importorskip("pyarrow")

DAY, MOMENT = date(2024, 2, 29), datetime(2024, 2, 29, 1, 2, 3, 4)
COLUMNS = {
    "whole": [1, None, 2**63 - 1, -(2**63)],
    "numbers": [0.5, None, 1e300],
    "texts": ["a", None, "\x00\u2028\U0001f600"],
    "truths": [True, False, None],
    "nothings": [None, None],
    "dates": [DAY, None],
    "moments": [MOMENT, None],
    "moments with a zone": [MOMENT.replace(tzinfo=UTC), None],
    "times": [time(1, 2, 3, 4), None],
    "durations": [timedelta(days=-1, microseconds=1), None],
    "decimals": [Decimal("1.50"), Decimal("-0.01"), None],
    "bytes": [b"\x00\xff", b"", None],
    "lists": [[DAY, None], [], None],
    "lists of texts": [["a"], [], None],
    "objects": [{"a": DAY, "b": [b"x"]}, {"a": None, "b": None}, None],
    "objects of texts": [{"a": "x"}, None],
    "infinite": [float("inf"), -float("inf"), 1.5, None],
    "infinite in lists": [[float("inf")], [0.5, None], None],
}


def over_the_pipe(column: Any) -> list[Any]:
    kind = kind_of(column)
    sent = orjson.dumps([kind, [encoded(one, kind) for one in column.to_pylist()]])
    kind, values = json.loads(sent)
    return [decoded(one, kind) for one in values]


@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS)
def test_a_column_arrives_as_it_was(values: list[Any]) -> None:
    arrived = over_the_pipe(pyarrow.array(values))
    assert arrived == values
    assert [type(one) for one in arrived] == [type(one) for one in values]


@pytest.mark.parametrize("kind", ["binary", "large_binary", "binary_view"])
def test_all_kinds_of_bytes_arrive(kind: str) -> None:
    assert over_the_pipe(pyarrow.array([b"\xff"], getattr(pyarrow, kind)())) == [b"\xff"]
    assert over_the_pipe(pyarrow.array([b"ab"], pyarrow.binary(2))) == [b"ab"]


def test_not_a_number_arrives() -> None:
    (arrived,) = over_the_pipe(pyarrow.array([float("nan")]))
    assert math.isnan(arrived)
    ((inner,),) = over_the_pipe(pyarrow.array([[float("nan")]]))
    assert math.isnan(inner)


def test_only_columns_that_json_lacks_have_a_kind() -> None:
    assert kind_of(pyarrow.array([[{"a": [1.5], "b": "x"}]])) is None
    assert kind_of(pyarrow.array([[{"a": DAY, "b": "x"}]])) == [
        "list",
        ["struct", {"a": "date", "b": None}],
    ]


def test_nanoseconds_stay_in_the_text() -> None:
    text = "2024-02-29 01:02:03.000000001"
    assert decoded(text, "datetime") == text


def test_a_value_of_a_rare_type_is_a_number_or_a_text() -> None:
    numpy = pytest.importorskip("numpy")
    assert plain_value(numpy.float16(0.5)) == 0.5
    assert plain_value(complex(1)) == "(1+0j)"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("1E999999999", "decimal"),
        ("1" * 1000, "decimal"),
        ("sNaN", "decimal"),
        ("x", "date"),
        (1, "date"),
        ("10000-01-01", "date"),
        ([10**10, 0, 0], "timedelta"),
        ([1], "bytes"),
        ("*", "bytes"),
        ("a", "code"),
        ("a", ["struct", {}]),
        (1, ["list", "date"]),
        ([1], ["list", "date"]),
        ({"a": 1}, ["struct", 1]),
        ({"a": 1}, ["struct"]),
        ({"a": 1}, []),
        ("a", {}),
    ],
)
def test_what_does_not_fit_its_kind_is_refused(value: Any, kind: Any) -> None:
    with pytest.raises((ValueError, TypeError, LookupError, AttributeError, ArithmeticError)):
        decoded(value, kind)
