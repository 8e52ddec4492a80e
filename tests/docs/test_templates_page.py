"""Every example in docs/templates.md and docs/opencompass-format.md gives what the page says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from lve.data.instances import iter_instances
from lve.extensions.opencompass.build import DIALECT
from lve.extensions.opencompass.formats.well_known import META_TEMPLATES
from lve.settings.model_settings import ModelSettings
from lve.spec.load import load_spec
from lve.spec.spec import Instance

DOCS = Path(__file__).parents[2] / "docs"
PAGE = "".join(
    (DOCS / f"{name}.md").read_text(encoding="utf-8")
    for name in ("templates", "opencompass-format")
)
EXAMPLES = re.findall(r"```yaml\n(.*?)```\n```json\n(.*?)```", PAGE, re.DOTALL)
DEFAULTS = {"retriever": {"type": "ZeroRetriever"}, "inferencer": {"type": "GenInferencer"}}


@pytest.mark.parametrize(("piece", "expected"), EXAMPLES)
def test_an_example_gives_what_the_page_says(piece: str, expected: str, tmp_path: Path) -> None:
    document: dict[str, Any] = yaml.safe_load(piece)
    settings = ModelSettings(**document.pop("settings", {}))
    for name, text in document.pop("files", {}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    document["infer_cfg"] = {**DEFAULTS, **document["infer_cfg"]}
    document.setdefault("reader_cfg", {"input_columns": ["question"], "output_column": "answer"})
    document.update(description="an example", model="dummy/dummy")
    (tmp_path / "test.json").write_text(json.dumps(document), encoding="utf-8")
    spec = load_spec(tmp_path, root=tmp_path)
    plan = DIALECT.build_plan(spec, settings)
    instance = next(found for found in iter_instances(spec) if isinstance(found, Instance))
    inputs = [i.get("text", i.get("messages")) for i in plan.view(instance)["inputs"]]
    assert (inputs[0] if len(inputs) == 1 else inputs) == json.loads(expected)


def test_the_page_has_examples_and_names_everything() -> None:
    assert len(EXAMPLES) >= 22
    from lve.checkers.extract.extractors import EXTRACTORS
    from lve.extensions.opencompass.by_name import INFERENCERS, RETRIEVERS, TEMPLATES

    named = (*EXTRACTORS, *INFERENCERS, *RETRIEVERS, *TEMPLATES, *META_TEMPLATES)
    assert [name for name in named if name not in PAGE] == []
