"""Which failed requests are retried, as a table."""

from __future__ import annotations

import json
import ssl
import time
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import ContentFilteredError, PermanentModelError, TransientModelError
from lve.json_types import JsonValue
from lve.models.http.failures import (
    MAX_MESSAGE_CHARS,
    classify,
    connection_failed,
    error_in_success,
    has_error,
    printable,
)
from lve.models.http.keys import Secret
from lve.models.http.retry_after_header import duration_s, retry_after_s


def openai_error(message: str = "said", **fields: object) -> bytes:
    return json.dumps({"error": {"message": message, **fields}}).encode()


TABLE = [
    (400, openai_error(), PermanentModelError, "bad_request"),
    (400, openai_error(code="context_length_exceeded"), PermanentModelError, "too_long"),
    (
        400,
        openai_error("This model's maximum context length is 8192 tokens."),
        PermanentModelError,
        "too_long",
    ),
    (400, openai_error("prompt is too long: 9 > 8"), PermanentModelError, "too_long"),
    (400, openai_error("The input token count (9) exceeds"), PermanentModelError, "too_long"),
    (401, openai_error(code="context_length_exceeded"), PermanentModelError, "authentication"),
    (401, openai_error(), PermanentModelError, "authentication"),
    (402, openai_error(), PermanentModelError, "quota"),
    (403, openai_error(), PermanentModelError, "permission"),
    (404, openai_error(), PermanentModelError, "not_found"),
    (405, openai_error(), PermanentModelError, "bad_request"),
    (408, openai_error(), TransientModelError, "timeout"),
    (409, openai_error(), TransientModelError, "conflict"),
    (413, openai_error(), PermanentModelError, "too_large"),
    (422, openai_error(), PermanentModelError, "bad_request"),
    (425, openai_error(), TransientModelError, "conflict"),
    (429, openai_error(), TransientModelError, "rate_limit"),
    (429, openai_error(code="insufficient_quota"), PermanentModelError, "quota"),
    (429, openai_error(code="x", type="insufficient_quota"), PermanentModelError, "quota"),
    (500, openai_error(), TransientModelError, "server_error"),
    (502, b"<html>bad gateway</html>", TransientModelError, "server_error"),
    (503, openai_error(), TransientModelError, "overloaded"),
    (504, b"", TransientModelError, "server_error"),
    (529, b"{}", TransientModelError, "overloaded"),
    (301, b"", PermanentModelError, "redirect"),
    (307, b"", PermanentModelError, "redirect"),
    (400, openai_error(code="content_filter"), ContentFilteredError, "content_filter"),
    (400, openai_error(code="content_policy_violation"), ContentFilteredError, "content_filter"),
    (
        400,
        openai_error(code="x", innererror={"code": "ResponsibleAIPolicyViolation"}),
        ContentFilteredError,
        "content_filter",
    ),
    (
        403,
        openai_error(metadata={"reasons": ["violence"], "flagged_input": "..."}),
        ContentFilteredError,
        "content_filter",
    ),
]


@pytest.mark.parametrize(("status", "body", "error", "kind"), TABLE)
def test_status_and_body_decide_whether_another_try_is_worth_it(
    status: int, body: bytes, error: type[Exception], kind: str
) -> None:
    found = classify(status, {}, body)
    assert type(found) is error
    assert (found.kind, found.status) == (kind, status)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (openai_error("no such model"), "no such model"),
        (b'{"error": "plain text"}', "plain text"),
        (b'{"detail": "Not Found"}', "Not Found"),
        (b'{"detail": [{"loc": ["body"]}]}', '[{"loc": ["body"]}]'),
        (b'{"object": "error", "message": "vLLM says"}', "vLLM says"),
        (b"<html>  a\n page</html>", "<html> a page</html>"),
        (b"[1, 2]", "[1, 2]"),
        (b'{"error": 3}', '{"error": 3}'),
        (b"", "no message"),
        (b"\xff\xfe", "��"),
        (openai_error("red \x1b[31m\x00 text"), r"red \x1b[31m\x00 text"),
    ],
)
def test_the_message_is_the_servers_own_on_one_line(body: bytes, said: str) -> None:
    assert str(classify(400, {}, body)) == f"400: {said}"


def test_a_long_message_is_trimmed() -> None:
    text = str(classify(500, {}, openai_error("x" * 10_000)))
    assert len(text) < MAX_MESSAGE_CHARS + 20


def test_a_key_that_the_server_repeats_is_blotted_out() -> None:
    secret = Secret("sk-very-secret")
    error = classify(401, {}, openai_error("bad key sk-very-secret!"), secret=secret)
    assert str(error) == "401: bad key ***! (check the API key)"


def test_a_key_is_blotted_out_even_where_the_message_is_cut() -> None:
    key = "sk-" + "k" * 50
    body = openai_error("x" * (MAX_MESSAGE_CHARS - 20) + key)
    assert "kkk" not in str(classify(401, {}, body, secret=Secret(key)))


def test_a_key_whose_white_space_the_message_would_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", "correct  horse\u2003battery")
    said = printable("refused: correct  horse\u2003battery, they say")
    assert said == "refused: [redacted], they say"


