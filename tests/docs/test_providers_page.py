"""Each recipe of docs/providers.md makes a model, and each provider has one."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from lve.errors import MissingKeyError, UnknownModelError, UsageError
from lve.models.chat_model import ChatModel
from lve.models.registry import all_providers, create_model
from lve.settings.settings import Settings
from lve.spec.settings_file import load_workspace

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
RECIPES = PAGE.split("\n## ")[1:]


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
    needing_one -= {"exec", "http", "python"}  # docs/testing-an-application.md has theirs
    assert [one for one in sorted(needing_one) if f"{one}/" not in commands] == []
