"""Each row has choices of its own, which are rated after its prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import write_dataset_test

from lve.data.instances import iter_instances
from lve.errors import PromptError, SpecError
from lve.extensions.opencompass.build import DIALECT
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec
from lve.spec.spec import Instance


def texts(folder: Path, rows: list[dict[str, Any]], kind: str = "lm", **more: Any) -> list[Any]:
    write_dataset_test(
        folder,
        rows,
        reader_cfg={"input_columns": ["text"], "output_column": "target"},
        prompt_template={"type": "PromptTemplate", "template": "{text}"},
        inferencer={"type": "ChoicesInferencer", **more},
    )
    spec = load_spec(folder, root=folder)
    plan = DIALECT.build_plan(spec, ModelSettings(kind=kind))
    instances = [each for each in iter_instances(spec) if isinstance(each, Instance)]
    return [[(c.name, c.prompt, c.score) for c in plan.preview(each)] for each in instances]


def test_each_row_has_its_own_choices(tmp_path: Path) -> None:
    rows = [
        {"text": "2 + 2 =", "choices": ["4", "5"], "target": 0},
        {"text": "{text}", "choices": ["a", "b", "{c}"], "target": [1, 2]},
    ]
    assert texts(tmp_path, rows, delimiter=" ") == [
        [("0", "2 + 2 = 4", True), ("1", "2 + 2 = 5", True)],
        [("0", "{text} a", True), ("1", "{text} b", True), ("2", "{text} {c}", True)],
    ]


def test_a_choice_may_have_a_beginning_of_its_own(tmp_path: Path) -> None:
    choices = [{"text": "won.", "before": "Ann", "name": "Ann"}, {"text": "won.", "before": "Bea"}]
    rows = [{"text": "", "choices": choices, "target": 1}]
    [row] = texts(tmp_path, rows, delimiter=" ")
    assert [text for _, text, _ in row] == ["Ann won.", "Bea won."]


def test_a_chat_model_is_asked_where_the_test_allows_it(tmp_path: Path) -> None:
    rows = [{"text": "2 + 2 =", "choices": ["4", "5"], "target": 0}]
    [[(name, prompt, is_rated)]] = texts(tmp_path, rows, kind="api", fallback="generate")
    assert (name, prompt, is_rated) == (None, None, False)


@pytest.mark.parametrize("choices", [None, "4", [], [4], [{"text": 4}], [{"name": "x"}], ["", "a"]])
def test_a_row_without_choices_is_refused(tmp_path: Path, choices: Any) -> None:
    with pytest.raises(PromptError, match="the column `choices` of each row"):
        texts(tmp_path, [{"text": "x", "choices": choices, "target": 0}])


def test_a_row_with_too_many_choices_is_refused(tmp_path: Path) -> None:
    rows = [{"text": "x", "choices": ["a"] * 20_000, "target": 0}]
    with pytest.raises(PromptError, match="there can be at most"):
        texts(tmp_path, rows)


def test_a_data_set_without_the_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="and the rows have none"):
        texts(tmp_path, [{"text": "x", "target": 0}])
