"""Derives a test's category and name from its path, and checks the files that it names."""

from __future__ import annotations

from pathlib import Path

from lve.files.inside import OutsideError, RefusedFileError, check_inside, is_missing, reason_of

REPOSITORY = "repository"


def test_path(folder: Path, root: Path) -> str:
    """Return a test folder relative to the root, with `/`: "." for the root itself, the absolute
    path for a folder outside."""
    path, home = folder.as_posix(), root.as_posix()
    if path.startswith(f"{home}/"):  # faster than `relative_to`
        return path[len(home) + 1 :]
    try:
        return folder.relative_to(root).as_posix()
    except ValueError:
        return path


def category_and_name(path: str, folder_name: str, models: tuple[str, ...]) -> tuple[str, str]:
    """Return category and name of a test by the layout of the LVE repository.

    That is `repository/<category>/.../<name>`, with or without a folder for the model below. The
    last folder is a model's if it is the folder name of one of the test's models
    (`openai--gpt-4`), or has a `--`.

    Args:
        path: the test folder relative to the workspace root, with `/`.
        folder_name: name of the test folder, for a test in the root itself.
        models: the models in the test document.
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
    """Return the path of a file that a test document names, or a text why it can't be used.

    The file must be in the test folder after all links are followed.
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
