"""docs/models.md and docs/local-models.md say what is so."""

from __future__ import annotations

import re
import runpy
from dataclasses import fields
from pathlib import Path

import yaml

from lve.extensions.hf.sampling import HFOptions, hf_options
from lve.extensions.responses.items import response_args
from lve.models.known_models import known_model, price_of
from lve.models.registry import all_providers
from lve.models.scripted import ScriptedModel, script_from_data
from lve.spec.settings_file import load_workspace

ROOT = Path(__file__).parents[2]
PAGE = "".join(
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("models", "local-models")
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def block(part: str) -> str:
    """Return the YAML of the page that has a part."""
    return next(one for one in blocks("yaml") if part in one)


def test_a_model_of_the_page_is_asked_by_the_responses_api(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").write_text(block("api: responses"), encoding="utf-8")
    entry = load_workspace(tmp_path).settings.models["openai/gpt-6-luna"]
    assert entry.api == "responses"
    args = response_args(entry.args, frozenset())
    assert args["reasoning"] == {"effort": "low", "summary": "auto"}


def test_the_settings_of_the_page_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").write_text(block("provider: scripted"), encoding="utf-8")
    models = load_workspace(tmp_path).settings.models
    assert {entry.provider for entry in models.values()} == {"openai", "azure", "scripted"}


def test_what_the_page_says_of_a_model_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").write_text(block("openai/my-fine-tune"), encoding="utf-8")
    settings = load_workspace(tmp_path).settings
    known = known_model("openai/my-fine-tune", settings)
    assert known is not None
    assert known.refuses == {"temperature"}
    price = price_of("openai/my-fine-tune", settings)
    assert price is not None
    assert price.cached_input == 0.125


def test_the_local_models_of_the_page_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "lve.yaml").write_text(block("provider: hf"), encoding="utf-8")
    entry = load_workspace(tmp_path).settings.models["mine"]
    assert hf_options(entry.options, "mine").batch_size == 64
    for field in fields(HFOptions):
        assert f"| `{field.name}` |" in PAGE


def test_the_script_of_the_page_can_be_used() -> None:
    script, default = script_from_data(yaml.safe_load(block("I don't know.")), "page")
    assert len(script) == 4
    assert default == "I don't know."


def test_the_python_of_the_page_runs() -> None:
    names: dict[str, object] = {}
    exec(blocks("python")[0], names)
    assert isinstance(names["model"], ScriptedModel)


def test_every_provider_is_on_the_page() -> None:
    for provider in all_providers():
        assert f"`{provider}" in PAGE or f"provider: {provider}" in PAGE


def test_the_lists_of_known_servers_are_those_of_their_table() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "generate_providers.py"))["pages"]()
    assert len(pages) == 2
    for file, text in pages.items():
        assert file.read_text(encoding="utf-8") == text, f"{file}: run `make docs`"
