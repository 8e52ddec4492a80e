"""The program that has OpenCompass render and judge, with tasks in place of the package's."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lve.extensions.scorers import original
from lve.extensions.scorers.package import Script

CHOICES = "PPLInferencer"


class InferTask:
    """Asks the model for each row, as the package's task does."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config

    def run(self) -> None:
        [model], [[data]] = self.config["models"], self.config["datasets"]
        rows, script = data["rows"]["test"][: data["limit"]], model["script"]
        chosen = {str(n): {"prediction": "bad"} for n in range(len(rows))}
        if self.config["is_rated"]:
            rated = [
                [script.rate(f"{row['q']} {label}") for row in rows] for label in ("good", "bad")
            ]
            for n, pair in enumerate(zip(*rated, strict=True)):
                chosen[str(n)] = {"prediction": ("good", "bad")[pair.index(max(pair))]}
        else:
            for row in rows:
                script.answer(row["q"] if "meta_template" not in model else [{"prompt": row["q"]}])
        file = Path(self.config["work_dir"], "predictions", "m", "rows.json")
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(chosen))


class EvalTask(InferTask):
    """Counts predictions that are right, or that the judge calls right."""

    home = "results/m"

    def run(self) -> None:
        [[data]], folder = self.config["datasets"], Path(self.config["work_dir"])
        said = json.loads((folder / "predictions/m/rows.json").read_text())
        evaluator = data["eval_cfg"]["evaluator"]
        rows = data["rows"]["test"][: data["limit"]]
        right = [said[str(n)]["prediction"] == row["a"] for n, row in enumerate(rows)]
        if "judge_cfg" in evaluator:
            judge = evaluator["judge_cfg"]["script"]
            right = [
                judge.answer(f"Right? {said[str(n)]['prediction']}") == "A"
                for n in range(len(rows))
            ]
        (folder / self.home).mkdir(parents=True)
        score = {"accuracy": 100 * sum(right) / len(right)}
        (folder / self.home / "rows.json").write_text(json.dumps(score))


class JudgeTask(EvalTask):
    """Gives the evaluator its judge, who is beside the models."""

    home = "results/m_judged-by--judge"

    def run(self) -> None:
        self.config["datasets"][0][0]["eval_cfg"]["evaluator"]["judge_cfg"] = self.config[
            "judge_model"
        ]
        super().run()


def run(tmp_path: Path, inferencer: str = "GenInferencer", **evaluator: Any) -> original.Run:
    """Return the run of a test of two rows."""
    rows = [{"q": "one", "a": "good"}, {"q": "two", "a": "bad"}]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    is_rated = inferencer == CHOICES
    package = SimpleNamespace(
        host={"AnyName": SimpleNamespace(), "answer": lambda result: {"scores": result}},
        name="opencompass",
        config=lambda config: {**config, "is_rated": is_rated},
        rows="Rows",
        models={"text": "Text", "chat": "Chat"},
        tasks={"infer": InferTask, "eval": EvalTask, "judge": JudgeTask},
    )
    config = {
        "type": "opencompass.datasets.Unread",
        "reader_cfg": {"input_columns": ["q"], "output_column": "a"},
        "eval_cfg": {"evaluator": {"type": "AccEvaluator", **evaluator}},
    }
    test = {
        "home": str(tmp_path),
        "files": {"test": "rows.jsonl", "train": "rows.jsonl"},
        "config": config,
        "answers": [["good", "x"], ["bad", "good"]],
        "inferencer": inferencer,
    }
    request = {"replies": ["A", "B"], "rated": [[-1.0, -2.0], [-3.0, -0.5]]}
    parts = {"Script": Script, "load": lambda package, value: None}
    return original.Run(parts, package, test, request)


def test_both_kinds_of_models_are_asked(tmp_path: Path) -> None:
    lines = [*original._rendered(run(tmp_path))]
    assert [(line["row"], line["model"], line["prompts"]) for line in lines] == [
        (0, "text", ["one"]),
        (1, "text", ["two"]),
        (0, "chat", [[{"prompt": "one"}]]),
        (1, "chat", [[{"prompt": "two"}]]),
    ]


