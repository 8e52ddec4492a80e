"""Derives a test's path, category and name from its folder, and checks the files that it names.

A test names files in its folder, and files of the application: `@/app/triage.txt` is below the
workspace's root. The settings list their folders (`files`), and only those of the workspace in
which lve is run. Links aren't followed there, and nothing hidden is read: `.env` and `.git` are
never test data.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lve.documents.position_types import JsonPath
from lve.documents.read import Document
from lve.errors import Problem
from lve.file_names import SUITE_FILES
from lve.files.inside import OutsideError, RefusedFileError, check_inside, is_missing, reason_of
from lve.json_types import JsonValue
from lve.named_tuples import NamedTuple
from lve.settings.settings import AppFiles, Caps
from lve.spec.spec import Spec, splits_in
from lve.suggest import did_you_mean
from lve.workspace import display_path

MARK = "@/"
"""How the names of files of the application begin."""
PROMPT_SUFFIXES = (".prompt", ".txt", ".md", ".j2", ".jinja")
PLACEHOLDER = "<please fill in>"
"""The LVE repository's templates have this text where a contributor has to write something."""
NOT_SHARED = ("prompt_object", "output_schema")
"""Keys whose files are always in the test folder."""
Endings = tuple[str, ...]
REPOSITORY = "repository"


def test_path(folder: Path, root: Path) -> str:
    """Return the path of a test folder relative to the root, with `/`. It is "." for the root
    itself, and absolute for a folder outside of the root."""
    path, home = folder.as_posix(), root.as_posix()
    if path.startswith(f"{home}/"):  # faster than `relative_to`
        return path[len(home) + 1 :]
    try:
        return folder.relative_to(root).as_posix()
    except ValueError:
        return path


def category_and_name(path: str, folder_name: str, models: tuple[str, ...]) -> tuple[str, str]:
    """Return category and name of a test, by the layout of the LVE repository.

    The layout is `repository/<category>/.../<name>`, or the same with a folder for the model at the
    end. The last folder is a model's if its name has a `--` (`openai--gpt-4`), or is the folder
    name of one of the test's models.

    Args:
        path: the test folder relative to the workspace root, with `/`.
        folder_name: the name of the test folder, for a test in the root itself.
        models: the models that the test document names.
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if len(parts) > 1 and parts[0] == REPOSITORY:
        parts = parts[1:]
    if not parts:
        return "", folder_name
    inner = parts[1:]
    if len(inner) > 1 and _is_model_folder(inner[-1], models):
        inner = inner[:-1]
    return parts[0], inner[-1] if inner else parts[0]


def model_folder(model: str) -> str:
    """Return the folder name of a model in the LVE repository: `openai--gpt-35-turbo`."""
    return "".join(c for c in model.replace("/", "--") if c.isalnum() or c in "-_")


def _is_model_folder(name: str, models: tuple[str, ...]) -> bool:
    return "--" in name or any(name == model_folder(model) for model in models)


def file_inside(folder: Path, name: str) -> Path | str:
    """Return the path of a file in the test folder, or why it can't be used, as the predicate of a
    sentence (`does not exist`). It must still be in the folder after all links are followed.

    Args:
        folder: the test folder.
        name: the file's name in the test document.
    """
    if "\0" in name or "\\" in name:
        return "is not a file name; folders are separated by `/`"
    try:
        check_inside(folder, name)
    except OSError as error:
        return why_unusable(error)
    return folder / name


def why_unusable(error: OSError) -> str:
    """Return why a file of a test folder can't be used, as the predicate of a sentence."""
    if isinstance(error, OutsideError):
        return "is outside the test folder"
    if isinstance(error, RefusedFileError):
        return f"is {error.reason}"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file"
    if is_missing(error):
        return "does not exist"
    return f"can't be read: {reason_of(error)}"


