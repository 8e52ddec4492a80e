"""The prompts of a test document, and its variants: a test for each entry of `prompts`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from lve.documents.position_types import JsonPath
from lve.documents.read import Document
from lve.extension_table import extension_part
from lve.messages import Message
from lve.settings.settings import AppFiles
from lve.spec.location import FilePlace, Unusable, key_path, place_of_file, runs_of
from lve.spec.spec import PromptSource, Spec

ONE_PROMPT = "(one prompt)"
"""The column of tests without variants in a table of variants."""
MOST_COLUMNS = 12
"""Variants that a table has as columns; more are rows."""
Result = TypeVar("Result", bound="HasVariant")


def prompts_in(document: Document, files: AppFiles | None) -> tuple[PromptSource, ...]:
    """Return the prompts of a valid test document, those of all its variants; none for dialects
    without LVE prompts.

    Args:
        document: the test document.
        files: the files of the application that it may use.
    """
    runs = [*runs_of(document.data)]
    if not runs and {"prompt", "prompt_file"} & document.data.keys():
        runs = [((), document.data)]
    return tuple(_prompt(document, path, run, files) for path, run in runs)


def _prompt(
    document: Document, path: JsonPath, run: Mapping[str, Any], files: AppFiles | None
) -> PromptSource:
    """Return a prompt.

    Args:
        document: the test document.
        path: the path of `run` in it.
        run: the object with the prompt: the document itself, or an entry of `multi_run_prompt` or
            `prompts`.
        files: the files of the application that it may use.
    """
    repetitions = int(run.get("repetitions", run.get("repetition", 1)))
    names = run.get("name"), repetitions, str(path[1]) if path[:1] == ("prompts",) else None
    if "prompt_file" in run:
        position = document.at(key_path(path, run, "prompt_file"))
        own, written = document.path.absolute().parent, run["prompt_file"]
        place = place_of_file(own, written, files)
        place = FilePlace(own, written) if isinstance(place, Unusable) else place
        folder = None if place.folder == own else place.folder
        return PromptSource(position, None, (), place.path, folder, written, *names)
    where, messages = key_path(path, run, "prompt"), run["prompt"]
    if isinstance(messages, str):
        return PromptSource(document.at(where), (Message(messages),), (), None, None, None, *names)
    return PromptSource(
        document.at(where),
        tuple(Message.from_json(message) for message in messages),
        tuple(document.at((*where, i)) for i in range(len(messages))),
        *(None, None, None),
        *names,
    )


def each_variant(
    spec: Spec, names: Collection[str] = (), attacks: str | None = None
) -> tuple[Spec, ...]:
    """Return the variants of a test, and those of its attacks, as tests of their own, whose paths
    end in `@NAME`; a test without variants is the only one.

    Args:
        spec: the test.
        names: only these variants, if there are any.
        attacks: names of what attacks it, instead of what its document says.

    Raises:
        UsageError: there is no such attack.
        SpecError: another test has the path of a variant.
    """
    variants = _of_prompts(spec)
    if spec.attack is None and (attacks or spec.attacks):
        variants = extension_part("variants of attacks")(variants, attacks)
    return tuple(test for test in variants if not names or test.variant in names)


def _of_prompts(spec: Spec) -> tuple[Spec, ...]:
    if spec.variant is not None or not spec.variants:
        return (spec,)
    return tuple(
        replace(
            spec,
            path=f"{spec.path}@{name}",
            variant=name,
            prompts=tuple(prompt for prompt in spec.prompts if prompt.variant == name),
            warnings=spec.warnings if number == 0 else (),
        )
        for number, name in enumerate(spec.variants)
    )


def variants_of(tests: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Return test -> its variants, in their order; tests without variants are left out.

    Args:
        tests: paths of tests; those of variants end in `@NAME`.
    """
    variants: dict[str, list[str]] = {}
    for path in tests:
        test, mark, name = path.rpartition("@")
        if mark and "/" not in name and name not in variants.setdefault(test, []):
            variants[test].append(name)
    return {test: names for test, names in variants.items() if len(names) > 1}


class HasVariant(Protocol):
    """What a table has of a test."""

    variant: str | None
    """The variant that it is of."""


def by_variant(results: Mapping[tuple[str, str], Result]) -> Mapping[tuple[str, str], Result]:
    """Return test and model -> result as a table of variants: test and variant -> result, if there
    are variants. With several models, the test's name says which. A folder that is called `x@y` is
    a test like others."""
    own = (test for (test, _), result in results.items() if result.variant is not None)
    models, variants = {model for _, model in results}, variants_of(own)
    table: dict[tuple[str, str], Result] = {}
    for (path, model), result in results.items() if variants else ():
        test, _, name = path.rpartition("@")
        is_variant = name in variants.get(test, ())
        row, column = (test, name) if is_variant else (path, ONE_PROMPT)
        table[row if len(models) == 1 else f"{row} · {model}", column] = result
    columns = {column for _, column in table}
    return table if 0 < len(columns) <= MOST_COLUMNS else results
