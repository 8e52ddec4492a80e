"""Reading labels files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.errors import SpecError
from lve.extensions.calibration.labels import MAX_BYTES, read_labels, repeated_labels

GOOD = {"args": {"q": "1"}, "response": "a", "label": "passed"}
PLACE = {"test": "t", "model": "m", "source": "instances/a.jsonl", "line": 3}


def written(folder: Path, *rows: Any) -> Path:
    file = folder / "labels.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def problems_of(folder: Path, *rows: Any) -> list[str]:
    with pytest.raises(SpecError) as caught:
        read_labels(written(folder, *rows))
    return [str(problem) for problem in caught.value.problems]


def test_a_label_has_an_answer_or_a_place_in_a_session(tmp_path: Path) -> None:
    more = {"author": "ana", "comment": "odd", "test": "t", "check": "judge", "reference": 4}
    file = written(
        tmp_path, GOOD | more, {**PLACE, "label": "wrong"}, {"label": "failed", "response": [""]}
    )
    whole, placed, bare = read_labels(file)
    assert (whole.line, whole.passes, whole.author, whole.comment) == (1, True, "ana", "odd")
    assert (whole.test, whole.check, whole.reference) == ("t", "judge", 4)
    assert whole.responses == ("a",)
    assert placed.place is not None
    assert (placed.word, placed.place.repeat, placed.args) == ("wrong", 0, None)
    assert (bare.args, bare.responses, bare.passes) == ({}, ("",), False)


@pytest.mark.parametrize(
    ("word", "verdict", "passes"),
    [
        ("right", "passed", True),
        ("right", "failed", False),
        ("wrong", "passed", False),
        ("wrong", "failed", True),
        ("failed", "passed", False),
    ],
)
def test_right_and_wrong_are_about_the_verdict(
    tmp_path: Path, word: str, verdict: Any, passes: bool
) -> None:
    (label,) = read_labels(written(tmp_path, {**PLACE, "label": word}))
    assert label.with_answer({"q": "1"}, ("a",), verdict).passes is passes


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("{", "is never closed"),
        ('{"label": "passed", "response": NaN}', "`NaN` is not"),
        ('{"label": "passed", "label": "failed", "response": ""}', "`label` occurs twice"),
        ("3", "must be an object, not a number"),
        ({"response": "a"}, "`label` is missing"),
        ({**GOOD, "label": "pased"}, "did you mean `passed`?"),
        ({**GOOD, "lable": "passed"}, "unknown key `lable`"),
        ({**GOOD, "response": 7}, "$.response: must be text"),
        ({"label": "passed"}, "there is no answer"),
        ({**GOOD, "label": "right"}, "`right` is about the verdict of a session"),
        ({**GOOD, **PLACE}, "exclude each other"),
        ({"label": "right", "source": "x"}, "`source` needs `model`, too"),
        ({**GOOD, "author": ""}, "$.author"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, row: Any, told: str) -> None:
    (problem,) = problems_of(tmp_path, GOOD, row)
    assert "labels.jsonl:2" in problem
    assert told in problem


def test_all_problems_are_told_and_many_are_counted(tmp_path: Path) -> None:
    assert len(problems_of(tmp_path, "{", GOOD, {"label": 1})) == 2
    many = problems_of(tmp_path, *["{"] * 5000)
    assert len(many) < 1100
    assert "more rows are wrong" in many[-1]


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="has no labels"):
        read_labels(written(tmp_path, ""))
    with pytest.raises(SpecError, match="No such file"):
        read_labels(tmp_path / "nowhere.jsonl")
    with pytest.raises(SpecError, match="can't be read"):
        read_labels(tmp_path)
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\n")
    with pytest.raises(SpecError, match="not UTF-8"):
        read_labels(tmp_path / "bytes.jsonl")


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "huge.jsonl"
    with file.open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)  # a hole: it takes no space
    with pytest.raises(SpecError, match="is larger than 256 MB"):
        read_labels(file)


def test_there_is_a_limit_of_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.calibration.labels.MAX_LABELS", 2)
    (problem,) = problems_of(tmp_path, GOOD, GOOD, GOOD, GOOD)
    assert "has more than 2 labels" in problem
    assert len(read_labels(written(tmp_path, GOOD, GOOD))) == 2


def test_a_line_that_is_no_text_does_not_hide_the_next_ones(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_bytes(b'{"a": "\xff"}\n' + json.dumps(GOOD).encode() + b"\n{\n\xff\n")
    with pytest.raises(SpecError) as caught:
        read_labels(file)
    assert [problem.line for problem in caught.value.problems] == [1, 3, 4]


def test_a_label_that_is_there_twice_is_told(tmp_path: Path) -> None:
    ana, ben = {**GOOD, "author": "ana"}, {**GOOD, "author": "ben"}
    file = written(tmp_path, ana, ben, {**ana, "label": "failed"}, GOOD, GOOD, {**GOOD, "args": {}})
    first, second = map(str, repeated_labels(read_labels(file), file))
    assert "labels.jsonl:3" in first
    assert "has a label by ana already, in line 1, which says the opposite" in first
    assert "labels.jsonl:5" in second
    assert "name both `author`s" in second


def test_answers_to_other_questions_are_other_answers(tmp_path: Path) -> None:
    rows = [GOOD, {**GOOD, "args": {"q": "2"}}, {**GOOD, "reference": 4}, {**GOOD, "response": "b"}]
    labels = read_labels(written(tmp_path, *rows))
    assert len({one.answer_key for one in labels}) == 4
    assert len({one.instance_key for one in labels}) == 3
    assert repeated_labels(labels, tmp_path) == []


def test_answers_are_independent_unless_something_says_that_they_are_alike(tmp_path: Path) -> None:
    """Forty answers without `args` were one instance, with an interval from 0.025 to 1."""
    bare = [{"response": f"answer {n}", "label": "passed"} for n in range(40)]
    labels = read_labels(written(tmp_path, *bare, {**bare[0], "author": "ben"}))
    assert len({one.instance_key for one in labels}) == 40
    for alike in ({"id": "7"}, {"args": {}}, {"reference": 4}):
        labels = read_labels(written(tmp_path, *({**row, **alike} for row in bare)))
        assert len({one.instance_key for one in labels}) == 1, alike
        assert len({one.answer_key for one in labels}) == 40
    apart = [{"response": "same", "label": "passed", "id": str(n)} for n in range(3)]
    labels = read_labels(written(tmp_path, *apart))
    assert len({one.instance_key for one in labels}) == 3
    assert repeated_labels(labels, tmp_path) == []
