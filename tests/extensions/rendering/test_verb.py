"""`lve render`: what would be sent, as text and as JSON. (Data sets: test_render_rows.py.)"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test

GREETING = [
    {"role": "system", "content": "Be {{brief}}."},
    {"content": "Greet {name}.", "image_url": "https://example.org/{name}"},
    {"role": "assistant", "variable": "greeting"},
    {"content": "Again."},
]
INSTANCES = [
    {"args": {"name": "Ana", "seed": 7}, "response": "Hello", "run_info": {}},
    {"args": {"name": "Bo"}, "response": "Hello", "run_info": {}},
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    write_test(
        tmp_path / "greet",
        prompt=GREETING,
        prompt_parameters=["name"],
        default_model_args={"max_tokens": 20},
        instances=INSTANCES,
    )
    return tmp_path


def as_json(*arguments: str) -> Any:
    return json.loads(call("render", *arguments, "--json")[1])


def test_text_shows_every_message_as_written_and_as_filled(root: Path) -> None:
    code, out, err = call("render", "greet", "-n", "1")
    assert (code, err) == (0, "")
    assert out == (
        "greet/test.json\n"
        "  as written\n"
        "    system:\n"
        "      Be {{brief}}.\n"
        "    user:\n"
        "      Greet {name}.\n"
        "      [image: https://example.org/{name}]\n"
        "    assistant (greeting): the model answers\n"
        "    user:\n"
        "      Again.\n"
        "  instances/main.jsonl:1\n"
        "    system:\n"
        "      Be {brief}.\n"
        "    user:\n"
        "      Greet Ana.\n"
        "      [image: https://example.org/Ana]\n"
        "    assistant (greeting): the model answers\n"
        "    user:\n"
        "      Again.\n"
        "    assistant (response): the model answers\n"
        "\n"
    )


def test_json_has_the_messages_and_the_model_args_that_are_sent(root: Path) -> None:
    document = as_json("greet")
    (test,) = document["tests"]
    assert document["problems"] == []
    assert (test["path"], test["file"]) == ("greet", "greet/test.json")
    assert [message["content"] for message in test["prompts"][0]["messages"]] == [
        "Be {{brief}}.", "Greet {name}.", None, "Again.",
    ]  # fmt: skip
    first, second = test["instances"]
    assert (first["source"], first["line"]) == ("instances/main.jsonl", 1)
    assert first["parameters"] == {"name": "Ana"}
    assert first["model_args"] == {"temperature": 0.0, "max_tokens": 20, "seed": 7}
    (run,) = second["runs"]
    assert run["open_turns"] == [2, 4]
    assert run["messages"][1] == {
        "role": "user",
        "content": "Greet Bo.",
        "variable": None,
        "image_url": "https://example.org/Bo",
    }


def test_parameters_of_the_command_line_make_the_instance(root: Path) -> None:
    (instance,) = as_json("greet", "-p", "name={x}")["tests"][0]["instances"]
    assert instance["source"] == "command line"
    assert instance["runs"][0]["messages"][1]["content"] == "Greet {x}."


def test_every_run_is_shown(root: Path) -> None:
    runs = [{"name": "a", "prompt": [{"content": "x"}], "repetitions": 2}]
    write_test(root / "runs", prompt=None, multi_run_prompt=runs)
    _, out, _ = call("render", "runs")
    assert "test.json row 1, run 1 of 2 (a)" in out
    assert "test.json row 1, run 2 of 2 (a)" in out
    [prompt] = as_json("runs")["tests"][0]["prompts"]
    assert (prompt["name"], prompt["repetitions"]) == ("a", 2)


def test_without_instances_the_prompt_is_shown_as_written(root: Path) -> None:
    write_test(root / "none", prompt=[{"content": "Hi {a} {b}"}], prompt_parameters=["a", "b"])
    code, out, _ = call("render", "none")
    assert code == 0
    assert "      Hi {a} {b}\n" in out
    assert "  no rows: set a, b with -p NAME=VALUE\n" in out


def test_a_bad_test_is_told_and_the_others_are_shown(root: Path) -> None:
    write_test(root / "bad", prompt=[{"content": "{nobody}"}])
    code, out, err = call("render", "bad", "greet")
    assert code == 2
    assert out.startswith("greet/test.json\n")
    assert err.startswith("lve: bad/test.json:")
    assert "{nobody} is not a declared parameter" in err
    document = as_json("bad", "greet")
    assert [test["path"] for test in document["tests"]] == ["greet"]
    assert document["problems"][0]["path"] == "$.prompt[0].content"


def test_an_instance_that_does_not_fill_the_prompt_is_told(root: Path) -> None:
    instances = [{"args": {}, "response": "x", "run_info": {}}, INSTANCES[1]]
    write_test(
        root / "gap",
        prompt=[{"content": "{name}"}],
        prompt_parameters=["name"],
        instances=instances,
    )
    code, out, err = call("render", "gap")
    assert code == 2
    assert "gap/instances/main.jsonl:1: " in err
    assert "      Bo\n" in out


def test_a_line_that_is_no_instance_is_told_and_the_others_are_shown(root: Path) -> None:
    with (root / "greet/instances/main.jsonl").open("a", encoding="utf-8") as file:
        file.write("{\n")
    code, out, err = call("render", "greet")
    assert code == 2
    assert "greet/instances/main.jsonl:3:" in err
    assert "Greet Bo." in out
    assert "no rows" not in out


def test_control_characters_are_spelled_out(root: Path) -> None:
    write_test(root / "hostile", prompt=[{"content": "\x1b[2Jgone\u202e"}])
    assert "      \\x1b[2Jgone\\u202e\n" in call("render", "hostile")[1]
    message = as_json("hostile")["tests"][0]["prompts"][0]["messages"][0]
    assert message["content"] == "\x1b[2Jgone\u202e"


def test_parts_are_shown(root: Path) -> None:
    parts = [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": "https://example.org/x"}},
    ]
    write_test(root / "parts", prompt=[{"content": parts}])
    assert "      See\n      [image_url: https://example.org/x]\n" in call("render", "parts")[1]


def test_nothing_to_render_is_told(root: Path) -> None:
    (root / "empty").mkdir()
    code, out, err = call("render", "empty")
    assert (code, out) == (5, "")
    assert "no tests in empty" in err


def test_a_text_of_millions_is_cut_where_people_read_and_whole_in_json(root: Path) -> None:
    name = "x" * 1_000_010
    (root / "greet" / "instances" / "main.jsonl").write_text(
        json.dumps({"args": {"name": name, "seed": 1}, "response": "Hello"}) + "\n"
    )
    code, out, err = call("render", "greet")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) < 1_000_100
    shown = f"Greet {name}.\n[image: https://example.org/{name}]"
    assert f"Greet {name[:999_994]}… ({len(shown) - 1_000_000:,} more characters)\n" in out
    assert f"Greet {name}." in json.dumps(as_json("greet"))
