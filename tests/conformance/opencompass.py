"""The `opencompass` dialect of the conformance runner: runs a vector as a test, as `lve run` does.

A vector becomes a test folder with settings; `load_spec` and `build_plan` read it, `render` shows
its rows, and its conversations are held with the vector's replies.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lve.checkers.base import CheckContext
from lve.data.instances import iter_instances
from lve.errors import PermanentModelError, Problem, SpecError, TemplateError
from lve.execution.conversations.conversation import hold_conversation
from lve.extensions.opencompass.build import DatasetPlan
from lve.extensions.opencompass.checks.row_choice_check import ChoiceChecker
from lve.extensions.opencompass.data.template_data import AISBENCH_TYPES
from lve.extensions.opencompass.dialogue import CHAT_ROLES, visible
from lve.extensions.opencompass.retrievers.retriever import ModelChoice
from lve.messages import Completion, Message, Transcript
from lve.models.chat_model import ChatRequest
from lve.prompts.conversation import Conversation
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec
from lve.spec.settings_file import load_workspace
from lve.spec.spec import Instance

NAME = "demo"
MODEL = "openai/m"
RATING = ("PPLInferencer", "LLInferencer", "CLPInferencer")
TEMPLATE_ROLES = {chat: template for template, chat in CHAT_ROLES.items()}


def actual(vector: Mapping[str, Any], workdir: Path) -> dict[str, Any]:
    """Return what lve gives for a vector, in the shape of its `expected`."""
    result: dict[str, Any] = {}
    given = vector["input"]
    try:
        plan, instances = read_test(vector, workdir / "test")
        rows = Rows(given, plan, instances, result)
        rows.add_stages()
        if "model" in given:
            rows.add_sent()
    except SpecError as error:
        cause = error.__cause__
        stage = cause.stage if isinstance(cause, TemplateError) else "template"
        result["error"] = {"stage": stage, "message": str(error)}
        if stage in ("model", "infer"):
            # The model is refused before any row is looked at; these are the stages before it.
            alone = {key: value for key, value in given.items() if key != "model"}
            before = actual({**vector, "input": alone}, workdir / "alone")
            result.update({key: value for key, value in before.items() if key != "error"})
    except TemplateError as error:
        result["error"] = {"stage": error.stage, "message": str(error)}
    return result


def read_test(
    vector: Mapping[str, Any], workdir: Path, *, trace: bool = False
) -> tuple[DatasetPlan, list[Instance]]:
    """Write a vector as a test and read it the way `lve run` does.

    Raises:
        SpecError: the test is refused.
        TemplateError: a row is.
    """
    write_test(vector, workdir)
    model = load_workspace(workdir).settings.entry(MODEL)
    spec = load_spec(workdir / NAME, root=workdir)
    plan = build_plan(spec, model=model, trace=trace)
    assert isinstance(plan, DatasetPlan)
    instances = []
    for found in iter_instances(spec):
        if isinstance(found, Problem):
            raise TemplateError(str(found), stage="dataset")
        instances.append(found)
    return plan, instances


def write_test(vector: Mapping[str, Any], workdir: Path) -> None:
    given = vector["input"]
    parts = ("ice_template", "prompt_template", "retriever", "inferencer")
    document = {
        "description": "a vector",
        "model": MODEL,
        "dialect": dialect_of(vector),
        "dataset": {k: given[k] for k in ("train", "test")} if "train" in given else given["test"],
        "reader_cfg": given["reader_cfg"],
        "infer_cfg": {part: given[part] for part in parts if given.get(part) is not None},
    }
    (workdir / NAME).mkdir(parents=True)
    (workdir / NAME / "test.json").write_text(json.dumps(document), encoding="utf-8")
    settings = {"models": {MODEL: model_of(given)}}
    (workdir / "lve.yaml").write_text(json.dumps(settings), encoding="utf-8")


def model_of(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of a vector's model; those without one stop before it is asked."""
    rates = given["inferencer"]["type"] in RATING
    if "model" in given:
        settings = {key: value for key, value in given["model"].items() if value is not None}
        return {**settings, "prompt_logprobs": True} if rates else settings
    return {"kind": "lm" if rates else "api"}


