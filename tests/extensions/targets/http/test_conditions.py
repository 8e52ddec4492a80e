"""What an endpoint's answers mean."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import ContentFilteredError, ModelError, PermanentModelError, TransientModelError
from lve.extensions.targets.http.answers import Conditions
from lve.models.http.connections.transport import HttpResponse

BODY = b'{"state": "busy", "error": {"message": "come back", "code": 7}, "ok": false}'
DATA = {"state": "busy", "error": {"message": "come back", "code": 7}, "ok": False}


def error_of(status: int, **options: Any) -> ModelError | None:
    response = HttpResponse(status, {"retry-after": "3"}, BODY)
    return Conditions(options, "here").error_of(response, BODY, DATA)


@pytest.mark.parametrize(
    ("condition", "fits"),
    [
        ({"status": 200}, True),
        ({"status": [500, "2xx"]}, True),
        ({"status": "5xx"}, False),
        ({"path": "$.state"}, True),
        ({"path": "$.ok"}, False),
        ({"path": "$.none"}, False),
        ({"path": "$.error.code", "equals": 7}, True),
        ({"path": "$.error.code", "equals": 8}, False),
        ({"path": "$.ok", "equals": False}, True),
        ({"contains": "come back"}, True),
        ({"contains": "come home"}, False),
        ({"status": 200, "contains": "come home"}, False),
        ({"status": 500, "contains": "come back"}, False),
    ],
)
def test_all_parts_of_a_condition_must_be_so(condition: dict[str, Any], fits: bool) -> None:
    assert (error_of(200, error_when=[condition]) is not None) is fits


@pytest.mark.parametrize(
    ("option", "kind"),
    [
        ("retry_when", TransientModelError),
        ("error_when", PermanentModelError),
        ("refusal_when", ContentFilteredError),
    ],
)
def test_each_list_stands_for_an_error(option: str, kind: type[ModelError]) -> None:
    error = error_of(200, **{option: [{"contains": "nothing"}, {"status": 200}]})
    assert type(error) is kind
    assert "come back" in str(error)
    assert error.retry_after_s == 3


def test_a_refusal_counts_before_an_error() -> None:
    both = [{"status": 200}]
    assert isinstance(error_of(200, error_when=both, refusal_when=both), ContentFilteredError)
    assert error_of(200) is None
