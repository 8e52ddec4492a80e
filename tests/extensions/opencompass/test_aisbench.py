"""Templates of AISBench."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.aisbench import MMPromptTemplate


def test_the_parts_of_a_message_have_a_limit_together() -> None:
    kinds = {"text": {"type": "text", "text": "y" * 1_000_000}}
    template = MMPromptTemplate({"round": [{"role": "HUMAN", "prompt_mm": kinds}]})
    row: dict[str, Any] = {"content": "<AIS_TEXT_START>x<AIS_CONTENT_TAG>" * 17}
    with pytest.raises(TemplateError, match="would have more than 16,000,000") as caught:
        template.prompt(row, "", output=None, replacement="")
    assert caught.value.stage == "prompt"
