"""The `opencompass` dialect of the conformance runner: from a vector's input to its result."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lve.errors import TemplateError
from lve.prompts.chat_rows import chat_of_row
from lve.prompts.dialogue import visible
from lve.prompts.in_context import InContext
from lve.prompts.inferencers import (
    ChatInferencer,
    MultiTurnGenInferencer,
    PPLInferencer,
    generation_prompt,
    label_prompts,
    make_inferencer,
)
from lve.prompts.model_format import ModelFormat
from lve.prompts.retriever_types import make_retriever
from lve.prompts.retrievers import Examples
from lve.prompts.template_types import make_template
from lve.spec.dataset import AISBENCH_TYPES
from lve.spec.tables import Reader

NAME = "demo"


def actual(vector: Mapping[str, Any], workdir: Path) -> dict[str, Any]:
    """Return what lve gives for a vector, in the shape of its `expected`."""
    del workdir
    run = Run(vector)
    try:
        run.run()
    except TemplateError as error:
        run.result["error"] = {"stage": error.stage, "message": str(error)}
    return run.result


def dialect_of(vector: Mapping[str, Any]) -> str:
    """Return the dialect that the vector's project selects, or that its template type implies."""
    upstream = vector.get("upstream")
    if upstream:
        return "opencompass" if "opencompass" in upstream else upstream[0]
    template = vector["input"].get("prompt_template") or {}
    return "aisbench" if template.get("type") in AISBENCH_TYPES else "opencompass"


