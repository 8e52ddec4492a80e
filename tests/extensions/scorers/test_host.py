"""What is read in a scorer's result, in the words of upstream's evaluators."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lve.extensions.scorers.host import _of_file, _rows, answer


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"accuracy": 50.0}, {"scores": {"accuracy": 50.0}, "passed": None}),
        ({"n": 2, "x": [1], "y": {"z": 1}}, {"scores": {"n": 2.0}}),
        (
            {"t": "7", "nan": float("nan"), "o": 10**400},
            {"scores": {"t": None, "nan": None, "o": None}},
        ),
        ({"s": 1, "details": [{"correct": [True]}]}, {"passed": True}),
        ({"s": 1, "details": [{"is_correct": 0}]}, {"passed": False}),
        ({"s": 1, "details": {"0": {"cascade_correct": True}, "type": "GEN"}}, {"passed": True}),
        ({"s": 1, "details": [{"correct": [True, False]}]}, {"passed": None}),
        ({"s": 1, "details": [{"correct": True}, {"correct": True}]}, {"passed": None}),
        ({"s": 1, "details": ["correct"]}, {"passed": None}),
        ({"s": 1, "details": []}, {"passed": None}),
        ({"error": "they differ"}, {"error": "they differ"}),
    ],
)
def test_numbers_are_scores_and_details_the_verdict(
    result: dict[str, Any], said: dict[str, object]
) -> None:
    actual = answer(result)
    assert {name: actual[name] for name in said} == said


def test_only_so_many_scores_are_kept() -> None:
    scores = answer({str(n): n for n in range(500)})["scores"]
    assert isinstance(scores, dict)
    assert len(scores) == 100


def test_a_repeats_rows_are_those_with_its_number(tmp_path: Path) -> None:
    lines = [[0, "a", "b", "c"], [1, "d", "e", "f"], [0, "g", None, {"h": 1}]]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert [*_rows(str(file), 0)] == [("a", "b", "c"), ("g", None, {"h": 1})]
    assert [*_rows(str(file), 1)] == [("d", "e", "f")]
    assert [*_rows(str(file), 2)] == []


def test_a_scorer_of_a_file_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scorer", None)  # so that it is taken out again
    (tmp_path / "mine.py").write_text("class Right: pass\ndef half(): return 0.5\n")
    monkeypatch.chdir(tmp_path)
    assert _of_file("mine.py:half")() == 0.5
    assert _of_file("./mine.py:Right").__module__ == "scorer"
    with pytest.raises(AttributeError):
        _of_file("mine.py:Wrong")
