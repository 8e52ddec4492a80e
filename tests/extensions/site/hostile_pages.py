"""Texts that try to be more than text in a page."""

from __future__ import annotations

import json
from pathlib import Path

_CASES = Path(__file__).parents[2] / "cases"


def _texts(name: str) -> tuple[str, ...]:
    return tuple(json.loads((_CASES / name).read_text(encoding="utf-8")))


TEXTS = _texts("hostile_pages/texts.json")
"""Those against pages that are written as HTML, templates and Markdown."""
ALL = (*TEXTS, *_texts("hostile_text/attacks.json"))
