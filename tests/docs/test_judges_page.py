"""The examples of docs/judges.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from extensions.judges.injected import corpus
from support.folders import workspace
from support.judging import judge_of

from lve.checkers.resolve import resolve
from lve.spec.check_names import roles_of
from lve.spec.load import load_spec
from lve.spec.settings_file import load_workspace

PAGE = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")
BLOCKS = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
DATA = {
    "prompt": None,
    "dataset": "rows.jsonl",
    "reader_cfg": {"input_columns": ["question", "passage"], "output_column": "answer"},
    "infer_cfg": {
        "prompt_template": {"type": "PromptTemplate", "template": "{question}"},
        "retriever": {"type": "ZeroRetriever"},
        "inferencer": {"type": "GenInferencer"},
    },
}


def blocks(key: str) -> list[Any]:
    return [block for block in BLOCKS if key in block]


def test_each_block_is_one_that_is_tested() -> None:
    assert len(blocks("prompt")) == len(blocks("roles")) == 1
    assert len(blocks("checks")) == 2
    assert len(BLOCKS) == 3


def test_the_test_needs_a_judge_and_no_more(tmp_path: Path) -> None:
    (block,) = blocks("prompt")
    (tmp_path / "test.yaml").write_text(yaml.safe_dump(block), encoding="utf-8")
    spec = load_spec(tmp_path, tmp_path)
    assert spec.roles == ("judge",)
    assert resolve(spec).asks


@pytest.mark.parametrize("block", [one for one in blocks("checks") if "prompt" not in one])
def test_the_checks_fit_a_data_set(block: dict[str, Any], tmp_path: Path) -> None:
    row = '{"question": "Why?", "passage": "So.", "answer": "So."}\n'
    (tmp_path / "rows.jsonl").write_text(row, encoding="utf-8")
    judge = judge_of(block["checks"], tmp_path, **DATA)
    asked = {role for one in judge.checkers for role in roles_of(one.name, one.arguments.values)}
    assert asked == {"judge", "embedding"}


def test_the_settings_give_a_budget(tmp_path: Path) -> None:
    (block,) = blocks("roles")
    settings = load_workspace(workspace(tmp_path, yaml.safe_dump(block))).settings
    assert settings.role_budgets == {"judge": {"max_cost": 2, "max_requests": 5000}}


def test_the_number_of_injections_is_right() -> None:
    assert f"has {len(corpus())} answers that try" in PAGE
