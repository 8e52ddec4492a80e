"""Groups of tasks: what their tests say of them, and which scores can't be carried."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace
from support.lm_eval_dump import CASE, imported, recorded_lines

from lve.extensions.importing import groups as membership
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.lm_eval import importer
from lve.extensions.importing.lm_eval.records import RecordError, group_of

GROUP = next(line for line in recorded_lines() if line.get("group") == "places")
RATE = "pass rate"


def groups_of(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return {test.folder: test.document.get("groups") for test in imported(lines).tests}


def losses(lines: list[dict[str, Any]]) -> list[str]:
    every = (str(sentence) for sentence in imported(lines).left_out)
    return [text.partition("group places, ")[2] for text in every if "group places" in text]


def with_group(**changes: Any) -> list[dict[str, Any]]:
    lines = [line for line in recorded_lines() if line["kind"] != "group"]
    return [*lines[:-1], {**GROUP, **changes}, lines[-1]]


def test_tests_say_which_groups_they_are_part_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASE)
    groups = groups_of(recorded_lines())
    assert groups["pronouns"] == [
        {
            "name": "everything",
            "metric": "acc",
            "by_size": False,
            "tests": {"capitals/acc": RATE, "pronouns": RATE, "moods": RATE},
        },
        {
            "name": "places",
            "metric": "acc",
            "tests": {"capitals/acc": RATE, "pronouns": RATE, "moods": RATE},
        },
    ]
    inside = {"acc": RATE, "../pronouns": RATE, "../moods": RATE}
    assert [each["tests"] for each in groups["capitals/acc"]] == [inside, inside]
    assert groups["greetings/bleu"] == [
        {"name": "everything::languages", "metric": "bleu", "tests": {"bleu": "bleu"}}
    ]
    assert [each["metric"] for each in groups["sums/exact_match_strict"]] == ["exact_match,strict"]
    assert groups["endings"] is None


def test_a_filter_may_be_named() -> None:
    of = {"name": "exact_match", "filters": ["words"], "by_size": True}
    groups = groups_of(with_group(tasks=["sums", "pronouns"], metrics=[of]))
    assert [home for home, own in groups.items() if own] == ["sums/exact_match_words"]


def test_a_score_without_all_its_tasks_is_told() -> None:
    acc = [{"name": "acc", "filters": None, "by_size": True}]
    assert losses(with_group(metrics=acc)) == []
    [reason] = losses(with_group(metrics=acc, tasks=["capitals", "broken", "gone"]))
    assert reason == "the score acc: not all its tasks can be had: broken, gone"
    brier = [{"name": "brier_score", "filters": None, "by_size": True}]
    [reason] = losses(with_group(metrics=brier))
    assert reason == "the score brier_score: no test has it of all rows of the task capitals"


def test_a_score_of_a_task_whose_rows_were_left_out_is_told() -> None:
    lines = with_group(metrics=[{"name": "acc", "filters": None, "by_size": True}])
    row = next(line for line in lines if line["kind"] == "row" and line["task"] == "pronouns")
    row["target"] = 99
    [reason] = losses(lines)
    assert reason == "the score acc: no test has it of all rows of the task pronouns"


def test_a_long_name_is_told() -> None:
    assert "more than 200 characters" in losses(with_group(metrics=[{"name": "a" * 200}]))[0]


def test_a_test_is_in_so_many_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(membership, "MAX_GROUPS", 1)
    assert len(groups_of(recorded_lines())["pronouns"]) == 1
    assert "a test has more than 1 scores of groups" in losses(recorded_lines())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"group": ""}, "its name isn't one to 200 characters"),
        ({"group": "x" * 201}, "its name isn't one to 200 characters"),
        ({"group": "\ud800"}, "its name isn't one to 200 characters"),
        ({"tasks": ["x"] * 501}, "more than 500 tasks or 100 scores"),
        ({"metrics": [{"name": "x"}] * 101}, "more than 500 tasks or 100 scores"),
        ({"tasks": "abc"}, "'tasks' is no list of texts"),
        ({"metrics": [{"name": 1}]}, "'name' is no text"),
        ({"metrics": [{"name": "acc", "filters": [1]}]}, "'filters' is no list of texts"),
    ],
)
def test_a_forged_group_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(RecordError, match=reason):
        group_of({**GROUP, **changes})
    assert len(imported(with_group(**changes)).tests) == 13


def test_written_groups_are_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path / "w"))
    write_tests(imported(recorded_lines()).tests, Path("made"))
    assert '"groups"' in Path("made/pronouns/test.json").read_text("utf-8")
    code, out, _ = call("check", "made")
    assert code == 0, out


@pytest.mark.skipif(not importer.TOOL.is_set_up, reason="needs `lve import --setup lm-eval`")
def test_a_file_of_a_group_is_its_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CASE)
    code, _, err = call("import", "lm-eval", "tasks/places.yaml", "-o", str(tmp_path / "made"))
    assert code == 0, err
    assert sorted(each.name for each in (tmp_path / "made").iterdir()) == [
        "capitals", "moods", "pronouns",
    ]  # fmt: skip
    assert '"groups"' in (tmp_path / "made/moods/test.json").read_text("utf-8")
