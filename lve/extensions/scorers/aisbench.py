"""AISBench with a scripted model and rows of files in place of those that a configuration names.
It is run beside `original.py`, in AISBench's environment.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HOME = "ais_bench.benchmark"
ABBR = "rows"
Foreign = Any
"""An object of the package, which lve's types don't know."""


class Package:
    """The package, as far as its tasks need it; as `Package` of `package.py`."""

    name = "ais_bench"
    distribution = "ais-bench-benchmark"

    def __init__(self, host: Mapping[str, Foreign], parts: Mapping[str, Foreign]) -> None:
        """Args:
        host: the names of `host.py`.
        parts: the names of `package.py`.
        """
        self.host = host
        self.config = importlib.import_module("mmengine.config").ConfigDict
        datasets = importlib.import_module("datasets")
        # It looks for torch, before that stands in.
        importlib.import_module("mmengine.logging").MMLogger.get_current_instance()
        sys.meta_path.append(host["Absentees"](self.name))
        module = importlib.import_module
        registry = module(f"{HOME}.registry")
        self.rows, self.models = "OwnRows", {"text": "OwnText", "chat": "OwnChat"}
        """The names that they have in its registries: its configurations have no classes."""
        rows = parts["rows_class"](module(f"{HOME}.datasets.base").BaseDataset, datasets)
        text = _model_class(module(f"{HOME}.models.local_models.base").BaseModel)
        chat = _model_class(module(f"{HOME}.models.api_models.base_api").BaseAPIModel)
        registry.LOAD_DATASET.register_module(name=self.rows, module=rows)
        registry.MODELS.register_module(name=self.models["text"], module=text)
        registry.MODELS.register_module(name=self.models["chat"], module=chat)
        self.tasks = {"infer": _Infer, "eval": _Evaluate}
        sys.modules["mmengine.dist.utils"].is_distributed = lambda: False  # type: ignore[attr-defined]
        shared: Foreign = module("multiprocessing")  # the sandbox has no shared memory
        shared.RawValue = lambda kind, value: SimpleNamespace(value=value)
        shared.Lock = threading.Lock


def _model_class(base: Foreign) -> Foreign:
    """Return the class of models that say what a script has."""

    def create(
        self: Foreign,
        script: Foreign,
        max_out_len: int,
        meta_template: Foreign = None,
        **_: Foreign,
    ) -> None:
        base.__init__(self, path="scripted", meta_template=meta_template)
        self.script, self.max_out_len = script, max_out_len

    async def generate(
        self: Foreign, prompt: Foreign, max_out_len: int, output: Foreign, **_: Foreign
    ) -> None:
        output.content, output.success = self.script.answer(prompt), True

    async def perplexity(
        self: Foreign, prompt: Foreign, max_out_len: int, output: Foreign, **_: Foreign
    ) -> None:
        output.ppl, output.success = -self.script.rate(prompt), True

    methods = {
        "__init__": create,
        "generate": generate,
        "get_ppl": perplexity,
        "get_token_len": lambda self, prompt: 1,
    }
    return type("Scripted", (base,), methods)


class _Infer:
    """Asks for each row, as the package's own inferencer does that has an API's model."""

    def __init__(self, config: Foreign) -> None:
        self._config = config

    def run(self) -> None:
        """Write the predictions."""
        [model], [[data_set]] = self._config["models"], self._config["datasets"]
        registry = importlib.import_module(f"{HOME}.registry")
        infer = data_set["infer_cfg"]
        templates = {name: infer.get(name) for name in ("prompt_template", "ice_template")}
        rows = importlib.import_module(f"{HOME}.utils.config").build_dataset_from_cfg(data_set)
        retriever = registry.ICL_RETRIEVERS.build(
            {**infer["retriever"], "dataset": rows, **templates}
        )
        inferencer = registry.ICL_INFERENCERS.build(
            {**infer["inferencer"], "model_cfg": model, "batch_size": 1}
        )
        inferencer.output_handler = said = _Said()
        script = inferencer.model.script
        for row, each in enumerate(inferencer.get_data_list(retriever)):
            script.begin(row)
            asyncio.run(inferencer.do_request(each, None, None))
        file = Path(self._config["work_dir"], "predictions", "m", f"{ABBR}.json")
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(said.predictions, default=str), encoding="utf-8")


class _Said:
    """Gets what the inferencer would write."""

    def __init__(self) -> None:
        self.predictions: dict[str, Foreign] = {}

    async def report_cache_info(
        self, index: int, prompt: Foreign, output: Foreign, abbr: str, gold: Foreign = None
    ) -> None:
        """Keep the prediction to a row."""
        self.predictions[str(index)] = {"prediction": output.get_prediction(), "gold": gold}


class _Evaluate:
    """The package's own task of evaluation, over predictions in the form of OpenCompass."""

    def __init__(self, config: Foreign) -> None:
        config["cli_args"] = {}
        evaluator = config["datasets"][0][0]["eval_cfg"]["evaluator"]
        if "BFCL" in str(evaluator["type"]):  # answers are texts
            config["models"][0]["returns_tool_calls"] = False
        file = Path(config["work_dir"], "predictions", "m", f"{ABBR}.json")
        every = json.loads(file.read_text(encoding="utf-8"))
        lines = [json.dumps({"id": int(number), **each}) for number, each in every.items()]
        file.with_suffix(".jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        tasks = importlib.import_module(f"{HOME}.tasks")
        self._task = tasks.OpenICLEvalTask(config)

    def run(self) -> None:
        """Write the scores."""
        self._task.run(SimpleNamespace(update_task_state=lambda state: None))
