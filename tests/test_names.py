"""Names are the field's nouns: few variables are called `found`, `one` or `given`.

Such a name says only that there is something. A reader who meets `found` has to read the function
to learn what was found: a row, a refusal, a key.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

LVE = Path(__file__).parents[1] / "lve"
# fmt: off
GENERIC = {
    "found", "one", "ones", "given", "known", "made", "taken", "told", "wanted", "shown", "seen",
    "kept", "named", "asked", "said", "meant", "gone", "got", "thing", "things",
}
# fmt: on
MOST_IN_A_THOUSAND = 3
"""How many of a thousand names may be generic. It may only fall."""


def names_in(source: str) -> Iterator[str]:
    """Yield every name that code binds: variables, arguments, functions, classes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler
        ):
            yield node.name or ""


def test_each_kind_of_name_is_seen() -> None:
    source = (
        "def found(one, *, given):\n for kept in one:\n  try: made = 1\n  except E as said: ...\n"
    )
    assert set(names_in(source)) & GENERIC == {"found", "one", "given", "kept", "made", "said"}


def test_names_say_what_they_are_for() -> None:
    names = [
        (path.relative_to(LVE).as_posix(), name)
        for path in sorted(LVE.rglob("*.py"))
        for name in names_in(path.read_text(encoding="utf-8"))
    ]
    generic = [f"{file}: {name}" for file, name in names if name in GENERIC]
    share = 1000 * len(generic) / len(names)
    assert share <= MOST_IN_A_THOUSAND, (f"{share:.1f} in a thousand", generic)
