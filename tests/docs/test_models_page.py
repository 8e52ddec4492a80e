"""docs/models.md says what is so."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import yaml

from lve.models.hf.sampling import HFOptions, hf_options
from lve.models.registry import PROVIDERS
from lve.models.scripted import ScriptedModel, script_from_data
from lve.spec.settings import load_workspace

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_settings_of_the_page_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    models = load_workspace(tmp_path).settings.models
    assert {entry.provider for entry in models.values()} == {"openai", "azure", "scripted"}


def test_the_local_models_of_the_page_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").write_text(blocks("yaml")[1], encoding="utf-8")
    entry = load_workspace(tmp_path).settings.models["mine"]
    assert hf_options(entry.options, "mine").batch_size == 64
    for field in fields(HFOptions):
        assert f"| `{field.name}` |" in PAGE


def test_the_script_of_the_page_can_be_used() -> None:
    script, default = script_from_data(yaml.safe_load(blocks("yaml")[2]), "page")
    assert len(script) == 3
    assert default == "I don't know."


def test_the_python_of_the_page_runs() -> None:
    names: dict[str, object] = {}
    exec(blocks("python")[0], names)
    assert isinstance(names["model"], ScriptedModel)


def test_every_provider_is_on_the_page() -> None:
    for provider in PROVIDERS:
        assert f"`{provider}" in PAGE or f"provider: {provider}" in PAGE
