"""`--json`: each verb's document, whole, as programs read it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test

CASES = Path(__file__).parents[1] / "cases" / "json_documents"
COMMANDS = {
    "check": ["check", "."],
    "dry_run": ["run", ".", "--dry-run"],
    "list": ["list", "."],
    "list_models": ["list", "models"],
    "render": ["render", "greeting", "rows"],
    "show": ["show", "greeting", "rows"],
}


@pytest.fixture
def tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A test with all fields, one with a template, and one that is wrong."""
    settings = {"model": "local/x", "models": {"local/x": {"base_url": "http://127.0.0.1:9/v1"}}}
    monkeypatch.chdir(workspace(tmp_path, json.dumps(settings)))
    write_test(
        tmp_path / "greeting",
        author="Ana",
        model=None,
        models=["dummy/dummy", "local/x"],
        default_model_args={"temperature": 0},
        prompt=None,
        multi_run_prompt=[
            {"name": "one", "prompt": [{"content": "Add {x} to {n}."}], "repetitions": 2},
            {"prompt": [{"role": "system", "content": "x"}, {"content": "{n}?"}]},
        ],
        prompt_parameters=["n", "x"],
        prompt_parameters_validator=["int", "float"],
        checker_args={"checker_name": "MultiRunLambdaChecker", "func": "lambda rs: True"},
        tags=[{"name": "severity", "value": "low"}],
        instances=[{"args": {"n": "1", "x": "2"}, "response": ["a", "b", "c"]}],
    )
    write_test(
        tmp_path / "rows",
        skip="too slow",
        prompt=None,
        dataset=[{"q": "1+1", "a": "2"}],
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        infer_cfg={
            "prompt_template": {"type": "PromptTemplate", "template": "{q}"},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer"},
        },
    )
    write_test(tmp_path / "wrong", description=None, describtion="x")
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_a_document_is_as_written_down(tests: Path, name: str) -> None:
    printed = json.loads(call(*COMMANDS[name], "--json")[1])
    assert printed == json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
