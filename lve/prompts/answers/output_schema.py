"""Reads the JSON Schema that a test's answers must fit (`output_schema`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lve.errors import Problem, PromptObjectError, SpecError
from lve.prompts.answers.answer_format import JsonAnswer
from lve.prompts.answers.answer_schema import schema_problems
from lve.prompts.answers.object_file import read_object
from lve.spec.location import file_inside
from lve.spec.spec import Spec
from lve.workspace import display_path


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
