"""Which model a test document may name: one of the Hugging Face hub's, or a folder at or below one
that is given.

The library that loads it opens whatever its files name. So they name nothing elsewhere: no link out
of the folder, no other folder of a model, no file of weights or words.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lve.documents.json_text import parse_json
from lve.documents.places import TextError
from lve.files.inside import check_inside, list_inside, read_inside
from lve.hub_access import is_hub_name

MAX_CONFIG_BYTES = 10_000_000
"""Of a model's JSON files but `tokenizer.json`, which names no files."""
_ADAPTER = "adapter_config.json"
_INDEX = ".index.json"
_TOKENIZER = "tokenizer.json"
_TEMPLATES = "additional_chat_templates"
_UNUSED = "special_tokens_map_file"
"""Many models have it, and nobody opens what it says."""


def model_of_test(name: str, folder: Path) -> str:
    """Return what a library may load for the name of a model in a test document: a name of the
    hub as it is, a folder inside the test's as an absolute path.

    Args:
        name: as the document has it, filled in.
        folder: the test's.

    Raises:
        ValueError: it is neither, or something in the folder leads out of it. Says why.
    """
    if not is_model_folder(folder, name):
        return _hub_model(name)
    check_model_folder(folder, name)
    return str((folder / name).resolve())


def is_folder_elsewhere(model: str) -> bool:
    """Whether a model is `hf/PATH` with a path that needn't lie below where one stands."""
    provider, _, name = model.partition("/")
    path = Path(name)
    return provider == "hf" and (path.is_absolute() or name.startswith("~") or ".." in path.parts)


def is_model_folder(folder: Path, name: str) -> bool:
    """Whether a relative name is that of a folder, wherever it leads."""
    is_relative = bool(name) and not (Path(name).is_absolute() or name.startswith("~"))
    return is_relative and "\0" not in name and (folder / name).is_dir()


def check_model_folder(folder: Path, name: str) -> None:
    """Look at every file of a model's folder that a library opens.

    Args:
        folder: what neither the model's folder nor anything in it may lead out of.
        name: of the model's folder, relative to it.

    Raises:
        ValueError: something does, is no regular file, or names files elsewhere. Says what.
    """
    for file in _files(folder, name.rstrip("/")):
        base = file.rpartition("/")[2]
        if base == _ADAPTER:
            raise ValueError(f"`{file}` names another model: merge the adapter into its model")
        if base.endswith(".json") and base != _TOKENIZER:
            _check_config(folder, file)


def _hub_model(name: str) -> str:
    if not is_hub_name(name):
        raise ValueError(
            f"`{name}` is neither a name on the Hugging Face hub nor a folder inside the test's"
        )
    if os.path.lexists(name):
        raise ValueError(
            f"`{name}` would be read from the folder you stand in, not from the hub's models: run "
            "lve from another folder"
        )
    return name


def _files(folder: Path, name: str) -> Iterator[str]:
    """Yield the files of a model's folder, each opened once; other folders in it aren't read."""
    try:
        for entry in list_inside(folder, name):
            path = f"{name}/{entry}"
            try:
                check_inside(folder, path)
                yield path
            except IsADirectoryError:
                yield from _files(folder, path) if entry == _TEMPLATES else ()
            except OSError as error:
                raise _unusable(path, error) from error
    except OSError as error:
        raise _unusable(name, error) from error


def _unusable(path: str, error: OSError) -> ValueError:
    return ValueError(f"`{path}` can't be used: {error.strerror or type(error).__name__}")


def _check_config(folder: Path, path: str) -> None:
    try:
        config = parse_json(read_inside(folder, path, MAX_CONFIG_BYTES).decode("utf-8"))
    except OSError as error:
        raise _unusable(path, error) from error
    except (UnicodeDecodeError, TextError) as error:
        raise ValueError(f"`{path}` can't be read: {str(error).partition(chr(10))[0]}") from error
    named = _shards(config) if path.endswith(_INDEX) else _named_files(config)
    for where, name in named:
        if name != os.path.basename(name) or name in ("", ".", ".."):  # noqa: PTH119
            raise ValueError(
                f"`{path}` names a file elsewhere in `{where}`: only names are allowed"
            )


def _shards(config: Any) -> Iterator[tuple[str, str]]:
    """Yield what an index of weights says of where each of them is."""
    weights = config.get("weight_map") if isinstance(config, dict) else None
    for name in weights.values() if isinstance(weights, dict) else ():
        yield "weight_map", str(name)


def _named_files(config: Any) -> Iterator[tuple[str, str]]:
    """Yield the keys of a configuration that name files for the library, with the names."""
    for key, value in config.items() if isinstance(config, dict) else ():
        if isinstance(value, dict):
            yield from _named_files(value)
        elif key.endswith(("_file", "_files")) and key != _UNUSED:
            names = value if isinstance(value, list) else [value]
            yield from ((key, name) for name in names if isinstance(name, str))
