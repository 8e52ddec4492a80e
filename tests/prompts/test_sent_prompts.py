"""What a recorded answer is bound to, and when it is stale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from prompts.recorded_prompts import ANSWER, BEFORE, SYSTEM, USER, change, hashes, loaded, said

from lve.prompts.sent_prompts import is_bound

TOOL = {"name": "weather", "description": "Tells it.", "parameters": {"type": "object"}}


@pytest.mark.parametrize(
    "document",
    [
        {"prompt": [SYSTEM, {**USER, "content": "Say goodbye to {name}."}]},
        {"prompt": [{**SYSTEM, "role": "user"}, USER]},
        {"prompt": [USER, SYSTEM]},
        {"prompt": [SYSTEM, USER, {"role": "assistant", "variable": "a"}, {"content": "Again."}]},
        {"tools": [TOOL]},
        {"output_schema": {"type": "object"}},
    ],
)
def test_what_is_sent_changes_the_hash(tmp_path: Path, document: dict[str, Any]) -> None:
    assert hashes(tmp_path / "a") != hashes(tmp_path / "b", **document)


@pytest.mark.parametrize(
    "document",
    [
        {"default_model_args": {"temperature": 1}},
        {"checker_args": {"checker_name": "RegexChecker", "pattern": "Bye"}},
        {"description": "another", "model": "openai/x"},
        {"prompt": [SYSTEM, {**USER, "content": "Say hello to {name}."}, {"role": "assistant"}]},
    ],
)
def test_what_is_not_sent_keeps_the_hash(tmp_path: Path, document: dict[str, Any]) -> None:
    assert hashes(tmp_path / "a") == hashes(tmp_path / "b", **document)


def test_a_tool_counts_with_its_description_and_arguments(tmp_path: Path) -> None:
    other = {**TOOL, "description": "Guesses it."}
    more = {**TOOL, "parameters": {"type": "object", "properties": {"city": {}}}}
    tools = [[TOOL], [other], [more]]
    sums = {hashes(tmp_path / str(i), tools=one) for i, one in enumerate(tools)}
    assert len(sums) == 3


def test_a_file_counts_by_its_content_not_by_its_name(tmp_path: Path) -> None:
    def sums(folder: str, name: str, content: str) -> tuple[str, ...]:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(content)
        prompt = [{"content": "Say hello to {name}.", "file": name}]
        return hashes(tmp_path / folder, prompt=prompt)

    first = sums("a", "a.txt", "one")
    assert first == sums("b", "b.txt", "one")
    assert first != sums("c", "a.txt", "two")


def test_each_run_has_a_hash(tmp_path: Path) -> None:
    runs = [{"prompt": [{"content": f"{word} {{name}}"}], "repetitions": 2} for word in "ab"]
    found = hashes(tmp_path, prompt=None, multi_run_prompt=runs)
    assert len(found) == 4
    assert len(set(found)) == 2


def test_line_ends_are_no_change(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    sums = {
        hashes(tmp_path / ends, prompt=[{"content": f"a{text}{{name}}"}])
        for ends, text in (("a", "\n"), ("b", "\r\n"))
    }
    assert len(sums) == 1


@pytest.mark.parametrize(
    "recorded",
    [{}, {"prompt_out": None}, {"prompt_out": []}, {"prompt": "a text"}, {"prompt_out": ["text"]}],
)
def test_an_answer_without_a_prompt_is_unbound(tmp_path: Path, recorded: dict[str, Any]) -> None:
    spec, instance = loaded(tmp_path, recorded)
    assert instance.recorded is not None
    assert not is_bound(instance.recorded, spec)
    assert change(tmp_path, recorded, prompt=[said("Bye.")], prompt_parameters=["name"]) is None


def test_the_hash_decides_and_the_messages_explain(tmp_path: Path) -> None:
    (sent,) = hashes(tmp_path / "a")
    assert change(tmp_path / "b", {"sent": sent, "prompt_out": [said("old")]}) is None
    stale = {"sent": "sha256:0"}
    assert change(tmp_path / "c", stale) == "what was sent isn't kept, only its hash, which differs"
    assert "message 1 is new" not in str(change(tmp_path / "d", stale))
    kept = {**stale, "prompt_out": [*BEFORE, ANSWER]}
    assert "a tool, the output schema" in str(change(tmp_path / "e", kept))


def test_another_number_of_runs_is_stale(tmp_path: Path) -> None:
    recorded = {"prompt_out": [[*BEFORE, ANSWER], [*BEFORE, ANSWER]], "response": ["a", "b"]}
    assert change(tmp_path / "a", recorded) == "the number of its runs was 2 and is 1"
    assert change(tmp_path / "b", {"sent": ["sha256:1", "sha256:2"]}) == (
        "the number of its runs was 2 and is 1"
    )


def test_a_change_after_a_repetition_is_found(tmp_path: Path) -> None:
    runs = [{"prompt": [{"content": f"{word} {{name}}"}], "repetitions": 2} for word in "ab"]
    sent = [[said("a Ann")], [said("a Ann")], [said("B Ann")], [said("B Ann")]]
    changed = change(tmp_path, {"prompt": sent}, prompt=None, multi_run_prompt=runs)
    assert changed is not None
    assert changed.startswith("run 3, ")


@pytest.mark.parametrize(
    ("sent", "change_begins"),
    [
        (("a", "b"), None),
        (("A", "b"), "run 1, "),
        (("a", "B"), "run 2, "),
        (("A", "B"), "run 1, "),
    ],
)
def test_the_first_run_that_changed_is_named(
    tmp_path: Path, sent: tuple[str, str], change_begins: str | None
) -> None:
    runs = [{"prompt": [{"content": f"{word} {{name}}"}]} for word in "ab"]
    recorded = {"prompt": [[said(f"{word} Ann")] for word in sent]}
    changed = change(tmp_path, recorded, prompt=None, multi_run_prompt=runs)
    assert (changed or "None")[: len(change_begins or "None")] == (change_begins or "None")


def test_the_only_run_needs_no_number(tmp_path: Path) -> None:
    changed = change(tmp_path, {"prompt": [[said("B")]]}, prompt=[{"content": "b"}])
    assert changed is not None
    assert not changed.startswith("run")
