"""Which parameters the page's table shows: those that tell rows apart, in few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from support.results import make_result

from lve.extensions.reports.page.inputs import MOST_PARAMETERS, MOST_VALUES, Inputs, _Values
from lve.sessions.session_tests import SessionTest


def inputs_of(tests: Mapping[str, Sequence[Mapping[str, object]]]) -> Inputs:
    inputs = Inputs()
    for test, rows in tests.items():
        about = SessionTest(test, "m", parameters=tuple({name: 0 for row in rows for name in row}))
        for line, row in enumerate(rows, 1):
            inputs.add(make_result(test=test, line=line, args={**row, "seed": line}), about)
    return inputs


def names(inputs: Inputs, numbers: Sequence[int]) -> list[str]:
    return [inputs.names()[number] for number in numbers]


def test_what_differs_is_shown_before_what_seldom_does() -> None:
    rows = [
        {"same": "x", "two": f"{n % 2}", "id": f"{n}", "text": f"{n} " * 50, "page": f"{n}" * 500}
        for n in range(20)
    ]
    inputs = inputs_of({"t": rows})
    assert inputs.names() == ["same", "two", "id", "text", "page"]  # no model args
    assert names(inputs, inputs.shown()) == ["id", "text", "page"]
    assert names(inputs, inputs.shown_of("t")) == ["id", "text", "page"]


def test_a_single_row_shows_its_first_parameters() -> None:
    inputs = inputs_of({"t": [{"a": 1, "b": [2], "c": None, "d": 4}]})
    assert names(inputs, inputs.shown()) == ["a", "b", "c"]


def test_where_tests_have_little_in_common_each_shows_its_own() -> None:
    tests = {t: [{t: "1", "common": "1"}, {t: "2", "common": "2"}] for t in ("x", "y", "z")}
    inputs = inputs_of(tests)
    assert names(inputs, inputs.shown()) == ["common"]
    assert sorted(names(inputs, inputs.shown_of("y"))) == ["common", "y"]
    assert inputs.shown_of("unknown") == []


def test_the_number_of_columns_has_a_limit() -> None:
    rows = [{f"p{n}": f"{line}" for n in range(3 * MOST_PARAMETERS)} for line in range(2)]
    inputs = inputs_of({"t": rows, "u": [{f"q{n}": "1" for n in range(50)}] * 2})
    assert len(inputs.names()) == MOST_PARAMETERS
    assert all(number < MOST_PARAMETERS for number in inputs.shown_of("u"))


def test_a_variant_is_that_of_the_results() -> None:
    inputs = Inputs()
    inputs.add(make_result(test="t@a", variant="a"), SessionTest("t@a", "m"))
    inputs.add(make_result(test="folder@b"), SessionTest("folder@b", "m"))
    assert inputs.variants == {"t@a": "a"}


def test_without_declared_parameters_each_column_of_the_data_is_one() -> None:
    inputs, about = Inputs(), SessionTest("t", "m")
    for line, city in enumerate(("Oslo", "Rome"), 1):
        inputs.add(make_result(test="t", line=line, args={"city": city, "seed": line}), about)
    assert inputs.names() == ["city"]
    assert names(inputs, inputs.shown_of("t")) == ["city"]


@pytest.mark.parametrize(
    ("values", "weight"),
    [
        (["x"], 1.0),  # of a single row, nothing says whether it varies
        (["x", "x"], 0.0),
        (["x", "y"], 1.0),
        (["x", "x", "x", "y"], 0.2 + 0.8 / 2),
        ([[1], {"a": 2}, None, "x"], 1.0),
        (["x" * 80, "y" * 80], 1.0),
        (["x" * 80, "y" * 82], 0.9),
        (["x" * 299, "y" * 300], 0.9),
        (["x" * 300, "y" * 300], 0.3),
        (["x", "y" * 159], 1.0),
        ([str(number) for number in range(2 * MOST_VALUES)], 1.0),
        ([str(number % 25) for number in range(100)], 0.2 + 0.8 / 2),
    ],
)
def test_what_tells_most_varies_and_is_short(values: Sequence[object], weight: float) -> None:
    added = _Values()
    for value in values:
        added.add(value)
    assert added.weight == pytest.approx(weight)
    joined = _Values()
    for value in values:
        one = _Values()
        one.add(value)
        joined.join(one)
    assert joined.weight == added.weight or len(values) > MOST_VALUES
