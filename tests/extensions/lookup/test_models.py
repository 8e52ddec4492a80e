"""`lve models` and its subcommands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import command_line
from support.folders import workspace
from support.server import model_server

from lve.cli.main import exit_code_of
from lve.errors import LveError, TransientModelError
from lve.models.http.answers import parse_models
from lve.models.known_models import known_servers

MODEL = {"names": ["my-model", "my-model-*"], "context": 1000, "price": {"input": 3, "output": 4}}
FAMILY = {
    "name": "mine",
    "provider": "openai",
    "refuses": ["temperature"],
    "sources": ["https://example.com/models"],
    "date": "2026-11-22",
    "models": [MODEL],
}
TABLE: dict[str, Any] = {"version": 1, "date": "2026-11-22", "families": [FAMILY]}


def call(*arguments: str | Path) -> tuple[int, str, str]:
    try:
        code, out, err = command_line.call(*arguments)
    except LveError as error:
        return exit_code_of(error), "", str(error)
    return code or 0, out, err


def write_table(root: Path, **changed: Any) -> Path:
    file = root / "table.json"
    file.write_text(json.dumps({**TABLE, **changed}), encoding="utf-8")
    return file


def test_all_providers_and_known_models_are_listed(root: Path) -> None:
    workspace(root, "models: {my/own: {base_url: http://localhost:1/v1}}")
    code, out, _ = call("models")
    assert code == 0
    for provider in known_servers():
        assert f"  {provider}/NAME · {known_servers()[provider].base_url}" in out
    assert "  my/own\n" in out
    assert "  openai/gpt-5-mini · 400,000 tokens · $0.25/0.025/2 · until 2026-12-11\n" in out


def test_a_listing_is_json_too(root: Path) -> None:
    document = json.loads(call("models", "--json")[1])
    (mini,) = [model for model in document["models"] if model["name"] == "gpt-5-mini"]
    assert mini["price"]["cached_input"] == 0.025
    assert "temperature" in mini["refuses"]
    assert document["providers"]["groq"]["api_key_env"] == "GROQ_API_KEY"


def test_a_model_is_described(root: Path) -> None:
    code, out, _ = call("models", "show", "openai/gpt-5.4-2026-03-05")
    assert code == 0
    for part in (
        "1,050,000 tokens",
        "128,000 tokens at most",
        "max_tokens -> max_completion_tokens",
        "$2.5/0.25/15",
        "$5/0.5/22.5 for prompts above 272,000 tokens",
        "https://developers.openai.com",
    ):
        assert part in out
    assert "until" not in out
    assert "2027-01-14: its provider" in call("models", "show", "openai/gpt-4o-mini")[1]
    assert json.loads(call("models", "show", "openai/gpt-5.4", "--json")[1])["context"] == 1050000


WHOLE: dict[str, Any] = {
    **FAMILY,
    "renames": {"max_tokens": "limit", "stop": "ends"},
    "defaults": {"temperature": 1, "top_p": 0.5},
    "batch_price": 0.5,
    "models": [
        {
            "names": ["whole"],
            "context": 2000,
            "max_output": 1000,
            "api": "responses",
            "ends": "2030-01-02",
            "price": {
                "input": 3,
                "output": 4,
                "cached_input": 1,
                "long_prompts": {"above": 1000, "input": 6, "output": 8, "cached_input": 2},
            },
        },
        {"names": ["other"], "api": "chat", "price": {"input": 0, "output": 1}},
    ],
}
SHOWN = {
    "openai/whole": """\
family       mine
context      2,000 tokens
answer       1,000 tokens at most
refuses      temperature
asked by     the Responses API
renames      max_tokens -> limit, stop -> ends
defaults     temperature=1, top_p=0.5
price        $3/1/4 (dollars per million tokens in/cached/out)
             $6/2/8 for prompts above 1,000 tokens
in batches   $1.5/0.5/2 (lve run --batch)
ends         2030-01-02: its provider shuts it down
as of        2026-11-22
             https://example.com/models
""",
    "openai/other": """\
family       mine
context      not known
answer       not known
refuses      temperature
asked by     chat completions
renames      max_tokens -> limit, stop -> ends
defaults     temperature=1, top_p=0.5
price        $0/-/1 (dollars per million tokens in/cached/out)
in batches   $0/-/0.5 (lve run --batch)
as of        2026-11-22
             https://example.com/models
""",
    "openai/bare": """\
