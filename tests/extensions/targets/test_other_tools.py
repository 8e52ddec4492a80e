"""Configurations of garak and promptfoo, translated by hand, send the same requests and read the
same answers (tests/cases/targets)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from support.application_server import AppRequest, AppResponse, application
from support.targets import asked, target

from lve.documents.json_paths import at_step, path_steps
from lve.documents.yaml_text import parse_yaml
from lve.messages import Usage

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


def sent_by_garak(config: dict[str, Any]) -> tuple[str, str, dict[str, str], bytes]:
    """Return method, address, headers and body of the request that garak would send: `$INPUT` is
    replaced in the template's text, escaped as JSON if that is JSON, and so is `$KEY`."""
    template = config.get("req_template_json_object")
    text = json.dumps(template) if template is not None else config["req_template"]
    is_json = text.strip()[:1] in "{["
    body = text.replace("$INPUT", json.dumps(PROMPT)[1:-1] if is_json else PROMPT)
    headers = {k: v.replace("$KEY", KEY) for k, v in config.get("headers", {}).items()}
    return config["method"].upper(), config["uri"], headers, body.encode()


def read_by_garak(config: dict[str, Any], body: str) -> str:
    if not config.get("response_json"):
        return body
    return str(at_path(json.loads(body), config["response_json_field"]))


def sent_by_promptfoo(
    config: dict[str, Any], session: str
) -> tuple[str, str, dict[str, str], bytes]:
    """Return the request that promptfoo would send: `{{prompt}}` is replaced inside of the body's
    values."""
    messages = json.dumps([{"role": "user", "content": PROMPT}])
    prompt = messages if config.get("prompt_is_messages") else PROMPT

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: filled(item) for name, item in value.items()}
        if not isinstance(value, str):
            return value
        if value == "{{prompt}}" and config.get("prompt_is_messages"):
            return json.loads(prompt)
        text = value.replace("{{prompt}}", prompt).replace("{{sessionId}}", session)
        return text.replace("{{env.APP_KEY}}", KEY)

    body, url = filled(config.get("body", "")), config["url"]
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
    with application(lambda request: AppResponse(text.encode())) as app:
        options = with_url(case["lve"], app.url)
        fields = {"api_key_env": options.pop("key")} if "key" in options else {}
        [completion] = asked(target(root, "http", options, trusted=False, **fields), PROMPT)
    [request] = app.requests
    return completion.text, request, app.url, text


def same(request: AppRequest, url: str, expected: tuple[str, str, dict[str, str], bytes]) -> None:
    method, address, headers, body = expected
    assert (request.method, url + request.path) == (method, address)
    for name, value in headers.items():
        assert request.headers[name.lower()] == value
    if body[:1] in (b"{", b"["):
        assert request.json == json.loads(body)
    else:
        assert request.body == body


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_KEY", KEY)


@pytest.mark.parametrize("case", cases("garak"))
def test_garak(tmp_path: Path, case: dict[str, Any]) -> None:
    answer, request, url, text = answer_and_request(tmp_path, case)
    config = with_url(case["garak"], url)
    same(request, url, sent_by_garak(config))
    assert answer == read_by_garak(config, text)


@pytest.mark.parametrize("case", cases("promptfoo"))
def test_promptfoo_http(tmp_path: Path, case: dict[str, Any]) -> None:
    answer, request, url, text = answer_and_request(tmp_path, case)
    config = with_url(case["promptfoo"], url)
    session = request.json.get("conversationId", "") if request.body[:1] == b"{" else ""
    assert not session or re.fullmatch("[0-9a-f]{32}", session)
    same(request, url, sent_by_promptfoo(config, session))
    assert answer == read_by_promptfoo(config, text)


def test_promptfoo_exec_gives_the_prompt_as_an_argument(tmp_path: Path) -> None:
    (tmp_path / "chain.py").write_text("import sys; print('chained', sys.argv[1])", "utf-8")
    theirs = subprocess.run(
        [sys.executable, "chain.py", PROMPT, "{}", "{}"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    command = [sys.executable, "chain.py", "{prompt}", "{}", "{}"]
    [completion] = asked(target(tmp_path, "exec", {"command": command}), PROMPT)
    assert completion.text == theirs.stdout.decode().strip()


def test_promptfoo_python_needs_an_adapter_of_some_lines(tmp_path: Path) -> None:
    (tmp_path / "provider.py").write_text(
        "def call_api(prompt, options, context):\n"
        "    usage = {'total': 5, 'prompt': 3, 'completion': 2}\n"
        "    return {'output': prompt.upper(), 'tokenUsage': usage, 'cost': 0.25}\n",
        encoding="utf-8",
    )
    (tmp_path / "adapter.py").write_text(
        "from provider import call_api\n\n\n"
        "def answer(prompt, args):\n"
        "    result = call_api(prompt, {'config': args}, {'vars': {}})\n"
        "    if 'error' in result:\n"
        "        return {'error': result['error']}\n"
        "    tokens = result.get('tokenUsage', {})\n"
        "    usage = {f'{name}_tokens': tokens.get(name, 0) for name in ('prompt', 'completion')}\n"
        "    return {'text': result['output'], 'usage': usage, 'cost': result.get('cost')}\n",
        encoding="utf-8",
    )
    [completion] = asked(target(tmp_path, "python", {"function": "adapter:answer"}), "hi")
    assert (completion.text, completion.usage, completion.cost) == ("HI", Usage(3, 2), 0.25)
