"""A column per parameter, in all tables."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from support.recorded import recorded
from support.results import make_result

from lve.extensions.reports import columns
from lve.extensions.reports.csv_file import write_csv
from lve.sessions.session_tests import SessionTest


def test_each_parameter_has_a_column_behind_the_others(tmp_path: Path) -> None:
    tests = [
        SessionTest("a", "m", parameters=("name",)),
        SessionTest("b", "m", parameters=("n", "name")),
    ]
    results = [
        make_result(test="a", model="m", args={"name": "=Chloé", "temperature": 1}),
        make_result(test="b", model="m", args={"n": {"x": [1, None]}}),
    ]
    file = io.BytesIO()
    with recorded(tmp_path, results, tests) as session:
        names = [column.name for column in columns.columns_of([session])]
        write_csv([session], file)
    assert names[: len(columns.COLUMNS)] == [column.name for column in columns.COLUMNS]
    assert names[len(columns.COLUMNS) :] == ["parameters.name", "parameters.n"]
    first, second = csv.DictReader(io.StringIO(file.getvalue().decode("utf-8-sig"), newline=""))
    assert (first["parameters.name"], first["parameters.n"]) == ("'=Chloé", "")
    assert (second["parameters.name"], second["parameters.n"]) == ("", '{"x":[1,null]}')


def test_their_number_is_limited(tmp_path: Path) -> None:
    test = SessionTest("a", "m", parameters=tuple(f"p{n}" for n in range(2000)))
    with recorded(tmp_path, [make_result(test="a", model="m")], [test]) as session:
        found = columns.columns_of([session])
    assert len(found) == len(columns.COLUMNS) + columns.MAX_PARAMETERS


def test_without_declared_parameters_each_column_of_the_data_has_one(tmp_path: Path) -> None:
    results = [
        make_result(line=1, args={"city": "Oslo", "temperature": 1}),
        make_result(line=2, args={"city": "Rome", "country": "Italy"}),
    ]
    file = io.BytesIO()
    with recorded(tmp_path, results, [SessionTest(results[0].test, results[0].model)]) as session:
        names = [column.name for column in columns.columns_of([session])]
        write_csv([session], file)
    assert names[len(columns.COLUMNS) :] == ["parameters.city", "parameters.country"]
    first, second = csv.DictReader(io.StringIO(file.getvalue().decode("utf-8-sig"), newline=""))
    assert (first["parameters"], first["model_args"]) == ('{"city":"Oslo"}', '{"temperature":1}')
    assert (second["parameters.city"], second["parameters.country"]) == ("Rome", "Italy")
    assert second["model_args"] == "{}"
