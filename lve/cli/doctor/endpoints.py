"""Whether models can be asked: their address and key, and what their server takes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lve.cli.doctor.finding import Finding
from lve.errors import LveError, ModelError
from lve.messages import Completion, Message, Tool
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.offered import Offers
from lve.models.registry import create_model
from lve.pipeline.prices import Prices
from lve.run_options import RunOptions
from lve.workspace import Settings

SHORT_ANSWER = {"max_tokens": 64}
TIMEOUT_S = 60.0
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
    """A request that shows whether a server takes something."""

    what: str
    args: Mapping[str, Any] = {}
    message: Message = _OK
    stream: bool = False
    tools: tuple[Tool, ...] = ()
    shown_by: str | None = None
    """The field of a completion that has it; None: taking it is all that can be seen."""


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
    """A model that is looked at."""

    name: str
    settings: Settings
    base_url: str | None = None
    told: list[str] = field(default_factory=list)
    """What lve has learned of the server on the way."""

    async def findings(self, *, ask: bool, offline: bool) -> AsyncIterator[Finding]:
        """Yield what there is to say of it.

        Args:
            ask: whether to send the requests of `PROBES`; without it, only the list of models is
                asked for, which costs nothing.
            offline: whether to send nothing at all.
        """
        try:
            model = create_model(
                self.name, self.settings, base_url=self.base_url, tell=self.told.append
            )
        except LveError as error:
            yield self._finding("model", "bad", str(error))
            return
        try:
            for found in self._known(model):
                yield found
            if offline:
                return
            if isinstance(model, Offers):
                yield await self._reached(model, str((model.identity or {}).get("model", "")))
            if ask:
                async for found in self._probed_all(model):
                    yield found
        finally:
            await model.aclose()

    def _known(self, model: ChatModel) -> Iterator[Finding]:
        identity = model.identity or {}
        if url := identity.get("base_url"):
            yield self._finding("address", "good", f"{url} ({identity.get('model', self.name)})")
            yield self._finding("key", "good", "there is one, or none is needed")
        price = Prices(self.settings, RunOptions(base_url=self.base_url)).of(self.name)
        if price is None and not getattr(model, "is_free", False):
            hint = "for --max-cost: `models: {NAME: {price: {input: 1, output: 2}}}`"
            yield self._finding("price", "note", "not known", hint)

    async def _probed_all(self, model: ChatModel) -> AsyncIterator[Finding]:
        for probe in PROBES:
            found = await self._probed(model, probe)
            yield found
            if found.status == "bad":  # it doesn't answer at all
                return

    async def _reached(self, model: Offers, name: str) -> Finding:
        try:
            offered = await model.offered()
        except ModelError as error:
            return self._finding("server", "bad", str(error))
        if name and name not in offered and offered:
            text = f"answers, and doesn't list {name!r} among its {len(offered):,} models"
            hint = f"`lve models offered {self.name.partition('/')[0]}` lists them"
            return self._finding("server", "note", text, hint)
        return self._finding("server", "good", f"answers, and lists {len(offered):,} models")

    async def _probed(self, model: ChatModel, probe: Probe) -> Finding:
        request = ChatRequest(
            (probe.message,),
            args={**SHORT_ANSWER, **probe.args},
            by_default=frozenset(SHORT_ANSWER),
            stream=probe.stream,
            tools=probe.tools,
            timeout_s=TIMEOUT_S,
        )
        try:
            completion = await _complete(model, request)
        except ModelError as error:
            is_needed = probe is PROBES[0]
            return self._finding(probe.what, "bad" if is_needed else "note", f"refused: {error}")
        if probe.shown_by is not None and not getattr(completion, probe.shown_by):
            return self._finding(probe.what, "note", "taken, and nothing comes of it")
        text = f"{completion.latency_s:.2f} s" if probe is PROBES[0] else "taken"
        return self._finding(probe.what, "good", text)

    def _finding(self, what: str, status: Any, text: str, hint: str | None = None) -> Finding:
        return Finding(self.name, what, status, text, hint)


async def _complete(model: ChatModel, request: ChatRequest) -> Completion:
    """Return a completion. An error after which lve writes the request in another way isn't the
    last word."""
    attempts = 3
    while True:
        try:
            return await model.complete(request)
        except ModelError as error:
            attempts -= 1
            if error.kind != "adjusted" or not attempts:
                raise
