"""Nothing uses the network unless the settings allow downloads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.downloads import COMMIT, download_folder
from support.tiny_model import make_tiny_model

from lve.hub.hub_access import hub_access

WATCHED = """
import asyncio, json, sys
asked = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        asked.append([event, repr(arguments)])
        raise OSError("there is no network here")
sys.addaudithook(watch)
"""
MODEL = """
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings

async def answers():
    model = create_model("hf/me/tiny", Settings())
    try:
        request = ChatRequest((Message("Hi"),), {"max_tokens": 2})
        return [(await model.complete(request)).text, await model.embed(["x"])]
    finally:
        await model.aclose()

done = len(asyncio.run(answers()))
"""
CLASSIFIER = """
from lve.checkers.builtin.classifiers import load_classifier
from lve.errors import MissingExtraError

done = 0
load_classifier("me/tiny")
done += 1
try:
    load_classifier("nobody/has-it")
except MissingExtraError:
    done += 1
"""
IMPORTED = "import huggingface_hub, transformers\n"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of the hub's files with one model in it, as a download leaves it."""
    home = tmp_path_factory.mktemp("hub")
    make_tiny_model(download_folder(home / "hub", "me/tiny"))
    return home


@pytest.mark.parametrize("before", ["", IMPORTED], ids=["fresh", "imported before"])
@pytest.mark.parametrize("use", [MODEL, CLASSIFIER], ids=["model", "classifier"])
def test_a_model_on_this_machine_is_used_without_the_network(
    use: str, before: str, hub: Path
) -> None:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "TRANSFORMERS_"))}
    code = before + WATCHED + use + "print(json.dumps([done, asked]))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**kept, "HF_HOME": str(hub)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [2, []]


def test_the_switch_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with hub_access(download=False):
        assert constants.HF_HUB_OFFLINE is True
        assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert constants.HF_HUB_OFFLINE is False
    assert "HF_HUB_OFFLINE" not in os.environ


def test_a_user_who_is_offline_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setenv("HF_HUB_OFFLINE", "yes")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with hub_access(download=True):
        assert constants.HF_HUB_OFFLINE is True
    with hub_access(download=False):
        pass
    assert (constants.HF_HUB_OFFLINE, os.environ["HF_HUB_OFFLINE"]) == (True, "yes")


def test_neither_pickles_nor_code_of_a_folder_are_read(hub: Path, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from lve.checkers.builtin.classifiers import load_classifier
    from lve.errors import MissingExtraError

    folder = tmp_path / "model"
    shutil.copytree(hub / "hub" / "models--me--tiny" / "snapshots" / COMMIT, folder)
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(MissingExtraError, match="safetensors"):
        load_classifier(str(folder))
    config = json.loads((folder / "config.json").read_text())
    config["model_type"] = "mine"
    config["auto_map"] = {"AutoConfig": "mine.Mine"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Mine: ...\n")
    with pytest.raises(MissingExtraError):
        load_classifier(str(folder))
    assert not (tmp_path / "ran").exists()
