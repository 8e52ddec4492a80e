"""OpenCompass with a scripted model, a scripted judge and rows of files in place of those that a
configuration names. It is run beside `original.py`, in OpenCompass' environment.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

Foreign = Any
"""An object of the package, which lve's types don't know."""


class Script:
    """What a model says, and what it was asked."""

    def __init__(self, replies: Sequence[str] = ("",), rated: Sequence[float] = ()) -> None:
        """Args:
        replies: its answers, which it repeats.
        rated: log-probabilities of choices, which it repeats.
        """
        self.prompts: list[Foreign] = []
        self.rows = 1
        """How many texts of the first label are rated before those of the second one."""
        self.row: int | None = None
        """The row whose labels are rated now, where those of a row come one after the other."""
        self._first = 0
        self._replies, self._rated = replies, rated

    def answer(self, prompt: Foreign) -> str:
        """Return the next answer."""
        self.prompts.append(prompt)
        return self._replies[(len(self.prompts) - 1) % len(self._replies)]

    def rate(self, prompt: Foreign) -> float:
        """Return the log-probability of a text. Rows begin elsewhere, so that choices differ."""
        if self.row is None:
            label, row = divmod(len(self.prompts), self.rows)
        else:
            label, row = len(self.prompts) - self._first, self.row
        self.prompts.append(prompt)
        return self._rated[(label + row) % len(self._rated)] - label // len(self._rated)

    def begin(self, row: int) -> None:
        """Begin with a row, whose texts come one after the other."""
        self.row, self._first = row, len(self.prompts)

    def rated(self, row: int, count: int) -> list[Foreign]:
        """Return the texts of a row, of `count` rows, whose labels were rated."""
        labels = len(self.prompts) // count
        by_row = slice(row * labels, (row + 1) * labels)
        return self.prompts[slice(row, None, count) if self.row is None else by_row]

    def __deepcopy__(self, memory: object) -> Script:
        return self


class Package:
    """The package, as far as its tasks need it."""

    name = distribution = "opencompass"

    def __init__(self, host: Mapping[str, Foreign]) -> None:
        """Args:
        host: the names of `host.py`, which loads a package without those of its models.
        """
        self.host = host
        self.config = importlib.import_module("mmengine.config").ConfigDict
        datasets = importlib.import_module("datasets")  # it looks for torch, before that stands in
        sys.meta_path.append(host["Absentees"]("opencompass"))
        module = importlib.import_module
        self.rows = rows_class(module("opencompass.datasets.base").BaseDataset, datasets)
        text = _text_class(module("opencompass.models.base").BaseModel)
        chat = _chat_class(module("opencompass.models.base_api").BaseAPIModel, text)
        self.models = {"text": text, "chat": chat}
        tasks = module("opencompass.tasks")
        self.tasks = {
            "infer": tasks.OpenICLInferTask,
            "eval": tasks.OpenICLEvalTask,
            "judge": module("opencompass.tasks.subjective_eval").SubjectiveEvalTask,
        }
        _stand_in_for_torch()


def load(package: Foreign, value: Foreign) -> None:
    """Import the modules of all classes and functions that a configuration names."""
    if isinstance(value, Mapping):
        path = value.get("type")
        if isinstance(path, str) and path.startswith(f"{package.name}."):
            package.host["object_of"](path, package.name)
    if isinstance(value, list | Mapping):
        for each in value.values() if isinstance(value, Mapping) else value:
            load(package, each)


def rows_class(base: Foreign, datasets: Foreign) -> Foreign:
    """Return the class of data sets whose rows are values of the configuration."""

    def create(
        self: Foreign, reader_cfg: Foreign, rows: Foreign, limit: int, abbr: str, **_: Foreign
    ) -> None:
        self.abbr = abbr
        self.dataset = datasets.DatasetDict()
        for split, each in rows.items():
            columns = [
                {**row, "subdivision": f"{abbr}_{split}", "idx": number}
                for number, row in enumerate(each)
            ]
            self.dataset[split] = datasets.Dataset.from_list(columns)
        self._init_reader(**reader_cfg)
        chosen = self.reader.dataset["test"]
        self.reader.dataset["test"] = chosen.select(range(min(limit, len(chosen))))

    return type("Rows", (base,), {"__init__": create})


def _text_class(base: Foreign) -> Foreign:
    """Return the class of models that complete texts and rate them."""
    array = importlib.import_module("numpy").array

    def create(self: Foreign, script: Script, **options: Foreign) -> None:
        base.__init__(self, path="scripted", **options)
        self.script = script

    def generate(self: Foreign, inputs: Foreign, max_out_len: int, **_: Foreign) -> Foreign:
        return [self.script.answer(each) for each in inputs]

    def perplexity(self: Foreign, inputs: Foreign, mask_length: Foreign = None) -> Foreign:
        return array([-self.script.rate(each) for each in inputs])

    def likelihood(self: Foreign, inputs: Foreign, conts: Foreign) -> Foreign:
        return array([self.script.rate(each) for each in inputs])

    methods = {
        "__init__": create,
        "generate": generate,
        "get_ppl": perplexity,
        "get_loglikelihood": likelihood,
        "get_token_len": lambda self, prompt: 1,
    }
    return type("Text", (base,), methods)


def _chat_class(base: Foreign, text: Foreign) -> Foreign:
    """Return the class of models that have an API for messages."""

    def create(self: Foreign, script: Script, **options: Foreign) -> None:
        base.__init__(self, path="scripted", **options)
        self.script = script

    methods = {
        "__init__": create,
        "generate": text.generate,
        "get_token_len": text.get_token_len,
    }
    return type("Chat", (base,), methods)


def _stand_in_for_torch() -> None:
    """Give the package the little of torch that its tasks need without models."""
    inferencers = importlib.import_module("opencompass.openicl.icl_inferencer")
    sys.modules["torch"].no_grad = nullcontext  # type: ignore[attr-defined]
    base = sys.modules[f"{inferencers.__name__}.icl_base_inferencer"]
    base.DataLoader = _batches  # type: ignore[attr-defined]
    sys.modules["mmengine.dist.utils"].is_distributed = lambda: False  # type: ignore[attr-defined]


def _batches(rows: Sequence[Foreign], batch_size: int, collate_fn: Foreign) -> list[Foreign]:
    return [
        collate_fn(rows[start : start + batch_size]) for start in range(0, len(rows), batch_size)
    ]
