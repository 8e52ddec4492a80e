"""What a comparison of a written test with its tool counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.folders import workspace

from lve.checkers.contract import Verdict
from lve.extensions.importing import proof
from lve.extensions.importing.proof import CHATS, FORMS, TEXTS, Proof, Written, answers_of
from lve.messages import Completion


def written(folder: Path, **document: object) -> Written:
    """Return a test of one row."""
    workspace(folder)
    home = folder / "test"
    home.mkdir()
    base = {
        "description": "Sums.",
        "prompt": [{"system": "Add."}, {"user": "{q}"}],
        "dataset": "rows.jsonl",
        "check": {"equals": "{a}"},
    }
    whole = {name: value for name, value in {**base, **document}.items() if value is not None}
    (home / "test.json").write_text(json.dumps(whole))
    (home / "rows.jsonl").write_text('{"q": "1+1", "a": "2"}\n')
    return Written(home)


def test_scripted_answers_are_made_of_the_right_one() -> None:
    answers = answers_of("ab")
    assert len(answers) == len(FORMS)
    assert {"ab", "AB", "a", "", "**ab**"} <= set(answers)
    assert answers_of(["x", "y"])[0] == answers_of("x")[0] == "x"
    assert answers_of([])[0] == "[]"


def test_texts_and_messages_are_rendered(tmp_path: Path) -> None:
    test = written(tmp_path / "w")
    [instance] = test.instances
    [messages] = test.prompts(instance, CHATS)
    assert messages == [
        {"role": "system", "content": "Add."},
        {"role": "user", "content": "1+1"},
    ]
    reader = {"input_columns": ["q"], "output_column": "a"}
    infer = {
        "prompt_template": {"type": "PromptTemplate", "template": "Q: {q}"},
        "retriever": {"type": "ZeroRetriever"},
        "inferencer": {"type": "GenInferencer"},
    }
    test = written(tmp_path / "x", prompt=None, reader_cfg=reader, infer_cfg=infer)
    assert test.prompts(test.instances[0], TEXTS) == ["Q: 1+1"]


def test_answers_are_judged(tmp_path: Path) -> None:
    test = written(tmp_path / "w")
    outcomes = [test.judged(test.instances[0], text)[0].outcome for text in ("2", "3")]
    assert outcomes == ["passed", "failed"]


def test_a_judge_says_what_is_scripted(tmp_path: Path) -> None:
    check = {"model_graded": "Is {completion} {a}?", "choices": {"Yes": 1, "No": 0}}
    test = written(tmp_path / "w", check=check)
    verdict, questions = test.judged(test.instances[0], "two", "No")
    assert verdict.outcome == "failed"
    assert questions == [[{"role": "user", "content": "Is two 2?"}]]
    assert test.judged(test.instances[0], "two", "Yes")[0].passed


@pytest.mark.parametrize(
    ("value", "expected", "count"),
    [
        (1.0, 1, 0),
        (True, 1.0, 0),
        (0.1 + 0.2, 0.3, 0),
        (1.0, 1.001, 1),
        (None, 0.0, 1),
        ("a", "a", 0),
    ],
)
def test_scores_are_compared(value: float | None, expected: float, count: int) -> None:
    proof = Proof()
    proof.compare_score({"row": 0}, value, expected)
    assert (proof.scores, len(proof.differences)) == (1, count)


def test_prompts_are_compared_byte_for_byte() -> None:
    proof = Proof(why="more")
    proof.compare_prompts({"row": 0}, ["a "], ["a"])
    assert proof.to_json()["differences"] == [{"row": 0, "asked": ["a "], "expected": ["a"]}]
    assert proof.to_json()["not_compared_because"] == "more"


def test_single_checks_judge_also_what_an_answer_needed(tmp_path: Path) -> None:
    checks = [{"equals": "{a}"}, {"max_cost": 0.5}, {"finish_reason": "stop"}]
    test = written(tmp_path / "w", check=None, checks=checks)
    [instance] = test.instances
    for cost, reason, expected in (
        (0.4, "stop", [True] * 3),
        (0.6, "length", [True, False, False]),
    ):
        completion = Completion("2", reason, cost=cost)
        verdicts = [test.judged_by(number, instance, completion).passed for number in range(3)]
        assert verdicts == expected


def test_a_process_that_starts_too_slowly_gets_a_second_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = written(tmp_path / "w")
    [checker], [instance] = test.judge.checkers, test.instances
    assert checker.out_of_process is not None
    prepared: list[bool] = []
    monkeypatch.setattr(type(checker.out_of_process), "prepare", lambda _: prepared.append(True))

    def judged(*_args: object) -> Verdict:
        slow = Verdict("error", "took longer", None, proof.NO_PROCESS)
        return Verdict("passed") if prepared else slow

    monkeypatch.setattr(proof, "verdict_of", judged)
    assert test.judged_by(0, instance, Completion("2")).passed
    assert prepared == [True]


def test_tests_that_cant_be_compared_have_the_reason(tmp_path: Path) -> None:
    written(tmp_path / "w", skip="no rows")
    proofs = {"test": Proof(), "missing": Proof()}
    assert dict(proof.written_tests(tmp_path / "w", proofs)) == {}
    assert proofs["test"].why == "it is skipped: no rows"
    assert "missing" in proofs["missing"].why
