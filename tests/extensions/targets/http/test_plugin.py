"""HTTP endpoints as models, against a server on this machine."""

from __future__ import annotations

import asyncio
import itertools
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from extensions.targets.application import AppRequest, AppResponse, application, sse
from extensions.targets.targets import asked, conversation, target

from lve.errors import (
    ContentFilteredError,
    MissingKeyError,
    ModelError,
    PermanentModelError,
    SettingsError,
    TransientModelError,
    TrustError,
)
from lve.messages import Message, Role, ToolCall, Usage
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.registry import create_model
from lve.secrets.redaction import own_redactor
from lve.settings.settings import Settings


def endpoint(root: Path, url: str, **options: Any) -> ChatModel:
    fields = {key: options.pop(key) for key in ("timeout_s", "api_key_env") if key in options}
    if not {"text", "form", "body", "query"} & options.keys():
        options["body"] = {"question": "{prompt}"}
    return target(root, "http", {"url": url, **options}, trusted=False, **fields)


def test_an_answer_is_where_the_paths_say(tmp_path: Path) -> None:
    whole = {
        "reply": "Paris",
        "sources": [{"text": "a"}, {"text": "b"}],
        "calls": [{"name": "search", "arguments": {"q": "x"}}],
        "tokens": {"in": 3, "out": 2},
        "dollars": 0.25,
        "route": "geo",
        "why": "stop",
    }
    with application(lambda request: whole) as app:
        model = endpoint(
            tmp_path,
            app.url + "/chat?v=1",
            answer="$.reply",
            contexts="$.sources[*].text",
            tool_calls="$.calls",
            usage={"prompt_tokens": "$.tokens.in", "completion_tokens": "$.tokens.out"},
            cost="$.dollars",
            metadata={"route": "$.route", "none": "$.none"},
            finish_reason="$.why",
        )
        [completion] = asked(model, 'capital of "France"?')
    assert completion.text == "Paris"
    assert completion.contexts == ("a", "b")
    assert completion.tool_calls == (ToolCall("", "search", '{"q": "x"}'),)
    assert (completion.usage, completion.cost) == (Usage(3, 2), 0.25)
    assert completion.metadata == {"route": "geo"}
    [request] = app.requests
    assert (request.method, request.path) == ("POST", "/chat?v=1")
    assert request.json == {"question": 'capital of "France"?'}
    assert request.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("options", "method", "path", "body"),
    [
        ({"query": {"q": "{prompt}"}}, "GET", "/a?q=x+%26+y%3F", b""),
        ({"text": "Q: {prompt}", "method": "PUT"}, "PUT", "/a", b"Q: x & y?"),
        ({"form": {"q": "{prompt}", "n": "1"}}, "POST", "/a", b"q=x+%26+y%3F&n=1"),
        ({"body": ["{prompt}"]}, "POST", "/a", b'["x & y?"]'),
    ],
)
def test_requests_are_sent_in_any_form(
    tmp_path: Path, options: dict[str, Any], method: str, path: str, body: bytes
) -> None:
    with application(lambda request: "plain") as app:
        [completion] = asked(endpoint(tmp_path, app.url + "/a", **options), "x & y?")
    [request] = app.requests
    assert completion.text == "plain"
    assert (request.method, request.path, request.body) == (method, path, body)


def test_a_value_in_the_address_is_quoted(tmp_path: Path) -> None:
    with application(lambda request: AppResponse(b"just text")) as app:
        url = app.url + "/ask/{prompt}/x?top={args.top_k}"
        model = endpoint(tmp_path, url, query={"b": "1"})
        request = ChatRequest((Message("a/b?c#d"),), {"top_k": 3})
        [completion] = asked(model, request)
    assert completion.text == "just text"
    assert app.requests[0].path == "/ask/a%2Fb%3Fc%23d/x?top=3&b=1"


def test_keys_come_from_the_environment_and_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_KEY", "k3y-0f-the-app-123")
    monkeypatch.setenv("APP_TOKEN", "t0ken-of-the-app-456")

    def answer(request: AppRequest) -> AppResponse:
        seen = request.headers["x-key"] + " " + request.headers["authorization"]
        return AppResponse({"error": {"message": f"I saw {seen}"}}, 400)

    with application(answer) as app:
        headers = {"headers": {"X-Tenant": "acme"}, "headers_env": {"X-Key": "APP_KEY"}}
        model = endpoint(tmp_path, app.url, **headers, api_key_env="APP_TOKEN")
        with pytest.raises(PermanentModelError) as error:
            asked(model, "hi")
    assert app.requests[0].headers["x-key"] == "k3y-0f-the-app-123"
    assert app.requests[0].headers["authorization"] == "Bearer t0ken-of-the-app-456"
    assert app.requests[0].headers["x-tenant"] == "acme"
    assert "k3y-0f" not in own_redactor()(str(error.value))
    assert "t0ken" not in own_redactor()(str(error.value))
    monkeypatch.delenv("APP_KEY")
    with pytest.raises(MissingKeyError, match="APP_KEY"):
        endpoint(tmp_path, "http://localhost", headers_env={"X-Key": "APP_KEY"})


