"""Derives a test's path, category and name from its folder, and checks the files that it names."""

from __future__ import annotations

from pathlib import Path

from lve.files.inside import OutsideError, RefusedFileError, check_inside, is_missing, reason_of

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
