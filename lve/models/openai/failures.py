"""Turns failed requests into errors and decides which are retried. Pure functions.

`classify` follows the OpenAI API reference ("Error codes", "Rate limits") and RFC 9110
(Retry-After).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from lve.errors import (
    UNREACHABLE,
    ContentFilteredError,
    ModelError,
    PermanentModelError,
    TransientModelError,
)
from lve.models.openai.decode import decode, is_shallow
from lve.models.openai.keys import Secret

LONGEST_MESSAGE = 300
"""Most characters that are kept of a server's message."""
_MOST_READ = 1 << 16
"""Most characters that are read of a server's message."""

_TRANSIENT = {
    408: "timeout",
    409: "conflict",
    425: "conflict",
    429: "rate_limit",
    503: "overloaded",
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
_HINTS = {
    "authentication": "check the API key",
    "quota": "the account has no credit left: a later try fails too",
    "not_found": "check the model's name and the base URL",
    "redirect": "set the base URL to the address it redirects to",
}
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def classify(
    status: int, headers: Mapping[str, str], body: bytes, *, secret: Secret | None = None
) -> ModelError:
    """Return the error for a response that isn't a success.

    Args:
        status: HTTP status.
        headers: headers with names in lower case.
        body: the whole body, in any format.
        secret: the key in use, removed from messages of the server.
    """
    error = error_object(body)
    said = server_message(error, body, secret)
    if 300 <= status < 400:
        target = headers.get("location", "?")
        said = f"redirects to {printable(secret.hide(target) if secret else target)}"
        return _permanent("redirect", status, said)
    return _classified(status, error, said, retry_after_s(headers))


def _classified(
    status: int, error: Mapping[str, Any], said: str, wait_s: float | None = None
) -> ModelError:
    if _is_content_filter(error):
        return ContentFilteredError(f"{status}: {said}", kind="content_filter", status=status)
    if status == 429 and "insufficient_quota" in (error.get("code"), error.get("type")):
        return _permanent("quota", status, said)
    if status in _TRANSIENT or status >= 500:
        kind = _TRANSIENT.get(status, "server_error")
        return TransientModelError(
            f"{status}: {said}", kind=kind, status=status, retry_after_s=wait_s
        )
    return _permanent(_PERMANENT.get(status, "bad_request"), status, said)


def _permanent(kind: str, status: int, said: str) -> ModelError:
    help_ = _HINTS.get(kind)
    message = f"{status}: {said}" + (f" ({help_})" if help_ else "")
    return PermanentModelError(message, kind=kind, status=status)


def _is_content_filter(error: Mapping[str, Any]) -> bool:
    inner = error.get("innererror")
    codes = [error.get("code"), error.get("type")]
    if isinstance(inner, Mapping):
        codes.append(inner.get("code"))
    metadata = error.get("metadata")
    if isinstance(metadata, Mapping) and "flagged_input" in metadata:  # OpenRouter's 403
        return True
    known = ("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation")
    return any(code in known for code in codes)


def error_in_success(body: Mapping[str, Any], *, secret: Secret | None = None) -> ModelError:
    """Return the error for `{"error": ...}` with status 200, as gateways send it."""
    said = body["error"] if is_shallow(body["error"]) else "an error too deeply nested to be shown"
    error = said if isinstance(said, Mapping) else {"message": said}
    code = error.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    text = error.get("message") or error.get("detail") or {"error": error}
    return _classified(status, error, server_message({"message": text}, b"", secret))


def error_object(body: bytes) -> Mapping[str, Any]:
    """Return the `error` object of a body; {} if there is none.

    It knows the formats of OpenAI `{"error": {...}}`, FastAPI `{"detail": ...}`, vLLM
    `{"object": "error", "message": ...}`, and `{"error": "text"}`.
    """
    try:
        data = decode(body)
    except ValueError:
        return {}
    if not isinstance(data, Mapping) or not is_shallow(data):
        return {}
    error = data.get("error", data)
    if isinstance(error, str):
        return {"message": error}
    return error if isinstance(error, Mapping) else {}


def server_message(error: Mapping[str, Any], body: bytes, secret: Secret | None) -> str:
    """Return the server's message on one line, safe for a terminal."""
    said = error.get("message") or error.get("detail") or body.decode("utf-8", "replace")
    text = said if isinstance(said, str) else _beginning(said)
    return printable(secret.hide(text) if secret else text) or "no message"


def _beginning(said: Any) -> str:
    """Return the beginning of a value as JSON."""
    text = ""
    for piece in json.JSONEncoder().iterencode(said):
        text += piece
        if len(text) > _MOST_READ:
            break
    return text


def printable(text: str) -> str:
    """Return somebody else's text on one line, shortened, with control characters escaped."""
    text = " ".join(text[:_MOST_READ].split())
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[: LONGEST_MESSAGE + 1])
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE].rstrip() + "..."


