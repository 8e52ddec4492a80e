"""Reads an endpoint's answers by the paths of the settings, and tells which mean a later try, an
error, or a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lve.errors import ContentFilteredError, ModelError, PermanentModelError, TransientModelError
from lve.escape import excerpt
from lve.extensions.targets.paths import ValuePath
from lve.extensions.targets.reply import (
    Reply,
    calls_from,
    contexts_from,
    cost_from,
    metadata_from,
    session_from,
    text_from,
    unusable,
    usage_from,
)
from lve.models.http.answers import label
from lve.models.http.connections.transport import HttpResponse
from lve.models.http.failures import error_object, printable, server_message
from lve.models.http.json_body import decode, is_shallow
from lve.models.http.retry_after_header import retry_after_s

PATHS = ("answer", "contexts", "tool_calls", "cost", "session_id", "finish_reason")
"""Options that are paths."""
SHOWN_CHARS = 200
"""Most characters of an answer that a message shows."""
_CHARSET = re.compile(
    r"(?i)charset=[\"']?(iso-8859-\d+|windows-125\d|utf-16(?:[lb]e)?|shift_jis|euc-(?:jp|kr)|gbk"
    r"|gb2312|gb18030|big5|koi8-[ru])\b"
)
"""Charsets of texts that servers still send; Python has others, which take long or are no texts."""


class AnswerReader:
    """Finds in an answer what the settings have paths for."""

    def __init__(self, options: Mapping[str, Any], where: str) -> None:
        """Args:
        options: the target's options.
        where: where they are in the settings, for messages.

        Raises:
            SettingsError: a path is malformed.
        """
        self._paths = {
            name: ValuePath(options[name], f"{where}.{name}") for name in PATHS if name in options
        }
        self._usage = _path_or_paths(options.get("usage"), f"{where}.usage")
        self._metadata = _path_or_paths(options.get("metadata"), f"{where}.metadata")

    @property
    def reads_json(self) -> bool:
        """Whether an answer must be JSON."""
        return bool(self._paths or self._usage or self._metadata)

    @property
    def has_text(self) -> bool:
        """Whether there is a path to the text."""
        return "answer" in self._paths

    def reply(self, body: bytes) -> Reply:
        """Return the answer in the body of a successful response.

        Raises:
            ModelError: there is none.
        """
        if not self.reads_json:
            return Reply(text_from(_plain_text(body)))
        data = json_value(body)
        if data is None:
            start = shown(body)
            message = f"unreadable answer: not JSON, or cut short: {start!r}"
            raise TransientModelError(message, kind="malformed")
        return self.reply_in(data, "" if self.has_text else _plain_text(body))

    def reply_in(self, data: object, text: str) -> Reply:
        """Return the answer in a JSON value.

        Args:
            data: the value.
            text: the answer's text if there is no path to it.

        Raises:
            ModelError: there is none.
        """
        text = self._text(data) if self.has_text else text_from(text)
        return Reply(text, **self._fields(data))

    def beside(self, data: object) -> tuple[str | None, dict[str, Any]]:
        """Return the answer's whole text in an event, None if it isn't there, and the other fields
        of the `Reply` that are.

        Raises:
            ModelError: one has a wrong form.
        """
        text = self._at("answer", data)
        fields = self._fields(data)
        return None if text is None else text_from(text), {
            name: value for name, value in fields.items() if value not in (None, ())
        }

    def _fields(self, data: object) -> dict[str, Any]:
        return {
            "contexts": contexts_from(self._at("contexts", data)),
            "tool_calls": calls_from(self._at("tool_calls", data)),
            "usage": usage_from(_object_in(self._usage, data)),
            "cost": cost_from(self._at("cost", data)),
            "metadata": metadata_from(_object_in(self._metadata, data)),
            "session": session_from(self._at("session_id", data)),
            "finish_reason": label(self._at("finish_reason", data)),
        }

    def _at(self, name: str, data: object) -> object:
        path = self._paths.get(name)
        return None if path is None else path.value_in(data)

    def _text(self, data: object) -> str:
        path = self._paths["answer"]
        values = path.values_in(data)
        if not values:
            raise unusable(f"there is nothing at {path.text} in {_shown(data)}")
        if path.has_several:
            return text_from("".join(map(text_from, values)))
        if values[0] is None:
            raise unusable(f"{path.text} is null in {_shown(data)}")
        return text_from(values[0])


def json_value(body: bytes) -> Any:
    """Return the JSON value of a body; None if it isn't JSON, or nested too deeply."""
    try:
        data = decode(body)
    except ValueError:
        return None
    return data if is_shallow(data) else None


def in_utf8(response: HttpResponse) -> bytes:
    """Return a response's body in UTF-8, if its headers say that it has another charset."""
    charset = _CHARSET.search(response.headers.get("content-type", ""))
    if charset is None:
        return response.body
    try:
        return response.body.decode(charset[1]).encode()
    except ValueError:
        raise unusable(f"it isn't in {charset[1]}, as its headers say") from None


def shown(body: bytes) -> str:
    """Return the beginning of a body, for messages."""
    return excerpt(printable(body.decode("utf-8", "replace")), SHOWN_CHARS)


def _plain_text(body: bytes) -> str:
    """Return a body as text: a text in JSON as that text, everything else as it is."""
    data = json_value(body) if body[:1] == b'"' else None
    if isinstance(data, str):
        return data
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        what = f"the byte 0x{body[error.start]:02x} at {error.start:,}"
        raise unusable(f"it is no UTF-8: {what} of {shown(body)!r}") from None


def _path_or_paths(value: object, where: str) -> ValuePath | dict[str, ValuePath] | None:
    if isinstance(value, Mapping):
        return {name: ValuePath(path, f"{where}.{name}") for name, path in value.items()}
    return None if value is None else ValuePath(str(value), where)


def _object_in(path: ValuePath | Mapping[str, ValuePath] | None, data: object) -> object:
    """Return the object at a path, or one with the value at each path."""
    if path is None:
        return None
    if isinstance(path, ValuePath):
        return path.value_in(data)
    values = {name: inner.value_in(data) for name, inner in path.items()}
    return {name: value for name, value in values.items() if value is not None} or None


def _shown(data: object) -> str:
    return excerpt(printable(repr(data)), SHOWN_CHARS)


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