def test_a_well_known_key_is_not_sent_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234567890")
    with pytest.raises(SettingsError, match="OPENAI_API_KEY is not sent"):
        endpoint(tmp_path, "http://localhost", headers_env={"X-Key": "OPENAI_API_KEY"})


@pytest.mark.parametrize(
    ("options", "answer", "kind", "why"),
    [
        ({}, AppResponse({"detail": "no"}, 404), PermanentModelError, "404: no"),
        ({}, AppResponse({}, 503), TransientModelError, "503"),
        ({"answer": "$.reply"}, {"rply": 1}, PermanentModelError, r"nothing at \$\.reply"),
        ({"answer": "$.reply"}, {"reply": None}, PermanentModelError, "is null"),
        ({"answer": "$.reply"}, AppResponse(b"<html>"), TransientModelError, "not JSON"),
        (
            {"refusal_when": [{"path": "$.blocked"}]},
            {"blocked": True, "message": "not that"},
            ContentFilteredError,
            "not that",
        ),
        (
            {"retry_when": [{"contains": "warming up"}]},
            {"message": "warming up"},
            TransientModelError,
            "warming up",
        ),
    ],
)
def test_an_answer_that_is_none_is_an_error(
    tmp_path: Path, options: dict[str, Any], answer: Any, kind: type[ModelError], why: str
) -> None:
    with application(lambda request: answer) as app, pytest.raises(kind, match=why):
        asked(endpoint(tmp_path, app.url, **options), "hi")


def test_a_stream_is_read_as_it_comes(tmp_path: Path) -> None:
    events = [{"d": "Par"}, {"d": "is"}, {"sources": ["a"], "tokens": {"prompt_tokens": 3}}]
    pieces: list[str] = []
    for form, parts in (
        ("sse", [*sse(*events), b": ping\n\n", *sse("[DONE]")]),
        ("ndjson", [str(e).replace("'", '"').encode() + b"\n" for e in events]),
    ):
        with application(lambda request, parts=parts: AppResponse(parts)) as app:
            model = endpoint(
                tmp_path,
                app.url,
                stream={"format": form, "text": "$.d"},
                contexts="$.sources",
                usage="$.tokens",
            )
            request = ChatRequest((Message("hi"),), stream=True, listen=lambda: pieces.append)
            [completion] = asked(model, request)
        assert completion.text == "Paris"
        assert completion.contexts == ("a",)
        assert completion.usage == Usage(3, 0)
        assert completion.first_token_s is not None
    assert pieces == ["Par", "is"] * 2


def test_plain_events_are_text_and_an_error_in_them_is_one(tmp_path: Path) -> None:
    with application(lambda request: AppResponse(sse("Hello ", "you", "[DONE]", "more"))) as app:
        model = endpoint(tmp_path, app.url, stream={"format": "sse"})
        assert asked(model, "hi")[0].text == "Hello you"
    events = sse({"d": "Par"}, {"error": {"message": "overloaded", "code": 503}})
    with application(lambda request: AppResponse(events)) as app:
        model = endpoint(tmp_path, app.url, stream={"format": "sse", "text": "$.d"})
        with pytest.raises(TransientModelError, match="overloaded"):
            asked(model, "hi")
    with application(lambda request: AppResponse([])) as app:
        model = endpoint(tmp_path, app.url, stream={"format": "ndjson", "text": "$.d"})
        with pytest.raises(TransientModelError, match="no events"):
            asked(model, "hi")


def test_a_token_is_asked_for_once_and_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_PASSWORD", "hunter2-hunter2")
    numbers = itertools.count(1)
    valid = {"token-1"}

    def answer(request: AppRequest) -> Any:
        if request.path == "/login":
            assert request.json == {"user": "me", "password": "hunter2-hunter2"}
            return {"access": {"token": f"token-{next(numbers)}"}}
        token = request.headers["authorization"].removeprefix("Bearer ")
        return {"reply": token} if token in valid else AppResponse({}, 401)

    with application(answer) as app:
        login = {
            "url": app.url + "/login",
            "body": {"user": "me"},
            "body_env": {"password": "APP_PASSWORD"},
            "answer": "$.access.token",
        }
        model = endpoint(tmp_path, app.url + "/chat", answer="$.reply", login=login)

        async def ask() -> list[str]:
            request = ChatRequest((Message("hi"),))
            answers = await asyncio.gather(*[model.complete(request) for _ in range(5)])
            valid.clear()
            valid.add("token-2")
            answers.append(await model.complete(request))
            valid.clear()
            with pytest.raises(PermanentModelError, match="401"):
                await model.complete(request)
            await model.aclose()
            return [answer.text for answer in answers]

        assert asyncio.run(ask()) == ["token-1"] * 5 + ["token-2"]
    logins = [request for request in app.requests if request.path == "/login"]
    assert len(logins) == 3
    assert not [file for file in tmp_path.rglob("*") if "token-" in file.read_text()]


