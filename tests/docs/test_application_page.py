"""docs/testing-an-application.md: each recipe runs, against the real package if it is installed.

`LVE_RECIPES_PYTHON` names a Python that has the packages of the recipes, such as langgraph.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from extensions.targets.targets import run, write_test
from support.server import Reply, model_server

import lve
from lve.messages import ToolCall
from lve.spec.settings_file import load_workspace

PAGE = (Path(__file__).parents[2] / "docs" / "testing-an-application.md").read_text("utf-8")
RECIPES = {
    recipe.partition("\n")[0]: recipe
    for recipe in PAGE.partition("\n## Recipes\n")[2].split("\n### ")[1:]
}
PYTHON = os.environ.get("LVE_RECIPES_PYTHON", sys.executable)
FILE = re.compile(r"```\w+ (\S+)\n(.*?)```", re.DOTALL)
SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("shouting")

@server.tool()
def shout(text: str) -> str:
    return text.upper()

server.run()
"""


@pytest.fixture(autouse=True)
def in_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def needs(*packages: str) -> None:
    """Skip the test if the Python of the recipes lacks a package."""
    code = "import sys, importlib.util as u; print([n for n in sys.argv[1:] if not u.find_spec(n)])"
    printed = subprocess.run(
        [PYTHON, "-c", code, *packages], capture_output=True, text=True, check=True
    )
    if printed.stdout.strip() != "[]":
        pytest.skip(f"{PYTHON} lacks {printed.stdout.strip()} (LVE_RECIPES_PYTHON names another)")


def recipe(title: str, root: Path) -> str:
    """Write the files of a recipe, and return the name of its target."""
    for name, text in FILE.findall(RECIPES[title]):
        (root / name).write_text(text, encoding="utf-8")
    settings = (root / "lve.yaml").read_text("utf-8")
    if sys.executable != PYTHON:
        settings = settings.replace(
            "options: {function:", f"options: {{python: {PYTHON}, function:"
        )
        (root / "lve.yaml").write_text(settings, encoding="utf-8")
    [name] = load_workspace(root).settings.models
    return name


def result_of(root: Path, model: str, question: str, **check: Any) -> Any:
    folder = write_test(root, [{"q": question}], prompt="{q}", model=model, check=check)
    [result] = run(folder, trust=True, timeout_s=60).results
    assert result.verdict == "passed", result.reason
    return result


def test_each_recipe_is_tested() -> None:
    source = Path(__file__).read_text("utf-8")
    assert [title for title in RECIPES if f'recipe("{title}"' not in source] == []


def test_the_first_settings_are_valid(tmp_path: Path) -> None:
    [(name, text), *_] = FILE.findall(PAGE)
    (tmp_path / name).write_text(text, encoding="utf-8")
    models = load_workspace(tmp_path).settings.models
    assert [entry.provider for entry in models.values()] == ["python", "exec", "http"]


