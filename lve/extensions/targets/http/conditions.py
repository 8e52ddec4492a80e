"""Which answers of an endpoint mean that a later try may succeed, an error, or a refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import ContentFilteredError, ModelError, PermanentModelError, TransientModelError
from lve.extensions.targets.paths import ValuePath
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.failures import error_object, server_message
from lve.models.http.retry_after_header import retry_after_s

_ERRORS: Mapping[str, tuple[type[ModelError], str]] = {
    "refusal_when": (ContentFilteredError, "content_filter"),
    "retry_when": (TransientModelError, "server_error"),
    "error_when": (PermanentModelError, "application"),
}
"""Option -> the error that its conditions stand for, and its kind. The first that fits counts."""


class Conditions:
    """The conditions of a target."""

    def __init__(self, options: Mapping[str, Any], where: str) -> None:
        """Args:
        options: the target's options.
        where: where they are in the settings, for messages.

        Raises:
            SettingsError: a path is malformed.
        """
        self._conditions = {
            option: [_Condition(fields, f"{where}.{option}") for fields in options[option]]
            for option in _ERRORS
            if options.get(option)
        }

    @property
    def are_none(self) -> bool:
        """Whether there are no conditions."""
        return not self._conditions

    def error_of(self, response: HttpResponse, body: bytes, data: object) -> ModelError | None:
        """Return the error that an answer means; None if it is none of them.

        Args:
            response: the response.
            body: its body.
            data: the JSON value of it; None if it has none.
        """
        for option, conditions in self._conditions.items():
            if not any(condition.fits(response.status, body, data) for condition in conditions):
                continue
            kind, name = _ERRORS[option]
            message = server_message(error_object(body), body, None)
            error = kind(f"{response.status}: {message}", kind=name, status=response.status)
            error.retry_after_s = retry_after_s(response.headers)
            return error
        return None


class _Condition:
    """One condition. All of its parts must be so."""

    def __init__(self, fields: Mapping[str, Any], where: str) -> None:
        statuses = fields.get("status")
        self._statuses = _listed(statuses)
        self._path = ValuePath(fields["path"], f"{where}.path") if "path" in fields else None
        self._has_value, self._value = "equals" in fields, fields.get("equals")
        self._text = fields.get("contains")

    def fits(self, status: int, body: bytes, data: object) -> bool:
        """Return whether an answer is meant."""
        if self._statuses and not {status, f"{status // 100}xx"} & self._statuses:
            return False
        if self._text is not None and self._text.encode() not in body:
            return False
        if self._path is None:
            return True
        value = self._path.value_in(data)
        return value == self._value if self._has_value else value not in (None, False)


def _listed(value: object) -> set[Any]:
    if value is None:
        return set()
    return set(value) if isinstance(value, Sequence) and not isinstance(value, str) else {value}
