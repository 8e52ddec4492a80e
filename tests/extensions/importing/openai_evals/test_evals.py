"""Registries of OpenAI's `evals` become tests: what is asked, how it is judged, what isn't."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import call
from support.folders import workspace

from lve.errors import UsageError
from lve.extensions.importing.openai_evals import read_evals
from lve.importers import Imported

BASIC = "evals.elsuite.basic"
CLASSIFY = "evals.elsuite.modelgraded.classify:ModelBasedClassify"
TEMPLATE = {
    "prompt": "Right? {criteria}\n{input}\n{completion}\n{ideal}",
    "choice_strings": ["Yes", "No"],
    "choice_scores": {"Yes": 1.0, "No": 0.0},
    "input_outputs": {"input": "completion"},
}
PACKAGE = 'ANSWER_PROMPTS = {\n    "cot_classify": """\nThink. Then {choices}.\n""".strip(),\n}\n'


def chat(question: str, system: str = "Be {brief}.") -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": question}]


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The registry of a package."""
    monkeypatch.chdir(workspace(tmp_path / "w"))
    folder = tmp_path / "package" / "registry"
    for name in ("evals", "data", "modelgraded"):
        (folder / name).mkdir(parents=True)
    graded = tmp_path / "package" / "elsuite" / "modelgraded"
    graded.mkdir(parents=True)
    (graded / "classify_utils.py").write_text(PACKAGE)
    (folder / "modelgraded" / "own.yaml").write_text(yaml.safe_dump({"own": TEMPLATE}))
    return folder


def imported(
    registry: Path, class_name: str, samples: list[Any], /, **args: Any
) -> tuple[Imported, list[str]]:
    """Write an eval, and return its tests and what is left out."""
    (registry / "data" / "s.jsonl").write_text("\n".join(map(json.dumps, samples)))
    entries = {
        "capitals": {"id": "capitals.dev.v0", "description": "Of\n countries."},
        "capitals.dev.v0": {"class": class_name, "args": {"samples_jsonl": "s.jsonl", **args}},
    }
    (registry / "evals" / "e.yaml").write_text(yaml.safe_dump(entries))
    result = read_evals(registry)
    return result, [*result.left_out]


def rows_of(result: Imported, number: int = 0) -> list[Any]:
    return [
        json.loads(line) for line in str(result.tests[number].files["rows.jsonl"]).split("\n")[:-1]
    ]


def test_what_is_the_same_is_text_and_what_differs_is_a_column(registry: Path) -> None:
    samples = [
        {"input": chat("Kenya?"), "ideal": "Nairobi"},
        {"input": chat("Bolivia?"), "ideal": ["La Paz", "Sucre"]},
    ]
    result, left = imported(registry, f"{BASIC}.includes:Includes", samples, ignore_case=True)
    [test] = result.tests
    assert left == []
    assert test.folder == "capitals"
    assert test.document == {
        "description": "Of countries.",
        "prompt": [{"system": "Be {{brief}}."}, {"user": "{question}"}],
        "dataset": "rows.jsonl",
        "check": {"evals_match": "{ideal}", "compare": "includes", "ignore_case": True},
    }
    assert rows_of(result) == [
        {"ideal": "Nairobi", "question": "Kenya?"},
        {"ideal": ["La Paz", "Sucre"], "question": "Bolivia?"},
    ]


@pytest.mark.parametrize(
    ("class_name", "args", "compare", "model_args"),
    [
        ("match:Match", {}, "match", {"temperature": 0.0}),
        ("includes:Includes", {}, "includes", None),
        ("fuzzy_match:FuzzyMatch", {}, "fuzzy_match", {"temperature": 0.0, "max_tokens": 100}),
        ("fuzzy_match:FuzzyMatch", {"max_tokens": 9}, "fuzzy_match",
         {"temperature": 0.0, "max_tokens": 9}),
        ("json_match:JsonMatch", {}, "json_match", {"temperature": 0.0, "max_tokens": 512}),
    ],
)  # fmt: skip
def test_each_basic_class_has_its_comparison_and_model_args(
    registry: Path,
    class_name: str,
    args: dict[str, Any],
    compare: str,
    model_args: dict[str, Any] | None,
) -> None:
    samples = [{"input": "1 {+} 1?", "ideal": "2"}]
    result, left = imported(registry, f"{BASIC}.{class_name}", samples, **args)
    [test] = result.tests
    assert left == []
    assert test.document["check"] == {"evals_match": "{ideal}", "compare": compare}
    assert test.document.get("default_model_args") == model_args
    assert test.document["prompt"] == [{"system": "{question}"}]
    assert rows_of(result) == [{"ideal": "2", "question": "1 {+} 1?"}]


