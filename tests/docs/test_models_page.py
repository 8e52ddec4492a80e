"""docs/models.md says what is so."""

from __future__ import annotations

import os
import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from lve.errors import MissingKeyError, UnknownModelError, UsageError
from lve.models.chat_model import ChatModel
from lve.models.hf.sampling import HFOptions, hf_options
from lve.models.known import known_model, price_of
from lve.models.openai.responses.args import response_args
from lve.models.registry import all_providers, create_model
from lve.models.scripted import ScriptedModel, script_from_data
from lve.spec.settings import load_workspace
from lve.workspace import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


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


RECIPES = PAGE[PAGE.index("## Recipes") : PAGE.index("## Keys and addresses")].split("\n### ")[1:]


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No key but those that a recipe sets."""
    for name in os.environ:
        if name.endswith(("_API_KEY", "_BASE_URL", "_ENDPOINT")) or name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return monkeypatch


def made(name: str, settings: Settings, base_url: str | None = None) -> ChatModel | None:
    """Make a model; None if that needs a package or a file that isn't on this machine."""
    try:
        return create_model(name, settings, base_url=base_url)
    except (MissingKeyError, UnknownModelError, UsageError) as error:
        if "pip install" in str(error) or name.startswith("hf/") or "config profile" in str(error):
            return None
        raise


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.partition("\n")[0])
def test_a_recipe_makes_a_model(recipe: str, tmp_path: Path, keys: pytest.MonkeyPatch) -> None:
    (commands,) = re.findall(r"```sh\n(.*?)```", recipe, re.DOTALL)
    for name, value in re.findall(r"export (\w+)=(\S+)", commands):
        keys.setenv(name, value)
    (model,) = re.findall(r"--model (\S+)", commands)
    address = re.search(r"--base-url (\S+)", commands)
    one = made(model, Settings(), address[1] if address else None)
    assert one is None or one.name == model
    for number, settings in enumerate(re.findall(r"```yaml\n(.*?)```", recipe, re.DOTALL)):
        keys.setenv("MY_SERVER_KEY", "key-of-a-server")
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "lve.yaml").write_text(settings, encoding="utf-8")
        loaded = load_workspace(folder).settings._replace(is_own=True)
        assert loaded.models
        for name in loaded.models:
            made(name, loaded)


def test_every_provider_has_a_recipe() -> None:
    commands = " ".join(re.findall(r"--model (\S+)", "".join(RECIPES)))
    needing_one = set(all_providers()) - {"scripted", "replay", "dummy"}
    assert [one for one in sorted(needing_one) if f"{one}/" not in commands] == []
