"""What boto3 raises, as lve's errors."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from lve.errors import ModelError, PermanentModelError, TransientModelError
from lve.extensions.bedrock.endpoint import Access
from lve.extensions.bedrock.transport import STATUSES, BedrockTransport, _with_bytes
from lve.models.http.connections.transport import HttpResponse

FIELDS = Path(__file__).parents[2] / "cases" / "models" / "fields"
SECRET = "\x1b[31m"
"""What no message may bring to a terminal."""
ERRORS: list[tuple[str, dict[str, Any], type[ModelError], str, str]] = [
    ("ParamValidationError", {"report": "no such field"}, PermanentModelError, "bad_request", "no"),
    ("UnknownServiceError", {"service_name": "x", "known_service_names": "y"},
     PermanentModelError, "bad_request", "x"),
    ("NoCredentialsError", {}, PermanentModelError, "authentication", "set AWS_PROFILE"),
    ("PartialCredentialsError", {"provider": "x", "cred_var": "y"},
     PermanentModelError, "authentication", "log in with AWS's tools"),
    ("CredentialRetrievalError", {"provider": "x", "error_msg": "y"},
     PermanentModelError, "authentication", "set AWS_PROFILE"),
    ("TokenRetrievalError", {"provider": "x", "error_msg": "y"},
     PermanentModelError, "authentication", "set AWS_PROFILE"),
    ("ConnectTimeoutError", {"endpoint_url": "x"}, TransientModelError, "timeout", "7"),
    ("ReadTimeoutError", {"endpoint_url": "x"}, TransientModelError, "timeout", "7"),
    ("EndpointConnectionError", {"endpoint_url": "x"}, TransientModelError, "connection",
     "Bedrock in eu-central-1"),
    ("HTTPClientError", {"error": "x"}, TransientModelError, "connection", "Bedrock in eu-"),
]  # fmt: skip


def ended_by(error: Exception) -> HttpResponse:
    """Return what becomes of a request that ends with an error of boto3."""

    def job(_: threading.Event) -> HttpResponse:
        raise error

    access = Access("eu-central-1", None)
    transport = BedrockTransport(access, timeout_s=5, max_connections=1)
    return transport._run(job, threading.Event(), 7.0)


@pytest.mark.parametrize(("name", "fields", "kind", "code", "said"), ERRORS)
def test_an_error_of_boto3_says_what_to_do(
    name: str, fields: dict[str, Any], kind: type[ModelError], code: str, said: str
) -> None:
    from botocore import exceptions

    hostile = {key: f"{text}{SECRET}" for key, text in fields.items()}
    with pytest.raises(kind) as caught:
        ended_by(getattr(exceptions, name)(**hostile))
    assert caught.value.kind == code
    assert said in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.was_sent is (code != "authentication")


def refused(code: str, http: int | None = None) -> HttpResponse:
    from botocore import exceptions

    metadata = {} if http is None else {"HTTPStatusCode": http, "HTTPHeaders": {"Retry-After": 3}}
    answer: Any = {"Error": {"Code": code, "Message": "why"}, "ResponseMetadata": metadata}
    return ended_by(exceptions.ClientError(answer, "Converse"))


@pytest.mark.parametrize("code", STATUSES)
def test_a_refusal_has_the_status_that_tells_whether_to_retry(code: str) -> None:
    for spelled in (code, code[0].lower() + code[1:]):  # as a stream spells it
        response = refused(spelled, 418)
        assert response.status == STATUSES[code]
        assert json.loads(response.body) == {"error": {"type": spelled, "message": "why"}}
        assert dict(response.headers) == {"retry-after": "3"}


@pytest.mark.parametrize(("http", "status"), [(418, 418), (400, 400), (399, 500), (None, 500)])
def test_another_refusal_has_the_status_of_its_answer(http: int | None, status: int) -> None:
    assert refused("NewException", http).status == status


IMAGE = {"image": {"format": "png", "source": {"bytes": "AAE="}}}
BLOCKS: tuple[dict[str, Any], ...] = (
    IMAGE,
    {"document": {"format": "pdf", "name": "d", "source": {"bytes": "AAE="}}},
    {"toolResult": {"toolUseId": "t", "content": [{"text": "a"}, IMAGE]}},
    {"reasoningContent": {"redactedContent": "AAE="}},
    {"reasoningContent": {"reasoningText": {"text": "AAE=", "signature": "AAE="}}},
    {"text": "AAE="},
)


def test_boto3_takes_whatever_is_sent_and_gets_bytes_where_it_expects_them() -> None:
    from botocore.session import Session
    from botocore.validate import validate_parameters

    model = Session().get_service_model("bedrock-runtime")
    shape = model.operation_model("Converse").input_shape
    recorded = json.loads((FIELDS / "bedrock.sent.json").read_text(encoding="utf-8"))
    bodies = [sent["body"] for sent in recorded.values() if "body" in sent]
    bodies += [{"messages": [{"role": "user", "content": [*BLOCKS]}]}]
    assert len(bodies) > 50
    for body in bodies:
        messages = [_with_bytes(message) for message in body["messages"]]
        validate_parameters({**body, "messages": messages, "modelId": "m"}, shape)
    assert str(messages).count(repr(b"\x00\x01")) == 4