def test_examples_stand_before_the_last_message(registry: Path) -> None:
    example = [
        {"role": "system", "content": "1+1", "name": "example_user"},
        {"role": "system", "content": "{2}", "name": "example_assistant"},
    ]
    lines = [{"sample": example}, {"sample": [{"role": "user", "content": "never"}]}]
    (registry / "data" / "few.jsonl").write_text("\n".join(map(json.dumps, lines)))
    samples = [{"input": chat("2+2"), "ideal": "4"}, {"input": chat("2+3"), "ideal": "5"}]
    result, [left] = imported(
        registry, f"{BASIC}.match:Match", samples, num_few_shot=1, few_shot_jsonl="few.jsonl"
    )
    assert result.tests[0].document["prompt"] == [
        {"system": "Be {{brief}}."},
        {"user": "1+1"},
        {"assistant": "{2}"},
        {"user": "{question}"},
    ]
    assert "the names of its examples' messages" in left


def test_conversations_of_other_shapes_are_tests_of_their_own(registry: Path) -> None:
    said = [*chat("a"), {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    samples = [{"input": said, "ideal": "x"}, {"input": chat("d"), "ideal": "y"}]
    result, left = imported(registry, f"{BASIC}.match:Match", samples)
    assert left == []
    assert [test.folder for test in result.tests] == ["capitals", "capitals_2"]
    assert [len(test.document["prompt"]) for test in result.tests] == [4, 2]
    various = [
        {"input": [*chat("a"), {"role": "assistant", "content": str(n)}], "ideal": "x"}
        for n in range(51)
    ]
    assert "more than 50 shapes" in imported(registry, f"{BASIC}.match:Match", various)[1][0]


def test_a_judges_template_is_filled_with_what_is_the_same(registry: Path) -> None:
    samples = [{"input": "q", "ideal": "i"}]
    result, left = imported(
        registry, CLASSIFY, samples,
        modelgraded_spec="own", eval_type="cot_classify",
        modelgraded_spec_args={"criteria": "It is {so}."},
    )  # fmt: skip
    [test] = result.tests
    assert left == []
    assert test.document["check"] == {
        "model_graded": "Right? It is {{so}}.\n{input}\n{completion}\n{ideal}\n\n"
        'Think. Then "Yes" or "No".',
        "choices": {"Yes": 1.0, "No": 0.0},
    }
    assert test.document["default_model_args"] == {"temperature": 0.0, "max_tokens": 1024}


@pytest.mark.parametrize(
    ("args", "template", "why"),
    [
        ({"metaeval": True}, {}, "judges a judge"),
        ({"multicomp_n": 2}, {}, "compares several answers"),
        ({"modelgraded_spec": "gone"}, {}, "modelgraded/ has no 'gone'"),
        ({"eval_type": "odd"}, {}, "the sentence for eval_type odd is in"),
        ({"eval_type": None}, {}, "it has no eval_type"),
        ({"sample_kwargs": {"stop": "x"}}, {}, "its sample_kwargs have stop"),
        ({"other": 1}, {}, "its argument other has no counterpart"),
        ({}, {"input_outputs": {"input1": "completion1"}}, "compares several answers"),
        ({}, {"prompt": [{"role": "user", "content": "x"}]}, "gets a conversation"),
        ({}, {"prompt": "Funny?"}, "sees no answer"),
        ({}, {"choice_scores": None}, "no choice_scores"),
        ({}, {"choice_scores": {"Yes": 1}}, "no choice_scores"),
        ({}, {"choice_scores": "from_strings"}, "is no number"),
        ({}, {"choice_strings": "from_n"}, "compares several answers"),
        ({}, {"choice_strings": None}, "no choice_strings"),
    ],
)
def test_what_no_judge_of_ours_does_is_left_out(
    registry: Path, args: dict[str, Any], template: dict[str, Any], why: str
) -> None:
    (registry / "modelgraded" / "own.yaml").write_text(
        yaml.safe_dump({"own": {**TEMPLATE, **template}})
    )
    own = {"modelgraded_spec": "own", "eval_type": "cot_classify", **args}
    result, [left] = imported(registry, CLASSIFY, [{"input": "q", "ideal": "i"}], **own)
    assert [*result.tests] == []
    assert why in left
    assert "e.yaml:1:1" not in left


def test_the_template_fact_has_scores_that_are_told(registry: Path) -> None:
    spec = {**TEMPLATE, "choice_strings": "ABCDE", "choice_scores": None}
    (registry / "modelgraded" / "f.yaml").write_text(yaml.safe_dump({"fact": spec}))
    result, [left] = imported(
        registry, CLASSIFY, [{"input": "q"}], modelgraded_spec="fact", eval_type="cot_classify"
    )
    assert result.tests[0].document["check"]["choices"]["D"] == 0.0
    assert "D fails, and the others pass" in left


@pytest.mark.parametrize(
    ("sample", "why"),
    [
        ([1], "it is no object"),
        ({"ideal": "x"}, "neither a text nor a list of messages"),
        ({"input": [], "ideal": "x"}, "neither a text nor a list of messages"),
        ({"input": ["x"], "ideal": "x"}, "a message is no object"),
        ({"input": [{"role": "tool", "content": "x"}], "ideal": "x"}, "isn't a text of system"),
        ({"input": [{"role": "user", "content": [1]}], "ideal": "x"}, "isn't a text of system"),
        ({"input": "x"}, "its ideal is neither"),
        ({"input": "x", "ideal": [1]}, "its ideal is neither"),
        ({"input": "x", "ideal": []}, "its ideal is neither"),
        ({"input": "x", "ideal": ["a", ""]}, "its ideal is empty"),
        ({"input": "x", "ideal": "{"}, "its ideal isn't JSON"),
    ],
)
def test_a_bad_sample_is_told_with_its_line_and_the_others_are_imported(
    registry: Path, sample: Any, why: str
) -> None:
    good = {"input": "q", "ideal": "1"}
    result, [left] = imported(registry, f"{BASIC}.json_match:JsonMatch", [good, sample, good])
    assert why in left
    assert "s.jsonl:2: warning: left out: " in left
    assert len(rows_of(result)) == 2


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("{", "s.jsonl", "no sample that can be imported"),
        ("version https://git-lfs.github.com/spec/v1\nsize 1\n", "s.jsonl", "run `git lfs pull`"),
        ("", "../../../secret.jsonl", "outside"),
        ("", "gone.jsonl", "No such file"),
        ("", "https://example.org/s.jsonl", "no file of data/"),
        ("", 7, "no file of data/"),
        ("\n" * 100_001, "s.jsonl", "more than 100,000 samples"),
    ],
)
def test_samples_that_cannot_be_read_are_told(
    registry: Path, text: str, name: object, why: str
) -> None:
    (registry.parents[1] / "secret.jsonl").write_text('{"input": "secret", "ideal": "x"}')
    entries = {"e": {"class": f"{BASIC}.match:Match", "args": {"samples_jsonl": name}}}
    (registry / "evals" / "e.yaml").write_text(yaml.safe_dump(entries))
    (registry / "data" / "s.jsonl").write_text(text)
    result = read_evals(registry)
    assert [*result.tests] == []
    assert why in result.left_out[-1]
    assert "secret" not in str(result.tests)


