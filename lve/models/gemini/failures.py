"""What Google's errors say beyond their status. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lve.errors import ModelError, PermanentModelError, TransientModelError
from lve.models.http.decode import objects
from lve.models.http.failures import error_object
from lve.models.http.retry_after import duration_s
from lve.models.http.transport import HttpResponse


def with_details(failure: ModelError, response: HttpResponse) -> ModelError:
    """Return the error of a failed request, by its details: how long to wait, which quota is used
    up, that the key is wrong.

    Args:
        failure: what the status means.
        response: the response.
    """
    details = [*_details(error_object(response.body))]
    if any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
        message = f"{failure} (check the API key)"
        return PermanentModelError(message, kind="authentication", status=failure.status)
    if not isinstance(failure, TransientModelError) or failure.status != 429:
        return failure
    if any(_is_of_the_day(detail) for detail in details):
        message = f"{failure} (today's quota is used up: a later try today fails too)"
        return PermanentModelError(message, kind="quota", status=failure.status)
    if failure.retry_after_s is None:
        waits = (duration_s(str(detail.get("retryDelay", ""))) for detail in details)
        failure.retry_after_s = max((wait for wait in waits if wait is not None), default=None)
    return failure


def _details(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from objects(error.get("details"))


def _is_of_the_day(detail: Mapping[str, Any]) -> bool:
    violations = objects(detail.get("violations"))
    return any("PerDay" in str(one.get("quotaId")) for one in violations)