def test_a_command_gives_a_token_if_it_is_trusted(tmp_path: Path) -> None:
    with application(lambda request: {"reply": request.headers["x-token"]}) as app:
        command = [sys.executable, "-c", "print('from-a-command')"]
        options = {
            "url": app.url,
            "body": "{prompt}",
            "answer": "$.reply",
            "login": {"command": command, "header": "X-Token", "prefix": ""},
        }
        assert asked(target(tmp_path, "http", options), "hi")[0].text == "from-a-command"
        with pytest.raises(TrustError, match="the command of its login"):
            target(tmp_path, "http", options, trusted=False)


def test_a_job_is_asked_for_until_it_is_done(tmp_path: Path) -> None:
    looks = itertools.count()

    def answer(request: AppRequest) -> Any:
        if request.method == "POST":
            return {"job": {"id": 17}}
        assert request.path == "/jobs/17"
        is_done = next(looks) >= 2
        return {"state": "done", "reply": "Paris"} if is_done else {"state": "running"}

    with application(answer) as app:
        job = {"id": "$.job.id", "url": app.url + "/jobs/{job}", "status": "$.state"}
        model = endpoint(
            tmp_path, app.url, answer="$.reply", job={**job, "done": ["done"], "every_s": 0.02}
        )
        assert asked(model, "hi")[0].text == "Paris"
        failed = {**job, "done": ["never"], "failed": ["done"], "every_s": 0.02}
        with pytest.raises(PermanentModelError, match="the job 17 ended with done"):
            asked(endpoint(tmp_path, app.url, answer="$.reply", job=failed), "hi")
        waiting = {**job, "done": ["never"], "every_s": 0.02}
        with pytest.raises(TransientModelError, match=r"within 0\.3 s"):
            asked(endpoint(tmp_path, app.url, answer="$.reply", job=waiting, timeout_s=0.3), "hi")


def remembering(request: AppRequest) -> Any:
    """Answer with all that was said in the session."""
    body = request.json
    session = body.get("session") or f"s{len(SESSIONS)}"
    SESSIONS.setdefault(session, []).append(body["q"])
    return {"reply": " ".join(SESSIONS[session]), "session": session}


SESSIONS: dict[str, list[str]] = {}


@pytest.mark.parametrize("own", [True, False])
def test_64_conversations_at_once_never_mix(tmp_path: Path, own: bool) -> None:
    SESSIONS.clear()
    more = {} if own else {"session_id": "$.session"}
    with application(remembering) as app:
        body = {"q": "{prompt}", "session": "{session}"}
        model = endpoint(tmp_path, app.url, body=body, answer="$.reply", **more)
        assert model.identity is None

        async def hold(number: int) -> list[str]:
            messages: list[Message] = []
            answers = []
            for turn in range(4):
                messages.append(Message(f"{number}.{turn}"))
                completion = await model.complete(ChatRequest(tuple(messages)))
                answers.append(completion.text)
                state = completion.provider_state
                messages.append(Message(completion.text, Role.assistant, provider_state=state))
            return answers

        async def all_of_them() -> list[list[str]]:
            try:
                return await asyncio.gather(*map(hold, range(64)))
            finally:
                await model.aclose()

        conversations = asyncio.run(all_of_them())
    for number, answers in enumerate(conversations):
        assert answers[-1] == " ".join(f"{number}.{turn}" for turn in range(4))
    assert len(SESSIONS) == 64


def test_an_answer_of_another_session_is_an_error(tmp_path: Path) -> None:
    numbers = itertools.count()

    def answer(request: AppRequest) -> Any:
        return {"reply": "x", "session": f"s{next(numbers)}"}

    with application(answer) as app:
        body = {"q": "{prompt}", "session": "{session}"}
        options = {"body": body, "answer": "$.reply", "session_id": "$.session"}
        model = endpoint(tmp_path, app.url, **options)
        with pytest.raises(PermanentModelError, match="of the session 's1', not of 's0'"):
            conversation(model, ["a", "b"])
        mixed = endpoint(tmp_path, app.url, **options, session_from="lve")
        with pytest.raises(PermanentModelError, match="mixes conversations"):
            conversation(mixed, ["a"])