family       bare
context      not known
answer       not known
refuses      nothing known
renames      none
defaults     none
price        not known here
as of        2026-11-22
             https://example.com/models
""",
}


@pytest.mark.parametrize("name", SHOWN)
def test_all_that_is_known_of_a_model_is_shown(root: Path, name: str) -> None:
    workspace(root)
    bare = {key: FAMILY[key] for key in ("provider", "sources", "date")}
    bare |= {"name": "bare", "models": [{"names": ["bare"]}]}
    call("models", "update", write_table(root, families=[WHOLE, bare]))
    assert call("models", "show", name)[1] == SHOWN[name]


def test_an_unknown_model_says_what_happens_to_it(root: Path) -> None:
    code, _, err = call("models", "show", "openai/tomorrow-1")
    assert code == 2
    assert "lve knows nothing about 'openai/tomorrow-1'" in err


def test_a_newer_table_is_taken_into_the_workspace(root: Path) -> None:
    workspace(root)
    code, out, _ = call("models", "update", write_table(root))
    assert (code, out) == (0, "lve.models.json: 1 model, as of 2026-11-22\n")
    assert "$3/-/4" in call("models", "show", "openai/my-model-2")[1]
    assert "openai/my-model · 1,000 tokens" in call("models")[1]


def test_a_newer_table_goes_before_lves_own(root: Path) -> None:
    workspace(root)
    family = {**FAMILY, "models": [{"names": ["gpt-5-mini"], "price": {"input": 7, "output": 8}}]}
    call("models", "update", write_table(root, families=[family]))
    assert "$7/-/8" in call("models", "show", "openai/gpt-5-mini")[1]
    assert "$0.05/0.005/0.4" in call("models", "show", "openai/gpt-5-nano")[1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"families": [{**FAMILY, "refuses": "temperature"}]}, "table.json:1:"),
        ({"families": [{**FAMILY, "prices": {}}]}, "prices"),
        ({"version": 2}, "$.version"),
        ({"providers": {}}, "only lve's own table can have `providers`"),
    ],
)
def test_a_table_that_can_not_be_used_is_not_taken(
    root: Path, changed: dict[str, Any], said: str
) -> None:
    workspace(root)
    code, _, err = call("models", "update", write_table(root, **changed))
    assert code == 2
    assert said in err
    assert not (root / "lve.models.json").exists()


def test_a_broken_table_of_a_workspace_is_one_clear_error(root: Path) -> None:
    workspace(root)
    (root / "lve.models.json").write_text('{"version": 1, "families": 3}', encoding="utf-8")
    code, _, err = call("models", "show", "openai/gpt-5-mini")
    assert code == 2
    assert "lve.models.json:1:" in err


def test_a_server_is_asked_what_it_has(root: Path) -> None:
    workspace(root)
    with model_server() as server:
        code, out, _ = call("models", "offered", "vllm", "--base-url", server.url)
        assert code == 0
        assert all(line.startswith("vllm/") for line in out.splitlines())
        found = json.loads(call("models", "offered", "vllm", "--base-url", server.url, "--json")[1])
        assert [*found["models"]] == out.splitlines()
        settings = {"provider": "openai", "base_url": server.url, "options": {"client": "openai"}}
        workspace(root, json.dumps({"models": {"mine": settings}}))
        assert [f"vllm/{one}" for one in call("models", "offered", "mine")[1].splitlines()] == [
            *found["models"]
        ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"data": 3}', "a list of models was expected"),
        (b"<html>", "not JSON"),
        (b"[]", "a JSON object was expected"),
    ],
)
def test_an_unreadable_list_is_an_error(body: bytes, said: str) -> None:
    with pytest.raises(TransientModelError, match=said):
        parse_models(body)


def test_a_server_that_is_not_there_is_an_error(root: Path) -> None:
    code, _, err = call("models", "offered", "openai", "--base-url", "http://127.0.0.1:9/v1")
    assert code == 3
    assert "is the server running" in err


def test_what_is_no_server_has_no_list(root: Path) -> None:
    code, _, err = call("models", "offered", "dummy")
    assert code == 2
    assert "no server" in err


def test_what_is_known_of_a_model_is_json_with_its_keys_alone(root: Path) -> None:
    write_table(root).rename(root / "lve.models.json")
    shown = json.loads(call("models", "show", "my-model", "--json")[1])
    assert shown["refuses"] == ["temperature"]
    assert not {key for key in shown if not key.isidentifier() or key.endswith("X")}
