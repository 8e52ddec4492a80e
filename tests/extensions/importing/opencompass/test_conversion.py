"""Configurations become tests: templates, checks, rows, and what is told about the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.server import model_server

from lve.extensions.importing.opencompass import read_configs
from lve.extensions.importing.opencompass.conversion import INFERENCERS, RETRIEVERS, TEMPLATES
from lve.extensions.opencompass.by_name import INFERENCERS as KNOWN_INFERENCERS
from lve.extensions.opencompass.by_name import RETRIEVERS as KNOWN_RETRIEVERS
from lve.extensions.opencompass.by_name import TEMPLATES as KNOWN_TEMPLATES

CONFIG = """
from opencompass.openicl.icl_prompt_template import PromptTemplate
from opencompass.openicl.icl_retriever import ZeroRetriever, FixKRetriever
from opencompass.openicl.icl_inferencer import GenInferencer, PPLInferencer, AgentInferencer
from opencompass.openicl.icl_evaluator import AccEvaluator, MATHEvaluator, JudgeEvaluator
from opencompass.datasets import SumsDataset, gsm8k_postprocess
reader_cfg = dict(input_columns=['question'], output_column='answer')
infer_cfg = dict(
    prompt_template=dict(type=PromptTemplate, template=dict(
        round=[dict(role='HUMAN', prompt='{question}')])),
    retriever=dict(type=ZeroRetriever),
    inferencer=dict(type=GenInferencer, max_out_len=64))
eval_cfg = dict(
    evaluator=dict(type=AccEvaluator), pred_postprocessor=dict(type=gsm8k_postprocess))
sums_datasets = [dict(abbr='Sums & more', type=SumsDataset, path='./data/sums', name='hard',
    reader_cfg=reader_cfg, infer_cfg=infer_cfg, eval_cfg=eval_cfg)]