class Run:
    """One vector, stage by stage; `result` holds what is done so far."""

    def __init__(self, vector: Mapping[str, Any]) -> None:
        self.input = vector["input"]
        self.dialect = dialect_of(vector)
        self.result: dict[str, Any] = {}

    def run(self) -> None:
        self.prepare()
        select = self.retriever.prepare(self.examples)
        self.retrieved = [select(n, row) for n, row in enumerate(self.rows)]
        self.result["retrieved"] = self.retrieved
        if isinstance(self.inferencer, ChatInferencer):
            return self.chat()
        self.result["ice"] = [visible(self.context.ice(ids)) for ids in self.retrieved]
        if isinstance(self.inferencer, PPLInferencer):
            return self.ppl()
        prompts = self.prompts()
        if not self.has_model:
            return None
        if isinstance(self.inferencer, MultiTurnGenInferencer) or getattr(
            self.inferencer, "multiround", False
        ):
            return self.turns(
                [
                    self.inferencer.requests(p, self.model, row)
                    for p, row in zip(prompts, self.rows, strict=True)
                ]
            )
        return self.parsed(prompts)

    def prepare(self) -> None:
        data = self.input
        ice, prompt = (make_template(data.get(f"{k}_template")) for k in ("ice", "prompt"))
        reader = Reader.from_config(data["reader_cfg"])
        splits = {k: data[k] for k in ("train", "test")} if "train" in data else data["test"]
        train, test = reader.tables(splits, name=NAME, dialect=self.dialect)
        self.reader, self.rows = reader, [test[n] for n in range(len(test))]
        self.template = prompt
        self.retriever = make_retriever(data["retriever"], dialect=self.dialect)
        self.examples = Examples(train, reader, self.dialect)
        self.inferencer = make_inferencer(data["inferencer"])
        replacement = getattr(self.inferencer, "gen_field_replace_token", "") or ""
        self.context = InContext(
            train, ice, prompt, self.retriever, reader.output_column, replacement
        )
        model = data.get("model")
        self.has_model = model is not None
        self.model_config = model or {"kind": "lm", "meta_template": None}

    def make_model(self) -> None:
        self.model = ModelFormat(
            self.model_config["kind"], self.model_config.get("meta_template"), self.dialect
        )

    def length(self) -> dict[str, Any]:
        longest = getattr(self.inferencer, "max_seq_len", None)
        return {"max_length": longest, "length": lambda text: len(text.split())}

    def prompts(self) -> list[Any]:
        whole = [
            self.context.prompt(row, self.context.ice(ids))
            for row, ids in zip(self.rows, self.retrieved, strict=True)
        ]
        self.result["prompts"] = [visible(prompt) for prompt in whole]
        self.make_model()
        if getattr(self.inferencer, "max_seq_len", None) is None:
            return whole
        del self.result["prompts"]
        return [
            generation_prompt(self.context, row, ids, model=self.model, **self.length())
            for row, ids in zip(self.rows, self.retrieved, strict=True)
        ]

    def parsed(self, prompts: list[Any]) -> None:
        if not self.has_model:
            return
        parsed = [
            self.model.parse(p, "gen", self.filling(row))
            for p, row in zip(prompts, self.rows, strict=True)
        ]
        self.result["parsed"] = parsed
        if self.model.kind == "api":
            self.result["messages"] = [self.model.messages(p) for p in parsed]

    def filling(self, row: dict[str, Any]) -> dict[str, Any]:
        output = self.reader.output_column
        return row if output is None else {**row, output: self.context.replacement}

    def ppl(self) -> None:
        labels = self.labels()
        self.result["labels"] = labels
        whole = [
            label_prompts(self.context, row, ids, labels, model=None)  # type: ignore[arg-type]
            for row, ids in zip(self.rows, self.retrieved, strict=True)
        ]
        self.result["prompts"] = [
            [{"label": label, "prompt": visible(p)} for label, p in zip(labels, row, strict=True)]
            for row in whole
        ]
        self.make_model()
        if getattr(self.inferencer, "max_seq_len", None) is not None:
            del self.result["prompts"]
            whole = [
                label_prompts(self.context, row, ids, labels, model=self.model, **self.length())
                for row, ids in zip(self.rows, self.retrieved, strict=True)
            ]
        if self.has_model:
            self.result["parsed"] = [
                [{"label": label, "prompt": self.model.parse(p, "ppl", row)}
                 for label, p in zip(labels, prompts, strict=True)]
                for prompts, row in zip(whole, self.rows, strict=True)
            ]  # fmt: skip
        scores = self.input.get("ppl_scores")
        if scores is not None:
            self.result["prediction"] = [
                self.inferencer.choose({label: scores[label][n] for label in labels})
                for n in range(len(self.rows))
            ]

    def labels(self) -> list[Any]:
        if self.inferencer.labels is not None:
            return list(self.inferencer.labels)
        if self.context.labels is not None:
            return self.context.labels
        column = self.reader.output_column
        if any(column not in row for row in self.rows):
            raise TemplateError("no labels: there is no output column", stage="prompt")
        return list(dict.fromkeys(row[column] for row in self.rows))

    def chat(self) -> None:
        self.result["chat"] = chats = [
            chat_of_row(row, self.template, input_columns=self.reader.input_columns,
                        output_column=self.reader.output_column)
            for row in self.rows
        ]  # fmt: skip
        self.make_model()
        self.turns([self.inferencer.requests(chat, self.model) for chat in chats])

    def turns(self, conversations: list[Any]) -> None:
        replies = self.input.get("model_replies") or [[]] * len(conversations)
        self.result["turns"] = [
            self.hold(requests, row) for requests, row in zip(conversations, replies, strict=False)
        ]

    def hold(self, requests: Any, replies: list[Any]) -> list[Any]:
        turns: list[Any] = []
        reply: Any = None
        for n in range(1000):
            try:
                parsed = requests.send(reply) if n else next(requests)
            except StopIteration:
                break
            turn = {"parsed": parsed}
            if self.model.kind == "api":
                turn["messages"] = self.messages(parsed)
            turns.append(turn)
            reply = replies[n] if n < len(replies) else None
        return turns

    def messages(self, parsed: Any) -> list[Any]:
        try:
            return self.model.messages(parsed)
        except TemplateError as error:
            raise TemplateError(str(error), stage="infer") from error
