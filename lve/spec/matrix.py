"""The key `matrix` of a test: an instance for each combination of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from lve.documents.read import Document
from lve.errors import Problem
from lve.escape import excerpt
from lve.json_types import JsonObject
from lve.settings.settings import Caps
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS
from lve.suggest import did_you_mean

MAX_COMBINATIONS = 10_000


def rows_of(matrix: Mapping[str, list[object]]) -> list[dict[str, object]]:
    """Return the combinations as rows of a data set. The last name's values vary fastest."""
    return [dict(zip(matrix, values, strict=True)) for values in product(*matrix.values())]


def matrix_problems(document: Document, _: Caps) -> Iterator[Problem]:
    """Yield the problems of a matrix that the schema can't find (a rule of `lve.spec.rules`)."""
    matrix = document.data.get("matrix")
    if not isinstance(matrix, dict):
        return
    if "dataset" in document.data:
        hint = "keep one, or write the combinations into the data set"
        message = "`dataset` and `matrix` exclude each other"
        yield document.problem(message, ("matrix",), hint=hint, key=True, code="matrix")
    yield from _unknown_names(document, matrix)
    count = prod(len(values) for values in matrix.values() if isinstance(values, list))
    if count > MAX_COMBINATIONS:
        hint = f"at most {MAX_COMBINATIONS:,}: leave some out, or write a `dataset`"
        yield document.problem(f"has {count:,} combinations", ("matrix",), hint=hint, code="matrix")


def _unknown_names(document: Document, matrix: JsonObject) -> Iterator[Problem]:
    """Yield a problem for each name that is neither a parameter nor a model arg. Unlike a column of
    a data set, such a name in a matrix can only be a mistake."""
    parameters = document.data.get("prompt_parameters")
    if not isinstance(parameters, list):
        return
    columns = [*(name for name in parameters if isinstance(name, str)), *KNOWN_MODEL_ARGS]
    for name in matrix:
        if name not in columns:
            message = f"`{excerpt(name)}` is neither a parameter of the prompt nor a model arg"
            hint = did_you_mean(name, columns) or "add it to `prompt_parameters`"
            yield document.problem(message, ("matrix", name), hint=hint, key=True, code="matrix")
