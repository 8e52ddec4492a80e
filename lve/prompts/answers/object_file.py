"""Reads files with one JSON object: a schema that a test's answers must fit (`output_schema`), or a
prompt object.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lve.documents.position_types import TOO_MANY_VALUES, is_too_large
from lve.errors import (
    Problem,
    PromptFileError,
    PromptNotFoundError,
    PromptObjectError,
    PromptTypeError,
    SpecError,
)
from lve.files.inside import FileTooLargeError, read_inside, read_regular
from lve.json_types import json_type
from lve.prompts.answers.answer_format import JsonAnswer
from lve.prompts.answers.answer_schema import schema_problems
from lve.spec.location import file_inside
from lve.spec.spec import Spec
from lve.workspace import display_path

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


def schema_answer(spec: Spec) -> JsonAnswer:
    """Return the answer format of a test that has an `output_schema` and no prompt object.

    Raises:
        SpecError: the schema is invalid.
    """
    problems: list[Problem] = []
    schema = read_schema(spec, problems)
    if problems:
        raise SpecError(problems)
    return JsonAnswer(schema, repair=spec.repair)


def read_schema(spec: Spec, problems: list[Problem]) -> Any:
    """Return the schema of a test, None if it has none; append its problems to `problems`."""
    try:
        schema = spec.output_schema
        if isinstance(schema, str):
            schema = read_object(file_of_test(spec, schema), spec.folder)
    except PromptObjectError as error:
        problems.extend(problem_of(spec, text, "$.output_schema") for text in error.problems)
        return None
    if schema is not None:
        messages = schema_problems(schema)
        problems.extend(problem_of(spec, text, "$.output_schema") for text in messages)
    return schema


def file_of_test(spec: Spec, name: str) -> Path:
    """Return the path of a file that a test refers to by `name`.

    Raises:
        PromptObjectError: it isn't inside the test folder.
    """
    path = file_inside(spec.folder, name)
    if isinstance(path, str):
        raise PromptObjectError([f"{name}: {path}"])
    return path


def problem_of(spec: Spec, message: str, path: str) -> Problem:
    """Return a problem of a test's document."""
    return Problem(message, display_path(spec.file), path=path, code="output_schema")
