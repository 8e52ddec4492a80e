"""Saved prompt objects: `<cache>/<language>/<name>.json`, shared with ragas."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lve.errors import PromptObjectError, PromptTypeError

MAX_BYTES = 1_000_000


def prompt_folder(cache_dir: str | Path | None = None) -> Path:
    """Return the folder of saved prompts.

    `cache_dir` if given, else `$LVE_CACHE_HOME`, else `$RAGAS_CACHE_HOME`, else `ragas` in the
    user's cache folder (`$XDG_CACHE_HOME` or `~/.cache`): where ragas keeps its own.
    """
    if cache_dir:
        return Path(cache_dir)
    chosen = os.environ.get("LVE_CACHE_HOME") or os.environ.get("RAGAS_CACHE_HOME")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "ragas"


def prompt_path(language: str, name: str, cache_dir: str | Path | None = None) -> Path:
    """Return the file of a saved prompt, which need not exist.

    Raises:
        PromptObjectError: the name or language can't be part of a path.
    """
    folder = _safe(language, "language")
    return prompt_folder(cache_dir) / folder / f"{_safe(name, 'name')}.json"


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object.

    Raises:
        PromptObjectError: it can't be read, is too big, or isn't a JSON object.
    """
    try:
        content = path.read_bytes()
        if len(content) > MAX_BYTES:
            raise PromptObjectError([f"{path}: larger than {MAX_BYTES} bytes"])
        data = json.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise PromptObjectError([f"{path}: can't be read ({error.strerror})"]) from error
    except UnicodeDecodeError as error:
        raise PromptObjectError([f"{path}: not UTF-8 (byte {error.start})"]) from error
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise PromptObjectError([f"{place}: not JSON: {error.msg}"]) from error
    except (ValueError, RecursionError) as error:
        raise PromptObjectError([f"{path}: not JSON that can be read ({error})"]) from error
    if not isinstance(data, dict):
        raise PromptTypeError(
            [f"{path}: must hold one JSON object with a prompt's fields, not {_kind(data)}"]
        )
    return data


def saved_prompts(cache_dir: str | Path | None = None) -> Iterator[Path]:
    """Yield the files of all saved prompts, by language and name."""
    yield from sorted(prompt_folder(cache_dir).glob("*/*.json"))


def saved_object(path: Path) -> dict[str, Any] | None:
    """Return the object that a file holds; None if there is no file or it was never a prompt."""
    try:
        return read_object(path)
    except PromptObjectError:
        return None


def write_atomically(path: Path, content: str) -> None:
    """Write an ASCII file and its folder, so that a crash leaves the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:40]}-")
    try:
        with os.fdopen(handle, "w", encoding="ascii", newline="\n") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _safe(part: str, what: str) -> str:
    bad = not part or part == "." or ".." in part or any(c in "/\\:" or c < " " for c in part)
    if bad or part != part.strip():
        raise PromptObjectError(
            [f"{what}: {part!r} can't name a file (it must not be empty or have /, \\, : or ..)"]
        )
    return part


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number")