def test_answers_are_judged_alone_and_together(tmp_path: Path) -> None:
    lines = [*original._judged(run(tmp_path))]
    scores = [(line["kind"], line["number"], line["scores"]["accuracy"]) for line in lines]  # type: ignore[index]
    assert scores == [
        *(("score", 0, 100.0), ("score", 0, 100.0), ("whole", 0, 100.0)),
        *(("score", 1, 0.0), ("score", 1, 0.0), ("whole", 1, 0.0)),
    ]


def test_choices_are_rated_label_by_label(tmp_path: Path) -> None:
    lines = [*original._rendered(run(tmp_path, CHOICES))]
    assert lines[0]["prompts"] == ["one good", "one bad"]
    chosen = [line["label"] for line in lines if line["kind"] == "chosen"]
    assert chosen == ["good", "bad", "bad", "good"]  # the second row's ratings begin elsewhere
    whole = [line["scores"] for line in lines if line["kind"] == "whole"]
    assert whole == [{"accuracy": 100.0}, {"accuracy": 0.0}]
    assert not [*original._judged(run(tmp_path, CHOICES))]


@pytest.mark.parametrize("nested", [False, True])
def test_a_judge_is_scripted(tmp_path: Path, nested: bool) -> None:
    own: dict[str, Any] = {"type": "opencompass.evaluator.GenericLLMEvaluator", "judge_cfg": {}}
    if nested:
        assert [*original._judges({"type": "CascadeEvaluator", "llm_evaluator": own})] == [own]
        return
    lines = [*original._judged(run(tmp_path, **own))]
    assert lines[0]["asked"] == ["Right? good"]
    assert [line["scores"]["accuracy"] for line in lines] == [100.0] * 3 + [0.0] * 3  # type: ignore[index]
    assert not [*original._judges({"type": "AccEvaluator"})]


def test_an_evaluator_with_a_task_of_its_own_is_given_its_judge_there(tmp_path: Path) -> None:
    lines = [*original._judged(run(tmp_path, type="opencompass.LMEvaluator"))]
    assert lines[0]["asked"] == ["Right? good"]
    assert [line["scores"]["accuracy"] for line in lines] == [100.0] * 3 + [0.0] * 3  # type: ignore[index]


def test_raw_messages_are_sent_only_where_there_is_an_api(tmp_path: Path) -> None:
    test = run(tmp_path)
    test.config["infer_cfg"] = {"prompt_template": {"type": "opencompass.RawPromptTemplate"}}
    assert {line["model"] for line in original._rendered(test)} == {"chat"}


@pytest.mark.parametrize("inferencer", ["MultiTurnGenInferencer", "BFCLV3FunctionCallInferencer"])
def test_inferencers_of_chats_ask_only_models_of_messages(tmp_path: Path, inferencer: str) -> None:
    assert {line["model"] for line in original._rendered(run(tmp_path, inferencer))} == {"chat"}


def test_texts_of_a_row_may_come_one_after_the_other() -> None:
    by_label, by_row = Script(rated=[-1.0, -2.0]), Script(rated=[-1.0, -2.0])
    by_label.rows = 2
    labels = [by_label.rate(f"{row}{label}") for label in "ab" for row in (0, 1)]
    rows = []
    for row in (0, 1):
        by_row.begin(row)
        rows += [by_row.rate(f"{row}{label}") for label in "ab"]
    assert rows == [labels[0], labels[2], labels[1], labels[3]]
    assert [each.rated(1, 2) for each in (by_label, by_row)] == [["1a", "1b"]] * 2


def test_a_script_repeats_itself() -> None:
    script = Script(["a", "b"], [-1.0, -2.0])
    assert [script.answer("x") for _ in range(3)] == ["a", "b", "a"]
    rating = Script(rated=[-1.0, -2.0])
    assert [rating.rate(str(n)) for n in range(4)] == [-1.0, -2.0, -2.0, -3.0]