def test_the_whole_history_is_sent_each_time(tmp_path: Path) -> None:
    with application(lambda request: {"n": len(request.json["m"])}) as app:
        model = endpoint(tmp_path, app.url, body={"m": "{messages}"}, answer="$.n", version=1)
        assert conversation(model, ["a", "b", "c"], system="s") == ["2", "4", "6"]
    assert model.identity is not None
    assert app.requests[1].json["m"][-1] == {"role": "user", "content": "b"}


def test_what_is_not_sent_is_said(tmp_path: Path) -> None:
    notes: list[str] = []
    with application(lambda request: "x") as app:
        settings = endpoint(tmp_path, app.url)
        settings._tell = notes.append  # type: ignore[attr-defined]
        request = ChatRequest(
            (Message("hi"),), {"top_k": 3, "temperature": 0}, by_default=frozenset({"temperature"})
        )
        asked(settings, request, request)
    assert notes == ["app/target: `top_k` isn't sent to the application (no `{args.top_k}`)"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"body": "{promt}"}, r"options\.body: `\{promt\}` is no name"),
        ({"body": 1, "text": "x"}, "exclude each other"),
        ({"headers": {"X Y": "1"}}, "can't be a header's name"),
        ({"answer": "$..reply"}, r"answer: a path is such as \$\.reply"),
        ({"url": "ftp://x"}, "url"),
        ({"url": "http://me:pw@host/x"}, "credentials"),
        ({"login": {"url": "http://localhost/{prompt}", "answer": "$.t"}}, "is no name"),
        ({"anser": "$.reply"}, "did you mean `answer`"),
        ({"retry_when": [{"equals": 1}]}, "path"),
    ],
)
def test_settings_that_can_not_be_used_are_explained(
    tmp_path: Path, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(SettingsError, match=why):
        target(tmp_path, "http", {"url": "http://localhost/x", "body": "{prompt}", **options})


def test_a_base_url_is_not_that_of_an_endpoint(tmp_path: Path) -> None:
    options = {"url": "http://localhost/x", "body": "{prompt}"}
    with pytest.raises(SettingsError, match="--base-url"):
        target(tmp_path, "http", options, base_url="http://localhost")
    with pytest.raises(SettingsError, match=r"defined in lve\.yaml"):
        create_model("http/x", Settings(), from_test=True)


def test_the_address_is_asked_as_a_browser_would(tmp_path: Path) -> None:
    with application(lambda request: "x") as app:
        asked(endpoint(tmp_path, app.url, query={"q": "{prompt}"}), "é & ü")
    parts = urlsplit(app.requests[0].path)
    assert (parts.path, parse_qs(parts.query)) == ("/", {"q": ["é & ü"]})


def test_a_session_may_be_in_headers(tmp_path: Path) -> None:
    def answer(request: AppRequest) -> AppResponse:
        session = request.headers.get("x-session", f"s{next(numbers)}")
        return AppResponse({"reply": session}, headers={"X-Session": session})

    numbers = itertools.count()
    with application(answer) as app:
        options = {"answer": "$.reply", "headers": {"X-Session": "{session}", "X-A": "b"}}
        for number in range(2):
            model = endpoint(tmp_path, app.url, session_header="x-Session", **options)
            assert conversation(model, ["a", "b"]) == [f"s{2 * number}"] * 2
        own = endpoint(tmp_path, app.url, **options)
        first, second = conversation(own, ["a", "b"])
        assert first == second
        assert len(first) == 32
    assert app.requests[0].headers["x-a"] == "b"


@pytest.mark.parametrize("charset", ["ISO-8859-1", "windows-1252", '"utf-16le"', "Shift_JIS"])
def test_a_text_is_in_the_charset_of_its_headers(tmp_path: Path, charset: str) -> None:
    text = "東京" if charset == "Shift_JIS" else "Köln"
    body = text.encode(charset.strip('"'))
    headers = {"Content-Type": f"text/plain; charset={charset}"}
    with application(lambda request: AppResponse(body, headers=headers)) as app:
        [completion] = asked(endpoint(tmp_path, app.url), "hi")
    assert completion.text == text


@pytest.mark.parametrize(
    ("charset", "why"), [("utf-8", "no UTF-8: the byte 0xf6 at 1"), ("gbk", "isn't in gbk")]
)
def test_bytes_that_are_no_text_are_an_error(tmp_path: Path, charset: str, why: str) -> None:
    headers = {"Content-Type": f"text/plain; charset={charset}"}
    response = AppResponse(b"K\xf6", headers=headers)
    with (
        application(lambda request: response) as app,
        pytest.raises(PermanentModelError, match=why) as raised,
    ):
        asked(endpoint(tmp_path, app.url), "hi")
    assert raised.value.kind == "application"
