"""Finds a model's files on this machine, without importing torch or transformers."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from lve.data_classes import dataclass
from lve.errors import MissingExtraError, UnknownModelError
from lve.extensions.hf.model_files.downloads import downloaded_file
from lve.extensions.hf.model_files.model_folder import check_model_folder, is_model_folder

CONFIG = "config.json"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of a model, for transformers to load."""

    source: str
    """A folder, or a name on the Hugging Face hub."""
    revision: str | None
    """A commit, branch or tag on the hub; None for a folder, and for the latest on the hub."""
    identity: Mapping[str, object] | None
    """Identifies the weights, for the cache key; None until they are on this machine."""
    download: bool
    """Whether missing files may be downloaded."""


def find_files(
    name: str,
    *,
    folder: Path,
    revision: str | None = None,
    download: bool = False,
    from_test: bool = False,
) -> ModelFiles:
    """Find a model on this machine, without loading it.

    Args:
        name: a folder, or a name on the hub.
        folder: the base of a relative path.
        revision: a commit, branch or tag, for a name on the hub.
        download: whether missing files may be downloaded later.
        from_test: whether the name comes from a test; then nothing outside `folder` is read.

    Raises:
        MissingExtraError: torch or transformers isn't installed.
        UnknownModelError: the model isn't on this machine and must not be downloaded.
    """
    require_packages()
    if from_test and not _may_be_read(name, folder):
        return _from_hub(name, revision, download)
    path = (folder / Path(name).expanduser()).absolute()
    if path.is_dir():
        return ModelFiles(str(path), None, _folder_identity(path, name), download=False)
    return _from_hub(name, revision, download)


def _may_be_read(name: str, folder: Path) -> bool:
    """Return whether a name in a test is a model's folder below `folder`.

    Raises:
        UnknownModelError: it is, but a link in it leads outside.
    """
    if not is_model_folder(folder, name):
        return False
    try:
        check_model_folder(folder, name)
    except ValueError as error:
        raise UnknownModelError(
            f"a test names the model {name}, and {error} (a folder elsewhere is for --model)"
        ) from error
    return True


def require_packages() -> None:
    """Raise a MissingExtraError unless torch and transformers are installed."""
    for package in ("torch", "transformers"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(
                f"a local model needs the package '{package}': pip install 'lve[hf]'"
            )


def _folder_identity(path: Path, name: str) -> Mapping[str, object]:
    """Return a value that changes when files in the folder change.

    It is made of sizes and modification times, because weights have gigabytes.

    Raises:
        UnknownModelError: `path` isn't a model's folder.
    """
    if not (path / CONFIG).is_file():
        raise UnknownModelError(f"{name} is no model's folder: it has no {CONFIG}")
    digest = blake2b(digest_size=16)
    for file in sorted(path.iterdir()):
        if file.is_file():
            info = file.stat()
            digest.update(f"{file.name}\0{info.st_size}\0{info.st_mtime_ns}\0".encode())
    return {"files": digest.hexdigest()}


def _from_hub(name: str, revision: str | None, download: bool) -> ModelFiles:
    try:
        config = downloaded_file(name, CONFIG, revision=revision)
    except ValueError:
        raise UnknownModelError(
            f"there is no folder {name}, and it can't be a name on the Hugging Face hub either"
        ) from None
    if config is not None:
        # In the hub's cache, the parent folder of a file has the commit's name.
        return ModelFiles(name, revision, {"commit": config.parent.name}, download)
    if not download:
        raise UnknownModelError(
            f"the model {name!r} is not on this machine: write the path of its folder, get it with "
            f"`hf download {name}` if you trust it, or set `allow_downloads: true` in lve.yaml"
        )
    return ModelFiles(name, revision, None, download)
