"""Turns failed requests into errors, which tell whether to retry. Pure functions.

`classify` follows the OpenAI API reference ("Error codes").
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping

from lve.errors import ContentFilteredError, ModelError, PermanentModelError, TransientModelError
from lve.escape import head, keyless
from lve.json_types import JsonObject
from lve.models.error_kinds import UNREACHABLE
from lve.models.http.json_body import decode, is_shallow
from lve.models.http.keys import Secret
from lve.models.http.retry_after_header import retry_after_s

MAX_MESSAGE_CHARS = 300
"""Longer messages of servers are shortened."""
_MAX_READ_CHARS = 1 << 16
"""Number of characters of a server's message that are read at all."""

_TRANSIENT = {
    408: "timeout",
    409: "conflict",
    425: "conflict",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",  # Anthropic
}
_PERMANENT = {
    400: "bad_request",
    401: "authentication",
    402: "quota",
    403: "permission",
    404: "not_found",
    413: "too_large",
    422: "bad_request",
}
_STATUS = re.compile("[45][0-9][0-9]")
"""A status as some gateways write it into an error: as a text."""
_WANTS_TLS = re.compile("(?i)plain HTTP|HTTP request to an HTTPS")
"""What nginx, Apache and Go say to http on a port for https."""
_TOO_LONG = re.compile(
    r"(?i)context_length_exceeded|maximum context length|prompt is too long|input token count"
)
"""What OpenAI, vLLM, Anthropic and Gemini say where prompt and answer exceed the model's window."""
_HINTS = {
    "authentication": "check the API key",
    "quota": "the account has no credit left: a later try fails too",
    "not_found": "check the model's name and the base URL",
    "protocol": "set the base URL to https://...",
    "redirect": "set the base URL to the address it redirects to",
}
STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Anthropic's error type -> HTTP status, for errors within a stream or a batch, which itself has
status 200."""


def classify(
    status: int, headers: Mapping[str, str], body: bytes, *, secret: Secret | None = None
) -> ModelError:
    """Return the error for a response whose status isn't a success.

    Args:
        status: HTTP status.
        headers: headers with names in lower case.
        body: the whole body, in any format.
        secret: the key in use, removed from messages of the server.
    """
    error = error_object(body)
    message = server_message(error, body, secret)
    if 300 <= status < 400:
        target = headers.get("location", "?")
        message = f"redirects to {printable(secret.hide(target) if secret else target)}"
        return _permanent("redirect", status, message)
    return _classified(status, error, message, retry_after_s(headers))


def _classified(
    status: int, error: JsonObject, message: str, wait_s: float | None = None
) -> ModelError:
    if _is_content_filter(error):
        return ContentFilteredError(f"{status}: {message}", kind="content_filter", status=status)
    if status == 400 and _WANTS_TLS.search(message):
        return _permanent("protocol", status, message)
    if status == 400 and _TOO_LONG.search(f"{error.get('code')} {message}"):
        return _permanent("too_long", status, message)
    if status == 429 and "insufficient_quota" in (error.get("code"), error.get("type")):
        return _permanent("quota", status, message)
    if status in _TRANSIENT or status >= 500:
        kind = _TRANSIENT.get(status, "server_error")
        return TransientModelError(
            f"{status}: {message}", kind=kind, status=status, retry_after_s=wait_s
        )
    return _permanent(_PERMANENT.get(status, "bad_request"), status, message)


def _permanent(kind: str, status: int, message: str) -> ModelError:
    hint = _HINTS.get(kind)
    message = f"{status}: {message}" + (f" ({hint})" if hint else "")
    return PermanentModelError(message, kind=kind, status=status)


def _is_content_filter(error: JsonObject) -> bool:
    inner = error.get("innererror")
    codes = [error.get("code"), error.get("type")]
    if isinstance(inner, Mapping):
        codes.append(inner.get("code"))
    metadata = error.get("metadata")
    if isinstance(metadata, Mapping) and "flagged_input" in metadata:  # OpenRouter's 403
        return True
    filter_codes = ("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation")
    return any(code in filter_codes for code in codes)


def has_error(data: JsonObject) -> bool:
    """Return whether a body with status 200, an event of a stream or a choice in either is an error
    or has one: `{"error": ...}`, `{"object": "error", ...}` or `{"type": "error", ...}`."""
    return bool(data.get("error")) or "error" in (data.get("object"), data.get("type"))


def error_in_success(body: JsonObject, *, secret: Secret | None = None) -> ModelError:
    """Return the error for what `has_error`, as gateways and servers under load send it."""
    value = body.get("error") or body
    value = value if is_shallow(value) else "an error too deeply nested to be shown"
    error = value if isinstance(value, Mapping) else {"message": value}
    code = error.get("code")
    code = int(code) if isinstance(code, str) and _STATUS.fullmatch(code) else code
    if not (isinstance(code, int) and 400 <= code < 600):
        code = STATUS_OF_TYPE.get(str(error.get("type")), 500)
    text = error.get("message") or error.get("detail") or {"error": error}
    told = {"message": text, "metadata": error.get("metadata")}
    return _classified(code, error, server_message(told, b"", secret))


def error_object(body: bytes) -> JsonObject:
    """Return the error object in a body, {} if there is none.

    Known formats: `{"error": {...}}` (OpenAI), `{"detail": ...}` (FastAPI), `{"object": "error",
    "message": ...}` (vLLM), and `{"error": "text"}`.
    """
    try:
        data = decode(body)
    except ValueError:
        return {}
    data = data[0] if isinstance(data, list) and data else data  # Gemini, through OpenAI's API
    if not isinstance(data, Mapping) or not is_shallow(data):
        return {}
    error = data.get("error", data)
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, Mapping) else {}


def server_message(error: JsonObject, body: bytes, secret: Secret | None) -> str:
    """Return the server's message on one line, safe for a terminal.

    Args:
        error: the error object.
        body: the body, which is the message if the object has none.
        secret: the key in use, removed from the message.
    """
    message = error.get("message") or error.get("detail") or body.decode("utf-8", "replace")
    text = message if isinstance(message, str) else _json_start(message)
    metadata = error.get("metadata")
    if isinstance(metadata, Mapping) and (raw := metadata.get("raw")):  # what OpenRouter was told
        text += f": {raw if isinstance(raw, str) else _json_start(raw)}"
    return printable(secret.hide(text) if secret else text) or "no message"


def _json_start(value: object) -> str:
    """Return the first `_MAX_READ_CHARS` or somewhat more of a value's JSON text."""
    text = ""
    for piece in json.JSONEncoder().iterencode(value):
        text += piece
        if len(text) > _MAX_READ_CHARS:
            break
    return text


