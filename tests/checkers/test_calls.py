"""Verdicts, arguments and placeholders of checkers, with one thing wrong in each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from support.recorded_calls import Calls, changed, grid, record

from lve.checkers.arguments import matches, type_in_words
from lve.checkers.contract import Verdict, common_code, first_labels
from lve.checkers.usable_names import only_placeholder, placeholder_names
from lve.checkers.valid_verdict import checked_verdict, cut_reason, valid_verdict

HINTS: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "text or none": str | None,
    "number or texts": float | tuple[str, ...],
    "literal": Literal["a", 1, True],
    "object": object,
    "mapping": Mapping[str, object],
}
VALUES = ("a", "b", 1, 1.0, 1.5, True, False, None, [], ["a"], ["a", 1], ("a",), {}, {"a": 1})
VERDICTS = (
    Verdict("passed", "yes"),
    Verdict("failed", "no", 0.5, "code_1", ("a", "b")),
    Verdict("failed", "no", 1e6),
    Verdict("failed", "no", 1e6 + 1),
    Verdict("failed", "no", -1e6),
    Verdict("failed", "no", -1e6 - 1),
    Verdict("failed", "no", float("nan")),
    Verdict("failed", "no", 1),
    Verdict("failed", "no", True),
    Verdict("failed", "no", "1"),  # type: ignore[arg-type]
    Verdict("maybe", "no"),  # type: ignore[arg-type]
    Verdict("failed", 7),  # type: ignore[arg-type]
    Verdict("failed", "no", None, "c" * 40),
    Verdict("failed", "no", None, "c" * 41),
    Verdict("failed", "no", None, "not a code"),
    Verdict("failed", "no", None, None, ("a" * 200, "b")),
    Verdict("failed", "no", None, None, ("a" * 201, "b")),
    Verdict("failed", "no", None, None, ("a",)),  # type: ignore[arg-type]
    Verdict("failed", "no", None, None, ["a", "b"]),  # type: ignore[arg-type]
)
TEXTS = ("{a}", "{a} ", "a", "{a.b}", "{a[0]}", "{a}{b}", "{{a}}", "{", 1, None)


def fields(verdict: object) -> object:
    valid = valid_verdict(verdict)
    return valid.outcome, valid.reason, valid.score, valid.code, valid.labels


def has_type(hint: str, value: object) -> bool:
    return matches(value, HINTS[hint])


def words(hint: str) -> str:
    return type_in_words(HINTS[hint])


def labels(first: int, second: int, is_any: bool) -> object:
    right = Verdict("passed", "", None, None, ("c", "d"))
    verdicts = [VERDICTS[first], VERDICTS[second], right]
    return first_labels(verdicts, is_any=is_any), common_code(verdicts[:2])


def all_calls() -> Calls:
    cut = [len(cut_reason("r" * length, 100)) for length in (99, 100, 101, 5000)]
    return {
        **grid(fields, (*VERDICTS, None, "passed", Verdict)),
        **grid(checked_verdict, (None,)),
        **grid(has_type, HINTS, VALUES),
        **grid(words, HINTS),
        **grid(labels, (0, 1), (0, 1), (False, True)),
        **grid(only_placeholder, TEXTS),
        **grid(placeholder_names, (*TEXTS[:8], ["{a}", 1, "{b}"])),
        **grid(cut_reason, ("r" * 101,), (100,)),
        "lengths of cut reasons": str(cut),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("checkers", all_calls()) == {}


if __name__ == "__main__":
    record("checkers", all_calls())
