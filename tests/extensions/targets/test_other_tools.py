"""Configurations of garak and promptfoo, translated by hand, send the same requests and read the
same answers (tests/cases/targets)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import pytest
from extensions.targets.application import AppRequest, AppResponse, application, sse
from extensions.targets.targets import asked, conversation, target

from lve.documents.json_paths import at_step, path_steps
from lve.documents.yaml_text import parse_yaml
from lve.errors import ContentFilteredError, PermanentModelError, TransientModelError
from lve.messages import Message, Usage
from lve.models.chat_model import ChatModel, ChatRequest

CASES = Path(__file__).parents[2] / "cases" / "targets"
PROMPT = 'Say "hi" & {x} \\ <é>\nnow'
KEY = "k3y-0f-the-application"


def cases(tool: str) -> list[Any]:
    listed = parse_yaml((CASES / f"{tool}.yaml").read_text("utf-8"))
    return [pytest.param(case, id=case["name"]) for case in listed]


def with_url(value: Any, url: str) -> Any:
    """Return a configuration with the server's address."""
    return json.loads(json.dumps(value).replace("URL", url))


def at_path(value: Any, path: str) -> Any:
    for step in path_steps(path) or ():
        value = at_step(value, step)
    return value


def sent_by_garak(config: dict[str, Any], prompt: str) -> tuple[str, str, dict[str, str], bytes]:
    """Return method, address, headers and body of the request that garak would send: `$INPUT` is
    replaced in the template's text, escaped as JSON, and so is `$KEY`. With `get`, the text stands
    in the address."""
    template = config.get("req_template_json_object")
    text = json.dumps(template) if template is not None else config["req_template"]
    body = text.replace("$INPUT", json.dumps(prompt)[1:-1])
    headers = {k: v.replace("$KEY", KEY) for k, v in config.get("headers", {}).items()}
    if config["method"] == "get":
        return "GET", f"{config['uri']}?{body}", headers, b""
    return config["method"].upper(), config["uri"], headers, body.encode()


def read_by_garak(config: dict[str, Any], body: str) -> str:
    """Return the first text that garak would read: a field without `$` of an object, or of each
    object in a list."""
    if not config.get("response_json"):
        return body
    data, field = json.loads(body), config["response_json_field"]
    if field[0] != "$":
        return str((data[0] if isinstance(data, list) else data)[field])
    return str(at_path(data, field.replace("[*]", "[0]")))


def sent_by_promptfoo(
    config: dict[str, Any], session: str, prompt_text: str, variables: dict[str, str]
) -> tuple[str, str, dict[str, str], bytes]:
    """Return the request that promptfoo would send: `{{prompt}}` is replaced inside of the body's
    values."""
    messages = json.dumps([{"role": "user", "content": prompt_text}])
    prompt = messages if config.get("prompt_is_messages") else prompt_text
    body = config.get("body", "")
    if isinstance(body, str) and body[:1] == "{":  # parsed before it is filled
        body = json.loads(body)

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: filled(item) for name, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        if not isinstance(value, str):
            return value
        if value == "{{prompt}}" and config.get("prompt_is_messages"):
            return json.loads(prompt)
        places = {"prompt": prompt, "sessionId": session, "env.APP_KEY": KEY, **variables}
        for name, replacement in places.items():
            value = value.replace(f"{{{{{name}}}}}", replacement)
        return value.replace("{{prompt | urlencode}}", quote(prompt))

    body, url = filled(body), config["url"]
    if "queryParams" in config:
        url += "?" + urlencode(filled(config["queryParams"]))
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return config["method"], url, filled(config.get("headers", {})), data


def read_by_promptfoo(config: dict[str, Any], body: str) -> str:
    expression = config["transformResponse"]
    return body if expression == "text" else str(at_path(json.loads(body), expression[5:]))


def answer_and_request(root: Path, case: dict[str, Any]) -> tuple[str, AppRequest, str, str]:
    """Return lve's answer and request, the server's address and what it answered."""
    response = case["response"]
    text = response if isinstance(response, str) else json.dumps(response)
    asking = ChatRequest((Message(case.get("prompt", PROMPT)),), case.get("args", {}))
    with application(lambda request: AppResponse(text.encode())) as app:
        [completion] = asked(endpoint(root, case, app.url), asking)
    [request] = app.requests
    return completion.text, request, app.url, text