def printable(text: str) -> str:
    """Return an untrusted text on one line, shortened, with control characters escaped."""
    # Before white space is joined and the rest is escaped: they may be inside a key.
    text = keyless(head(text, _MAX_READ_CHARS))
    text = head(" ".join(text.split()), MAX_MESSAGE_CHARS + 1)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return (
        text if len(text) <= MAX_MESSAGE_CHARS else head(text, MAX_MESSAGE_CHARS).rstrip() + "..."
    )


def timed_out(seconds: float) -> TransientModelError:
    """Return the error for an attempt that took longer than `seconds`."""
    return TransientModelError(f"no answer within {round(seconds, 2):g} s", kind="timeout")


def connect_timed_out(where: str, seconds: float) -> TransientModelError:
    """Return the error for a server that didn't accept a connection within `seconds`."""
    message = f"{where}: no connection within {round(seconds, 2):g} s"
    return TransientModelError(message, kind=UNREACHABLE, was_sent=False)


def connection_failed(
    where: str, cause: object, *, was_sent: bool = True, status: int | None = None
) -> ModelError:
    """Return the error for a server that can't be reached or hung up; a permanent one if its
    certificate isn't trusted.

    Args:
        where: the server's address.
        cause: the exception, or a message.
        was_sent: whether the request may have reached the server.
        status: HTTP status of the answer that broke off.
    """
    if untrusted := _certificate_error(cause):
        message = f"{where}: {printable(str(untrusted))}"
        return PermanentModelError(message, kind="tls", was_sent=False)
    if (why := _why_unreachable(cause)) is not None:
        return TransientModelError(f"{where}: {why}", kind=UNREACHABLE, was_sent=False)
    text = str(cause) or ("connection reset" if isinstance(cause, OSError) else repr(cause))
    message = f"{where}: {printable(text)}"
    return TransientModelError(message, kind="connection", status=status, was_sent=was_sent)


def _why_unreachable(cause: object) -> str | None:
    """Return why there can't be a server at the address, None if there may be one."""
    import errno
    import socket

    for error in _causes(cause):
        if isinstance(error, socket.gaierror):
            return f"no such host ({error.strerror})"
        for number in (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH):
            # If several addresses failed, asyncio gives the error numbers only in the text.
            if isinstance(error, OSError) and (
                error.errno == number or f"[Errno {number}]" in str(error)
            ):
                reason = os.strerror(number).lower()
                return f"{reason} (is the server running, and the port right?)"
    return None


def _causes(cause: object) -> Iterator[BaseException]:
    """Yield an exception and the chain of exceptions that caused it."""
    while isinstance(cause, BaseException):
        yield cause
        cause = cause.__cause__ or cause.__context__


def _certificate_error(cause: object) -> BaseException | None:
    ssl = sys.modules.get("ssl")
    if ssl is None:  # no connection has used it
        return None
    errors = (error for error in _causes(cause) if isinstance(error, ssl.SSLCertVerificationError))
    return next(errors, None)


def malformed(what: str) -> TransientModelError:
    """Return the error for an answer in an invalid format. It is transient: truncated bodies and
    gateways' HTML pages are rarely sent twice."""
    return TransientModelError(f"unreadable answer: {what}", kind="malformed")


def other_protocol() -> PermanentModelError:
    """Return the error for status 101. It is permanent: the address is no HTTP API."""
    message = "101: the server wants to speak another protocol (check the base URL)"
    return PermanentModelError(message, kind="protocol", status=101)
