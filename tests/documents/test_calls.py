"""Texts with one mistake, mark or limit each, through every reader and every way to show them
(cases/recorded_calls/documents.json)."""

from __future__ import annotations

from support.recorded_calls import Calls, changed, grid, record, rows_of, texts

from lve import escape, suggest
from lve.documents import (
    csv_text,
    json_lines,
    json_paths,
    json_text,
    lenient_json,
    position_types,
    yaml_rules,
)
from lve.documents.mended_json import Mend
from lve.documents.position_types import TextError
from lve.documents.read import parser_for
from lve.documents.validation import hints, value_formats
from lve.json_types import JsonObject
from lve.prompts import word_diff

TEXTS_OF = texts("documents")
SCALARS = TEXTS_OF["scalars"]
YAMLS = TEXTS_OF["yamls"]
JSONS = TEXTS_OF["jsons"]
LENIENT = TEXTS_OF["lenient"]
PATHS = (
    "",
    "$",
    "a",
    "$.a[0].b",
    "[0][-1]",
    "['a b'].c",
    '["a"]',
    "a.",
    "a..b",
    "a[x]",
    "[1234567]",
    "$a-b",
    " a ",
    "[0",
    "['a\"]",
    ".a",
    "a[]",
)
VALUES = ({"a": [1, {"b": 2}]}, [1, 2], "text", None)
CSVS = TEXTS_OF["csvs"]
HEADERS = ("a,b", "a;b", "a\tb", "a|b", '"a;b",c', '"a,b"', "a", '"a', "a;b,c")
TEXTS = TEXTS_OF["texts"]
WIDTHS = (1, 5, 18, 80)
KEYS = TEXTS_OF["keys"]
OF_A_TEST = "expect tags prompt prompt_parameters checks model dataset repeats default_model_args"
OF_OTHERS = ("content response verdict", "model args", "args default_model_args")
PROPERTIES: tuple[JsonObject, ...] = tuple(
    dict.fromkeys(names.split()) for names in (OF_A_TEST, *OF_OTHERS)
)
PLACES = (
    ("model",),
    ("models",),
    ("check",),
    ("checks",),
    ("examples",),
    ("examples", 0),
    ("tags", 1),
    ("expect",),
    ("dataset", 0),
    ("matrix", "a"),
    ("a",),
    ("skip",),
    ("roles",),
)
WRONG = ("x", 1, [1], {"a": None}, {"a": 1}, None)
AMOUNTS = (
    "1",
    "1.5",
    "-1 s",
    "+5%",
    "10 seconds",
    "1e3",
    "",
    "a",
    1,
    "1 2",
    "123456789012345",
    "1234567890123456",
    "1.1234567890123456",
    "5abcdefgh",
    "5abcdefghi",
)
WRITTEN = (
    None,
    1,
    1.5,
    2**70,
    "\u20ac\x7f\ud800",
    {"b": 1, "a": [1, {}]},
    float("nan"),
    (1, 2),
    {1: 2},
    {"a": b"x"},
    [float("inf")],
    True,
)
FORMATS = {
    "date": ("2026-02-28", "2026-02-30"),
    "uuid": ("a",),
    "email": ("a@b.c", "a"),
    "ipv4": ("1.2.3.4", "1.2.3"),
    "none": ("a",),
    "uri": ("http://a", "a b"),
    "regex": ("(", "a"),
}
WORDS = (
    "contains",
    "contians",
    "contain",
    "equals",
    "CONTAINS",
    "xyz",
    "",
    "is_json",
    "json",
    "not_contains",
)


def parsed(suffix: str, text: str) -> object:
    """Return the value of a document, or its problems with their places."""
    try:
        return parser_for(suffix)(text)
    except TextError as error:
        return error.findings


def records(text: str, most: int) -> object:
    return csv_text.csv_records(text.splitlines(keepends=True), max_chars=most)


def lenient(text: str, mend: str) -> object:
    """Return the values in a text."""
    return lenient_json.json_values(text, Mend[mend], fences_first=True, with_nan=True)


def spans(text: str, mend: str) -> object:
    """Return the values in a text with their places, and what they are read from."""
    found = lenient_json.json_spans(text, Mend[mend])
    return [(value, text[start:end]) for value, start, end in found]


