"""Failures of servers, their waits, addresses and the args of other APIs, with each field there and
not there (cases/recorded_calls/http.json)."""

from __future__ import annotations

import json

from support.recorded_calls import Calls, changed, grid, record, rows_of, texts

from lve.errors import ModelError
from lve.models.http import answers, args, endpoint, failures
from lve.models.http.connections.proxy import authority
from lve.models.http.retry_after_header import duration_s, retry_after_s
from lve.settings.model_settings import ModelSettings

STATUSES = (
    300,
    307,
    399,
    400,
    401,
    402,
    403,
    404,
    408,
    409,
    413,
    418,
    422,
    425,
    429,
    499,
    500,
    503,
    504,
    529,
)
BODIES: tuple[object, ...] = (
    {"error": {"message": "no", "code": "content_filter"}},
    {"error": {"message": "no", "type": "content_policy_violation"}},
    {"error": {"message": "no", "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
    {"error": {"message": "no", "metadata": {"flagged_input": "x"}}},
    {"error": {"message": "no", "metadata": {}, "innererror": "x"}},
    {"error": {"message": "no", "code": "insufficient_quota"}},
    {"error": {"message": "no", "type": "insufficient_quota"}},
    {"error": {"message": "Client sent an HTTP request to an HTTPS server."}},
    {"error": "a text"},
    {"detail": [{"loc": ["body", "seed"], "msg": "not permitted"}]},
    {"object": "error", "message": "m", "code": 404},
    {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}},
    {"error": {"code": "502", "message": "bad gateway"}},
    {"error": {"code": "600", "type": "billing_error"}},
    {"error": {"code": 399, "detail": "d"}},
    {"error": {}},
    {"choices": []},
    [],
    "x" * 301,
)
HEADERS = (
    {},
    {"retry-after": "2"},
    {"retry-after": "-1", "x-ratelimit-reset-tokens": "1m3s"},
    {"retry-after-ms": "1500", "retry-after": "9"},
    {"retry-after": "Fri, 27 Nov 2026 10:00:30 GMT", "date": "Fri, 27 Nov 2026 10:00:00 GMT"},
    {"retry-after": "Fri, 27 Nov 2026 09:00:00 GMT", "date": "Fri, 27 Nov 2026 10:00:00 GMT"},
    {"x-ratelimit-reset-requests": "9s", "x-ratelimit-reset-tokens": "20ms"},
    {
        "x-ratelimit-reset-requests": "9s",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-tokens": "20ms",
        "x-ratelimit-remaining-tokens": "1",
    },
    {"retry-after": "soon"},
)
TEXTS_OF = texts("http")
DURATIONS = TEXTS_OF["durations"]
FORMATS = (
    None,
    {},
    {"type": "text"},
    {"type": "json_object"},
    {"type": "json_schema"},
    "text",
    {"type": "json_schema", "json_schema": {"name": "n"}},
    {"type": "json_schema", "json_schema": {"schema": {"a": 1}}},
)
CHOICES = (
    "auto",
    "none",
    "required",
    "one",
    None,
    {},
    {"function": {"name": "f"}},
    {"function": {"name": 1}},
    {"function": 1},
)
THINKING = (
    None,
    "enabled",
    {},
    {"type": "enabled"},
    {"type": "adaptive"},
    {"type": "between_tools"},
    {"type": "disabled"},
)
URLS = TEXTS_OF["urls"]
USAGES = (None, 0, 1, -1, True, 1.0, "1", 2**70)


def failure(error: ModelError) -> object:
    retry = getattr(error, "retry_after_s", None)
    return type(error), str(error), error.kind, error.status, retry


def classified(status: int, body: object, headers: dict[str, str]) -> object:
    return failure(failures.classify(status, headers, json.dumps(body).encode()))


def raw(status: int, body: bytes) -> object:
    return failure(failures.classify(status, {"location": "http://b\t/x"}, body))


def in_success(body: object) -> object:
    assert isinstance(body, dict)
    return failures.has_error(body), failure(failures.error_in_success(body))


def failed(where: str, cause: str, was_sent: bool, status: int | None) -> object:
    error = failures.connection_failed(where, cause, was_sent=was_sent, status=status)
    return failure(error), getattr(error, "was_sent", None)


def settings(model: str | None, version: str | None, headers: object) -> object:
    options = {} if headers is None else {"headers": headers}
    given = ModelSettings(model=model, api_version=version, options=options)
    return (
        endpoint.served_name("openai/gpt", given),
        endpoint.served_name("gpt", given),
        endpoint.headers_of("gpt", given),
        endpoint.version_of("gpt", given, "v1"),
    )


def all_calls() -> Calls:
    objects = [body for body in BODIES if isinstance(body, dict)]
    return {
        **grid(classified, STATUSES, [{"error": {"message": "no\x07"}}], HEADERS[:2]),
        **grid(classified, (307, 400, 429, 503), BODIES, HEADERS[:1]),
        **grid(raw, (302, 500), (b"", b"\xff\x00 a\n b", b"y" * 300, b"y" * 301, b"[[" * 200)),
        **grid(in_success, objects),
        **grid(failed, ("http://a",), ("refused", ""), (False, True), (None, 200)),
        **rows_of(timeouts, [(0.126,), (20,)]),
        **grid(retry_after_s, HEADERS[:8], now=(None, 1795773600.0)),
        **grid(duration_s, DURATIONS),
        **grid(args.answer_format, FORMATS),
        **grid(args.chosen_tool, CHOICES),
        **grid(args.turns_reasoning_on, THINKING),
        **grid(endpoint.checked_url, URLS, ("m",), ends=((), ("/chat/completions", "/v1"))),
        **grid(endpoint.with_version, URLS[:3] + URLS[-4:], ("v1",)),
        **grid(endpoint.usual_address, URLS[:3] + URLS[-4:], ("/v1", "/v1beta")),
        **grid(endpoint.host_of, URLS[:3]),
        **grid(
            settings,
            (None, "x"),
            (None, "2024-10.1", "a/b"),
            (None, {"X-A": "b"}, {"X A": "b"}, {"X": 1}, 3),
        ),
        **grid(authority, ("a", "::1"), (80, 8080)),
        **grid(answers.text_or_none, (None, "", "a", 1)),
        **grid(answers.label, (None, "", "a", "a" * 300, "a\x00", 1)),
        **grid(answers.token_count, USAGES),
        **grid(answers.arguments_text, (None, "", "{}", {"a": "\xe4"}, [1], float("nan"))),
        **grid(answers.check_length, (0, 10**7, 10**9)),
        **grid(answers.check_calls, (0, 1, 100, 10**6)),
    }


def timeouts(seconds: float) -> object:
    return failure(failures.timed_out(seconds)), failure(failures.connect_timed_out("a", seconds))


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("http", all_calls()) == {}


if __name__ == "__main__":
    record("http", all_calls())
