"""From labels and verdicts to what they say of a check."""

from __future__ import annotations

from dataclasses import replace

from extensions.calibration.labels import judged_labels
from support.results import make_result

from lve.checkers.questions import Answer
from lve.extensions.calibration.measure import JudgedLabel, measure
from lve.messages import Completion


def test_every_label_counts_also_where_people_disagree() -> None:
    rows = judged_labels(10, 0, 0, 10, author="ana")
    other = [
        JudgedLabel(replace(one.label, author="ben", word="failed"), one.result) for one in rows
    ]
    found = measure([*rows, *other])
    assert found.agreement.table == (10, 0, 10, 20)
    assert (found.answers, found.agreement.instances) == (20, 20)
    assert found.people is not None
    assert found.people.table.total == 20
    assert found.people.accuracy is not None
    assert found.people.accuracy.hits == 10


def test_people_who_label_different_answers_are_not_compared() -> None:
    assert measure(judged_labels(3, 0, 0, 3, author="ana")).people is None


def test_what_the_check_cannot_judge_is_counted_apart() -> None:
    good, bad = judged_labels(39, 0, 0, 0)[:38], judged_labels(2, 0, 0, 0)
    broken = [replace(one, result=make_result(verdict="error")) for one in bad]
    found = measure([*good, *broken])
    assert (len(found.judged), len(found.unjudged)) == (38, 2)
    assert found.agreement.table.total == 38
    assert found.is_usable
    assert not measure([*good[:37], *broken]).is_usable
    assert not measure([]).is_usable


def test_served_ids_are_those_of_the_judge() -> None:
    (row,) = judged_labels(1, 0, 0, 0)
    said = [
        Answer("k", role, "m", Completion("x", model=model))
        for role, model in (("judge", "j-2"), ("judge", "j-1"), ("judge", None), ("embedding", "e"))
    ]
    asked = replace(row.result, asked=(*said, Answer("k", "judge", "m", problem="asleep")))
    assert measure([replace(row, result=asked)]).served == ("j-1", "j-2")
