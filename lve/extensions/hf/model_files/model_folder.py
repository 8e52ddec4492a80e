"""Checks the models that a test document names: on the Hugging Face hub, or in the test folder.

The library that loads a model opens all files that the model's files name. So nothing in a model's
folder may lead out of it: no link, no base model of an adapter, no file of weights or vocabulary.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lve.data.hub_access import is_hub_name
from lve.documents.json_text import parse_json
from lve.documents.position_types import TextError
from lve.extensions.hf.model_files.model_rules import (
    MAX_CONFIG_BYTES,
    TOKENIZER,
    problem_of,
    tokenizer_problem,
)
from lve.files.inside import check_inside, list_inside, open_inside, read_inside, reason_of

_TEMPLATES = "additional_chat_templates"


def model_of_test(name: str, folder: Path) -> str:
    """Return the model that a library may load for a name in a test document.

    Args:
        name: the name, with parameters filled in.
        folder: the test folder.

    Returns:
        The name itself if it is that of a model on the hub, else the absolute path of the model's
        folder in the test folder.

    Raises:
        ValueError: there is no such model, or something in its folder leads out of it.
    """
    if not is_model_folder(folder, name):
        return _hub_model(name)
    check_model_folder(folder, name)
    return str((folder / name).resolve())


def is_model_folder(folder: Path, name: str) -> bool:
    """Return whether a name is the relative path of a folder, possibly through a link."""
    is_relative = bool(name) and not (Path(name).is_absolute() or name.startswith("~"))
    return is_relative and os.path.isdir(folder / name)  # noqa: PTH112 (is_dir raises for a long one)


def check_model_folder(folder: Path, name: str) -> None:
    """Check every file in a model's folder that a library may open.

    Args:
        folder: the folder that nothing may lead out of.
        name: the model's folder, relative to `folder`.

    Raises:
        ValueError: a file is outside of `folder`, isn't a regular file, or names files elsewhere.
    """
    for file in _files(folder, name.rstrip("/")):
        if file.rpartition("/")[2] == TOKENIZER:
            _check_tokenizer(folder, file)
        elif file.endswith(".json"):
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
    """Yield the files in a model's folder, and in its folder of chat templates. Other folders are
    skipped. Checks that each file can be opened."""
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
    return ValueError(f"`{path}` can't be used: {reason_of(error)}")


def _check_tokenizer(folder: Path, path: str) -> None:
    try:
        with open_inside(folder, path) as stream:
            problem = tokenizer_problem(path, stream)
    except OSError as error:
        raise _unusable(path, error) from error
    if problem is not None:
        raise ValueError(problem)


def _check_config(folder: Path, path: str) -> None:
    try:
        config = parse_json(read_inside(folder, path, MAX_CONFIG_BYTES).decode("utf-8"))
    except OSError as error:
        raise _unusable(path, error) from error
    except (UnicodeDecodeError, TextError) as error:
        raise ValueError(f"`{path}` can't be read: {str(error).partition(chr(10))[0]}") from error
    problem = problem_of(path, config)
    if problem is not None:
        raise ValueError(problem)
