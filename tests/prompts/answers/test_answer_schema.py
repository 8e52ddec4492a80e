"""Hostile schemas and answers, which once took too much time or memory, or ended the whole run."""

from __future__ import annotations

import inspect
import json
import sys
import time
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from lve import regexes
from lve.errors import CheckerError
from lve.prompts.answers import answer_schema, schema_meter
from lve.prompts.answers.answer_format import JsonAnswer, mismatch
from lve.prompts.answers.answer_schema import (
    MAX_CHAIN,
    MAX_OBJECTS,
    MAX_VALUES,
    schema_problems,
)
from lve.prompts.answers.schema_meter import Meter, TooManyStepsError

LITTLE = (20_000, 0.1)
"""A tenth of the steps and the seconds that a value may take."""

DEADLINE_S = 60


@pytest.fixture(autouse=True)
def _in_time() -> object:
    started = time.process_time()
    yield
    assert time.process_time() - started < DEADLINE_S


def doubling(levels: int, keyword: str = "allOf") -> dict[str, Any]:
    """Return a schema that holds a value against 2^levels schemas."""
    names = [{"$ref": f"#/$defs/d{n + 1}"} for n in range(levels)]
    definitions: dict[str, Any] = {f"d{n}": {keyword: [name, name]} for n, name in enumerate(names)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": {"type": "object"}}}


def nested(levels: int, innermost: Any = None) -> Any:
    schema: Any = innermost or {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


CHAIN = {
    "$ref": "#/$defs/c0",
    "$defs": {**{f"c{n}": {"$ref": f"#/$defs/c{n + 1}"} for n in range(3000)}, "c3000": {}},
}
REFUSED = {
    "2^20": (doubling(20), "more than 5000 schemas"),
    "2^40": (doubling(40), "chain of more than"),
    "choices of choices": (doubling(20, "anyOf"), "more than 5000 schemas"),
    "unevaluated": ({"unevaluatedProperties": False, **doubling(8)}, "more than 100 schemas"),
    "circle": ({"allOf": [{"$ref": "#"}]}, "leads back to itself"),
    "circle of two": (
        {
            "$ref": "#/$defs/a",
            "$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"$ref": "#/$defs/a"}},
        },
        "leads back to itself",
    ),
    "dynamic circle": ({"$dynamicAnchor": "a", "$dynamicRef": "#a"}, "leads back to itself"),
    "chain": (CHAIN, "chain of more than"),
    "deep": (nested(400), "nested more than"),
    "enum": ({"enum": list(range(200_000))}, "more than 100000 values"),
    "choices": ({"oneOf": [{"const": n} for n in range(6_000)]}, "more than 5000 objects"),
    "remote": ({"$ref": "http://127.0.0.1:9/schema"}, "leads nowhere"),
    "file": ({"$ref": "file:///etc/passwd"}, "leads nowhere"),
    "to data": ({"$ref": "#/enum/0", "enum": ["x"]}, "leads to what is no schema"),
    "to nonsense": ({"$ref": "#/x", "x": {"minLength": "a"}}, "not a JSON Schema"),
    "hidden": (
        {"properties": {"const": {"patternProperties": {"a": {}}}}},
        "patternProperties is not supported",
    ),
    "zero": ({"multipleOf": 0}, "not a JSON Schema"),
}


@pytest.mark.parametrize("most", ["objects", "values"])
@pytest.mark.parametrize("more", [0, 1])
def test_a_schema_may_be_as_large_as_is_said(most: str, more: int) -> None:
    if most == "objects":  # itself and those of the list
        schema: Any = {"oneOf": [{} for _ in range(MAX_OBJECTS - 1 + more)]}
    else:  # itself, the list and what it has
        schema = {"enum": list(range(MAX_VALUES - 2 + more))}
    said = list(schema_problems(schema))
    limit = MAX_OBJECTS if most == "objects" else MAX_VALUES
    assert said == ([f"a schema of more than {limit} {most}"] if more else [])


@pytest.mark.parametrize(("schema", "said"), REFUSED.values(), ids=list(REFUSED))
def test_a_schema_that_cannot_be_bounded_is_refused(schema: Any, said: str) -> None:
    (problem,) = schema_problems(schema)
    assert said in problem
    assert len(problem) < 500


INNER = {"patternProperties": {}}
AT_ANY_KEYWORD: list[Any] = [
    *({keyword: INNER} for keyword in (
        "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then",
        "unevaluatedItems", "unevaluatedProperties",
    )),
    *({keyword: [{}, INNER]} for keyword in ("allOf", "anyOf", "oneOf", "prefixItems")),
    *({keyword: {"a": INNER}} for keyword in (
        "$defs", "definitions", "dependentSchemas", "properties",
    )),
]  # fmt: skip


@pytest.mark.parametrize("schema", AT_ANY_KEYWORD, ids=lambda schema: next(iter(schema)))
def test_a_schema_is_looked_at_wherever_it_stands(schema: Any) -> None:
    (problem,) = schema_problems(schema)
    assert "patternProperties is not supported" in problem


@pytest.mark.parametrize("order", [1, -1], ids=["from its start", "from its end"])
def test_a_chain_is_too_long_whichever_link_is_seen_first(order: int) -> None:
    def chain(links: int) -> Any:
        names = list(range(links))[::order]
        return {
            "$defs": {**{f"c{n}": {"$ref": f"#/$defs/c{n + 1}"} for n in names}, f"c{links}": {}},
        }

    assert list(schema_problems(chain(MAX_CHAIN - 1))) == []
    (problem,) = schema_problems(chain(MAX_CHAIN))
    assert "chain of more than" in problem


def test_a_nested_schema_is_refused_where_little_stack_is_left() -> None:
    def below(frames: int, schema: Any) -> list[str]:
        return below(frames - 1, schema) if frames else list(schema_problems(schema))

    frames = sys.getrecursionlimit() - len(inspect.stack(0)) - 200
    assert below(frames, {"items": {}}) == []
    assert below(frames, nested(60, {"pattern": "a"})) == ["a schema that is nested too deep"]
    assert below(frames, nested(60)) == [], "without a pattern it takes no stack"


USABLE = {
    "recursive": (
        {"$ref": "#/$defs/t", "$defs": {"t": {"items": {"$ref": "#/$defs/t"}}}},
        [[], [[]]],
    ),
    "anchor": ({"$ref": "#a", "$defs": {"x": {"$anchor": "a", "type": "array"}}}, []),
    "bundle": (
        {
            "$id": "https://example.com/root",
            "$ref": "inner",
            "$defs": {"i": {"$id": "https://example.com/inner", "type": "array"}},
        },
        [],
    ),
    "dynamic": ({"$dynamicAnchor": "a", "items": {"$dynamicRef": "#a"}, "type": "array"}, [[]]),
    "unevaluated": (
        {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
        {"a": 1},
    ),
    "data": ({"enum": [{"$ref": "nowhere"}]}, {"$ref": "nowhere"}),
    "true": (True, 1),
    "equal numbers": ({"uniqueItems": True}, [1, True, "1", [1], {"a": 1}]),
}


@pytest.mark.parametrize(("schema", "value"), USABLE.values(), ids=list(USABLE))
def test_an_honest_schema_is_used(schema: Any, value: Any) -> None:
    assert list(schema_problems(schema)) == []
    assert mismatch(schema, value) is None


BROKEN: list[Any] = [
    *({"pattern": "["}, {"pattern": "(?<=a+)b"}, {"patternProperties": {"[": {}}}, {"type": "x"}),
    *({"required": ["a", "a"]}, {"$anchor": "a b"}, {"$defs": {"a": {"items": [1]}}}, [], 3),
    *(
        {"dependencies": 3},
        {"minLength": True},
        {"enum": 3},
        {"items": [{}]},
        {"items": {"$id": 1}},
    ),
    *({"properties": {"\ud800": 3}}, {"multipleOf": -(10**400)}, {"$ref": "http://[x"}),
]


@pytest.mark.parametrize("schema", [*(schema for schema, _ in USABLE.values()), *BROKEN])
def test_the_fast_validator_accepts_only_what_the_slow_one_accepts(schema: Any) -> None:
    if answer_schema._is_plainly_valid(schema):
        Draft202012Validator.check_schema(schema)


def test_a_plain_schema_needs_no_slow_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> None:
        pytest.fail("takes seconds")

    monkeypatch.setattr(Draft202012Validator, "check_schema", slow)
    assert list(schema_problems({"oneOf": [{"type": "string"}] * 4900})) == []


TREE = {"allOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]}


def deep_list(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


COSTLY = {
    "doubling per level": (TREE, deep_list(40)),
    "doubling in its own dialect": (
        {"$schema": "http://json-schema.org/draft-07/schema#", **TREE},
        deep_list(40),
    ),
    "false choices": ({"anyOf": [False] * 4900}, ["x" * 100] * 1000),
    "choices": ({"oneOf": [{"type": "string"}] * 4900}, ["x" * 100] * 1000),
    "unevaluated items": ({"unevaluatedItems": {}}, [0] * 100_000),
    "long constant": (
        {"items": {"const": [list(range(1000))]}},
        [[list(range(1000))]] * 10_000,
    ),
    "long enum": ({"items": {"enum": list(range(90_000))}}, [-1] * 20_000),
}


@pytest.mark.parametrize(("schema", "value"), COSTLY.values(), ids=list(COSTLY))
def test_work_without_end_is_not_done(
    schema: Any, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if schema is not TREE:  # which takes as long as it may
        monkeypatch.setattr(Meter.__init__, "__defaults__", LITTLE)
    assert list(schema_problems(schema)) == []
    with pytest.raises(CheckerError, match="held against output_schema: that takes too much work"):
        mismatch(schema, value)


def test_a_meter_has_exactly_its_steps() -> None:
    meter = Meter(steps=2)
    meter.pay(1)
    meter.pay(1)
    with pytest.raises(TooManyStepsError):
        meter.pay(1)


def test_a_large_pattern_is_searched_in_a_text_up_to_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pattern = regexes.compile_pattern("abc")
    monkeypatch.setattr(schema_meter, "MAX_STRETCH", regexes.longest_step(pattern, "xxabc"))
    assert Meter().search(pattern, "xxabc")
    with pytest.raises(regexes.PatternTimeoutError, match="large pattern on a long text"):
        Meter().search(pattern, "xxxabc")


def test_all_patterns_of_an_answer_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Meter.__init__, "__defaults__", LITTLE)
    answer = "\n".join([json.dumps(["a" * 20_000 + "!"])] * 20)
    started = time.process_time()
    with pytest.raises(CheckerError, match="a pattern takes too long"):
        JsonAnswer({"items": {"pattern": "(a|a)*$"}}).read(answer)
    assert time.process_time() - started < 10 * LITTLE[1]  # and not 20 times


def test_all_values_of_an_answer_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Meter.__init__, "__defaults__", LITTLE)
    answer = "\n".join([json.dumps(deep_list(40))] * 20)
    with pytest.raises(CheckerError, match="takes too much work"):
        JsonAnswer({**TREE, "required": ["b"]}).read(answer)


def test_unique_items_take_linear_time() -> None:
    items = [{"id": n} for n in range(20_000)]
    assert mismatch({"uniqueItems": True}, items) is None
    assert mismatch({"uniqueItems": True}, [*items, {"id": 7.0}]) is not None
    assert "non-unique" in str(mismatch({"uniqueItems": True}, [1, 1.0]))
    colliding = [n * (2**61 - 1) for n in range(20_000)]
    assert mismatch({"uniqueItems": True}, colliding) is None


@pytest.mark.parametrize(
    ("divisor", "value", "fits"),
    [
        (0.5, 10**4000, True),
        (3, 10**4000, False),
        (2.0**-900, 2.0**900, True),
        (3 * 2.0**-900, 2.0**900, False),
        (0.5, float("nan"), False),
        (2, float("inf"), False),
        (0.1, 0.5, True),
        (3, 9.0, True),
        (2, True, True),  # not a number in JSON
    ],
)
def test_a_multiple_of_any_number(divisor: float, value: float, fits: bool) -> None:
    assert (mismatch({"multipleOf": divisor}, value) is None) is fits


def test_an_answer_of_usual_size_is_held_against_its_schema() -> None:
    row = {"type": "object", "required": ["id", "text"], "properties": {"id": {"type": "integer"}}}
    rows = [{"id": n, "text": "some words of an answer"} for n in range(5000)]
    schema = {"type": "array", "items": row, "uniqueItems": True}
    assert mismatch(schema, rows) is None
    named = {"items": {"$ref": "#/$defs/row"}, "$defs": {"row": row}}
    assert mismatch(named, rows) is None
    assert "$[5000]" in str(mismatch({**schema, "uniqueItems": False}, [*rows, {"id": "x"}]))