class FilePlace(NamedTuple):
    """A file that a test names."""

    folder: Path
    """The folder that it must stay in (absolute)."""
    name: str
    """Its name in the folder, with `/`."""

    @property
    def path(self) -> Path:
        """Its path."""
        return self.folder / self.name


class Unusable(NamedTuple):
    """Why a file can't be used."""

    reason: str
    """The predicate of a sentence: `does not exist`."""
    hint: str | None = None
    code: str = "no_such_path"


def place_of_file(folder: Path, name: str, files: AppFiles | None) -> FilePlace | Unusable:
    """Return where a file is, or why it can't be used.

    Args:
        folder: the test folder.
        name: the file's name in the test document: in the test folder, or after `@/`.
        files: the folders that the settings allow.
    """
    if name.startswith(MARK):
        return _place_in_app(name[len(MARK) :], files)
    path = file_inside(folder, name)
    return Unusable(path) if isinstance(path, str) else FilePlace(folder, name)


def _place_in_app(below: str, files: AppFiles | None) -> FilePlace | Unusable:
    if not is_plain_path(below):
        hint = "no `..`, no backslash, no second `/`, no name that begins with a dot"
        return Unusable("is no plain path below the workspace", hint, "app_file")
    allowed = () if files is None else files.folders
    home = _home(below, allowed)
    if files is None or home is None:
        hint = _how_to_allow(below)
        if files is not None and _home(below, files.withheld) is not None:
            hint = f"that workspace allows it for runs in there: cd {display_path(files.root)}"
        return Unusable("is in no folder that the settings allow", hint, "app_file")
    place = FilePlace(files.root / home, below[len(home) + 1 :])
    if _is_reached_by_link(files.root, below):
        return Unusable("is a link, or behind one", "name the file itself", "app_file")
    try:
        check_inside(place.folder, place.name)
    except OSError as error:
        return Unusable(why_unusable(error))
    return place


def _home(below: str, folders: Sequence[str]) -> str | None:
    """Return the folder that has a path."""
    return next((folder for folder in folders if below.startswith(f"{folder}/")), None)


def _how_to_allow(below: str) -> str:
    folder = below.rpartition("/")[0]
    if not folder:
        return "put it into a folder, and the folder under `files` in the workspace's lve.yaml"
    return f"the maintainer can add `files: [{folder}]` to lve.yaml, for runs in that workspace"


def _is_reached_by_link(root: Path, below: str) -> bool:
    real = os.path.realpath(f"{root}/{below}")
    return os.path.normcase(real) != os.path.normcase(f"{os.path.realpath(root)}/{below}")


def names_in_app(spec: Spec) -> dict[str, FilePlace]:
    """Return the files of the application that a test uses, by their names in its document. Those
    that can't be used are left out."""
    names = [prompt.written for prompt in spec.prompts if prompt.folder is not None]
    for source in (spec.dataset, *splits_in(spec.dataset).values()):
        names.append(source.get("path") if isinstance(source, Mapping) else source)
    places = {
        name: place_of_file(spec.folder, name, spec.app_files)
        for name in names
        if isinstance(name, str) and name.startswith(MARK)
    }
    return {name: place for name, place in places.items() if isinstance(place, FilePlace)}


def is_plain_path(name: str) -> bool:
    """Whether a name is a path below a folder without anything special: no `..`, no empty parts,
    no backslash, and no part that begins with a dot."""
    parts = name.split("/")
    is_plain = not any(mark in name for mark in ("\\", "\0", ":"))
    return is_plain and all(part and not part.startswith(".") for part in parts)


class _ShortRun(dict[str, Any]):
    """An entry of `prompts` that is only a text, messages or a file's name."""