"""
CHECK = {
    "opencompass_score": "AccEvaluator",
    "pred_postprocessor": {"type": "opencompass.datasets.gsm8k_postprocess"},
}
ROW = {"question": "1+1?", "answer": "2"}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("sums_gen.py").write_text(CONFIG)
    return Path("sums_gen.py")


def data(name: str, text: str) -> Path:
    """Write a file of rows, and return the folder of data."""
    file = Path("data", name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return Path("data")


def with_more(config: Path, more: str) -> Any:
    """Return what is imported of the configuration with more lines."""
    config.write_text(CONFIG + more)
    return read_configs(config)


def test_a_split_of_another_name_needs_none_for_examples(config: Path) -> None:
    data("sums/validation.jsonl", json.dumps(ROW) + "\n")
    with_more(config, "reader_cfg['test_split'] = 'validation'\n")
    assert call("import", "opencompass", str(config), "--data", "data", "-o", "made")[0] == 0
    document = json.loads(Path("made/sums_more/test.json").read_text())
    assert document["dataset"] == {"validation": "rows.jsonl"}
    for answer, code in (("It is 2", 0), ("3", 1)):
        with model_server(answer) as server:
            options = ("--model", "openai/m", "--no-cache", "--base-url", server.url)
            assert call("run", "made", *options)[0] == code
            assert len(server.requests) == 1


def test_a_data_set_becomes_a_test_with_its_rows(config: Path) -> None:
    folder = data("sums/test.jsonl", json.dumps(ROW) + "\n")
    code, out, err = call("import", "opencompass", str(config), "--data", str(folder), "-o", "made")
    assert (code, err) == (0, ""), out
    document = json.loads(Path("made/sums_more/test.json").read_text())
    assert document["description"] == "Sums & more, imported from sums_gen.py of OpenCompass."
    assert document["check"] == CHECK
    assert document["infer_cfg"]["inferencer"]["max_out_len"] == 64
    assert json.loads(Path("made/sums_more/rows.jsonl").read_text()) == ROW
    assert '"1+1?"' in call("render", "made/sums_more", "--json")[1]


@pytest.mark.parametrize(("answer", "code"), [("1 and 1 are 2", 0), ("It is two", 1)])
def test_the_imported_test_runs(config: Path, answer: str, code: int) -> None:
    data("sums/test.jsonl", json.dumps(ROW) + "\n")
    assert call("import", "opencompass", str(config), "--data", "data", "-o", "made")[0] == 0
    with model_server(answer) as server:
        address = f"http://127.0.0.1:{server.port}/v1"
        assert call("run", "made", "--model", "openai/m", "--base-url", address)[0] == code


def test_without_data_the_rows_are_asked_for_once(config: Path) -> None:
    code, out, err = call("import", "opencompass", str(config), "-o", "made")
    assert code == 2
    assert "`rows.jsonl` does not exist" in out
    [line] = err.splitlines()
    assert "name the folder of its data with --data" in line


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("sums/hard_test.jsonl", json.dumps(ROW)),
        ("sums/test/hard_test.csv", "question,answer\n1+1?,2\n"),
        ("sums/hard.csv", "1+1?,2\n"),
        ("data/sums/test.json", json.dumps([ROW])),
        ("Sums_more/test.jsonl", json.dumps(ROW)),
        ("sums.json", ""),
    ],
)
def test_rows_are_where_loaders_look(config: Path, name: str, text: str) -> None:
    folder = data(name.removeprefix("data/"), text)
    imported = read_configs(config, folder)
    if text:
        assert imported.left_out == []
        assert json.loads(str(imported.tests[0].files["rows.jsonl"])) == ROW
    else:
        assert "no file of data is called as its test split" in imported.left_out[0]


def test_rows_with_other_columns_are_refused(config: Path) -> None:
    folder = data("sums/test.jsonl", json.dumps({"q": "1+1?", "answer": "2"}))
    imported = read_configs(config, folder)
    assert "data/sums/test.jsonl has no question" in imported.left_out[0]
    assert imported.tests[0].files == {}


def test_examples_come_from_their_split(config: Path) -> None:
    data("sums/dev.jsonl", json.dumps({**ROW, "question": "example"}))
    folder = data("sums/val.jsonl", json.dumps(ROW))
    config.write_text(
        CONFIG + "reader_cfg.update(train_split='dev', test_split='val')\n"
        "infer_cfg['retriever'] = dict(type=FixKRetriever, fix_id_list=[0])\n"
        "infer_cfg['ice_template'] = infer_cfg.pop('prompt_template')\n"
        "infer_cfg['ice_template']['ice_token'] = '</E>'\n"
    )
    [test] = read_configs(config, folder).tests
    assert test.document["dataset"] == {"dev": "examples.jsonl", "val": "rows.jsonl"}
    assert "example" in str(test.files["examples.jsonl"])


@pytest.mark.parametrize("evaluator", ["AccEvaluator", "GPQAEvaluator"])
def test_a_choice_among_labels_needs_no_check(config: Path, evaluator: str) -> None:
    more = (
        f"eval_cfg['evaluator'] = dict(type='opencompass.datasets.{evaluator}')\n"
        "infer_cfg['inferencer'] = dict(type=PPLInferencer)\n"
        "infer_cfg['prompt_template']['template'] = {0: '{question} no', 1: '{question} yes'}\n"
        "del eval_cfg['pred_postprocessor']\n"
    )
    [test] = with_more(config, more).tests
    assert "check" not in test.document
    assert "skip" not in test.document
    template = test.document["infer_cfg"]["prompt_template"]["template"]
    assert template == {"0": "{question} no", "1": "{question} yes"}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("eval_cfg['evaluator'] = dict(type='opencompass.datasets.ToxicEvaluator')", "asks models"),
        ("eval_cfg['evaluator'] = dict(type='other.Own')", "'Own' isn't supported"),
        ("eval_cfg['pred_postprocessor'] = dict(type='x.odd')", "the function 'odd' isn't"),
        ("infer_cfg['inferencer'] = dict(type=PPLInferencer)\neval_cfg['evaluator'] = "
         "dict(type=MATHEvaluator)", "MATHEvaluator of a choice"),
    ],
)  # fmt: skip
def test_a_test_that_nothing_can_judge_is_skipped_and_told(
    config: Path, more: str, why: str
) -> None:
    imported = with_more(config, more + "\n")
    assert why in imported.tests[0].document["skip"]
    assert "check" not in imported.tests[0].document
    assert imported.left_out[0].startswith("sums_gen.py:15: warning: left out: the evaluator of ")


@pytest.mark.parametrize(
    ("evaluator", "check"),
    [
        ("type=JudgeEvaluator", {"scorer": "opencompass.openicl.icl_evaluator.JudgeEvaluator"}),
        ("type='Gaokao_cloze'", {"scorer": "opencompass.Gaokao_cloze"}),
        (
            "type=MATHEvaluator, version='v3'",
            {
                "scorer": "opencompass.openicl.icl_evaluator.MATHEvaluator",
                "options": {"version": "v3"},
            },
        ),
        (
            "type='opencompass.datasets.AccDropEvaluator'",
            {"scorer": "opencompass.datasets.AccDropEvaluator", "row": CHECK},
        ),
    ],
)
def test_an_evaluator_that_lve_lacks_runs_by_its_own_class(
    config: Path, evaluator: str, check: dict[str, Any]
) -> None:
    [test] = with_more(config, f"eval_cfg['evaluator'] = dict({evaluator})\n").tests
    steps = {"pred_postprocessor": CHECK["pred_postprocessor"]}
    assert test.document["check"] == {**check, "threshold": 50, **steps}


def test_a_cascade_with_a_rule_of_its_own_class_asks_its_judge_too(config: Path) -> None:
    rule = "rule_evaluator=dict(type='opencompass.evaluator.MATHVerifyEvaluator'), parallel=False)"
    [test] = with_more(config, f"{JUDGE}{CASCADE}{rule}\n").tests
    first, second = test.document["checks"]
    assert first["scorer"] == "opencompass.evaluator.MATHVerifyEvaluator"
    assert second["dict_postprocessor"] == "cascade"
    assert test.document["pass_when"] == "any"


JUDGE = """
judge = dict(type='opencompass.evaluator.GenericLLMEvaluator', judge_cfg=dict(),
    prompt_template=dict(type=PromptTemplate, template='{question} {prediction} {answer}? A or B'),
    dataset_cfg=dict(path='./data/sums', name='hard'),
    dict_postprocessor=dict(type='generic_llmjudge_postprocess'))
