"""Answers from templates are judged as the template says."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest
from conformance.answer_templates import (
    PROSE_SURFACES,
    SURFACES,
    CheckedRow,
    Row,
    checked_rows,
    label_rows,
    number_rows,
)
from conformance.verdicts import actual

from lve.checkers.contract import CheckContext
from lve.checkers.library.choice import Choice, Option
from lve.checkers.library.number import Number

GROUPS = [[*rows] for _, rows in groupby(number_rows(), lambda row: row.template)]
NOTHING = CheckContext(())


def judged_wrongly(rows: list[Row]) -> list[tuple[float, str]]:
    return [
        (row.number, row.answer)
        for row in rows
        if Number(row.number).check_response(row.answer, NOTHING).outcome != row.expected
    ]


def test_there_are_templates_of_all_kinds() -> None:
    assert len(GROUPS) > 1_000
    rows = [row for rows in GROUPS for row in rows]
    assert {row.expected for row in rows} == {"passed", "failed"}


@pytest.mark.parametrize("part", range(20))
def test_numbers_are_judged_as_their_templates_say(part: int) -> None:
    wrong = [entry for rows in GROUPS[part::20] for entry in judged_wrongly(rows) if not rows[0][4]]
    assert wrong == []


def test_options_are_judged_as_their_templates_say() -> None:
    rows = [*label_rows("option")]
    assert len(rows) > 200
    wrong = [
        row
        for row in rows
        if Option(row.label).check_response(row.answer, NOTHING).outcome != row.expected
    ]
    assert wrong == []


def test_labels_are_judged_as_their_templates_say() -> None:
    rows = [*label_rows("choice")]
    assert len(rows) > 100
    wrong = [
        row
        for row in rows
        if Choice(row.label, row.of).check_response(row.answer, NOTHING).outcome != row.expected
    ]
    assert wrong == []


def test_a_template_that_is_marked_is_judged_wrongly() -> None:
    assert all(judged_wrongly(rows) for rows in GROUPS if rows[0].is_wrong)


@pytest.mark.parametrize(
    ("name", "surfaces"),
    [
        ("text", SURFACES | PROSE_SURFACES),
        ("json", SURFACES),
        ("refusal", SURFACES | PROSE_SURFACES),
    ],
)
def test_answers_are_judged_as_their_templates_say_on_any_surface(
    name: str, surfaces: dict[str, Callable[[str], str]], tmp_path: Path
) -> None:
    rows = [*checked_rows(name)]
    assert len(rows) > 50
    wrong: list[tuple[str, CheckedRow]] = []
    for surface, changed in surfaces.items():
        for row in rows:
            answer = changed(row.answer)
            if actual({"check": row.check, "answer": answer}, tmp_path) != row.expected:
                wrong.append((surface, row))
    assert wrong == []
