"""Models as downloads from the Hugging Face hub leave them."""

from __future__ import annotations

from pathlib import Path

COMMIT = "a" * 40


def download_folder(cache: Path, name: str) -> Path:
    """Return the folder for the files of a model in the hub's cache."""
    model = cache / f"models--{name.replace('/', '--')}"
    files = model / "snapshots" / COMMIT
    files.mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text(COMMIT)
    return files


def write_download(cache: Path, config: str) -> str:
    """Write an incomplete download, which has only a configuration, and return the model's name."""
    (download_folder(cache, "lve-tests/incomplete") / "config.json").write_text(config)
    return "lve-tests/incomplete"