def timed_out(seconds: float) -> TransientModelError:
    """Return the error for no answer within the time of one attempt."""
    return TransientModelError(f"no answer within {round(seconds, 2):g} s", kind="timeout")


def no_connection(where: str, seconds: float) -> TransientModelError:
    """Return the error for a server that doesn't accept a connection in time."""
    message = f"{where}: no connection within {round(seconds, 2):g} s"
    return TransientModelError(message, kind=UNREACHABLE, was_sent=False)


def not_connected(where: str, cause: object, *, was_sent: bool = True) -> ModelError:
    """Return the error for a server that can't be reached or hung up. It is permanent if the
    server's certificate isn't trusted."""
    if untrusted := _certificate_error(cause):
        message = f"{where}: {printable(str(untrusted))}"
        return PermanentModelError(message, kind="tls", was_sent=False)
    if (why := _why_unreachable(cause)) is not None:
        return TransientModelError(f"{where}: {why}", kind=UNREACHABLE, was_sent=False)
    message = f"{where}: {printable(str(cause) or repr(cause))}"
    return TransientModelError(message, kind="connection", was_sent=was_sent)


def _why_unreachable(cause: object) -> str | None:
    """Return why there is no server at an address; None if there may be one."""
    import errno
    import socket

    for one in _causes(cause):
        if isinstance(one, socket.gaierror):
            return f"no such host ({one.strerror})"
        for number in (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH):
            # Of several addresses, asyncio has the numbers in the text only.
            if isinstance(one, OSError) and (
                one.errno == number or f"[Errno {number}]" in str(one)
            ):
                said = os.strerror(number).lower()
                return f"{said} (is the server running, and the port right?)"
    return None


def _causes(cause: object) -> Iterator[BaseException]:
    """Yield an error, what it was raised from, and so on."""
    while isinstance(cause, BaseException):
        yield cause
        cause = cause.__cause__ or cause.__context__


def _certificate_error(cause: object) -> BaseException | None:
    import ssl

    found = (one for one in _causes(cause) if isinstance(one, ssl.SSLCertVerificationError))
    return next(found, None)


def malformed(what: str) -> TransientModelError:
    """Return the error for an answer that breaks the API's format. It is transient, because
    truncated bodies and gateways' HTML pages don't come again."""
    return TransientModelError(f"unreadable answer: {what}", kind="malformed")


def other_protocol() -> PermanentModelError:
    """Return the error for status 101: the address is no HTTP API, now or later."""
    message = "101: the server wants to speak another protocol (check the base URL)"
    return PermanentModelError(message, kind="protocol", status=101)


def retry_after_s(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds that the server asks to wait, from any of several headers; None if none.

    Args:
        headers: headers with names in lower case.
        now: current Unix time, for a header with a date.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is not None:
        seconds = _number(value)
        return seconds if seconds is not None else _until(value, now)
    return _reset_s(headers)


def _reset_s(headers: Mapping[str, str]) -> float | None:
    """Return the reset time of the limit that is used up; the earlier one if none is reported."""
    resets = {
        name: seconds
        for name in ("requests", "tokens")
        if (seconds := duration_s(headers.get(f"x-ratelimit-reset-{name}", ""))) is not None
    }
    left = {name: headers.get(f"x-ratelimit-remaining-{name}", "") for name in resets}
    used_up = [seconds for name, seconds in resets.items() if _number(left[name]) == 0]
    if used_up:
        return max(used_up)
    return min(resets.values(), default=None)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None


def _until(date: str, now: float | None) -> float | None:
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


def duration_s(text: str) -> float | None:
    """Return the seconds of `1m3s`, `20ms`, `6.5s` or a bare number, as in OpenAI's headers; None
    for anything else."""
    import re

    text = text.strip()
    bare = _number(text)
    if bare is not None:
        return bare
    if not re.fullmatch(r"(\d+(\.\d+)?(ms|s|m|h|d))+", text):
        return None
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", text)
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
