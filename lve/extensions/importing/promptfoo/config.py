"""Converts a whole configuration: its prompts and tests become test folders.

Tests with the same assertions become one folder per prompt, with a row for each test.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, product
from pathlib import Path as FilePath

from lve.data_classes import dataclass
from lve.documents.json_lines import canonical_json
from lve.documents.read import DocumentPosition, read_document
from lve.errors import UsageError
from lve.escape import excerpt, head
from lve.extensions.importing.boxes.box import BoxOptions
from lve.extensions.importing.certificate import source_of, with_certificate
from lve.extensions.importing.folders import MAX_BYTES, MAX_TESTS, Names
from lve.extensions.importing.promptfoo.assertions import Checks
from lve.extensions.importing.promptfoo.cases import Case, PlacedTest, placed_tests, read_cases
from lve.extensions.importing.promptfoo.check_list import Path, check_list, weighs_nothing
from lve.extensions.importing.promptfoo.dumped import PASSED
from lve.extensions.importing.promptfoo.dumped import TOOL as PROMPTFOO
from lve.extensions.importing.promptfoo.installed_promptfoo import Original
from lve.extensions.importing.promptfoo.prompts import Prompt, read_prompts
from lve.extensions.importing.promptfoo.prove import Origin, ProvenConfig
from lve.extensions.importing.promptfoo.providers.call_forms import FILTER, form_of_all
from lve.extensions.importing.promptfoo.providers.model_names import (
    Asked,
    answer_kind,
    model_keys,
    read_models,
    with_settings,
)
from lve.extensions.importing.promptfoo.rendered import rendered
from lve.extensions.importing.promptfoo.source import Source
from lve.extensions.importing.promptfoo.templates import to_placeholders
from lve.extensions.importing.promptfoo.thresholds import Check
from lve.importers import Imported, ImportedTest
from lve.workspace import display_path

TOOL = "promptfoo"
CONFIG = "promptfooconfig.yaml"
NO_COUNTERPART = ("redteam", "extensions", "nunjucksFilters")
"""Keys of a configuration without a counterpart in lve."""
DEFAULT_PROMPT = "{{prompt}}"
"""The prompt of a configuration without prompts."""
ANY_ANSWER: Check = {"expression": "lambda output: True"}
"""The check of a test that asserts nothing."""
MAX_DESCRIPTION = 500
"""Maximum length of a description, in characters."""
MAX_VARIANTS = 100
"""As in schemas/test.schema.json."""
MAX_ROWS = 100_000
"""Maximum number of rows of all tests together."""


@dataclass(slots=True)
class Group:
    """Tests with the same checks."""

    checks: list[Check]
    names: dict[str, None]
    files: dict[str, str]
    cases: list[Case]
    paths: list[list[Path]]
    """Of each case, which of its assertions the checks are."""


def read_config(path: FilePath, options: BoxOptions | None = None) -> Imported:
    """Return the tests of a configuration.

    Args:
        path: a `promptfooconfig.yaml`, or its folder.
        options: what promptfoo itself may do: run its scripts and fill in its templates (`loads`),
            and then say what it thinks of the tests (`prove`); None: it is only read.

    Raises:
        SpecError: the file can't be parsed.
        UsageError: it isn't a configuration, or is too large, or promptfoo isn't set up.
    """
    document = read_document(path / CONFIG if path.is_dir() else path)
    config, at = document.data, DocumentPosition(document.path, ())
    if not isinstance(config, dict) or not {"prompts", "tests", "providers"} & set(config):
        raise UsageError(
            f"{display_path(document.path)} is not a configuration of promptfoo", code="importer"
        )
    source = Source(config, document.path.parent)
    loads = options is not None and options.loads
    if options is not None and options.prove:
        PROMPTFOO.check()
    for key in NO_COUNTERPART:
        if key in config and (not loads or key not in PASSED):
            source.leave_out(at.below((key,)), "left out: lve has no counterpart")
    if "derivedMetrics" in config:
        source.tell("derivedMetrics are only shown, and decide nothing: `lve report` has others")
    written = config.get("prompts", DEFAULT_PROMPT)
    if options is not None and loads:
        prompts, tests = rendered(source, {**config, "prompts": written}, at, options)
    else:
        prompts = read_prompts(source, written, at.below(("prompts",)))
        tests = None
    key = "targets" if "targets" in config else "providers"
    asked = read_models(source, config.get(key, []), at.below((key,)))
    source.answers = answer_kind(config)
    source.calls = form_of_all(each.calls for each in asked)
    counts = Counter[int]()
    counted = _counted(placed_tests(source, config, at), counts) if tests is None else tests
    groups = _groups(source, read_cases(source, config, at, counted))
    about = str(config.get("description") or "")
    lost = source.calls is not None and not source.calls.name
    if lost and any(group.checks != [ANY_ANSWER] for group in groups):
        why = "left out: where a model calls tools, promptfoo's assertions judge the calls as JSON"
        source.leave_out(at.below((key,)), f"{why}, and lve's the text: use `called`")
    parts = [part for each in _parts(source, prompts, asked) for part in _alike(source, *each)]
    pairs = list(_tests(source, parts, groups, about))
    made = [test for test, _ in pairs]
    if options is None or not options.prove:
        return Imported(made, source.left_out, source.told)
    original = Original(source, {**config, "prompts": written}, at, options, counts)
    origins = {test.folder: origin for test, origin in pairs}
    return ProvenConfig(made, source.left_out, source.told, original=original, origins=origins)


def _counted(tests: Iterable[PlacedTest], counts: Counter[int]) -> Iterator[PlacedTest]:
    """Yield tests, and count those of each entry."""
    for each in tests:
        counts[each.place[0]] += 1
        yield each


def _alike(
    source: Source, prompts: list[Prompt], models: list[Asked]
) -> Iterator[tuple[list[Prompt], dict[str, object]]]:
    """Yield prompts that have the same settings, with the keys of their models."""
    groups: dict[str, list[Prompt]] = {}
    for prompt in prompts:
        groups.setdefault(canonical_json(prompt.config), []).append(prompt)
    for chosen in groups.values():
        settings = chosen[0].config
        if settings and not models:
            names = excerpt(", ".join(settings))
            raise UsageError(f"a prompt sets {names} of the model: name one", code="importer")
        yield chosen, model_keys([with_settings(source, each, settings) for each in models])


def _parts(
    source: Source, prompts: list[Prompt], asked: list[Asked]
) -> Iterator[tuple[list[Prompt], list[Asked]]]:
    """Yield prompts with the models that get them: once, unless models name some, or have tools of
    their own."""
    by_prompts: dict[tuple[tuple[int, ...], str], list[Asked]] = {}
    counts = Counter[str]()
    names = {name for prompt in prompts for name in prompt.called}
    for each in asked:
        own = [
            n
            for n, prompt in enumerate(prompts)
            if each.prompts is None or prompt.called & {*each.prompts}
        ]
        if not own and prompts:
            source.leave_out(each.position, "left out: it gets none of the prompts")
            continue
        if unknown := [name for name in each.prompts or () if name not in names]:
            why = f"left out: its prompt {excerpt(unknown[0])}, which isn't among those imported"
            source.leave_out(each.position, why)
        counts[each.model] += 1  # of a model that is there with several settings, one each
        alike = canonical_json([each.tools, each.instructions, counts[each.model]])
        by_prompts.setdefault((tuple(own), alike), []).append(each)
    for (numbers, _), models in by_prompts.items():
        chosen = [prompts[n] for n in numbers]
        yield [_instructed(prompt, models[0].instructions) for prompt in chosen], models
    if not by_prompts and not asked:
        yield prompts, []


def _instructed(prompt: Prompt, instructions: str) -> Prompt:
    """Return a prompt after the instructions of a model, which are its first message."""
    if not instructions:
        return prompt
    names = dict(prompt.names)
    first: dict[str, object] = {"role": "system", "content": to_placeholders(instructions, names)}
    messages = [first, *prompt.messages]
    return replace(prompt, messages=messages, names=names, is_instructed=True)


def _groups(source: Source, cases: Iterable[Case]) -> list[Group]:
    """Return the tests grouped by their checks. Tests without any check are left out."""
    groups: dict[str, Group] = {}
    count = 0
    for case in cases:
        count += len(case.rows)
        if count > MAX_ROWS:
            raise UsageError(
                f"the configuration has more than {MAX_ROWS:,} rows", code="over_limit"
            )
        calls = case.asked.calls if case.asked else source.calls
        first: list[Check] = [{"type": FILTER, "form": calls.name}] if calls and calls.name else []
        transforms = [*first, *case.transforms]
        converter = Checks(
            source, case.variables, case.has_texts, transforms, calls=calls, options=case.options
        )
        pairs = check_list(converter, case.asserted, case.threshold)
        checks = [check for _, check in pairs]
        is_empty = all(map(weighs_nothing, case.asserted)) and case.threshold is None
        if not case.asserted or is_empty:
            checks = [ANY_ANSWER]
            source.tell("a test that asserts nothing passes with any answer: give it a check")
        if not checks:
            source.leave_out(case.position, "left out: none of its assertions can be converted")
            continue
        group = Group(checks, converter.names, converter.files, [], [])
        alike = [checks, converter.files, case.asked and case.asked[:2], case.hub]
        group = groups.setdefault(canonical_json(alike), group)
        group.cases.append(case)
        group.paths.append([path for path, _ in pairs] or [()])
    return list(groups.values())


def _tests(
    source: Source,
    parts: list[tuple[list[Prompt], dict[str, object]]],
    groups: list[Group],
    about: str,
) -> Iterator[tuple[ImportedTest, Origin]]:
    names, size = Names(), 0
    most = max((len(prompts) for prompts, _ in parts), default=0)
    if most > MAX_VARIANTS or most * len(parts) * len(groups) > MAX_TESTS:
        raise UsageError(
            f"the configuration has more than {MAX_TESTS:,} tests, by its prompts, or more than "
            f"{MAX_VARIANTS} prompts",
            code="over_limit",
        )
    every = {id(prompt): prompt for prompts, _ in parts for prompt in prompts}
    pairs = chain(
        product(parts, (group for group in groups if group.cases[0].asked is None)),
        (
            (part, group)
            for group in groups
            if (own := group.cases[0].asked) is not None
            for part in _alike(source, [*every.values()], [own])
        ),
    )
    for (prompts, shared), group in pairs:
        if not prompts:
            continue
        folder = names.new(group.cases[0].description, "test")
        at = group.cases[0].position
        origin = {"source": source_of(TOOL, at.document, at.line, source.folder)}
        test = _test(folder, prompts, group, {**origin, **shared}, about)
        size += sum(map(len, test.files.values()))
        if size > MAX_BYTES:
            raise UsageError(
                f"its tests would take more than {MAX_BYTES:,} bytes", code="over_limit"
            )
        places = [prompt.place for prompt in prompts]
        is_instructed = any(prompt.is_instructed for prompt in prompts)
        yield test, Origin(places, is_instructed, group.cases, group.paths, group.checks)


def _prompt_keys(prompts: list[Prompt]) -> dict[str, object]:
    """Return the prompt of a test, or its variants if there are several."""
    if len(prompts) == 1:
        return {"prompt": prompts[0].messages}
    names = Names()
    return {"prompts": {names.new(prompt.label, "prompt"): prompt.messages for prompt in prompts}}


def _test(
    folder: str, prompts: list[Prompt], group: Group, shared: dict[str, object], about: str
) -> ImportedTest:
    in_prompts = {name: None for prompt in prompts for name in prompt.names}
    columns = list({**in_prompts, **group.names})
    alone = group.cases[0].description if len(group.cases) == 1 else ""
    description = " ".join(f"{about} {alone}".split()) or "Imported from promptfoo."
    document: dict[str, object] = {
        "description": head(description, MAX_DESCRIPTION),
        **shared,
        **_prompt_keys(prompts),
    }
    files: dict[str, str | bytes] = {**group.files}
    if (hub := group.cases[0].hub) is not None:
        document |= {"prompt_parameters": columns, "dataset": hub}
    elif columns:
        document |= {"prompt_parameters": columns, "dataset": "rows.jsonl"}
        rows = (row for case in group.cases for row in case.rows)
        lines = (json.dumps({name: row.get(name, "") for name in columns}, ensure_ascii=False)
                 for row in rows)  # fmt: skip
        files["rows.jsonl"] = "".join(f"{line}\n" for line in dict.fromkeys(lines))
    test = ImportedTest(folder, {**document, "checks": group.checks}, files)
    return with_certificate(test, rows=str(files.get("rows.jsonl", "\n")).count("\n"))