"""
CASCADE = "eval_cfg['evaluator'] = dict(type='CascadeEvaluator', llm_evaluator=judge, "


def test_a_judge_is_imported_with_its_template(config: Path) -> None:
    [test] = with_more(config, JUDGE + "eval_cfg['evaluator'] = judge\n").tests
    check = test.document["check"]
    assert check["opencompass_judge"]["template"] == "{question} {prediction} {answer}? A or B"
    assert check["pred_postprocessor"] == CHECK["pred_postprocessor"]
    assert "rule" not in check


def test_a_cascade_asks_its_judge_where_its_rule_fails(config: Path) -> None:
    more = JUDGE + CASCADE + "rule_evaluator=dict(type=AccEvaluator), parallel=False)\n"
    data("sums/test.jsonl", json.dumps(ROW) + "\n")
    with_more(config, more)
    assert call("import", "opencompass", str(config), "--data", "data", "-o", "made")[0] == 0
    check = json.loads(Path("made/sums_more/test.json").read_text())["check"]
    assert check["dict_postprocessor"] == "cascade"
    assert check["rule"] == CHECK
    options = ("run", "made", "--model", "openai/m", "--no-cache")
    for answer, asked, code in (("2", 1, 0), ("Correct", 2, 0), ("It's three", 2, 1)):
        with model_server(answer) as server:
            models = f"{{openai/j: {{base_url: '{server.url}'}}}}"
            Path("lve.yaml").write_text(f"roles: {{judge: openai/j}}\nmodels: {models}\n")
            assert call(*options, "--base-url", server.url)[0] == code
            assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("judge['dataset_cfg']['name'] = 'easy'\neval_cfg['evaluator'] = judge", "over other rows"),
        ("del judge['dict_postprocessor']\neval_cfg['evaluator'] = judge", "gives no score"),
        ("judge['multi_eval'] = True\neval_cfg['evaluator'] = judge", "with multi_eval"),
        (CASCADE + "rule_evaluator=dict(type=AccEvaluator), parallel=True)", "this Cascade"),
        (CASCADE + "rule_evaluator=dict(type='x.Own'), parallel=False)", "the evaluator 'Own'"),
        (CASCADE + "rule_evaluator=dict(type=AccEvaluator))\njudge['dict_postprocessor'] = "
         "dict(type='simpleqa_postprocess')", "a cascade with simpleqa_postprocess"),
    ],
)  # fmt: skip
def test_a_judge_that_lve_cant_ask_the_same_way_is_told(
    config: Path, change: str, why: str
) -> None:
    [test] = with_more(config, f"{JUDGE}{change}\n").tests
    assert why in test.document["skip"]


def test_what_has_no_counterpart_is_left_out_with_its_line(config: Path) -> None:
    config.write_text(CONFIG + "infer_cfg['inferencer'] = dict(type=AgentInferencer)\n")
    result = lve("import", "opencompass", str(config), "-o", "made", code=2)
    assert str(result.exception).startswith("the source has no test that can be imported")
    assert "sums_gen.py:15: warning: left out: Sums & more: AgentInferencer" in result.output


def test_a_folder_is_imported_and_a_data_set_only_once(config: Path) -> None:
    Path("again.py").write_text(
        "from mmengine.config import read_base\n"
        "with read_base():\n    from .sums_gen import sums_datasets\n"
    )
    Path("broken.py").write_text("x = (\n")
    imported = read_configs(Path())
    assert [test.folder for test in imported.tests] == ["sums_more"]
    assert imported.left_out[0].startswith("broken.py:1: warning: left out: not Python")


def test_aisbench_has_its_dialect(config: Path) -> None:
    config.write_text(CONFIG.replace("opencompass.openicl", "ais_bench.benchmark.openicl"))
    [test] = read_configs(config).tests
    assert test.document["dialect"] == "aisbench"
    assert str(test.document["description"]).endswith("of AISBench.")


@pytest.mark.parametrize(
    ("evaluator", "check"),
    [
        ("datasets.AGIEvalEvaluator", {"threshold": 50}),
        ("datasets.BFCLRelevanceEvaluator", {"threshold": 0.5}),  # a share of 1
        ("datasets.LCBCodeGenerationEvaluator", None),
        ("openicl.icl_evaluator.MATHEvaluator", {"threshold": 50}),
    ],
)
def test_aisbench_has_evaluators_of_its_own(
    config: Path, evaluator: str, check: dict[str, Any] | None
) -> None:
    path = f"ais_bench.benchmark.{evaluator}"
    text = CONFIG.replace("opencompass.", "ais_bench.benchmark.")
    config.write_text(f"{text}eval_cfg = dict(evaluator=dict(type='{path}', odd=1))\n"
                      "sums_datasets[0]['eval_cfg'] = eval_cfg\n")  # fmt: skip
    [test] = read_configs(config).tests
    if check is None:
        assert "LCBCodeGenerationEvaluator asks models or services" in test.document["skip"]
    else:
        assert test.document["check"] == {"scorer": path, "options": {"odd": 1}, **check}
    assert test.document["source"]["tool"] == "aisbench"


CALLS = """
sums_datasets[0]['category'] = 'CATEGORY'
sums_datasets[0]['infer_cfg'] = dict(infer_cfg, inferencer=dict(
    type='ais_bench.benchmark.openicl.icl_inferencer.BFCLV3FunctionCallInferencer'))