def test_a_redirect_names_its_target() -> None:
    error = classify(308, {"location": "https://other/v1"}, b"")
    assert "https://other/v1" in str(error)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "busy", "code": 429}, "rate_limit"),
        ({"message": "bad", "code": 401}, "authentication"),
        ({"message": "?", "code": "odd"}, "server_error"),
        ("text only", "server_error"),
    ],
)
def test_an_error_object_with_status_200_is_an_error(error: object, kind: str) -> None:
    assert error_in_success({"error": error}).kind == kind


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("busy", "500: busy"),
        ({"detail": "busy", "code": 503}, "503: busy"),
        ({"code": 503, "why": "x"}, '503: {"error": {"code": 503, "why": "x"}}'),
    ],
)
def test_an_error_with_status_200_says_what_the_server_said(error: object, said: str) -> None:
    assert str(error_in_success({"error": error})) == said


@pytest.mark.parametrize(
    ("data", "is_error"),
    [
        ({"error": {"message": "x"}}, True),
        ({"error": "x"}, True),
        ({"object": "error", "message": "x"}, True),
        ({"type": "error"}, True),
        ({"error": None, "object": "chat.completion"}, False),
        ({"error": {}, "type": "message"}, False),
        ({"object": ["error"]}, False),
        ({}, False),
    ],
)
def test_what_is_an_error_with_status_200(data: dict[str, JsonValue], is_error: bool) -> None:
    assert has_error(data) == is_error


@pytest.mark.parametrize(
    ("code", "status"),
    [("429", 429), ("503", 503), (502, 502), ("200", 500), ("4290", 500), ("x", 500), (7, 500)],
)
def test_the_code_of_an_error_may_be_a_text(code: object, status: int) -> None:
    assert error_in_success({"object": "error", "message": "x", "code": code}).status == status


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:10 GMT"}, 10.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:27:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e99"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon", "x-ratelimit-reset-requests": "2s"}, 2.0),
        ({"retry-after": "-3", "x-ratelimit-reset-tokens": "500ms"}, 0.5),
        ({"retry-after": "", "x-ratelimit-reset-tokens": "1s"}, 1.0),
        ({"retry-after": "7", "x-ratelimit-reset-tokens": "1s"}, 7.0),
        ({"retry-after-ms": "x", "retry-after": "y", "x-ratelimit-reset-tokens": "1s"}, 1.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"x-ratelimit-reset-requests": "1m3s"}, 63.0),
        ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-reset-requests": "2s", "x-ratelimit-reset-tokens": "1s"}, 1.0),
        (
            {
                "x-ratelimit-reset-requests": "2s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "1s",
                "x-ratelimit-remaining-tokens": "50",
            },
            2.0,
        ),
        (
            {
                "x-ratelimit-reset-requests": "2s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "9s",
                "x-ratelimit-remaining-tokens": "0",
            },
            9.0,
        ),
    ],
)
def test_the_wait_comes_from_whichever_header_has_it(
    headers: dict[str, str], seconds: float | None
) -> None:
    now = 1445412480.0  # Wed, 21 Oct 2015 07:28:00 GMT
    assert retry_after_s(headers, now=now) == seconds


@pytest.mark.parametrize("years", [-1, 0, 1])
def test_a_date_counts_from_the_answers_own_date(years: int) -> None:
    """The server's clock or that of this machine may be wrong by any amount."""
    sent = time.time() + years * 365 * 86400
    headers = {"date": formatdate(sent, usegmt=True)}
    headers["retry-after"] = formatdate(int(sent) + 7, usegmt=True)
    assert retry_after_s(headers) == 7


@pytest.mark.parametrize("date", ["", "soon", "Fri, 99 Nov 2026 10:00:00 GMT"])
def test_without_a_readable_date_this_machines_clock_counts(date: str) -> None:
    headers = {"date": date, "retry-after": formatdate(time.time() + 60, usegmt=True)}
    seconds = retry_after_s(headers)
    assert seconds is not None
    assert 50 < seconds <= 60


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1h2m3s", 3723.0), ("6.5s", 6.5), ("0s", 0.0), ("12", 12.0), ("", None), ("3x", None)],
)
def test_durations_of_rate_limit_headers(text: str, seconds: float | None) -> None:
    assert duration_s(text) == seconds


def test_an_untrusted_certificate_is_permanent_wherever_it_hides() -> None:
    outer = RuntimeError("outer")
    outer.__cause__ = ssl.SSLCertVerificationError("self-signed certificate")
    error = connection_failed("https://host", outer)
    assert (type(error), error.kind) == (PermanentModelError, "tls")


@given(st.integers(100, 599), st.binary(max_size=300), st.dictionaries(st.text(), st.text()))
def test_nothing_a_server_sends_breaks_the_classification(
    status: int, body: bytes, headers: dict[str, str]
) -> None:
    text = str(classify(status, headers, body))
    assert text.isprintable()


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["error", "message", "code", "type", "innererror", "detail"]), inner
            )
        ),
    )
)
def test_nor_does_any_json(data: object) -> None:
    assert str(classify(400, {}, json.dumps(data).encode())).startswith("400: ")


@given(st.text())
def test_printable_text_is_one_short_line(text: str) -> None:
    assert printable(text).isprintable()
