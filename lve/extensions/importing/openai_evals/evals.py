"""Converts the evals of a registry: each becomes a test, or one per shape of its samples."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from lve.errors import LveError
from lve.escape import head
from lve.extensions.importing.boxes.box import BoxOptions
from lve.extensions.importing.certificate import source_of, with_certificate
from lve.extensions.importing.folders import Names
from lve.extensions.importing.openai_evals.graded import graded_check
from lve.extensions.importing.openai_evals.prove import TOOL, EvalTests, Origin
from lve.extensions.importing.openai_evals.registry import (
    Eval,
    NoCounterpartError,
    Registry,
    open_registry,
)
from lve.extensions.importing.openai_evals.samples import (
    Sample,
    Shape,
    Turn,
    has_names,
    shapes,
    turns_of,
)
from lve.extensions.importing.proof import PROVEN_ROWS
from lve.importers import ImportedTest
from lve.json_types import JsonObject, JsonValue

DEFAULTS = BoxOptions()
IDEAL = "ideal"
MAX_DESCRIPTION = 500
COMMON = frozenset({"samples_jsonl", "max_tokens", "seed"})
"""Arguments of all classes."""
FEW_SHOT = frozenset({"num_few_shot", "few_shot_jsonl"})


def read_evals(path: Path, options: BoxOptions = DEFAULTS) -> EvalTests:
    """Return the tests of a registry of OpenAI's `evals`.

    Args:
        path: a registry's folder, a checkout or package of `evals`, or a file of `evals/`.
        options: what the package may do, if the tests are compared with it.

    Raises:
        UsageError: it is none of these, has too many files, or the package isn't set up.
    """
    if options.prove:
        TOOL.check()
    registry = open_registry(path)
    names = Names()
    tests: list[ImportedTest] = []
    origins: dict[str, Origin] = {}
    for entry in registry.evals():
        try:
            converted = list(_tests(registry, entry))
        except (NoCounterpartError, LveError) as error:
            registry.leave_out(entry.position, error)
            continue
        at = entry.position
        origin = source_of(TOOL.name, at.document, at.line, registry.folder)
        origin["task"] = entry.shown_name
        for shape, document, files in converted:
            document = {**document, "source": origin}
            test = ImportedTest(names.new(entry.shown_name, "eval"), document, files)
            tests.append(with_certificate(test, rows=len(shape.samples)))
            samples = [each.written for each in islice(shape.samples, PROVEN_ROWS)]
            origins[test.folder] = (entry.name, samples)
    return EvalTests(
        tests, registry.left_out, registry=registry.folder, origins=origins, options=options
    )


def _tests(registry: Registry, entry: Eval) -> Iterator[tuple[Shape, JsonObject, dict[str, str]]]:
    """Yield document and files of each test of an eval, and the samples of which it is made.

    Raises:
        NoCounterpartError: it can't be imported.
    """
    if entry.class_name not in CLASSES:
        raise NoCounterpartError(f"the class {entry.class_name} has no counterpart in lve")
    check, model_args, allowed, columns_of = CLASSES[entry.class_name](registry, entry)
    if unknown := sorted(set(entry.args) - allowed - COMMON):
        raise NoCounterpartError(f"its argument {unknown[0]} has no counterpart in lve")
    examples = _examples(registry, entry) if allowed >= FEW_SHOT else []
    by_shape = shapes(_samples(registry, entry, examples, columns_of))
    if not by_shape:
        raise NoCounterpartError("it has no sample that can be imported")
    for shape in by_shape:
        yield shape, *_document(entry, shape, check, model_args)


def _document(
    entry: Eval, shape: Shape, check: JsonObject, model_args: JsonObject
) -> tuple[JsonObject, dict[str, str]]:
    prompt, rows = shape.prompt_and_rows()
    about = entry.description or f"Imported from OpenAI's evals: {entry.name}."
    document: dict[str, JsonValue] = {"description": head(about, MAX_DESCRIPTION)}
    if model_args:
        document["default_model_args"] = dict(model_args)
    document |= {"prompt": prompt, "dataset": "rows.jsonl", "check": check}
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    return document, {"rows.jsonl": "".join(f"{line}\n" for line in lines)}


def _samples(
    registry: Registry,
    entry: Eval,
    examples: Sequence[Turn],
    columns_of: Callable[[JsonObject], JsonObject],
) -> Iterator[Sample]:
    """Yield each sample that can be imported."""
    are_named = False
    for file, line, sample in registry.samples(entry.args.get("samples_jsonl")):
        try:
            turns = turns_of(sample.get("input"))
            columns = columns_of(sample)
        except NoCounterpartError as error:
            registry.leave_out_line(file, line, error)
            continue
        are_named = are_named or has_names(sample.get("input"))
        yield Sample([*turns[:-1], *examples, turns[-1]], columns, sample)
    if are_named:
        registry.leave_out(
            entry.position,
            "the names of messages: those of example_user and example_assistant are sent as user's "
            "and assistant's",
        )


def _examples(registry: Registry, entry: Eval) -> list[Turn]:
    """Return the messages of the examples, which stand before the last one of each sample."""
    count = entry.args.get("num_few_shot", 0)
    if not isinstance(count, int) or count <= 0:
        return []
    examples = islice(registry.samples(entry.args.get("few_shot_jsonl")), count)
    messages: list[JsonValue] = []
    for file, line, example in examples:
        sample = example.get("sample")
        if not isinstance(sample, list):
            registry.leave_out_line(file, line, "its sample is no list of messages")
            continue
        messages += sample
    if has_names(messages):
        registry.leave_out(
            entry.position,
            "the names of its examples' messages: they are sent as user's and assistant's",
        )
    return turns_of(messages) if messages else []


Converted = tuple[JsonObject, JsonObject, frozenset[str], Callable[[JsonObject], JsonObject]]
"""The check, the model args, the names of the class' own arguments, and what makes a sample's
columns."""


def _matching(
    compare: str,
    allowed: frozenset[str],
    model_args: JsonObject,
    columns_of: Callable[[JsonObject], JsonObject],
) -> Callable[[Registry, Eval], Converted]:
    def convert(registry: Registry, entry: Eval) -> Converted:
        check: dict[str, JsonValue] = {"evals_match": f"{{{IDEAL}}}", "compare": compare}
        if entry.args.get("ignore_case"):
            check["ignore_case"] = True
        args = {name: entry.args.get(name, default) for name, default in model_args.items()}
        return check, args, allowed, columns_of

    return convert


def _ideal_column(sample: JsonObject) -> JsonObject:
    """Return the right answers of a sample.

    Raises:
        NoCounterpartError: it has none, or one that each answer matches.
    """
    ideal = sample.get(IDEAL)
    ideals = ideal if isinstance(ideal, list) else [ideal]
    if not ideals or not all(isinstance(text, str) for text in ideals):
        raise NoCounterpartError("its ideal is neither a text nor a list of texts")
    if not all(ideals):
        raise NoCounterpartError("its ideal is empty: each answer would match")
    return {IDEAL: ideal}


def _json_column(sample: JsonObject) -> JsonObject:
    """Return the right answers of a sample, as `_ideal_column`: JSON texts."""
    columns = _ideal_column(sample)
    ideals = columns[IDEAL]
    for text in ideals if isinstance(ideals, list) else [ideals]:
        try:
            json.loads(str(text))
        except (ValueError, RecursionError) as error:
            raise NoCounterpartError(f"its ideal isn't JSON: {error}") from None
    return columns


CLASSES: Mapping[str, Callable[[Registry, Eval], Converted]] = {
    "Match": _matching("match", FEW_SHOT, {"temperature": 0.0}, _ideal_column),
    "Includes": _matching("includes", frozenset({"ignore_case"}), {}, _ideal_column),
    "FuzzyMatch": _matching(
        "fuzzy_match", frozenset(), {"temperature": 0.0, "max_tokens": 100}, _ideal_column
    ),
    "JsonMatch": _matching(
        "json_match", frozenset(), {"temperature": 0.0, "max_tokens": 512}, _json_column
    ),
    "ModelBasedClassify": graded_check,
}
"""Class -> what converts it."""