"""


def test_functions_to_call_are_in_a_column_of_messages(config: Path) -> None:
    [test] = with_more(config, CALLS.replace("CATEGORY", "live_simple")).tests
    template = {"type": "RawPromptTemplate", "messages": [{"expand_column": "prompt"}]}
    assert test.document["infer_cfg"]["prompt_template"] == template
    assert test.document["infer_cfg"]["inferencer"] == {"type": "GenInferencer"}
    assert test.document["reader_cfg"]["input_columns"] == ["question", "prompt"]
    row = {**ROW, "prompt": [{"role": "user", "content": "Now?"}]}
    rows = data("Sums_more/test.jsonl", json.dumps(row))
    assert "rows.jsonl" in read_configs(config, rows).tests[0].files
    rows = data("Sums_more/test.jsonl", json.dumps(ROW))
    assert "has no prompt" in read_configs(config, rows).left_out[0]


def test_functions_that_run_between_turns_are_told(config: Path) -> None:
    imported = with_more(config, CALLS.replace("CATEGORY", "multi_turn_base"))
    assert not imported.tests
    assert imported.left_out[0].endswith(
        "BFCLV3FunctionCallInferencer with several turns has no counterpart in lve"
    )


@pytest.mark.parametrize("source", ["notes.txt", "empty"])
def test_only_configurations_can_be_imported(config: Path, source: str) -> None:
    Path("notes.txt").touch()
    Path("empty").mkdir()
    result = lve("import", "opencompass", source, "-o", "made", code=2)
    assert "is no configuration of OpenCompass" in str(result.exception)


def test_other_importers_read_no_data(config: Path) -> None:
    Path("data").mkdir()
    result = lve("import", "promptfoo", str(config), "--data", "data", "-o", "made", code=2)
    assert "--data: the importer 'promptfoo' reads no data" in str(result.exception)


def test_what_is_imported_is_what_lve_has() -> None:
    assert set(KNOWN_TEMPLATES) == TEMPLATES
    assert set(KNOWN_RETRIEVERS) >= RETRIEVERS
    assert set(KNOWN_INFERENCERS) >= INFERENCERS


def test_programs_run_only_where_the_test_is_trusted(config: Path) -> None:
    config.write_text(
        CONFIG + "eval_cfg['evaluator'] = dict(type='opencompass.datasets.MBPPEvaluator')\n"
        "del eval_cfg['pred_postprocessor']\n"
    )
    data("sums/test.jsonl", json.dumps({"question": "add?", "answer": "assert add(1, 2) == 3"}))
    assert call("import", "opencompass", str(config), "--data", "data", "-o", "made")[0] == 0
    document = json.loads(Path("made/sums_more/test.json").read_text())
    assert document["check"] == {"opencompass_program": "MBPPEvaluator"}
    answer = "```python\ndef add(a, b):\n    return a + b\n```"
    with model_server(answer) as server:
        options = ("run", "made", "--model", "openai/m", "--base-url", server.url)
        code, out, _ = call(*options)
        assert code == 5
        assert "with its data and files, is Python code and is not trusted: read " in out
        assert "test.json, then" not in out
        code, out, _ = call(*options, "--trust")
        assert code == 0, out
    nested = {**document, "check": {"all": [document["check"]]}}
    Path("made/sums_more/test.json").write_text(json.dumps(nested))
    assert "not trusted" in call("run", "made", "--model", "dummy/dummy")[1]