def step_in(value: object, path: str) -> object:
    for step in json_paths.path_steps(path) or []:
        value = json_paths.at_step(value, step)
    return value


def all_calls() -> Calls:
    formats = [(text, name) for name, texts in FORMATS.items() for text in texts]
    plain_texts = [text for text in TEXTS if "\ud800" not in text]
    return {
        **grid(yaml_rules.plain_value, SCALARS),
        **grid(parsed, (".yaml",), YAMLS),
        **grid(parsed, (".json",), JSONS),
        **grid(parsed, (".toml",), ("a = 1\n", "[a]\nb = 'c'\n", "a = nan\n", "a = 2026-11-28\n")),
        **grid(json_text.decode_next, ('[1] {"a": 2}', '  "b', "", "12,"), (0, 2, 3)),
        **grid(
            json_text.list_items,
            ('[1, [2], "x"]', "[]", "[", "{}", " [1 ,2 ]", "[1 2]", "[1,]", "[1] x"),
        ),
        **grid(
            json_text.has_lone_surrogate,
            ("\ud800", ["\udc00"], {"\ud800": 1}, "\ud83d\ude00", "a", 1),
        ),
        **grid(json_text.whole_characters, ("\ud83d\ude00", "\ud800", "a")),
        **grid(json_lines.file_json, WRITTEN[:6]),
        **grid(json_text.is_too_deep, ([], [[]], [[[]]], {"a": {"b": 1}}), (1, 2)),
        **grid(position_types.spell_path, ((), ("a", 0, "a b"), ("a" * 200,), ("1a", "a-b"))),
        **grid(lenient, LENIENT, [mend.name for mend in Mend]),
        **grid(spans, LENIENT, [mend.name for mend in Mend if mend > Mend.breaks]),
        **grid(json_paths.path_steps, PATHS),
        **grid(step_in, VALUES, ("a", "a[1].b", "[0]", "[-1]", "[5]", "a.b")),
        **grid(records, CSVS, (8, 100)),
        **grid(csv_text.delimiter_of, HEADERS),
        **rows_of(value_formats.has_format, formats),
        **grid(hints.hint_for_key, KEYS, PROPERTIES),
        **grid(hints.hint_for_type, PLACES, WRONG[::3]),
        **grid(hints.hint_for_type, (("model",), ("skip",)), WRONG),
        **grid(hints.hint_for_number, AMOUNTS),
        **grid(json_lines.json_line, WRITTEN),
        **grid(json_lines.fast_json_line, WRITTEN[:6]),
        **grid(json_lines.canonical_json, WRITTEN),
        **grid(json_lines.is_plain_json, WRITTEN, (1, 3)),
        **grid(
            json_lines.fast_written_value,
            (b'{"a":1}', b'{"a": 1}', b'{"a":1,"a":2}', b"1e3", b"[", b"123456789012345678901"),
        ),
        **grid(escape.escape, TEXTS),
        **grid(escape.escape_line, TEXTS),
        **grid(escape.disarm_json, ("a##b", "a#b", '"###"')),
        **grid(escape.columns, TEXTS),
        **grid(escape.clip, plain_texts, WIDTHS),
        **grid(escape.one_line, plain_texts, (None, 5)),
        **grid(escape.head, TEXTS, (0, 1, 300)),
        **grid(escape.tail, TEXTS, (1, 300)),
        **grid(escape.excerpt, TEXTS, (10,)),
        **grid(escape.excerpt, ("a" * 59, "a" * 60, "a" * 61, "a" * 99, "a" * 100, "a" * 101)),
        **grid(
            escape.listed,
            ([], ["a"], list("abcdefghijk"), [*"ab", 3], [str(n) for n in range(2000)]),
        ),
        **grid(suggest.closest, WORDS, (WORDS,)),
        **grid(suggest.did_you_mean, ("contians", "eqals", "q", "isjson"), (WORDS,)),
        **grid(word_diff.word_diff, ("", "a b c", "a  b\nc"), ("", "a x c", "b", "a b c d")),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("documents", all_calls()) == {}


if __name__ == "__main__":
    record("documents", all_calls())
