"""Checks of an answer's format: YAML, XML, CSV, code."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any, ClassVar
from xml.parsers import expat

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged, only_true
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.shape.answer_parts import answer_as_written
from lve.checkers.shape.patterns import pattern
from lve.data_classes import dataclass
from lve.documents.csv_text import csv_records
from lve.documents.position_types import MAX_NESTING, Finding
from lve.escape import quoted
from lve.plurals import amount

_FENCE = re.compile(
    r"^[ \t]*+(`{3,}+|~{3,}+)[ \t]*+([\w+#-]*+)[^\n]*+\n(.*?)(?:^[ \t]*\1|```|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""A code fence; what is cut off has one that goes on to the end."""


_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_NO_HEADER = re.compile(pattern("no_table_header"))
"""How an item of a list, an object, code or a sentence begins or ends, and no header."""
_SENTENCE = re.compile(pattern("line_of_prose"))
_WORDS_OF_SENTENCE = 4


def fences(answer: str) -> list[tuple[str, str]]:
    """Return the language, in lower case, and the content of each code fence of an answer, without
    those of its reasoning."""
    parts = _FENCE.findall(answer_as_written(answer))
    return [(language.lower(), content) for _, language, content in parts]


def unfenced(answer: str, *languages: str) -> str:
    """Return the content of an answer's only code fence, or its only one in one of these languages;
    else the whole answer. Its reasoning is none of it."""
    every = fences(answer)
    for contents in (
        [content for language, content in every if language in languages],
        [content for _, content in every],
    ):
        if len(contents) == 1:
            inner = _FENCE.fullmatch(contents[0].strip())
            return str(inner[3]) if inner else contents[0]
    return answer_as_written(answer)


@dataclass(frozen=True, slots=True)
class IsYaml(AnswerCheck):
    """Passes if the answer, or its only code fence, is a YAML mapping or list."""

    work_per_character: ClassVar[int] = 20_000

    is_yaml: bool = True
    """Always `true`."""

    examples: ClassVar = (
        CheckExample(
            {"is_yaml": True}, ("a: 1\nb: [2]", "```yaml\n- x\n```"), ("just text", "a: [1", "")
        ),
    )

    def __post_init__(self) -> None:
        only_true("is_yaml", self.is_yaml)

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        import yaml

        try:
            value = _loaded_yaml(unfenced(response, "yaml", "yml"))
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            return judged(False, f"not YAML: {quoted(' '.join(str(error).split()))}")
        if not isinstance(value, dict | list):
            return judged(False, "not a YAML mapping or list")
        return judged(True, "the answer is YAML")


def _loaded_yaml(text: str) -> object:
    """Return the value of a YAML text. Aliases are refused, as their values can grow without bound;
    so is deep nesting, which takes quadratic time."""
    import yaml

    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_NESTING:
            raise yaml.YAMLError(f"nested more than {MAX_NESTING} levels deep")
    return yaml.safe_load(text)


