"""Judging labelled answers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from extensions.calibration.labels import write_labels
from support.folders import workspace, write_dataset_test, write_test
from support.results import make_result

from lve.errors import SpecError
from lve.extensions.calibration.judging import JudgedLabels, judge_labels, with_answers
from lve.extensions.calibration.label_targets import LabelTarget, target_of_check
from lve.extensions.calibration.labels import Label, read_labels
from lve.options.run_options import RunOptions
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import Journal
from lve.spec.load import load_spec
from lve.spec.settings_file import load_workspace


def judged(target: LabelTarget, *labels: Label) -> JudgedLabels:
    there = load_workspace(workspace(target.spec.root))
    options = RunOptions(use_cache=False)
    return asyncio.run(
        judge_labels(target, [(one, None) for one in labels], there, options, warn=pytest.fail)
    )


def verdicts(found: JudgedLabels) -> list[str]:
    return [row.result.verdict for row in found.rows]


def of_test(folder: Path, root: Path) -> LabelTarget:
    return LabelTarget(load_spec(folder, root), 0, is_test=True)


def test_answers_are_judged_with_their_args(tmp_path: Path) -> None:
    labels = [
        Label(n, "passed", args={"name": name}, responses=("Hello Ann",))
        for n, name in enumerate(("Ann", "Bob", "Ann"))
    ]
    there = load_workspace(workspace(tmp_path))
    target = target_of_check("{contains: 'Hello {name}'}", labels, there)
    found = judged(target, *labels)
    assert verdicts(found) == ["passed", "failed", "passed"]
    assert (found.requests, found.cost, found.stopped_by) == (0, None, None)


def test_a_reference_of_a_label_is_compared_with(tmp_path: Path) -> None:
    folder = write_dataset_test(
        tmp_path / "t",
        [{"q": "1+1", "a": "2"}],
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        prompt_template={"type": "PromptTemplate", "template": "{q}"},
    )
    said = [({"q": "2+2", "a": "4"}, "4", None), ({"q": "3+3"}, "6", "6"), ({"q": "3+3"}, "7", "6")]
    labels = [
        Label(n, "passed", args=args, responses=(answer,), reference=reference)
        for n, (args, answer, reference) in enumerate(said)
    ]
    assert verdicts(judged(of_test(folder, tmp_path), *labels)) == ["passed", "passed", "failed"]


def test_an_answer_that_does_not_fit_the_test_is_an_error_of_its_own(tmp_path: Path) -> None:
    folder = write_test(tmp_path / "t", prompt=[{"content": "{name}"}], prompt_parameters=["name"])
    labels = [
        Label(1, "passed", args={}, responses=("Hello",)),
        Label(2, "passed", args={"name": "Ann"}, responses=("Hello",)),
    ]
    found = judged(of_test(folder, tmp_path), *labels)
    assert verdicts(found) == ["error", "passed"]
    assert "name" in found.rows[0].result.reason


def test_a_check_that_cannot_be_made_ends_it(tmp_path: Path) -> None:
    folder = write_test(tmp_path / "t", checker_args={"checker_name": "Nothing"})
    with pytest.raises(SpecError, match="there is no checker 'Nothing'"):
        judged(of_test(folder, tmp_path), Label(1, "passed", args={}, responses=("x",)))


def session(folder: Path, *results: InstanceResult) -> None:
    journal = Journal(folder / "results.jsonl")
    for result in results:
        journal.append(result)
    journal.close()


def test_labels_of_a_session_get_its_answers_and_args(tmp_path: Path) -> None:
    result = make_result(test="t", model="m", line=2, args={"n": 1}, responses=("x",))
    session(tmp_path, result, replace(result, repeat=1, verdict="failed", responses=("y",)))
    row = {"test": "t", "model": "m", "source": result.source, "line": 2, "label": "right"}
    file = write_labels(tmp_path / "labels.jsonl", [row, {**row, "repeat": 1}])
    pairs = with_answers(read_labels(file), file, pytest.fail)
    assert [(one.args, one.responses, one.passes) for one, _ in pairs] == [
        ({"n": 1}, ("x",), True),
        ({"n": 1}, ("y",), False),
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"line": 7}, "there is no such result in the results.jsonl beside this file"),
        ({"verdict": "error", "error_kind": "timeout"}, "has no verdict to be right or wrong"),
        ({"judged_by": "0" * 64}, "the answer was redacted"),
    ],
)
def test_results_that_cannot_be_judged_again_are_told(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    result = make_result(test="t", model="m", line=2)
    session(tmp_path, replace(result, **change))
    row = {"test": "t", "model": "m", "source": result.source, "line": 2, "label": "right"}
    file = write_labels(tmp_path / "labels.jsonl", [row])
    with pytest.raises(SpecError) as caught:
        with_answers(read_labels(file), file, pytest.fail)
    assert "labels.jsonl:1: " in str(caught.value)
    assert told in str(caught.value)
