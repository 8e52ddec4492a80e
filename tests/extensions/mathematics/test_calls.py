"""Which expressions are the same, one rule of notation each."""

from __future__ import annotations

from support.recorded_calls import Calls, changed, grid, record, rows_of, texts

from lve.extensions.mathematics.math_answer import expressions
from lve.extensions.mathematics.math_terms import same_equation, same_term
from lve.extensions.mathematics.matrices import determinant, matrix_in
from lve.extensions.mathematics.notation import plain_math, same_math

TEXTS_OF = texts("mathematics")
TERMS = TEXTS_OF["terms"]
GROUPS = (
    (0, 10),
    (10, 20),
    (20, 32),
    (32, 48),
    (48, 63),
    (63, 83),
    (83, 105),
    (105, 122),
    (122, 150),
    (150, 200),
)
ANSWERS = TEXTS_OF["answers"]
UNITS = [text[2:] for text in TEXTS_OF["spellings"] if text.startswith("5 ")]


def pairs() -> list[tuple[str, str]]:
    """Return all pairs of terms in the same group: most of them are not the same."""
    return [
        (a, b) for low, high in GROUPS for a in TERMS[low:high] for b in TERMS[low:high] if a < b
    ]


def of_expressions(text: str) -> object:
    return expressions(text)


def all_calls() -> Calls:
    same = rows_of(same_math, pairs())
    return {
        **{call: result for call, result in same.items() if result != "False"},
        **grid(plain_math, (*TERMS, *TEXTS_OF["spellings"])),
        **rows_of(same_math, [(f"5 {unit}", "5") for unit in UNITS]),
        **rows_of(same_term, [(a, b) for a, b in pairs() if "=" not in a + b][::3]),
        **rows_of(
            same_equation,
            [
                ("x-y", "2x-2y"),
                ("x-y", "x+y"),
                ("x-1", "1-x"),
                ("0", "x"),
                ("x", "0"),
                ("x^2-1", "x-1"),
                ("(", "x"),
            ],
        ),
        **grid(of_expressions, ANSWERS),
        **grid(
            matrix_in,
            [term for term in TERMS if "matrix" in term]
            + ["(1,2)", r"\begin{pmatrix}1&2\\3\end{pmatrix}"],
        ),
        **grid(
            determinant,
            (
                (("2",),),
                (("1", "2"), ("3", "4")),
                (("a", "b"), ("c", "d")),
                (("1", "0", "2"), ("0", "1", "0"), ("3", "0", "1")),
            ),
        ),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("mathematics", all_calls()) == {}


if __name__ == "__main__":
    record("mathematics", all_calls())
