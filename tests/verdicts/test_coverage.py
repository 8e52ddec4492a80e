"""Rows that a replay leaves out."""

from __future__ import annotations

from lve.verdicts.coverage import SHOWN, NotRecorded


def rows(*places: str, repeats: int = 1) -> NotRecorded:
    missing = NotRecorded()
    for place in places:
        missing.add(place, repeats)
    return missing


def test_rows_of_several_tests_are_counted_together() -> None:
    whole = rows("a/x:1", "a/x:2", repeats=3)
    whole.merge(rows("b/x:1", "b/x:2", "b/x:3"))
    assert (whole.count, whole.repeats, whole.results) == (5, 4, 9)
    assert whole.places == ["a/x:1", "a/x:2", "b/x:1"]
    assert str(whole) == ("5 rows are not recorded and were not judged: a/x:1, a/x:2, b/x:1, ...")


def test_the_first_rows_are_named() -> None:
    few = rows(*(f"a/x:{line}" for line in range(SHOWN)))
    assert str(few).endswith(": a/x:0, a/x:1, a/x:2")
    assert str(rows("a/x:1")) == "1 row is not recorded and was not judged: a/x:1"


def test_it_says_what_is_missing_and_how_to_record_it() -> None:
    missing = rows("a/x:1", repeats=2)
    missing.folder = "a"
    assert "1 row has no recorded answer" in missing.why_undecided()
    assert "`lve record a` asks a model" in missing.why_undecided()
    missing.merge(rows("a/x:2"))
    assert "2 rows have no recorded answer" in missing.why_undecided()
    assert missing.folder == "a"


def test_the_first_rows_of_all_parts_are_named_in_order() -> None:
    total = NotRecorded()
    for lines in ((10, 3), (2, 9)):
        part = NotRecorded()
        for line in lines:
            part.add(f"t/rows.jsonl:{line}")
        total.merge(part)
    places = "t/rows.jsonl:2, t/rows.jsonl:3, t/rows.jsonl:9, ..."
    assert str(total) == f"4 rows are not recorded and were not judged: {places}"
