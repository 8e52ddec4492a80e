"""What a scorer says of all rows together, wherever results are shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from extensions.scorers.scored import OVERLAP, install_upstream, write_scored
from support.command_line import lve
from support.results import make_result

from lve.extensions.scorers import overall
from lve.messages import Completion, Message, Role, Transcript
from lve.spec.load import load_spec
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary


def summary(*arguments: str) -> dict[str, Any]:
    """Call a verb, and return the summary of its JSON."""
    result = lve(*arguments, "--json", code=None)
    assert result.exit_code in (0, 1), result.stderr
    document: dict[str, Any] = json.loads(result.stdout)["summary"]
    return document


def scores(document: dict[str, Any]) -> dict[str, float]:
    """Return name -> value."""
    return {each["name"]: each["value"] for each in document["scores"]}


def test_all_rows_are_scored_together_and_shown(root: Path) -> None:
    write_scored(root / "t")
    ran = lve("run", "t", "--trust", code=1)
    assert "overlap 50  t" in " ".join(ran.stdout.split("\n")).replace("   ", " ")
    shown = summary("show", "last")
    assert scores(shown) == {"overlap": 50.0, "columns": 2.0}
    assert shown["unscored"] == []
    lve("report", "last", "-o", "r.md")
    assert "| `overlap` | 50 |" in Path("r.md").read_text()


def test_lve_score_scores_them_again(root: Path) -> None:
    write_scored(root / "t")
    lve("run", "t", "--trust", code=1)
    write_scored(root / "t", options={"bonus": 25})
    assert scores(summary("score", "last", "--trust"))["overlap"] == 75.0


def test_a_resumed_session_scores_all_its_rows(root: Path) -> None:
    write_scored(root / "t")
    rows = [{"q": str(n), "a": "Hello" if n >= 20 else "Bye"} for n in range(40)]
    (root / "t" / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    begun = summary("run", "t", "--trust", "--fail-fast", "-j", "1")
    assert begun["scores"] == []
    assert begun["unscored"][0]["reason"] == "the test hasn't finished"
    assert (
        scores(summary("run", "--resume", "last", "--trust", "--fail-fast", "99"))["overlap"]
        == 50.0
    )


def test_what_no_session_can_hold_is_no_score_and_loses_no_other(root: Path) -> None:
    code = OVERLAP.replace("share,", r'share, "far": 1.7e308, "\ud800": 7,')
    write_scored(root / "t", code)
    file = root / "t" / "test.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "repeats": 3}))
    lve("run", "t", "--trust", code=1)
    shown = lve("show", "last", "--json")
    assert "damaged" not in shown.stderr
    expected = {"overlap": 50.0, r"\ud800": 7.0, "columns": 2.0}
    assert scores(json.loads(shown.stdout)["summary"]) == expected


def test_rows_without_an_answer_or_a_scorer_that_fails_are_told(root: Path) -> None:
    code = OVERLAP.replace("hits =", "assert len(predictions) == 1; hits =")
    write_scored(root / "t", code)
    ran = summary("run", "t", "--trust")
    assert ran["scores"] == []
    assert "AssertionError" in ran["unscored"][0]["reason"]


def test_a_scorer_beside_extract_judges_rows_only_and_says_so(root: Path) -> None:
    write_scored(root / "t", extract="first-line")
    [unscored] = summary("run", "t", "--trust")["unscored"]
    assert unscored["reason"].startswith("`extract` takes a part of each answer")


def test_a_shard_is_not_scored_and_says_so(root: Path) -> None:
    write_scored(root / "t")
    for shard in ("1/2", "2/2"):
        part = summary("run", "t", "--trust", "--shard", shard)
        assert part["scores"] == []
        assert "a shard has only a part" in part["unscored"][0]["reason"]
    text = lve("show", "last").stdout
    assert "not scored together: t, dummy/dummy: a shard" in text
    lve("report", "last", "-o", "r.md")
    assert "Not scored together" in Path("r.md").read_text()


def test_too_many_bytes_are_not_scored(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overall, "MAX_BYTES", 10)
    write_scored(root / "t")
    ran = summary("run", "t", "--trust")
    assert [each["reason"] for each in ran["unscored"]] == ["its rows have more than 0 MB"]


def test_repeats_are_scored_one_by_one(root: Path) -> None:
    code = OVERLAP.replace('"columns": len(test_set[0])', '"columns": len(predictions)')
    write_scored(root / "t", code)
    ran = summary("run", "t", "--trust", "--repeats", "3")
    assert scores(ran) == {"overlap": 50.0, "columns": 2.0}


def test_each_scorer_of_a_test_scores_all_rows(root: Path) -> None:
    write_scored(root / "t", f"{OVERLAP}\ndef Other(predictions): return {{'overlap': 7, 'n': 2}}")
    document = json.loads((root / "t" / "test.json").read_text())
    checks = [document.pop("check"), {"scorer": "scorer.py:Other", "threshold": 1}]
    (root / "t" / "test.json").write_text(json.dumps({**document, "checks": checks}))
    assert scores(summary("run", "t", "--trust")) == {
        "overlap": 50.0, "columns": 2.0, "overlap of scorer.py:Other": 7.0, "n": 2.0,
    }  # fmt: skip


def test_a_score_that_some_repeats_lack_is_no_mean(root: Path) -> None:
    code = (
        "calls = 0\n"
        "def Overlap(predictions):\n"
        "    global calls; calls += len(predictions) == 2\n"
        "    part = {'part': 1.0} if calls < 2 else {}\n"
        "    return {'all': 4.0, **part, 'nan': float('nan')}\n"
    )
    write_scored(root / "t", code, threshold=1)
    assert scores(summary("run", "t", "--trust", "--repeats", "2")) == {"all": 4.0}
    write_scored(root / "t", code, threshold=1, metric="part")
    ran = summary("score", "last", "--trust")
    assert [each["reason"] for each in ran["unscored"]] == ["the scorer gives no number 'part'"]


def test_a_replay_is_scored(root: Path) -> None:
    write_scored(root / "t")
    assert lve("record", "t", "--trust").exit_code in (0, 1)
    assert scores(summary("run", "t", "--trust", "--model", "replay"))["overlap"] == 50.0


def test_a_class_of_a_tool_judges_a_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = install_upstream(root, monkeypatch)
    (package / "datasets" / "__init__.py").write_text(OVERLAP)
    write_scored(root / "t", scorer="opencompass.datasets.Overlap")
    ran = summary("run", "t", "--trust")
    assert scores(ran) == {"overlap": 50.0, "columns": 4.0}  # with upstream's own two
    assert ran["results"]["passed"] == 1


def overall_of(root: Path, lines: Sequence[int], *, without: int = 0) -> object:
    """Return what the scorer gives results that come in this order of their lines."""
    write_scored(root / "t", "def Overlap(predictions): return {'first': int(predictions[0])}")
    spec = load_spec(root / "t")
    results = [
        make_result(
            test=spec.path,
            model="m",
            source="rows.jsonl",
            line=line,
            args={"q": "?", "a": "x"},
            transcripts=() if line == without else (_said(str(line)),),
        )
        for line in lines
    ]
    summary = Summary()
    tally = summary.expect(spec.path, "m", spec.expect, numbers=Breakdown.of(spec))
    for each in results:
        tally.add(each)
    tally.coverage.complete()
    overall.score_all(summary, lambda _: spec, lambda: results)
    return tally.numbers.overall


def _said(text: str) -> Transcript:
    messages = (Message("?"), Message(text, Role.assistant))
    return Transcript(messages, (Completion(text),), None, (1,))


def test_rows_are_scored_in_their_order_and_only_if_all_have_answers(root: Path) -> None:
    assert overall_of(root, [2, 1]) == {"first": 1.0}
    assert overall_of(root, [2, 1], without=1) == "1 of 2 results has no answer to score"
