"""Plans of tests in every dialect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from prompts.building import EXAMPLES
from support.folders import write_dataset_test, write_test

from lve.errors import SpecError
from lve.extensions.opencompass.build import DatasetPlan
from lve.extensions.ragas.plan import PromptObjectPlan
from lve.prompts.messages.plan import MessagePlan
from lve.prompts.plan import answer_format_of, build_plan, left_out_examples
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec
from lve.spec.spec import Spec

OBJECT = {
    "name": "p", "instruction": "Say it.", "input_keys": ["q"], "output_key": "a",
    "output_type": "json",
}  # fmt: skip


def messages(folder: Path) -> Spec:
    return load_spec(write_test(folder), folder)


def prompt_object(folder: Path, **more: Any) -> Spec:
    folder.mkdir(exist_ok=True)
    (folder / "p.json").write_text(json.dumps({**OBJECT, **more}), encoding="utf-8")
    keys = {"prompt": None, "prompt_object": "p.json", "prompt_parameters": ["q"]}
    return load_spec(write_test(folder, **keys), folder)


def template(folder: Path, **retriever: str) -> Spec:
    rows = [{"q": "1+1", "a": "2"}, {"q": "1+2", "a": "3"}]
    parts = {**EXAMPLES, "retriever": retriever} if retriever else EXAMPLES
    reader = {"input_columns": ["q"], "output_column": "a"}
    write_dataset_test(folder, rows, reader_cfg=reader, **parts)
    return load_spec(folder, folder)


@pytest.mark.parametrize(
    ("write", "kind"),
    [(messages, MessagePlan), (prompt_object, PromptObjectPlan), (template, DatasetPlan)],
)
def test_the_document_says_which_dialect(write: Any, kind: type, tmp_path: Path) -> None:
    assert isinstance(build_plan(write(tmp_path)), kind)


def test_only_templates_ask_what_kind_of_model_it_is(tmp_path: Path) -> None:
    model = ModelSettings(meta_template={"round": [{"role": "HUMAN", "api_role": "NOBODY"}]})
    build_plan(messages(tmp_path / "messages"), model=model)
    with pytest.raises(SpecError, match="BOT"):
        build_plan(template(tmp_path / "template"), model=model)


def test_examples_that_a_model_chooses_are_said_to_be_left_out(tmp_path: Path) -> None:
    for spec in (messages(tmp_path / "a"), prompt_object(tmp_path / "b"), template(tmp_path / "c")):
        assert left_out_examples(build_plan(spec)) == []
    chosen = template(tmp_path / "d", type="TopkRetriever", embedding_model="openai/e")
    (warning,) = left_out_examples(build_plan(chosen))
    assert "choosing them takes vectors of openai/e" in warning.message
    assert (warning.severity, warning.path) == ("warning", "$.infer_cfg.retriever")


def test_only_a_prompt_object_says_how_answers_look(tmp_path: Path) -> None:
    assert answer_format_of(messages(tmp_path / "a")) is None
    assert answer_format_of(template(tmp_path / "b")) is None
    assert answer_format_of(prompt_object(tmp_path / "c")) is not None
    assert answer_format_of(prompt_object(tmp_path / "d", output_type="str")) is None