def dialect_of(vector: Mapping[str, Any]) -> str:
    """Return the dialect that the vector's project selects, or that its template type implies."""
    upstream = vector.get("upstream")
    if upstream:
        return "aisbench" if upstream == ["aisbench"] else "opencompass"
    template = vector["input"].get("prompt_template") or {}
    return "aisbench" if template.get("type") in AISBENCH_TYPES else "opencompass"


class Rows:
    """The rows of one vector; `result` gets what is done so far."""

    def __init__(
        self,
        given: Mapping[str, Any],
        plan: DatasetPlan,
        instances: Sequence[Instance],
        result: dict[str, Any],
    ) -> None:
        self.given = given
        self.plan = plan
        self.instances = instances
        self.result = result
        self.inferencer = given["inferencer"]
        self.rates = self.inferencer["type"] in RATING
        self.is_chat = self.inferencer["type"] == "ChatInferencer"
        self.has_turns = (
            self.is_chat
            or self.inferencer["type"] == "MultiTurnGenInferencer"
            or bool(self.inferencer.get("multiround"))
        )

    def add_stages(self) -> None:
        """Add what rows are before the model's format, stage by stage: any may be refused."""
        writer, rows = self.plan.writer, [instance.parameters for instance in self.instances]
        choice = self.plan.choice
        assert not isinstance(choice, ModelChoice)
        examples = [choice(n, row) for n, row in enumerate(rows)]
        self.result["retrieved"] = examples
        if self.is_chat:
            self.result["chat"] = list(map(writer.chat, rows))
            return
        self.result["ice"] = [visible(writer.prompts.ice(positions)) for positions in examples]
        if not self.rates:
            prompts = map(writer.prompt, rows, examples)
            self.result["prompts"] = list(map(visible, prompts))
            return
        self.result["labels"] = writer.labels.all
        self.result["prompts"] = [
            [{"label": label, "prompt": visible(prompt)} for label, prompt in prompts]
            for prompts in map(writer.label_prompts, rows, examples)
        ]

    def check_rendered(self) -> None:
        """Check that `render` gives the same stages as `add_stages`."""
        shown = [self.plan.render(instance) for instance in self.instances]
        assert [list(one.retrieved) for one in shown] == list(map(list, self.result["retrieved"]))
        if not self.is_chat:
            assert [visible(one.ice) for one in shown] == self.result["ice"]
            labelled = [
                [{"label": label, "prompt": visible(prompt)} for label, prompt in one.prompts]
                for one in shown
            ]
            alone = [prompts[0]["prompt"] for prompts in labelled]
            assert (labelled if self.rates else alone) == self.result["prompts"]

    def add_sent(self) -> None:
        """Add what the model receives, as `render` shows it and as it is sent."""
        shown = [self.plan.render(instance).inputs for instance in self.instances]
        if self.has_turns:
            self.result["turns"] = list(map(self.turns, range(len(shown)), shown))
            return
        self.result["parsed"] = [
            [{"label": x, "prompt": text} for x, text in zip(self.labels, inputs, strict=True)]
            if self.rates
            else inputs[0]
            for inputs in shown
        ]
        if self.plan.writer.model.kind == "lm":
            for instance, inputs in zip(self.instances, shown, strict=True):
                sent = self.sent(instance)
                assert [request.prompt for request in sent] == inputs
                assert all(request.score == self.rates for request in sent)
        elif self.rates:
            for instance, inputs in zip(self.instances, shown, strict=True):
                sent = self.sent(instance)
                assert all(request.score for request in sent)
                wanted = list(map(self.plan.writer.model.messages, inputs))
                assert [as_json(request.messages) for request in sent] == wanted
        else:
            sent = [self.sent(instance) for instance in self.instances]
            self.result["messages"] = [as_json(request.messages) for [request] in sent]
        if "ppl_scores" in self.given:
            self.result["prediction"] = list(map(self.predicted, range(len(shown))))

    @property
    def labels(self) -> list[Any]:
        return self.plan.writer.labels.all

    def conversations(self, instance: Instance) -> Sequence[Conversation]:
        return asyncio.run(self.plan.conversations(instance, None))

    def sent(self, instance: Instance) -> list[ChatRequest]:
        return [
            request for one in self.conversations(instance) for request in held(one, ["x"]).requests
        ]

    def turns(self, n: int, inputs: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the requests of a row, whose k-th one gets the k-th reply."""
        replies = list((self.given.get("model_replies") or [[]] * (n + 1))[n])
        requests: list[ChatRequest] = []
        for conversation in self.conversations(self.instances[n]):
            done = held(conversation, replies[len(requests) :])
            requests += done.requests
            if done.failed and self.inferencer["type"] != "MultiTurnGenInferencer":
                raise TemplateError("a request failed in the middle of a dialogue", stage="infer")
            if done.failed:
                break
        return [self.turn(*each) for each in zip(requests, inputs, strict=False)]

    def turn(self, request: ChatRequest, like: Any) -> dict[str, Any]:
        if self.plan.writer.model.kind == "lm":
            return {"parsed": request.prompt}
        messages = as_json(request.messages)
        return {"parsed": as_parsed(messages, like), "messages": messages}

    def predicted(self, n: int) -> Any:
        """Return the label that is chosen for a row, given how the model rates each."""
        scores = {label: rows[n] for label, rows in self.given["ppl_scores"].items()}
        least = min(0, *scores.values())  # No text is less perplexing than one that is certain.
        runs = tuple(
            rated(conversation, scores[conversation.name] - least)
            for conversation in self.conversations(self.instances[n])
        )
        [chosen] = [
            label
            for label in self.labels
            if ChoiceChecker().check(CheckContext(runs, reference=label)).outcome == "passed"
        ]
        return chosen


class Held:
    """A conversation that was held with given replies."""

    def __init__(self, replies: Sequence[str | None], logprobs: Any = None) -> None:
        self.requests: list[ChatRequest] = []
        self.transcript: Transcript | None = None
        self._replies = list(replies)
        self._logprobs = logprobs

    @property
    def failed(self) -> bool:
        """Whether a request failed before the end."""
        return self.transcript is None

    async def complete(self, request: ChatRequest) -> Completion:
        """Give the next reply; None (or no reply left) is a request that fails."""
        self.requests.append(request)
        reply = self._replies.pop(0) if self._replies else None
        if reply is None:
            raise PermanentModelError("the request failed", kind="refused")
        return Completion(reply, logprobs=self._logprobs)


def held(conversation: Conversation, replies: Sequence[str | None], logprobs: Any = None) -> Held:
    result = Held(replies, logprobs)
    try:
        transcript = asyncio.run(hold_conversation(conversation, result.complete, args={}))
    except PermanentModelError:
        return result
    result.transcript = transcript
    return result


def rated(conversation: Conversation, score: float) -> Transcript:
    """Return the conversation of a label of which the model says how perplexing it is."""
    done = held(conversation, [""], logprobs=[["", None, 0], ["x", -score, 0]])
    assert done.transcript is not None
    return done.transcript


def as_json(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [
        {
            "role": m.role.value,
            "content": list(m.content) if isinstance(m.content, tuple) else m.content,
        }
        for m in messages
    ]


def as_parsed(messages: Sequence[Mapping[str, Any]], like: Any) -> Any:
    """Return sent messages as the model's format has them, by the shape of what `render` shows."""
    if isinstance(like, str):
        [message] = messages
        return message["content"]
    if all("content" in message for message in like):
        return list(messages)
    return [
        {"role": TEMPLATE_ROLES.get(m["role"], m["role"]), "prompt": m["content"]} for m in messages
    ]