def endpoint(root: Path, case: dict[str, Any], url: str) -> ChatModel:
    options = with_url(case["lve"], url)
    fields = {"api_key_env": options.pop("key")} if "key" in options else {}
    return target(root, "http", options, trusted=False, **fields)


def same(request: AppRequest, url: str, expected: tuple[str, str, dict[str, str], bytes]) -> None:
    method, address, headers, body = expected
    path, _, query = (url + request.path).partition("?")
    assert (request.method, path) == (method, address.partition("?")[0])
    assert parse_qsl(query) == parse_qsl(address.partition("?")[2])
    for name, value in headers.items():
        assert request.headers[name.lower()] == value
    if body[:1] in (b"{", b"["):
        assert request.json == json.loads(body)
    elif "form" in request.headers.get("content-type", ""):
        assert parse_qsl(request.body.decode()) == parse_qsl(body.decode())
    else:
        assert request.body == body


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_KEY", KEY)


@pytest.mark.parametrize("case", cases("garak"))
def test_garak(tmp_path: Path, case: dict[str, Any]) -> None:
    answer, request, url, text = answer_and_request(tmp_path, case)
    config = with_url(case["garak"], url)
    same(request, url, sent_by_garak(config, case.get("prompt", PROMPT)))
    assert answer == read_by_garak(config, text)
    for codes, error in (
        ("ratelimit_codes", TransientModelError),
        ("skip_codes", ContentFilteredError),
    ):
        for status in config.get(codes, ()):
            with (
                application(lambda _, status=status: AppResponse({}, status)) as app,
                pytest.raises(error),  # garak asks again, or leaves the prompt out
            ):
                asked(endpoint(tmp_path, case, app.url), PROMPT)


@pytest.mark.parametrize("case", cases("promptfoo"))
def test_promptfoo_http(tmp_path: Path, case: dict[str, Any]) -> None:
    answer, request, url, text = answer_and_request(tmp_path, case)
    config = with_url(case["promptfoo"], url)
    has_json = request.body[:1] == b"{"
    session = request.json.get("conversationId", "") if has_json else ""
    assert not session or re.fullmatch("[0-9a-f]{32}", session)
    prompt, variables = case.get("prompt", PROMPT), case.get("args", {})
    same(request, url, sent_by_promptfoo(config, session, prompt, variables))
    assert answer == read_by_promptfoo(config, text)


def test_promptfoo_sessions_come_in_a_header(tmp_path: Path) -> None:
    """Their `sessionParser: data.headers["x-session-id"]`, with the id in a header of requests."""
    headers = {"X-Session-Id": "s-7"}
    with application(lambda request: AppResponse({"response": "ok"}, headers=headers)) as app:
        options = {
            "url": f"{app.url}/chat",
            "headers": {"x-session-id": "{session}"},
            "session_header": "x-session-id",
            "body": {"input": "{prompt}", "role": "engineering"},
            "answer": "$.response",
        }
        model = target(tmp_path, "http", options, trusted=False)
        assert conversation(model, ["first", "second"]) == ["ok", "ok"]
    first, second = app.requests
    assert (first.json, second.json) == (
        {"input": "first", "role": "engineering"},
        {"input": "second", "role": "engineering"},
    )
    assert (first.headers.get("x-session-id", ""), second.headers["x-session-id"]) == ("", "s-7")


def test_promptfoo_reads_a_stream_of_events_by_a_function(tmp_path: Path) -> None:
    """Their example joins the `delta` of the events of one type."""
    kind = "response.output_text.delta"
    events = [{"type": kind, "delta": piece} for piece in ("Silent ", "peaks")]
    whole = [{"type": "response.created"}, *events, {"type": "response.completed"}, "[DONE]"]
    with application(lambda request: AppResponse(sse(*whole))) as app:
        options = {
            "url": f"{app.url}/v1/responses",
            "body": {"input": [{"role": "user", "content": "{prompt}"}], "stream": True},
            "stream": {"format": "sse", "text": "$.delta"},
        }
        [completion] = asked(target(tmp_path, "http", options, trusted=False), PROMPT)
    assert completion.text == "".join(event["delta"] for event in events)
    assert app.requests[0].json["input"] == [{"role": "user", "content": PROMPT}]


