"""Reads a file with one JSON object: a schema of answers, or a prompt object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lve.documents.position_types import TOO_MANY_VALUES, is_too_large
from lve.errors import PromptFileError, PromptNotFoundError, PromptObjectError, PromptTypeError
from lve.files.inside import FileTooLargeError, read_inside, read_regular
from lve.json_types import json_type

MAX_BYTES = 16_000_000
"""Size of such a file: far more than any model reads."""


def read_object(path: Path, folder: Path | None = None) -> dict[str, Any]:
    """Read a JSON file that holds an object.

    Args:
        path: of the file.
        folder: that the file must be in, after links are followed. None for a file that the user
            names: it may be anywhere.

    Raises:
        PromptNotFoundError: (a FileNotFoundError) there is no such file.
        PromptFileError: (an OSError) it can't be read, or is too big.
        PromptObjectError: it isn't a JSON object.
    """
    content = _read_bytes(path, folder)
    try:
        text = content.decode("utf-8-sig")
        if is_too_large(text):
            raise ValueError(TOO_MANY_VALUES)
        data = json.loads(text)
    except UnicodeDecodeError as error:
        raise PromptObjectError([f"{path}: not UTF-8 (byte {error.start})"]) from error
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise PromptObjectError([f"{place}: not JSON: {error.msg}"]) from error
    except (ValueError, RecursionError) as error:
        raise PromptObjectError([f"{path}: not JSON that can be read ({error})"]) from error
    if not isinstance(data, dict):
        raise PromptTypeError(
            [f"{path}: must hold one JSON object with a prompt's fields, not {json_type(data)}"]
        )
    return data


def _read_bytes(path: Path, folder: Path | None) -> bytes:
    try:
        if folder is None:
            return read_regular(path, MAX_BYTES)
        return read_inside(folder, path, MAX_BYTES)
    except FileTooLargeError as error:
        raise PromptFileError([f"{path}: larger than {MAX_BYTES} bytes"]) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise PromptNotFoundError([f"{path}: no such file"]) from error
    except OSError as error:
        raise PromptFileError([f"{path}: can't be read ({error.strerror})"]) from error
