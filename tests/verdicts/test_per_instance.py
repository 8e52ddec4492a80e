"""Counts of results per instance."""

from __future__ import annotations

from support.results import make_result

from lve.verdicts.per_instance import MAX_LINES, Flakiness, PerInstance, flakiness, rows_of


def counted(*results: tuple[str, int, str]) -> PerInstance:
    found = PerInstance()
    for source, line, verdict in results:
        found.add(make_result(source=source, line=line, verdict=verdict))
    return found


def test_instances_are_reported_apart_by_file_and_line() -> None:
    found = counted(("a", 1, "passed"), ("a", 1, "failed"), ("b", 1, "passed"), ("b", 900, "error"))
    assert found.counts() == {(1, 2): 1, (1, 1): 1}


def test_recorded_answers_to_the_same_args_are_one_row() -> None:
    found, other = PerInstance(), PerInstance()
    for line, args, verdict in (
        (1, {"w": 1}, "passed"),
        (2, {"w": 1, "x": None}, "failed"),
        (3, {"w": 2}, "passed"),
    ):
        repeat = int(line == 2)
        same = {"line": line, "repeat": repeat, "args": args, "verdict": verdict}
        found.add(make_result(**same))
        other.add(make_result(**{**same, "repeat": 0}))
    assert found.counts() == other.counts() == {(1, 2): 1, (1, 1): 1}
    assert found.rows() == 2
    assert other.rows() == 3, "a model was asked for each of these lines"


def test_a_row_that_is_recorded_in_several_files_is_one_row() -> None:
    found = PerInstance()
    for source, line, word in (("b", 7, "x"), ("a", 2, "y"), ("a", 3, "x"), ("b", 9, "y")):
        found.add(make_result(source=f"instances/{source}.jsonl", line=line, args={"w": word}))
    counted = {source: [*file.judged] for source, file in found.files.items()}
    assert [counted["instances/b.jsonl"][7], counted["instances/a.jsonl"][2]] == [2, 2]
    assert sum(map(sum, counted.values())) == 4
    found.add(make_result(source="instances/a.jsonl", line=1 << 50, args={"w": "z"}))
    assert found.counts() == {(2, 2): 2}, "no file has so many lines"


def test_flaky_instances_are_counted() -> None:
    counts = {(3, 3): 4, (0, 3): 2, (1, 3): 1, (2, 5): 1, (1, 1): 6}
    assert flakiness(counts) == Flakiness(4, 2, 2, once=6)


def test_lines_far_away_fill_no_memory() -> None:
    found = counted(("a", 10**12, "passed"), ("a", MAX_LINES, "passed"))
    assert found.counts() == {}


def test_the_mean_score_is_over_instances() -> None:
    found = PerInstance()
    for line, score in ((1, 1.0), (1, 0.0), (2, 1.0), (3, float("nan")), (4, None)):
        found.add(make_result(source="rows.csv", line=line, verdict="passed", score=score))
    score = found.score()
    assert score is not None
    assert (score.value, score.clusters) == (0.75, 2)
    found.add(make_result(source="rows.csv", line=9, verdict="passed", score=float("inf")))
    assert found.score() is None


def test_rows_are_counted_whatever_their_repeats_verdicts_and_models() -> None:
    first, second = PerInstance(), PerInstance()
    for line, repeat, verdict in ((1, 0, "passed"), (1, 1, "failed"), (2, 3, "error")):
        first.add(make_result(source="rows.csv", line=line, repeat=repeat, verdict=verdict))
    for line in (2, 3):
        second.add(make_result(source="rows.csv", line=line, repeat=1, verdict="inconclusive"))
    assert (first.rows(), second.rows()) == (2, 2)
    assert rows_of((first, second)) == 3


def test_rows_that_changed_places_while_a_session_was_resumed_are_all_counted() -> None:
    assert counted(("a", 1, "passed"), ("a", 1, "passed"), ("a", 2, "passed")).rows() == 3


def test_a_line_far_from_the_beginning_takes_no_more_memory() -> None:
    found = counted(("a", 3_000_000, "passed"))
    assert sum(len(file.judged) for file in found.files.values()) < 100
    assert found.rows() == 1


def test_lines_before_the_first_one_are_counted_where_they_are() -> None:
    lines = [5000, 4999, 4000, 70, 6000, 1, 4999]
    found = PerInstance()
    for place, line in enumerate(lines):
        verdict = "passed" if place % 2 else "failed"
        found.add(make_result(source="a", line=line, verdict=verdict, score=line / 6000, repeat=1))
    (file,) = found.files.values()
    judged = {file.first + n: count for n, count in enumerate(file.judged) if count}
    assert judged == {1: 1, 70: 1, 4000: 1, 4999: 2, 5000: 1, 6000: 1}
    assert {file.first + n for n, began in enumerate(file.began) if began} == set(lines)
    assert found.counts() == {(0, 1): 3, (1, 1): 2, (1, 2): 1}
    assert file.scores is not None
    assert file.scores[70 - file.first] == 70 / 6000


def test_lines_of_several_models_are_told_apart() -> None:
    found = [counted(("a", line, "passed"), ("a", 900, "passed")) for line in (900, 70, 71)]
    for results in found:
        results.first_repeats = 0
    assert rows_of(found) == 3
