"""Every recorded vector of OpenCompass and AISBench passes, by the rules of the vectors' README."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conformance.opencompass import Rows, actual, read_test

FOLDER = Path(__file__).parent / "vectors" / "opencompass"
VECTORS = [v for file in sorted(FOLDER.glob("*.json")) for v in json.loads(file.read_text("utf-8"))]
LIKE_THE_CODE = (
    "dialogue-template-029", "multimodal-001", "multimodal-002", "multimodal-003",
)  # fmt: skip
"""Deviations where lve does as the code and not as the page (docs/templates.md)."""
STAGES = [
    "template", "dataset", "retriever", "retrieve", "ice", "prompt", "model", "parse", "infer",
    "messages",
]  # fmt: skip
STAGE_OF = {
    "retrieved": "retrieve",
    "ice": "ice",
    "prompts": "prompt",
    "labels": "prompt",
    "chat": "prompt",
    "parsed": "parse",
    "turns": "infer",
    "messages": "messages",
}
"""Key of an expectation -> the stage that gives it."""


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vector_gives_what_upstream_gives(vector: dict[str, Any], tmp_path: Path) -> None:
    given = {key: value for key, value in vector.items() if not key.startswith("expected")}
    result = actual(given, tmp_path)
    wanted = dict(vector["expected"])
    if vector["conformance"] == "deviation" and vector["id"] not in LIKE_THE_CODE:
        wanted = dict(vector.get("expected_documented", wanted))
    wanted.pop("prompts_raw", None)
    error = wanted.pop("error", None)
    if error is None:
        assert "error" not in result, result["error"]
    else:
        refused_at = STAGES.index(result["error"]["stage"])
        assert refused_at <= STAGES.index(error["stage"])
        wanted = {key: wanted[key] for key in wanted if STAGES.index(STAGE_OF[key]) < refused_at}
    if "messages" in wanted:
        wanted["messages"] = with_files(wanted["messages"])
    assert {key: result.get(key) for key in wanted} == wanted


@pytest.mark.parametrize(
    "vector",
    [v for v in VECTORS if "model" not in v["input"] and "error" not in v["expected"]],
    ids=lambda vector: vector["id"],
)
def test_a_vector_without_a_model_is_sent_to_the_default_one(
    vector: dict[str, Any], tmp_path: Path
) -> None:
    plan, instances = read_test(vector, tmp_path)
    rows = Rows(vector["input"], plan, instances, {})
    rows.add_stages()
    rows.check_rendered()
    rows.add_sent()
    assert all(map(rows.conversations, instances))


@pytest.mark.parametrize("name", ["multiturn-006", "multiturn-035"])
def test_answers_that_go_into_one_text_are_written_from_the_models_replies(
    name: str, tmp_path: Path
) -> None:
    [vector] = [vector for vector in VECTORS if vector["id"] == name]
    plan, [instance] = read_test(vector, tmp_path)
    [dialogue] = asyncio.run(plan.conversations(instance, None))
    assert dialogue.turns is not None
    reply = "a reply that is not in the data"
    request = dialogue.turns.request([reply])
    assert [reply in str(message.content) for message in request.messages] == [True]


def test_there_are_vectors_of_every_area() -> None:
    assert len(VECTORS) == 188
    assert len({vector["area"] for vector in VECTORS}) == 12


def with_files(value: Any) -> Any:
    """Return messages with the paths of images and sounds, which upstream leaves to the server, as
    the files of the test folder that lve sends."""
    if isinstance(value, list):
        return [with_files(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind, at_url, _ = str(value.get("type")).partition("_url")
    url = value[f"{kind}_url"]["url"] if at_url and kind != "video" else "data:"
    if url.startswith(("data:", "http")):
        return {key: with_files(item) for key, item in value.items()}
    return {"type": kind, kind: url.removeprefix("file://")}


def without_origins(value: Any) -> Any:
    if isinstance(value, list):
        return [without_origins(item) for item in value]
    if isinstance(value, dict):
        return {key: without_origins(item) for key, item in value.items() if key != "origins"}
    return value


def traced_texts(value: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the texts of what a model gets, and where their characters come from."""
    if isinstance(value, list):
        for item in value:
            yield from traced_texts(item)
    elif isinstance(value, dict):
        for key in ("text", "content", "image_url"):
            found = value.get(key)
            text = found.get("url") if isinstance(found, dict) else found
            if isinstance(text, str):
                yield text, value["origins"]
            else:
                yield from traced_texts(text)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_every_character_has_an_origin(vector: dict[str, Any], tmp_path: Path) -> None:
    if "error" in vector["expected"]:
        return
    folders = tmp_path / "plain", tmp_path / "traced"
    for folder in folders:
        folder.mkdir()
    plain, instances = read_test(vector, folders[0])
    traced, _ = read_test(vector, folders[1], trace=True)
    for instance in instances:
        shown, known = plain.view(instance), traced.view(instance)
        assert json.dumps(shown["inputs"]) == json.dumps(without_origins(known["inputs"]))
        for text, spans in traced_texts(known["inputs"]):
            assert "".join(text[span["start"] : span["end"]] for span in spans) == text
            # What lve itself writes: newlines and blanks between messages, and token ids.
            own = "".join(text[s["start"] : s["end"]] for s in spans if s["kind"] == "default")
            assert re.sub(r"<META_TOKEN_\d+>", "", own).strip() == ""