def test_samples_may_be_a_folder(registry: Path) -> None:
    (registry / "data" / "many").mkdir()
    for name in ("b.jsonl", "a.jsonl", "notes.txt"):
        text = json.dumps({"input": name, "ideal": "x"})
        (registry / "data" / "many" / name).write_text(text)
    result, _ = imported(registry, f"{BASIC}.match:Match", [], samples_jsonl="many")
    assert [row["question"] for row in rows_of(result)] == ["a.jsonl", "b.jsonl"]


def test_one_file_or_the_whole_package_may_be_named(registry: Path) -> None:
    samples = [{"input": "q", "ideal": "x"}]
    imported(registry, f"{BASIC}.match:Match", samples)
    for source in (registry / "evals" / "e.yaml", registry.parent):
        assert [test.folder for test in read_evals(source).tests] == ["capitals"]
    with pytest.raises(UsageError, match="is no registry"):
        read_evals(registry / "data")


def test_a_file_that_is_no_yaml_stops_no_other(registry: Path) -> None:
    (registry / "evals" / "a.yaml").write_text("a: [")
    (registry / "evals" / "b.yaml").write_text("- 1")
    (registry / "evals" / "c.yaml").write_text("x: {class: 'm:Sandbagging'}\ny: 3\n")
    result, left = imported(registry, f"{BASIC}.match:Match", [{"input": "q", "ideal": "x"}])
    assert len(result.tests) == 1
    assert len(left) == 2
    assert "a.yaml" in left[0]
    assert "the class Sandbagging has no counterpart" in left[1]


def test_an_imported_test_runs_without_the_package(registry: Path) -> None:
    samples = [{"input": chat(f"{n}?"), "ideal": str(n)} for n in range(3)]
    imported(registry, f"{BASIC}.match:Match", samples)
    code, out, _ = call("import", "openai-evals", str(registry), "-o", "made")
    assert (code, out.endswith("1 test: all valid\n")) == (0, True), out
    shown = json.loads(call("render", "made", "--json")[1])
    runs = [row["runs"][0]["messages"] for row in shown["tests"][0]["instances"]]
    assert [[message["role"] for message in messages] for messages in runs] == [
        ["system", "user", "assistant"]
    ] * 3
    assert [message[1]["content"] for message in runs] == ["0?", "1?", "2?"]
