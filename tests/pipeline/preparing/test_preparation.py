"""Which tests are read aside, so that the others don't wait."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest
from support.folders import workspace, write_dataset_test

from lve.execution.workers import WaitFor
from lve.extensions.opencompass.retrievers import offline
from lve.models.scripted import ScriptedModel
from lve.options.run_options import RunOptions
from lve.pipeline.engine import Engine
from lve.pipeline.preparing.preparation import Preparation
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.settings.settings import Settings
from lve.spec.load import load_spec
from lve.workspace import Workspace


@pytest.mark.parametrize("count", [2, 2_000])
def test_many_examples_are_indexed_in_a_thread(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    columns = {"input_columns": ["question"], "output_column": "answer"}
    folder = write_dataset_test(
        root / "t",
        "rows.jsonl",
        reader_cfg=columns,
        prompt_template={
            "type": "PromptTemplate",
            "template": "</E>{question}",
            "ice_token": "</E>",
        },
        ice_template={"type": "PromptTemplate", "template": "{question} {answer}"},
        retriever={"type": "BM25Retriever"},
    )
    rows = (json.dumps({"question": f"What is {n}?", "answer": str(n)}) for n in range(count))
    (folder / "rows.jsonl").write_text("\n".join(rows))
    spec = load_spec(folder, root)
    options = RunOptions(own_models={"m": ScriptedModel([])}, keep=False)
    threads: list[threading.Thread] = []
    words = offline.words

    def noted(text: str) -> list[str]:
        threads.append(threading.current_thread())
        return words(text)

    monkeypatch.setattr(offline, "words", noted)

    async def prepared() -> PreparedTest:
        engine = Engine(Workspace(root, Settings()), options, warn=pytest.fail)
        preparing = Preparation(engine, warn=pytest.fail).prepare(spec, "m")
        try:
            while True:
                later = next(preparing)
                assert isinstance(later, WaitFor)
                await later.until
        except StopIteration as end:
            return end.value
        finally:
            await engine.close()

    test = asyncio.run(prepared())
    assert (threads[0] is threading.main_thread()) is (count == 2)
    assert test.ask is not None, "so that long searches are made in a thread, too"
