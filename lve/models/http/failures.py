"""Turns failed requests into errors and decides which are retried. Pure functions.

`classify` follows the OpenAI API reference ("Error codes").
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from lve.error_kinds import UNREACHABLE
from lve.errors import ContentFilteredError, ModelError, PermanentModelError, TransientModelError
from lve.models.http.decode import decode, is_shallow
from lve.models.http.keys import Secret
from lve.models.http.retry_after import retry_after_s

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
_HINTS = {
    "authentication": "check the API key",
    "quota": "the account has no credit left: a later try fails too",
    "not_found": "check the model's name and the base URL",
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
"""Anthropic's types of errors, within a stream or a batch, which has status 200 itself."""


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
    if not (isinstance(code, int) and 400 <= code < 600):
        code = STATUS_OF_TYPE.get(str(error.get("type")), 500)
    text = error.get("message") or error.get("detail") or {"error": error}
    return _classified(code, error, server_message({"message": text}, b"", secret))


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
    text = " ".join(text[:_MOST_READ].split())[: LONGEST_MESSAGE + 1]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
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
