"""Choosing by likelihood as OpenCompass does: the columns `choices` and `cont`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import write_dataset_test

from lve.data.instances import iter_instances
from lve.errors import PromptError, SpecError
from lve.extensions.opencompass.build import DIALECT, DatasetPlan
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec
from lve.spec.spec import Instance

ROWS = [
    {"text": "You fool.", "choices": ["no", "yes"], "label": 1},
    {"text": "Hello.", "choices": ["other", "texts"], "label": 0},
]
SENTENCES = [{"opt1": "Tea is hot.", "opt2": "Ice is hot.", "cont": " is hot.", "answer": "A"}]
OPTIONS = {"A": "{opt1}", "B": "{opt2}"}


def loaded(
    folder: Path, inferencer: str, rows: Any, template: Any, output: str, **more: Any
) -> tuple[DatasetPlan, list[Instance]]:
    write_dataset_test(
        folder,
        rows,
        reader_cfg={"input_columns": ["text"], "output_column": output},
        prompt_template={"type": "PromptTemplate", "template": template},
        inferencer={"type": inferencer, **more},
    )
    spec = load_spec(folder, root=folder)
    plan = DIALECT.build_plan(spec, ModelSettings(kind="lm"))
    instances = [each for each in iter_instances(spec) if isinstance(each, Instance)]
    return plan, instances


def texts(plan: DatasetPlan, instance: Instance) -> dict[str | None, str | None]:
    return {each.name: each.prompt for each in plan.preview(instance)}


def test_clp_writes_one_prompt_and_rates_the_first_rows_choices_after_it(tmp_path: Path) -> None:
    plan, instances = loaded(tmp_path, "CLPInferencer", ROWS, "{text} Rude? {label}", "label")
    assert [plan.render(each).inputs for each in instances] == [
        ["You fool. Rude? "], ["Hello. Rude? "]
    ]  # fmt: skip
    assert texts(plan, instances[1]) == {"no": "Hello. Rude? no", "yes": "Hello. Rude? yes"}
    assert [each.reference for each in instances] == ["yes", "no"]


@pytest.mark.parametrize("choices", [None, "no", [], ["a", "a"], ["a", 1]])
def test_clp_without_choices_is_refused(tmp_path: Path, choices: Any) -> None:
    rows = [{"text": "x", "choices": choices, "label": 0}]
    with pytest.raises(SpecError, match="chooses from the column `choices` of the first row"):
        loaded(tmp_path, "CLPInferencer", rows, "{text}", "label")


def test_clp_compares_single_tokens_only(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="single tokens only"):
        loaded(tmp_path, "CLPInferencer", ROWS, "{text}", "label", single_token=False)


def test_ll_rates_the_column_cont_after_each_label(tmp_path: Path) -> None:
    plan, [instance] = loaded(tmp_path, "LLInferencer", SENTENCES, OPTIONS, "answer")
    assert texts(plan, instance) == {"A": "Tea is hot.", "B": "Ice is hot."}
    assert plan.spec.checkers[0].args["by"] == "continuation"


def test_ll_without_cont_is_refused(tmp_path: Path) -> None:
    rows = [{"opt1": "a", "opt2": "b", "answer": "A"}]
    with pytest.raises(SpecError, match="LLInferencer rates the column `cont`"):
        loaded(tmp_path, "LLInferencer", rows, OPTIONS, "answer")
    plan, [instance] = loaded(
        tmp_path, "LLInferencer", [{**rows[0], "cont": "z"}], OPTIONS, "answer"
    )
    with pytest.raises(PromptError, match="the prompt of 'A' doesn't show the column `cont`"):
        plan.preview(instance)


def test_what_the_labels_do_not_share_is_rated_under_a_name_of_its_own(tmp_path: Path) -> None:
    plan, [instance] = loaded(tmp_path, "LikelihoodInferencer", SENTENCES, OPTIONS, "answer")
    assert texts(plan, instance) == {"A": "Tea is hot.", "B": "Ice is hot."}
    assert plan.spec.checkers[0].args["by"] == "likelihood"


VLLM = ModelSettings(prompt_logprobs=True)


def chat_plan(folder: Path, inferencer: str, model: ModelSettings) -> DatasetPlan:
    loaded(folder, "PPLInferencer", SENTENCES, OPTIONS, "answer")
    turns = {
        label: {"round": [{"role": "HUMAN", "prompt": "Is it?"}, {"role": "BOT", "prompt": text}]}
        for label, text in OPTIONS.items()
    }
    write_dataset_test(
        folder,
        SENTENCES,
        reader_cfg={"input_columns": ["opt1"], "output_column": "answer"},
        prompt_template={"type": "PromptTemplate", "template": turns},
        inferencer={"type": inferencer},
    )
    return DIALECT.build_plan(load_spec(folder, root=folder), model)


@pytest.mark.parametrize("model", [VLLM, VLLM._replace(kind="api", meta_template="api")])
def test_a_chat_server_that_rates_prompts_chooses_by_perplexity(
    tmp_path: Path, model: ModelSettings
) -> None:
    plan = chat_plan(tmp_path, "PPLInferencer", model)
    [instance] = iter_instances(plan.spec)
    assert isinstance(instance, Instance)
    asked = plan.preview(instance)
    assert [(one.name, one.score, one.prompt) for one in asked] == [
        ("A", True, None), ("B", True, None)
    ]  # fmt: skip
    assert [m.content for m in asked[1].messages[:-1]] == ["Is it?", "Ice is hot."]


@pytest.mark.parametrize("inferencer", ["LikelihoodInferencer", "LLInferencer"])
def test_a_part_of_a_chat_can_not_be_rated(tmp_path: Path, inferencer: str) -> None:
    with pytest.raises(SpecError, match="which a chat server can't do"):
        chat_plan(tmp_path, inferencer, VLLM._replace(kind="api"))
