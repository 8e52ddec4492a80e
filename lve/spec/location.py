"""What the path of a test says, and which files a test may name."""

from __future__ import annotations

from pathlib import Path

from lve.files.inside import OutsideError, RefusedFileError, check_inside, is_missing

REPOSITORY = "repository"


def test_path(folder: Path, root: Path) -> str:
    """Return the test folder relative to the root, with `/`; "." for the root itself, an absolute
    path for a folder outside."""
    path, home = folder.as_posix(), root.as_posix()
    if path.startswith(f"{home}/"):  # `relative_to` takes both apart, for every test
        return path[len(home) + 1 :]
    try:
        return folder.relative_to(root).as_posix()
    except ValueError:
        return path


def category_and_name(path: str, folder_name: str, models: tuple[str, ...]) -> tuple[str, str]:
    """Return category and name of a test, as the LVE repository has them.

    `repository/<category>/.../<name>/<model>` and `repository/<category>/.../<name>` are the two
    layouts. The last folder is a model's if it spells one of the test's models
    (`openai--gpt-4`) or has the `--` that such a spelling has.

    Args:
        path: the test folder relative to the workspace root, with `/`.
        folder_name: name of the test folder, for a test in the root itself.
        models: the models that the test names.
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
    """Return the path of a file that a test document names, or why it can't be used.

    The file must be in the test folder after all symbolic links are followed: reading a test never
    reads anything else.
    """
    if "\0" in name or "\\" in name:
        return "is not a file name; folders are separated by `/`"
    try:
        check_inside(folder, name)
    except OSError as error:
        return why_unusable(error)
    return folder / name


def why_unusable(error: OSError) -> str:
    """Return why a file of a test folder can't be used, as what follows its name in a sentence."""
    if isinstance(error, OutsideError):
        return "is outside the test folder"
    if isinstance(error, RefusedFileError):
        return f"is {error.reason}"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file"
    if is_missing(error):
        return "does not exist"
    return f"can't be read: {error.strerror or type(error).__name__}"