@dataclass(frozen=True, slots=True)
class IsXml(AnswerCheck):
    """Passes if the answer, or its only code fence, is well-formed XML without a DTD."""

    is_xml: bool = True
    """Always `true`."""

    examples: ClassVar = (
        CheckExample(
            {"is_xml": True},
            ("<a><b/>x</a>", "```xml\n<a/>\n```"),
            ("<a><b></a>", "text", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', ""),
        ),
    )

    def __post_init__(self) -> None:
        only_true("is_xml", self.is_xml)

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = _refuse_dtd
        try:
            parser.Parse(unfenced(response, "xml").strip().encode("utf-8", "replace"), True)
        except (expat.ExpatError, ValueError) as error:
            return judged(False, f"not XML: {error}")
        return judged(True, "the answer is XML")


def _refuse_dtd(*_: object) -> None:
    raise ValueError("it has a DTD, which is not read")


@dataclass(frozen=True, slots=True)
class Csv(AnswerCheck):
    """Passes if the answer, or its only code fence, is a table of comma-separated values."""

    csv: bool | Mapping[str, object] = True
    """`true` for any table: a header and at least one row, all with the same number of values, two
    or more. Or an object with `columns` (their names or their number), `rows` (the number of rows
    without the header) and `delimiter`."""

    examples: ClassVar = (
        CheckExample(
            {"csv": {"columns": ["a", "b"], "rows": 1}},
            ("a,b\n1,2", "```csv\na,b\n1,2\n```"),
            ("a,b\n1,2,3", "a,b\n1,2\n3,4", "b,a\n1,2", ""),
        ),
    )

    def __post_init__(self) -> None:
        only_true("csv", self.csv, or_else="an object")
        for key in self._shape():
            if key not in ("columns", "rows", "delimiter"):
                raise ArgumentError("csv", f"'csv' has no key '{key}'")
        delimiter = self._shape().get("delimiter", ",")
        if not isinstance(delimiter, str) or len(delimiter) != 1:
            raise ArgumentError("csv", "'delimiter' is one character")

    def _shape(self) -> Mapping[str, Any]:
        return self.csv if isinstance(self.csv, Mapping) else {}

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        shape, text = self._shape(), unfenced(response, "csv", "tsv").strip().removeprefix("\ufeff")
        delimiter = shape.get("delimiter", ",")
        if text.startswith("|") and delimiter != "|":
            return judged(False, "not CSV: a table between bars")
        lines = io.StringIO(text, newline="")  # a line may also end in a carriage return alone
        rows: list[list[str]] = []
        for _, record in csv_records(lines, delimiter):
            if isinstance(record, Finding):
                place = f"line {record.line}, column {record.column}"
                return judged(False, f"not CSV: {place}: {record.message}")
            rows += [record] if record else []
        if len(rows) < 2 and "rows" not in shape:
            return judged(False, "not a table: a header and at least one row are wanted")
        header, *others = rows or [[]]
        for number, row in enumerate(others, 2):
            if len(row) != len(header):
                return judged(
                    False, f"row {number} has {amount(len(row), 'value')}, not {len(header)}"
                )
        columns, names = shape.get("columns"), [name.strip() for name in header]
        if not isinstance(columns, list | tuple) and _is_prose(rows):
            return judged(
                False, f"not a table: it begins with a sentence or item, {quoted(names[0])}"
            )
        *before, last = _BLANK_LINE.split(text)
        if before and _is_sentence(last) and not re.search(r",\S", last):
            return judged(False, f"not only a table: it ends with a sentence, {quoted(last)}")
        if len(names) == 1 and columns is None:
            why = f"nothing is separated by {delimiter!r} (a single column has to be in 'columns')"
            return judged(False, f"not a table: {why}")
        if isinstance(columns, int) and columns != len(names):
            return judged(False, f"{amount(len(names), 'column')}, expected {columns}")
        if isinstance(columns, list | tuple) and [*columns] != names:
            return judged(False, f"columns {names}, expected {[*columns]}")
        if "rows" in shape and shape["rows"] != len(others):
            return judged(False, f"{amount(len(others), 'row')}, expected {shape['rows']}")
        return judged(True, f"{amount(len(others), 'row')} of {amount(len(names), 'column')}")


def _is_prose(rows: list[list[str]]) -> bool:
    """Return whether lines are sentences, code or items of a list, and so no table: by the first
    one, which would be the header, or all others. Sentences have spaces after their commas."""
    header, *others = [",".join(row).strip() for row in rows]
    if _NO_HEADER.match(header) or header.count("(") != header.count(")"):
        return True
    is_spaced = all(cell.startswith(" ") for cell in rows[0][1:])
    later = bool(others) and all(map(_is_sentence, others))
    return is_spaced and (_is_sentence(header) or later)


def _is_sentence(line: str) -> bool:
    """Return whether a line reads as a sentence."""
    words = len(line.split())
    ends = line.endswith((".", "?", "!")) and (", " in line or words >= _WORDS_OF_SENTENCE)
    return ends or (words >= _WORDS_OF_SENTENCE and _SENTENCE.match(line) is not None)


@dataclass(frozen=True, slots=True)
class CodeFence(AnswerCheck):
    """Passes if the answer has a code fence in this language, or any code fence."""

    code_fence: str | bool
    """The language, such as `python`, or `true` for any."""

    examples: ClassVar = (
        CheckExample(
            {"code_fence": "python"}, ("```python\nx = 1\n```",), ("x = 1", "```sql\nx\n```")
        ),
    )

    def __post_init__(self) -> None:
        only_true("code_fence", self.code_fence, or_else="a language")

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        languages = [language for language, _ in fences(response)]
        expected = self.code_fence
        good = expected.lower() in languages if isinstance(expected, str) else bool(languages)
        listed = ", ".join(name or "no language" for name in languages[:5]) or "none"
        return judged(good, f"code fences: {listed}")
