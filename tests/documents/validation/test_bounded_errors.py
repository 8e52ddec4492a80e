"""Documents with very many mistakes: the first are described, the others counted, and jsonschema
is asked about the first ones only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lve.documents.read import Document, read_document
from lve.documents.validation import bounded_errors, explaining, schema
from lve.documents.validation.schema import complaints_about, explain_value, is_valid, validate
from lve.limits.problems import MAX_PROBLEMS, MoreProblems

MANY = 5_000
TEST = {"description": "x", "model": "dummy/dummy", "check": {"contains": "x"}, "prompt": "x"}
WRONG: dict[str, tuple[str, Any, int]] = {
    "messages": ("prompt", [{"rol": 1}] * MANY, MANY),
    "tags": ("tags", [{"nam": n} for n in range(MANY)], MANY),
    "examples": ("examples", [{"response": "x", "verdict": "good"}] * MANY, MANY - 100),
    "names that are no texts": ("prompt_parameters", list(range(MANY)), MANY - 99),
    "names that are there twice": ("prompt_parameters", ["x"] * MANY, MANY - 100),
    "a matrix without lists": ("matrix", {f"n{n}": n for n in range(MANY)}, MANY - 100),
    "rows": ("dataset", list(range(MANY)), MANY - 100),
}
"""What is wrong -> key, value, the number of problems that aren't described. Each of the first 100
messages has two, and so has each tag. Of the others, each counts once. There may be 1,000 names."""


def written(folder: Path, **keys: Any) -> Document:
    """Return a test document that has been written and read."""
    file = folder / "test.json"
    file.write_text(json.dumps({**TEST, **keys}))
    return read_document(file)


def counting(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Count the values that jsonschema looks at."""
    looked = 0
    original = jsonschema.Draft202012Validator.descend

    def descend(*args: Any, **named: Any) -> Any:
        nonlocal looked
        looked += 1
        return original(*args, **named)

    for name in ("test", "instance", "test/suite"):
        validator = explaining._validator(name, schema._schema)
        monkeypatch.setattr(type(validator), "descend", descend)
    return lambda: looked


@pytest.mark.parametrize("wrong", WRONG)
def test_many_mistakes_are_counted(wrong: str, tmp_path: Path) -> None:
    key, value, more = WRONG[wrong]
    problems = validate(written(tmp_path, **{key: value}), "test")
    *described, last = problems
    assert len(described) == MAX_PROBLEMS
    assert isinstance(last, MoreProblems)
    assert last.count == more
    assert f"{last.count:,} more problems are not described" in str(last)


@pytest.mark.parametrize("wrong", WRONG)
def test_the_work_does_not_grow_with_their_number(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, value, _ = WRONG[wrong]
    looked = counting(monkeypatch)
    validate(written(tmp_path, **{key: value}), "test")
    assert 0 < looked() < 100 * MAX_PROBLEMS


def test_good_members_are_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = [{"user": "x"}] * MANY + [{"rol": "x"}]
    looked = counting(monkeypatch)
    problems = validate(written(tmp_path, prompt=messages), "test")
    assert [problem.path for problem in problems] == [
        f"$.prompt[{MANY}]",
        f"$.prompt[{MANY}].rol",
    ]
    assert looked() < 100


def test_few_mistakes_are_all_described(tmp_path: Path) -> None:
    tags = [{"name": "a", "value": "b"}] * 200 + [{"name": 1, "value": "b"}] * 30
    problems = validate(written(tmp_path, tags=tags), "test")
    assert [problem.path for problem in problems] == [f"$.tags[{n}].name" for n in range(200, 230)]


def test_a_branch_is_not_taken_for_valid_because_its_mistakes_are_only_counted(
    tmp_path: Path,
) -> None:
    """The first list uses up what may be described; `anyOf` must still refuse the second."""
    content = [{"tex": 1}] * MANY
    messages = [{"role": "user", "content": content}, {"role": "user", "content": content}]
    complaints, more = complaints_about({**TEST, "prompt": messages}, "test")
    assert complaints
    assert more == MANY - MAX_PROBLEMS + 1
    assert not is_valid({**TEST, "prompt": messages}, "test")


def test_numbers_that_the_fast_validator_lacks_are_looked_at_by_the_slow_one(
    tmp_path: Path,
) -> None:
    rows = [{"n": 10**30}] * MANY
    assert validate(written(tmp_path, dataset=rows), "test") == []
    problems = validate(written(tmp_path, dataset=[*rows, 10**30, 7]), "test")
    assert [problem.path for problem in problems] == [
        f"$.dataset[{MANY}]",
        f"$.dataset[{MANY + 1}]",
    ]


def test_unknown_keys_are_counted(tmp_path: Path) -> None:
    problems = validate(written(tmp_path, **{f"k{n}": 1 for n in range(MANY)}), "test")
    assert len(problems) == MAX_PROBLEMS + 1
    assert problems[-1].message == f"{MANY - MAX_PROBLEMS:,} more problems are not described"


def test_a_row_is_explained_in_part() -> None:
    turns = [{"texts": n} for n in range(MANY)]
    assert 0 < len(explain_value({"args": {}, "turns": turns}, "instance")) <= 20


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (["a", "b", "c"], "breaks the rule `items` of the schema"),
        ([1], "must be text, not a number"),
        (["a"], None),
    ],
)
def test_items_behind_the_named_ones(value: list[Any], said: str | None) -> None:
    """`prefixItems` beside `items: false`, as in schemas of lve's own files."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    from lve.documents.validation.complaints import explain_errors

    schema = {"type": "array", "prefixItems": [{"type": "string"}] * 2, "items": False}
    kind = extend(Draft202012Validator, bounded_errors.BOUNDED)  # type: ignore[no-untyped-call]
    found = bounded_errors.bounded_errors(value, kind(schema), "none")
    messages = [complaint.message for complaint in explain_errors(found.errors)]
    assert messages == ([] if said is None else [said])


def test_it_does_not_matter_which_thread_looks_at_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left to describe belongs to the value that is validated, not to a thread."""
    kind = type(explaining._validator("test", schema._schema))
    original = kind.iter_errors
    document = {**TEST, "prompt": [{"rol": 1}] * MANY, "prompt_parameters": ["x"] * 500}
    alone = complaints_about(document, "test")

    def elsewhere(validator: Any, value: object) -> Iterator[Any]:
        with ThreadPoolExecutor(1) as pool:
            return iter(pool.submit(lambda: [*original(validator, value)]).result())

    monkeypatch.setattr(kind, "iter_errors", elsewhere)
    assert complaints_about(document, "test") == alone
    assert alone.more == (MANY - MAX_PROBLEMS) + (499 - MAX_PROBLEMS)


def test_a_value_is_validated_while_another_one_is() -> None:
    """As two threads do, or a program that validates within a validation."""
    many = {**TEST, "tags": [{"nam": n} for n in range(MANY)]}
    alone, inner = complaints_about(many, "test"), []

    class Rows(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            inner.append(complaints_about(many, "test"))
            return super().__iter__()

    outer = complaints_about({**many, "tags": Rows(many["tags"])}, "test")
    assert inner
    assert [outer, *inner] == [alone] * (1 + len(inner))


def test_formats_are_not_checked() -> None:
    calibration = json.loads((schema.schema_folder() / "calibration.schema.json").read_text())
    assert calibration["properties"]["measured"]["format"] == "date"
    complaints, _ = complaints_about({"measured": "some day"}, "calibration")
    assert complaints
    assert not [c for c in complaints if c.path == ("measured",)]
