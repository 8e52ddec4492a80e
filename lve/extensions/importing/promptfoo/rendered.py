"""Makes prompts and rows of what promptfoo itself has rendered.

A prompt that lve can fill in stays a template, if that gives the same texts. Of another one, what
is the same in all rows is text of the prompt, and what differs is a column.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import groupby

from lve.documents.read import DocumentPosition
from lve.extensions.importing.boxes.box import BoxOptions
from lve.extensions.importing.promptfoo.cases import (
    HUB,
    Place,
    PlacedTest,
    Rows,
    is_on_hub,
    placed_tests,
)
from lve.extensions.importing.promptfoo.dumped import (
    CONVERSATION,
    EARLIER,
    Dump,
    DumpedPrompt,
    DumpedRow,
    DumpedTest,
    request_of,
)
from lve.extensions.importing.promptfoo.prompts import (
    Entry,
    Prompt,
    messages_of,
    prompt_entries,
    read_entry,
)
from lve.extensions.importing.promptfoo.providers.model_names import provider_labels
from lve.extensions.importing.promptfoo.source import Source, UnsupportedError
from lve.extensions.importing.promptfoo.tables import LinePosition
from lve.extensions.importing.promptfoo.templates import value_text
from lve.extensions.importing.promptfoo.variables import hub_of
from lve.json_types import JsonObject, JsonValue
from lve.prompts.fill_texts import as_literal

_CONFIG = re.compile(r"\bconfig\b")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def rendered(
    source: Source, config: JsonObject, at: DocumentPosition, options: BoxOptions
) -> tuple[list[Prompt], list[PlacedTest]]:
    """Return the prompts, and the tests with their rows. What promptfoo can't render is left out
    and reported.

    Args:
        source: reads files, and collects what is left out.
        config: the whole configuration.
        at: the position of the configuration.
        options: what promptfoo may do.

    Raises:
        UsageError: promptfoo isn't set up.
    """
    below = at.below(("prompts",))
    entries = list(_runnable(source, prompt_entries(source, config["prompts"], below)))
    placed = list(placed_tests(source, {**config}, at, as_written=True))
    providers = provider_labels(config.get("targets", config.get("providers")))
    hub = {n for n, each in enumerate(placed) if is_on_hub(each.test) and not options.network}
    tests: list[JsonValue] = [
        {} if n in hub else each.test  # type: ignore[misc]  # of a document
        for n, each in enumerate(placed)
    ]
    request = request_of(config, [entry.written for entry in entries], tests, providers)
    dump = Dump()
    try:
        dump.read(request, source.folder, options)
    except UnsupportedError as error:
        source.leave_out(at, str(error))
        return [], []
    source.tell(f"promptfoo {dump.version} made the rows: import again when its scripts change")
    source.scripts = dump.scripts
    dump.tests = [test for test in dump.tests if test.entry not in hub]
    usable = [test for test in dump.tests if _has_prompts(test, dump.prompts)]
    columns = _Columns(source, entries, [row for test in usable for row in test.rows.values()])
    prompts = list(columns.prompts(dump.prompts))
    of_hub = [placed[n] for n in sorted(hub)]
    if of_hub and columns.are_new:
        why = "left out: only promptfoo can fill in its prompts, and needs --network for their rows"
        source.leave_out(of_hub[0].position, why)
        of_hub = []
    return prompts, [*_placed(source, placed, dump.tests, columns), *_read(source, of_hub)]


def _runnable(source: Source, entries: Iterator[Entry]) -> Iterator[Entry]:
    """Yield entries without scripts that read what they wouldn't get: their own settings, and what
    a model has answered."""
    for entry in entries:
        try:
            script = source.text(entry.file) if entry.is_script else ""
            if entry.config and _CONFIG.search(script):
                raise UnsupportedError("left out: its script reads settings of the prompt")
            if CONVERSATION in script:
                raise UnsupportedError(EARLIER)
            yield entry
        except UnsupportedError as error:
            source.leave_out(entry.position, str(error))


def _has_prompts(test: DumpedTest, prompts: Sequence[DumpedPrompt]) -> bool:
    """Return whether a test has rows of which promptfoo has made all prompts, and drop the others;
    it gets the reason if it has none."""
    needed = {number for number, prompt in enumerate(prompts) if not prompt.why}
    test.rows = {key: row for key, row in test.rows.items() if needed <= row.texts.keys()}
    if not test.why and not test.rows:
        why = next((f": {why}" for why in test.failures.values()), "")
        test.why = f"left out: promptfoo makes no prompt of it{why}"
    return not test.why


def _placed(
    source: Source, placed: Sequence[PlacedTest], tests: Sequence[DumpedTest], columns: _Columns
) -> Iterator[PlacedTest]:
    """Yield the tests, each with its rows."""
    counts = Counter[int]()
    for each in tests:
        place: Place = (each.entry, counts[each.entry])
        counts[each.entry] += 1
        if not 0 <= each.entry < len(placed):
            continue
        test, position = placed[each.entry][:2]
        if not isinstance(test, dict):
            test, position = each.test, LinePosition(position.document, (position.line or 1,))
        if each.why:
            source.leave_out(position, each.why)
            continue
        for variables, why in each.failures.items():
            lost = f"left out: promptfoo makes no prompt of its row {variables}: {why}"
            source.leave_out(position, lost)
        rows = [columns.of(row) for row in each.rows.values()]
        values = [value for row in each.rows.values() for value in row.variables.values()]
        names = tuple(dict.fromkeys(name for row in each.rows.values() for name in row.variables))
        has_texts = all(isinstance(value, str) for value in values)
        yield PlacedTest(test, position, place, Rows(rows, names, has_texts))


def _read(source: Source, placed: Sequence[PlacedTest]) -> Iterator[PlacedTest]:
    """Yield the tests that only have the name of a data set."""
    for each in placed:
        try:
            yield each._replace(test={HUB: hub_of(source, str(each.test))})
        except UnsupportedError as error:
            source.leave_out(each.position, str(error))


class _Columns:
    """The prompts and the columns that are made of rendered texts."""

    def __init__(self, source: Source, entries: Sequence[Entry], rows: Sequence[DumpedRow]) -> None:
        self._source, self._entries, self._rows = source, entries, rows
        self._names = {name for row in rows for name in row.variables}
        self.are_new = False
        self._columns = {
            id(row): {name: value_text(value) for name, value in row.variables.items()}
            for row in rows
        }

    def of(self, row: DumpedRow) -> dict[str, str]:
        """Return the variables of a row, and what its prompts need."""
        return self._columns[id(row)]

    def prompts(self, dumped: Sequence[DumpedPrompt]) -> Iterator[Prompt]:
        """Yield the prompts. Those without a counterpart are left out and reported."""
        numbered = list(enumerate(dumped))
        for number_of_entry, group in groupby(numbered, key=lambda pair: pair[1].entry):
            if not 0 <= number_of_entry < len(self._entries):
                continue
            entry, members = self._entries[number_of_entry], list(group)
            templates: list[Prompt | None] = [None] * len(members)
            with suppress(UnsupportedError):
                read = read_entry(self._source, entry, members[0][0])
                templates = [*read] if len(read) == len(members) else templates
            places = [(entry.number, inner) for inner in range(len(members))]
            for (number, each), template, place in zip(members, templates, places, strict=True):
                try:
                    prompt = self._prompt(number, each, entry, template)
                    config = {**prompt.config, **(each.settings or {})}
                    yield replace(prompt, place=place, config=config)
                except UnsupportedError as error:
                    self._source.leave_out(entry.position, str(error))

    def _prompt(
        self, number: int, dumped: DumpedPrompt, entry: Entry, template: Prompt | None
    ) -> Prompt:
        if dumped.why:
            raise UnsupportedError(dumped.why)
        texts = [row.texts[number] for row in self._rows]
        if template is not None and self._is_same(template, texts):
            return template
        leaves: list[list[str]] = []
        shapes = []
        for text in texts:
            leaves.append([])
            shapes.append(messages_of(text, _collecting(leaves[-1])))
            if shapes[-1] != shapes[0]:
                raise UnsupportedError("left out: its conversations have several shapes")
        if not shapes:
            raise UnsupportedError("left out: no test has it")
        parts = self._parts(number, leaves)
        messages = _mapped(shapes[0], lambda text: parts.get(text, text))
        columns = [part[1:-1] for part in parts.values() if _NAME.fullmatch(part[1:-1])]
        label = entry.label or dumped.label
        called = frozenset({label, dumped.label, entry.written, *dumped.label.split(": ")[:1]})
        return Prompt(label, messages, dict.fromkeys(columns), called, entry.config)

    def _parts(self, number: int, leaves: Sequence[Sequence[str]]) -> dict[str, str]:
        """Return what stands for each text of a shape, and fill the columns."""
        parts: dict[str, str] = {}
        for index, values in enumerate(zip(*leaves, strict=True)):
            if len(set(values)) == 1:
                parts[_mark(index)] = as_literal(values[0])
                continue
            name = (
                f"prompt_{number + 1}" if len(leaves[0]) == 1 else f"part_{number + 1}_{index + 1}"
            )
            while name in self._names:
                name += "_"
            self._names.add(name)
            self.are_new = True
            parts[_mark(index)] = f"{{{name}}}"
            for row, value in zip(self._rows, values, strict=True):
                self._columns[id(row)][name] = value
        return parts

    def _is_same(self, template: Prompt, texts: Sequence[str]) -> bool:
        """Return whether lve fills in a template as promptfoo does."""
        for row, text in zip(self._rows, texts, strict=True):
            values = defaultdict(str, self._columns[id(row)])
            messages = _mapped(template.messages, partial(_filled, values))
            if messages != messages_of(text, lambda part: part):
                return False
        return True


def _filled(values: Mapping[str, str], text: str) -> str:
    return text.format_map(values)


def _mark(index: int) -> str:
    return f"\0{index}"


def _collecting(leaves: list[str]) -> Callable[[str], str]:
    def leaf(text: str) -> str:
        leaves.append(text)
        return _mark(len(leaves) - 1)

    return leaf


def _mapped(
    messages: list[dict[str, object]], leaf: Callable[[str], str]
) -> list[dict[str, object]]:
    return [{key: _each(value, leaf) for key, value in message.items()} for message in messages]


def _each(value: object, leaf: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return leaf(value)
    if isinstance(value, list):
        return [_each(item, leaf) for item in value]
    if isinstance(value, Mapping):
        return {key: _each(item, leaf) for key, item in value.items()}
    return value