def runs_of(data: dict[str, JsonValue]) -> Iterator[tuple[JsonPath, dict[str, Any]]]:
    """Yield path and value of each prompt of a `multi_run_prompt`, which is an object or a list,
    and of each variant in `prompts`."""
    runs, variants = data.get("multi_run_prompt"), data.get("prompts")
    if isinstance(runs, dict):
        yield ("multi_run_prompt",), runs
    elif isinstance(runs, list):
        for index, run in enumerate(runs):
            if isinstance(run, dict):
                yield ("multi_run_prompt", index), run
    for name, variant in variants.items() if isinstance(variants, dict) else ():
        if isinstance(variant, dict):
            yield ("prompts", name), variant
        else:
            key = "prompt_file" if _is_file_name(variant) else "prompt"
            yield ("prompts", name), _ShortRun({key: variant})


def _is_file_name(value: JsonValue) -> bool:
    return isinstance(value, str) and value.endswith(PROMPT_SUFFIXES) and len(value.split()) == 1


def key_path(path: JsonPath, run: Mapping[str, Any], key: str) -> JsonPath:
    """Return the path of a key of a prompt from `runs_of`."""
    return path if isinstance(run, _ShortRun) else (*path, key)


def _named_files(data: dict[str, Any]) -> Iterator[tuple[JsonPath, str, Endings]]:
    """Yield path, name and possible endings of each file that the document names."""
    yield ("prompt_file",), data.get("prompt_file", ""), PROMPT_SUFFIXES
    for path, run in runs_of(data):
        yield key_path(path, run, "prompt_file"), run.get("prompt_file", ""), PROMPT_SUFFIXES
    yield ("prompt_object",), data.get("prompt_object", ""), (".json",)
    yield ("output_schema",), data.get("output_schema", ""), (".json",)
    dataset = data.get("dataset")
    benign = data.get("benign")
    rows = benign.get("rows", benign) if isinstance(benign, dict) else benign
    yield from _row_files(("benign",), rows)
    yield from _row_files(("dataset",), dataset)
    for split, source in splits_in(dataset).items():
        yield from _row_files(("dataset", split), source)


def _row_files(path: JsonPath, source: object) -> Iterator[tuple[JsonPath, str, Endings]]:
    if isinstance(source, str):
        yield path, source, ("",)
    elif isinstance(source, dict):
        yield (*path, "path"), source.get("path", ""), ("",)


def files_exist(document: Document, caps: Caps) -> Iterator[Problem]:
    """Yield a problem for each file that can't be used."""
    folder, is_suite = document.path.parent, document.path.name in SUITE_FILES
    for path, name, endings in _named_files(document.data):
        if not isinstance(name, str) or not name or name.strip() == PLACEHOLDER:
            continue
        if not name.endswith(endings):
            message = f"`{name}` must end in {', '.join(f'`{ending}`' for ending in endings)}"
            yield document.problem(message, path, code="wrong_suffix")
        elif name.startswith(MARK) and path[0] in NOT_SHARED:
            message = f"`{MARK}` stands only in `prompt_file`, `prompts` and `dataset`"
            todo = "copy the file into the test folder"
            yield document.problem(message, path, hint=todo, code="app_file")
        elif is_suite and not name.startswith(MARK):
            message = f"`{name}` isn't below the workspace: tests share files of the application"
            todo = f"write `{MARK}FOLDER/{name}`, and `files: [FOLDER]` in lve.yaml"
            yield document.problem(message, path, hint=todo, code="app_file")
        elif isinstance(place := place_of_file(folder, name, caps.files), Unusable):
            hint = place.hint or _similar(folder, name, caps.files)
            yield document.problem(f"`{name}` {place.reason}", path, hint=hint, code=place.code)


def _similar(folder: Path, name: str, files: AppFiles | None) -> str | None:
    start = ""
    if name.startswith(MARK) and files is not None:
        start = name[: name.rindex("/") + 1]
        folder = files.root / start.removeprefix(MARK)
    try:
        present = [f"{start}{entry.name}" for entry in folder.iterdir() if entry.is_file()]
    except OSError:
        return None
    alike = (other for other in present if Path(other).suffix == Path(name).suffix)
    return did_you_mean(name, alike)
