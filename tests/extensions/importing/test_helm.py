"""Runs of HELM: their answers get the scores that HELM's own functions gave them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve

from lve.errors import UsageError
from lve.extensions.importing import helm
from lve.extensions.importing.helm import read_runs

CASES = Path(__file__).parents[2] / "cases" / "importers" / "helm"
"""Runs in HELM's own data classes, with what `compute_reference_metrics` of it gave each answer."""
NAMES = ("exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def request_state(**more: Any) -> dict[str, Any]:
    references = [{"output": {"text": "x"}, "tags": ["correct"]}]
    return {
        "instance": {"input": {"text": "?"}, "references": references, "id": "id1"},
        "request": {"prompt": "?", "model": "openai/gpt2", "max_tokens": 5},
        **more,
    }


def imported(
    *requests: Any, method: str = "generation", names: Any = NAMES[:1], **more: Any
) -> Any:
    Path("run").mkdir(exist_ok=True)
    state = {"adapter_spec": {"method": method, **more}, "request_states": requests}
    Path("run/scenario_state.json").write_text(json.dumps(state))
    spec = {"name": "mine", "metric_specs": [{"class_name": "a.B", "args": {"names": names}}]}
    Path("run/run_spec.json").write_text(json.dumps(spec))
    return read_runs(Path("run"))


def left_out(*requests: Any, **more: Any) -> str:
    return " ".join(imported(*requests, **more).left_out)


def test_answers_get_the_scores_that_helm_gave_them() -> None:
    lve("import", "helm", CASES, "-o", "tests")
    document = json.loads(call("run", "tests", "--model", "replay", "--json")[1])
    compared = 0
    for test in document["tests"]:
        _, run, metric = test["path"].split("/")
        file = CASES / run.partition("_")[0] / "scores.json"
        theirs = json.loads(file.read_text("utf-8"))["scores"][metric]
        ours = {row["args"]["id"]: row for row in test["instances"]}
        assert ours.keys() == theirs.keys()
        for name, score in theirs.items():
            passed = float(ours[name]["verdict"] == "passed")
            own = ours[name]["score"] if metric == "f1_score" else passed
            assert own == pytest.approx(score), (test["path"], ours[name])
            compared += 1
    assert compared == 171


def test_what_was_asked_is_asked() -> None:
    tests = {test.folder: test for test in read_runs(CASES).tests}
    chat = tests["chat_subject_x_model_openai_gpt2/exact_match"]
    assert chat.document["prompt"] == [
        {"role": "system", "content": "{message_1}"},
        {"role": "user", "content": "{message_2}"},
    ]
    [line] = map(json.loads, chat.files["instances/helm.jsonl"].splitlines())
    assert line["args"]["message_1"] == "Only {digits}."
    assert line["run_info"] == {"source": "helm", "model": "openai/gpt2"}
    free = tests["free_subject_x_model_openai_gpt2/f1_score"].document
    assert free["default_model_args"] == {"temperature": 0.0, "max_tokens": 5, "stop": ["\n"]}
    assert free["by"] == ["split"]
    assert free["source"]["scores"] == {"f1_score": "mean score"}


def test_a_run_that_asked_no_model_has_rows_without_answers() -> None:
    [test] = imported(request_state()).tests
    assert json.loads(test.files["instances/helm.jsonl"]) == {
        "args": {"prompt": "?", "references": ["x"], "split": "", "id": "id1"}
    }


def test_white_space_around_an_answer_does_not_count() -> None:
    imported(request_state(result={"completions": [{"text": " x\n"}]}), names=NAMES)
    lve("import", "helm", "run", "-o", "tests")
    document = json.loads(call("run", "tests", "--model", "replay", "--json")[1])
    assert [test["verdict"] for test in document["tests"]] == ["passed"] * 4


def test_requests_with_other_settings_are_counted() -> None:
    other = request_state(request={"prompt": "?", "max_tokens": 6})
    assert "1 request with other settings" in left_out(request_state(), other)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"method": "language_modeling"}, "requests of the method language_modeling"),
        ({"names": ["bleu_1"]}, "the metric bleu_1: lve has no such metric"),
        ({"names": []}, "it names no metrics"),
        ({"names": 3}, "the metrics of B"),
    ],
)
def test_runs_and_metrics_that_lve_has_not_are_told(more: dict[str, Any], why: str) -> None:
    result = imported(request_state(), **more)
    assert result.tests == []
    assert why in " ".join(result.left_out)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(A)|(B)", "has several groups"),
        ("x" * 1_001, "too long"),
        ("(", "is no pattern"),
    ],
)
def test_patterns_that_lve_cannot_follow_are_told(pattern: str, why: str) -> None:
    request = request_state(output_mapping={"A": "x", "B": "y"})
    assert why in left_out(request, method="multiple_choice_joint", output_mapping_pattern=pattern)


def test_an_option_that_is_never_right_is_told() -> None:
    request = request_state(output_mapping={"A": "z", "B": ""})
    told = left_out(request, method="multiple_choice_joint")
    assert "1 request without a right option by exact_match" in told


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("run_spec.json", None, "can't be read"),
        ("run_spec.json", "[]", "is no object"),
        ("scenario_state.json", "{", "is no JSON"),
        ("scenario_state.json", '{"adapter_spec": 3}', "requests of the method None"),
        (
            "scenario_state.json",
            '{"adapter_spec": {"method": "chat"}, "request_states": 3}',
            "no list of at most",
        ),
        (
            "scenario_state.json",
            '{"adapter_spec": {"method": "chat"}, "request_states": []}',
            "no request with a right answer",
        ),
    ],
)
def test_files_that_are_no_run_are_told(name: str, text: str | None, why: str) -> None:
    imported(request_state())
    if text is None:
        Path("run", name).unlink()
    else:
        Path("run", name).write_text(text)
    result = read_runs(Path("run"))
    assert result.tests == []
    assert why in result.left_out[0]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="has no runs of HELM"):
        read_runs(Path())
    imported(request_state())
    with monkeypatch.context() as patched:
        patched.setattr(helm, "MAX_RUNS", 0)
        with pytest.raises(UsageError, match="more than 0 runs"):
            read_runs(Path("run"))