def test_a_plain_function(tmp_path: Path) -> None:
    [source] = re.findall(r"```python\n(import lve.*?)\n\n\nlve\.assert", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(source, names)
    (tmp_path / "lve.yaml").write_text("{}", encoding="utf-8")
    folder = write_test(tmp_path, [{"q": "x"}], prompt="{q}", check={"text": "Paris"})
    lve.assert_passed(run(folder, model=names["answer"]))


@contextmanager
def served(root: Path) -> Iterator[str]:
    """Serve the application of `server.py`; yield its address."""
    import uvicorn

    names: dict[str, Any] = {}
    exec((root / "server.py").read_text("utf-8"), names)
    server = uvicorn.Server(uvicorn.Config(names["app"], port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def test_fastapi(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    model = recipe("A FastAPI endpoint", tmp_path)
    with served(tmp_path) as url:
        settings = (tmp_path / "lve.yaml").read_text("utf-8")
        settings = settings.replace("http://127.0.0.1:8000", url)
        (tmp_path / "lve.yaml").write_text(settings, encoding="utf-8")
        result = result_of(tmp_path, model, "refund?", contains="You asked: refund?")
    assert result.transcripts[0].completions[0].contexts == ("a page",)


def test_langgraph(tmp_path: Path) -> None:
    needs("langgraph", "langchain_core")
    model = recipe("A LangChain or LangGraph app", tmp_path)
    result = result_of(tmp_path, model, "refund?", text="You asked: refund?")
    assert result.transcripts[0].completions[0].metadata == {"steps": 2}


def test_rag(tmp_path: Path) -> None:
    model = recipe("A RAG function", tmp_path)
    [checks] = re.findall(r"```yaml\n(checks:.*?)```", RECIPES["A RAG function"], re.DOTALL)
    from lve.documents.yaml_text import parse_yaml

    judge = lve.ScriptedModel(
        lambda request: json.dumps({"claims": [{"claim": "c", "supported": "yes"}]}), name="judge"
    )
    folder = write_test(
        tmp_path,
        [{"q": "How long do refunds take?"}],
        prompt="{q}",
        model=model,
        checks=parse_yaml(checks)["checks"],
    )
    result = run(folder, model=[model, judge], roles={"judge": "judge"}, trust=True)
    own = [one for one in result.results if one.model == model]
    assert own[0].transcripts[0].completions[0].contexts == ("Refunds take 14 days.",)
    assert "contains" not in own[0].reason
    assert any("Refunds take 14 days." in str(request.messages) for request in judge.requests)


def test_a_shell_script(tmp_path: Path) -> None:
    model = recipe("A shell script", tmp_path)
    result_of(tmp_path, model, "how long", contains="HOW LONG")


def test_an_agent(tmp_path: Path) -> None:
    model = recipe("An agent with tools", tmp_path)
    result_of(tmp_path, model, "weather in Oslo?", called="weather")


def test_the_claude_agent_sdk(tmp_path: Path) -> None:
    needs("claude_agent_sdk")
    model = recipe("The Claude Agent SDK", tmp_path)
    # The package starts its own program, which needs a key: a message of the real classes stands
    # for what it says.
    source = (tmp_path / "claude_agent.py").read_text("utf-8")
    (tmp_path / "claude_agent.py").write_text(
        source
        + """

from claude_agent_sdk import TextBlock, ToolUseBlock


async def query(prompt, options):
    call = ToolUseBlock(id="1", name="Read", input={"file_path": "a"})
    yield AssistantMessage(content=[TextBlock(text="Hm"), call], model="m")
    yield ResultMessage(
        subtype="success", duration_ms=1, duration_api_ms=1, is_error=False, num_turns=1,
        session_id="s", total_cost_usd=0.5, result="You asked: " + prompt,
    )
""",
        encoding="utf-8",
    )
    result = result_of(tmp_path, model, "refund?", text="You asked: refund?")
    completion = result.transcripts[0].completions[0]
    assert completion.tool_calls == (ToolCall("", "Read", '{"file_path": "a"}'),)
    assert completion.cost == 0.5


def test_the_openai_agents_sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("agents")
    model = recipe("The OpenAI Agents SDK", tmp_path)
    settings = (tmp_path / "openai_agent.py").read_text("utf-8")
    chat = "from agents import set_default_openai_api, set_tracing_disabled\n"
    chat += 'set_default_openai_api("chat_completions")\nset_tracing_disabled(True)\n'
    (tmp_path / "openai_agent.py").write_text(chat + settings, encoding="utf-8")
    with model_server(Reply("It takes 14 days.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-for-a-local-server")
        result = result_of(tmp_path, model, "refund?", contains="14 days")
    assert result.transcripts[0].completions[0].usage is not None
    assert server.requests[0].json["messages"][-1]["content"] == "refund?"


def test_a_tool_of_an_mcp_server(tmp_path: Path) -> None:
    needs("mcp")
    model = recipe("A tool of an MCP server", tmp_path)
    (tmp_path / "mcp_server.py").write_text(SERVER, encoding="utf-8")
    result_of(tmp_path, model, "refund?", text="REFUND?")
