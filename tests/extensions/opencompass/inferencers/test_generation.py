"""Generating an answer, or the empty messages of a chat."""

from __future__ import annotations

from pathlib import Path

from support.folders import write_dataset_test

from lve.data.instances import iter_instances
from lve.extensions.opencompass.build import DIALECT
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec
from lve.spec.spec import Instance


def test_the_model_writes_the_empty_messages_of_an_assistant(tmp_path: Path) -> None:
    said = [("user", "a?"), ("assistant", "A"), ("user", "b?"), ("assistant", ""),
            ("user", "c?"), ("assistant", "")]  # fmt: skip
    messages = [{"role": role, "content": content} for role, content in said]
    write_dataset_test(
        tmp_path,
        [{"q": messages, "a": ""}],
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        prompt_template={"type": "RawPromptTemplate", "messages": [{"expand_column": "q"}]},
        inferencer={"type": "GenInferencer", "multiround": True},
    )
    spec = load_spec(tmp_path, root=tmp_path)
    [instance] = [each for each in iter_instances(spec) if isinstance(each, Instance)]
    plan = DIALECT.build_plan(spec, ModelSettings())
    assert plan.render(instance).inputs == [messages[:3], messages[:5]]
