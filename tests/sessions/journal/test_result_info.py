"""What the code calls the fields of a line of `results.jsonl` is what its schema says."""

from __future__ import annotations

from typing import Any

import pytest

from lve.documents.validation.schema import load_schema
from lve.sessions.journal.result_info import MessageInfo, ResultInfo, TranscriptInfo, UsageInfo

SCHEMA = load_schema("result")


@pytest.mark.parametrize(
    ("kind", "definition"),
    [
        (ResultInfo, SCHEMA),
        (TranscriptInfo, SCHEMA["$defs"]["transcript"]),
        (MessageInfo, SCHEMA["$defs"]["message"]),
        (UsageInfo, SCHEMA["$defs"]["usage"]),
    ],
)
def test_an_object_has_the_fields_of_its_schema(kind: Any, definition: dict[str, Any]) -> None:
    assert kind.__annotations__.keys() == definition["properties"].keys()
    absent = {name for name, type_ in kind.__annotations__.items() if "NotRequired" in str(type_)}
    assert kind.__annotations__.keys() - absent == set(definition["required"])
