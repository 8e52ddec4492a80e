"""Reads the details of Google's errors. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.errors import ModelError, PermanentModelError, TransientModelError
from lve.models.http.failures import error_object
from lve.models.http.json_body import objects
from lve.models.http.retry_after import duration_s
from lve.models.http.transport import HttpResponse


def with_details(failure: ModelError, response: HttpResponse) -> ModelError:
    """Return the error of a failed request, by its details: a wrong key, an exhausted daily quota,
    the delay before a retry.

    Args:
        failure: the error that the response's status stands for.
        response: the response.
    """
    details = objects(error_object(response.body).get("details"))
    if any(detail.get("reason") == "API_KEY_INVALID" for detail in details):
        message = f"{failure} (check the API key)"
        return PermanentModelError(message, kind="authentication", status=failure.status)
    if not isinstance(failure, TransientModelError) or failure.status != 429:
        return failure
    if any(map(_is_daily_quota, details)):
        message = f"{failure} (today's quota is used up: a later try today fails too)"
        return PermanentModelError(message, kind="quota", status=failure.status)
    if failure.retry_after_s is None:
        waits = (duration_s(str(detail.get("retryDelay", ""))) for detail in details)
        failure.retry_after_s = max((wait for wait in waits if wait is not None), default=None)
    return failure


def _is_daily_quota(detail: Mapping[str, Any]) -> bool:
    violations = objects(detail.get("violations"))
    return any("PerDay" in str(one.get("quotaId")) for one in violations)
