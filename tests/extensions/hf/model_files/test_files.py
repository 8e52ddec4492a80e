"""Finding a local model, before anything is loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.packages import needs

from lve.errors import MissingExtraError, UnknownModelError
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

pytestmark = needs("torch", "transformers")


@pytest.fixture(autouse=True)
def _empty_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))


def test_a_path_on_the_command_line_starts_from_here(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny.parent)
    identity = create_model(f"hf/{tiny.name}", Settings()).identity
    assert identity is not None
    assert identity["model"] == str(tiny)
    assert "files" in identity, "with another name, answers in caches would not be found again"


@pytest.mark.parametrize("name", ["{tiny}", "../{parent}/tiny", "~/tiny", "linked"])
def test_what_only_a_test_names_is_no_folder_elsewhere(
    name: str, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tiny.parent))
    Path("linked").symlink_to(tiny)
    spelled = name.format(tiny=tiny, parent=tiny.parent)
    with pytest.raises(UnknownModelError, match=r"no folder|outside its folder"):
        create_model(f"hf/{spelled}", Settings(), from_test=True)


def test_what_a_test_names_below_where_one_stands_is_found(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny.parent)
    identity = create_model(f"hf/{tiny.name}", Settings(), from_test=True).identity
    assert identity is not None
    assert identity["model"] == str(tiny)


def test_a_path_in_the_settings_starts_from_their_file(tiny: Path) -> None:
    entry = ModelSettings(provider="hf", model=tiny.name)
    settings = Settings(file=tiny.parent / "lve.yaml", models={"mine": entry})
    identity = create_model("mine", settings).identity
    assert identity is not None
    assert identity["model"] == str(tiny)


def test_other_weights_or_another_precision_are_another_identity(
    tiny: Path, tmp_path: Path
) -> None:
    def identity(**options: str) -> object:
        entry = ModelSettings(provider="hf", model=str(tmp_path), options=options)
        return create_model("m", Settings(models={"m": entry})).identity

    for file in tiny.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    before = identity()
    assert identity() == before
    assert identity(dtype="bfloat16") != before
    (tmp_path / "model.safetensors").write_bytes(b"others")
    assert identity() != before


def test_a_model_that_is_not_here_is_not_fetched() -> None:
    with pytest.raises(UnknownModelError, match="hf download some/model"):
        create_model("hf/some/model", Settings())


def test_a_model_that_may_be_fetched_has_no_identity_yet() -> None:
    assert create_model("hf/some/model", Settings(allow_downloads=True)).identity is None


def test_a_model_in_the_hub_cache_is_known_by_its_commit(tmp_path: Path) -> None:
    commit = "0123456789" * 4
    repository = tmp_path / "hub" / "models--some--model"
    (repository / "snapshots" / commit).mkdir(parents=True)
    (repository / "snapshots" / commit / "config.json").write_text("{}")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    identity = create_model("hf/some/model", Settings()).identity
    assert identity is not None
    assert identity["commit"] == commit


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError, match=r"it has no config\.json"):
        create_model(f"hf/{tmp_path}", Settings())


def test_a_path_that_is_nowhere_is_no_hub_name_either() -> None:
    with pytest.raises(UnknownModelError, match="there is no folder /not/there"):
        create_model("hf//not/there", Settings())


def test_hf_alone_is_no_model() -> None:
    with pytest.raises(UnknownModelError, match="write hf/NAME"):
        create_model("hf", Settings())


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lve\[hf\]'"):
        create_model("hf/some/model", Settings())


def test_making_a_model_imports_nothing_heavy(tiny: Path) -> None:
    code = (
        "import sys; from lve.models.registry import create_model\n"
        "from lve.workspace import Settings\n"
        f"create_model({f'hf/{tiny}'!r}, Settings())\n"
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