@pytest.mark.parametrize("script", ["chain.py", "chain.sh"])
def test_promptfoo_exec_gives_prompt_options_and_context_as_arguments(
    tmp_path: Path, script: str
) -> None:
    (tmp_path / "chain.py").write_text("import sys; print('chained', *sys.argv[1:])", "utf-8")
    (tmp_path / "chain.sh").write_text('printf "chained %s %s %s\\n" "$1" "$2" "$3"', "utf-8")
    program = [sys.executable if script.endswith("py") else "sh", script]
    rest = ['{"config": {"model": "small"}}', '{"vars": {"n": "1"}}']
    theirs = subprocess.run(
        [*program, PROMPT, *rest], cwd=tmp_path, capture_output=True, check=True
    )
    command = [*program, "{prompt}", *rest]
    [completion] = asked(target(tmp_path, "exec", {"command": command}), PROMPT)
    assert completion.text == theirs.stdout.decode().strip()


PROVIDER = """
def call_api(prompt, options, context):
    if prompt == 'no':
        return {'error': 'it refused to start'}
    usage = {'total': 5, 'prompt': 3, 'completion': 2}
    config = options.get('config', {})
    return {'output': prompt.upper(), 'tokenUsage': usage, 'cost': 0.25,
            'metadata': {'config': config, 'vars': context['vars']}}

def some_other_function(prompt, options, context):
    return call_api(prompt + ' LOUD', options, context)

async def async_provider(prompt, options, context):
    return {'output': {'said': prompt}, 'tokenUsage': None}
"""
ADAPTER = """
import inspect, json
import provider

async def answer(prompt, args):
    result = provider.NAME(prompt, {'config': {'someOption': 'foobar'}}, {'vars': args})
    result = await result if inspect.isawaitable(result) else result
    if 'error' in result:
        return {'error': result['error']}
    tokens = result.get('tokenUsage') or {}
    usage = {f'{name}_tokens': tokens.get(name, 0) for name in ('prompt', 'completion')}
    text = result['output']
    return {'text': text if isinstance(text, str) else json.dumps(text),
            'usage': usage if tokens else None, 'cost': result.get('cost'),
            'metadata': result.get('metadata')}
"""


@pytest.mark.parametrize(
    ("name", "text", "usage"),
    [
        ("call_api", "HI", Usage(3, 2)),
        ("some_other_function", "HI LOUD", Usage(3, 2)),
        ("async_provider", '{"said": "hi"}', None),
    ],
)
def test_promptfoo_python_needs_an_adapter_of_some_lines(
    tmp_path: Path, name: str, text: str, usage: Usage | None
) -> None:
    (tmp_path / "provider.py").write_text(PROVIDER, encoding="utf-8")
    (tmp_path / "adapter.py").write_text(ADAPTER.replace("NAME", name), encoding="utf-8")
    request = ChatRequest((Message("hi"),), {"topic": "tea"})
    [completion] = asked(target(tmp_path, "python", {"function": "adapter:answer"}), request)
    assert (completion.text, completion.usage) == (text, usage)
    if usage is not None:
        assert completion.cost == 0.25
        assert completion.metadata == {
            "config": {"someOption": "foobar"},
            "vars": {"topic": "tea"},
        }


def test_an_error_that_promptfoos_function_returns_is_one(tmp_path: Path) -> None:
    (tmp_path / "provider.py").write_text(PROVIDER, encoding="utf-8")
    (tmp_path / "adapter.py").write_text(ADAPTER.replace("NAME", "call_api"), encoding="utf-8")
    with pytest.raises(PermanentModelError, match="it refused to start"):
        asked(target(tmp_path, "python", {"function": "adapter:answer"}), "no")
