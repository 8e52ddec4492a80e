"""Checks models for `lve doctor`: address, key, and which request features the server supports."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from lve.data_classes import dataclass, field
from lve.errors import LveError, ModelError, PermanentModelError
from lve.extensions.doctor.machine import Finding
from lve.limits.timeouts import in_time
from lve.messages import Completion, Message, Tool
from lve.models.chat_model import ChatModel, ChatRequest, EmbeddingModel, is_free
from lve.models.http.endpoint import Endpoint as Server
from lve.models.listing import ListsModels
from lve.models.registry import create_model
from lve.named_tuples import NamedTuple
from lve.options.run_options import RunOptions
from lve.pipeline.prices import Prices
from lve.plurals import amount
from lve.settings.settings import Settings

SHORT_ANSWER = {"max_tokens": 64}
LIST_S = 30.0
"""Time limit for the list of models, in seconds."""
TIMEOUT_S = 60.0
"""Time limit for one answer, in seconds."""
ASK_S = 180.0
"""Time limit for all requests to one model, in seconds."""
NO_LIST = (404, 405, 501)
PROGRAMS = ("exec", "python")
"""Providers whose models are programs of the settings."""
TARGETS = ("http", *PROGRAMS)
"""Providers whose models are applications."""
EMBEDDING = "embedding"
"""The role of embedding models, which don't chat."""
_OK = Message("Answer with one word: ok")
_SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "word", "strict": True, "schema": _SCHEMA},
}
_TOOL = Tool(
    "get_weather",
    "Tells the weather in a city.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


class Probe(NamedTuple):
    """A request that shows whether a server supports a feature."""

    what: str
    args: Mapping[str, object] = {}
    message: Message = _OK
    stream: bool = False
    tools: tuple[Tool, ...] = ()
    shown_by: str | None = None
    """The field of a completion that is filled if the feature works. None: a server that accepts
    the request is taken to support the feature."""


PROBES = (
    Probe("answers"),
    Probe("temperature", {"temperature": 0}),
    Probe("top_p", {"top_p": 0.5}),
    Probe("seed", {"seed": 1}),
    Probe("stop", {"stop": ["stop"]}),
    Probe("logprobs", {"logprobs": True, "top_logprobs": 2}, shown_by="logprobs"),
    Probe("JSON schema", {"response_format": _FORMAT}),
    Probe("streaming", stream=True, shown_by="first_token_s"),
    Probe(
        "tools",
        message=Message("What is the weather in Rome? Use the tool."),
        tools=(_TOOL,),
        shown_by="tool_calls",
    ),
)


@dataclass
class Endpoint:
    """A model to check."""

    name: str
    settings: Settings
    base_url: str | None = None
    trusted: bool = False
    """Whether programs of the settings may run."""
    learned: list[str] = field(default_factory=list)
    """Messages about what lve has learned about the server, such as parameters that it refuses."""

    async def findings(self, *, ask: bool, offline: bool) -> AsyncIterator[Finding]:
        """Yield the findings about the model.

        Args:
            ask: whether to send the requests of `PROBES`. Otherwise only the list of models is
                requested, which is free.
            offline: whether to send nothing at all.
        """
        try:
            model = create_model(
                self.name,
                self.settings,
                base_url=self.base_url,
                tell=self.learned.append,
                trusted=self.trusted,
            )
        except LveError as error:
            yield self._finding("model", "bad", str(error))
            return
        try:
            for finding in self._offline_findings(model):
                yield finding
            if offline:
                return
            if isinstance(model, ListsModels):
                finding = await self._reached(model, str((model.identity or {}).get("model", "")))
                yield finding if ask or finding.status == "bad" else _with_hint(finding)
            if ask:
                async for finding in self._probe_all(model):
                    yield finding
                for text in self.learned:
                    yield self._finding("learned", "good", text)
        finally:
            await model.aclose()

    def _offline_findings(self, model: ChatModel) -> Iterator[Finding]:
        identity = model.identity or {}
        if url := identity.get("base_url"):
            yield self._finding("address", "good", f"{url} ({identity.get('model', self.name)})")
            yield self._key(model)
        price = Prices(self.settings, RunOptions(base_url=self.base_url)).of(self.name)
        if price is None and not is_free(model):
            price_text = "request: 0.02" if self._is_target else "input: 1, output: 2"
            hint = f"for --max-cost: `models: {{NAME: {{price: {{{price_text}}}}}}}`"
            yield self._finding("price", "note", "not known", hint)

    @property
    def _is_target(self) -> bool:
        """Whether it is an application, which has no features of a model's server."""
        entry = self.settings.models.get(self.name)
        return entry is not None and entry.provider in TARGETS

    def _key(self, model: ChatModel) -> Finding:
        server = getattr(model, "endpoint", None)
        if isinstance(server, Server) and (variable := server.secret.variable):
            return self._finding("key", "good", f"{variable} has one")
        if isinstance(server, Server) and server.provider == "bedrock":
            text = "where AWS's own tools have it (environment, profile or role)"
            return self._finding("key", "good", text)
        return self._finding("key", "good", "none is sent")

    async def _probe_all(self, model: ChatModel) -> AsyncIterator[Finding]:
        """Yield whether the model answers, and which features its server supports."""
        if self.settings.roles.get(EMBEDDING) == self.name:
            yield await self._embedded(model)
            return
        started = time.monotonic()
        for probe in PROBES[:1] if self._is_target else PROBES:
            left_s = ASK_S - (time.monotonic() - started)
            if left_s <= 0:
                text = f"not sent, like all further requests: {ASK_S:.0f} s are over"
                yield self._finding(probe.what, "note", text)
                return
            finding = await self._probed(model, probe, min(TIMEOUT_S, left_s))
            yield finding
            if finding.status == "bad":  # the model doesn't answer at all
                return

    async def _embedded(self, model: ChatModel) -> Finding:
        if not isinstance(model, EmbeddingModel):
            return self._finding("vectors", "bad", "this provider's models make none")
        try:
            (vector,) = await in_time(model.embed(["ok"]), TIMEOUT_S)
        except (TimeoutError, ModelError) as error:
            return self._finding("vectors", "bad", _error_text(error, TIMEOUT_S))
        return self._finding("vectors", "good", f"{len(vector):,} numbers each")

    async def _reached(self, model: ListsModels, name: str) -> Finding:
        try:
            offered = await in_time(model.list_models(), LIST_S)
        except (TimeoutError, ModelError) as error:
            if isinstance(error, ModelError) and error.status in NO_LIST:
                return self._finding("server", "note", "answers, and has no list of models")
            return self._finding("server", "bad", _error_text(error, LIST_S))
        if name and name not in offered and offered:
            text = f"answers, and doesn't list {name!r} among its {amount(len(offered), 'model')}"
            option = f" --base-url {self.base_url}" if self.base_url else ""
            hint = f"`lve models offered {self.name.partition('/')[0]}{option}` lists them"
            return self._finding("server", "note", text, hint)
        return self._finding(
            "server", "good", f"answers, and lists {amount(len(offered), 'model')}"
        )

    async def _probed(self, model: ChatModel, probe: Probe, timeout_s: float) -> Finding:
        request = ChatRequest(
            (probe.message,),
            args={**SHORT_ANSWER, **probe.args},
            by_default=frozenset(SHORT_ANSWER),
            stream=probe.stream,
            tools=probe.tools,
            timeout_s=timeout_s,
        )
        try:
            completion = await in_time(_complete(model, request), timeout_s)
        except (TimeoutError, ModelError) as error:
            is_needed = probe is PROBES[0]
            is_final = isinstance(error, PermanentModelError)
            text = f"{'refused' if is_final else 'unknown'}: {_error_text(error, timeout_s)}"
            return self._finding(probe.what, "bad" if is_needed else "note", text)
        if probe.shown_by is not None and not getattr(completion, probe.shown_by):
            return self._finding(probe.what, "note", "accepted, but without effect")
        text = f"{completion.latency_s:.2f} s" if probe is PROBES[0] else "accepted"
        return self._finding(probe.what, "good", text)

    def _finding(self, what: str, status: Any, text: str, hint: str | None = None) -> Finding:
        return Finding(self.name, what, status, text, hint)


def _error_text(error: Exception, seconds: float) -> str:
    return f"no answer within {seconds:.0f} s" if isinstance(error, TimeoutError) else str(error)


def _with_hint(finding: Finding) -> Finding:
    return finding._replace(hint=finding.hint or "`lve doctor --ask` shows what it supports")


async def _complete(model: ChatModel, request: ChatRequest) -> Completion:
    """Return a completion. Try again after an error from which lve has learned to write the request
    in another way."""
    attempts = 3
    while True:
        try:
            return await model.complete(request)
        except ModelError as error:
            attempts -= 1
            if error.kind != "adjusted" or not attempts:
                raise
