"""Every recorded vector of OpenCompass and AISBench, as the vectors' README says they must pass."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conformance.opencompass import Run, actual

from lve.prompts.dataset_build import TracedTable
from lve.prompts.provenance import Origin, origins, traced, traced_row

FOLDER = Path(__file__).parent / "vectors" / "opencompass"
VECTORS = [v for file in sorted(FOLDER.glob("*.json")) for v in json.loads(file.read_text("utf-8"))]
STAGES = [
    "template", "dataset", "retriever", "retrieve", "ice", "prompt", "model", "parse", "infer",
    "messages",
]  # fmt: skip


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vector_gives_what_upstream_gives(vector: dict[str, Any], tmp_path: Path) -> None:
    given = {key: value for key, value in vector.items() if not key.startswith("expected")}
    result = actual(given, tmp_path)
    wanted = dict(vector["expected"])
    if vector["conformance"] == "deviation":
        wanted = dict(vector.get("expected_documented", wanted))
    wanted.pop("prompts_raw", None)
    error = wanted.pop("error", None)
    if error is None:
        assert "error" not in result, result["error"]
    else:
        assert STAGES.index(result["error"]["stage"]) <= STAGES.index(error["stage"])
    assert {key: result.get(key) for key in wanted} == wanted


def test_there_are_vectors_of_every_area() -> None:
    assert len(VECTORS) == 188
    assert len({vector["area"] for vector in VECTORS}) == 12


class TracedRun(Run):
    """A vector whose templates, rows and meta template know where their characters stand."""

    def prepare(self) -> None:
        for part in ("ice_template", "prompt_template"):
            template = self.input.get(part)
            self.input = {**self.input, part: traced(template, Origin("template"), (part,))}
        super().prepare()
        train = self.context.train
        table = TracedTable(train.rows, train.subdivision, train.picked, train.renumbered)
        self.context = replace(self.context, train=table)
        rows = enumerate(self.rows)
        self.rows = [traced_row(row, Origin("row", "rows.jsonl", n, row=n)) for n, row in rows]

    def make_model(self) -> None:
        meta = traced(self.model_config.get("meta_template"), Origin("meta_template"))
        self.model_config = {**self.model_config, "meta_template": meta}
        super().make_model()


def sent_texts(value: Any) -> Iterator[str]:
    """Yield the texts of what a model gets."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from sent_texts(item)
    elif isinstance(value, dict):
        for key in ("prompt", "content", "text", "url", "parsed"):
            yield from sent_texts(value.get(key))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_every_character_has_an_origin(vector: dict[str, Any], tmp_path: Path) -> None:
    plain = actual(vector, tmp_path)
    if "error" in plain:
        return
    run = TracedRun(vector)
    run.run()
    replies = list(sent_texts(vector["input"].get("model_replies") or []))
    # Values that aren't texts are traced as texts, which is what a prompt makes of them anyway.
    assert json.dumps(run.result.get("parsed")) == json.dumps(plain.get("parsed"))
    assert json.dumps(run.result.get("turns")) == json.dumps(plain.get("turns"))
    for text in sent_texts([run.result.get("parsed"), run.result.get("turns")]):
        spans = origins(text)
        assert "".join(text[span["start"] : span["end"]] for span in spans) == text
        # What lve itself writes: newlines and blanks between messages, and token ids.
        own = "".join(text[s["start"] : s["end"]] for s in spans if s["kind"] == "default")
        for reply in replies:
            own = own.replace(reply, "")
        assert re.sub(r"<META_TOKEN_\d+>", "", own).strip() == ""
