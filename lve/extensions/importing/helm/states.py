"""Reads the requests of a run: what was asked, what would be right, and what was answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lve.extensions.importing.helm.checks import NoCounterpartError
from lve.json_types import JsonObject, JsonValue, as_object
from lve.named_tuples import NamedTuple

MAX_REQUESTS = 100_000
MAX_MESSAGES = 50
MAX_OPTIONS = 100
ROLES = ("system", "user", "assistant")
PROMPT = "prompt"
_ARGS = {"temperature": "temperature", "max_tokens": "max_tokens", "stop_sequences": "stop"}
"""Fields of a request -> what lve calls them."""
_UNUSUAL = {"top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
"""Further ones, and what says nothing."""
Form = tuple[object, ...]


class Request(NamedTuple):
    """A request of a run."""

    texts: Mapping[str, str]
    """Column -> text of each message."""
    roles: tuple[str, ...]
    golds: tuple[str, ...]
    """The right answers."""
    options: Mapping[str, str] | None
    """Letter -> text of each option; None if the answer is written freely."""
    model_args: JsonObject
    model: str
    answer: str | None
    """None if HELM hasn't asked (`--dry-run`)."""
    split: str
    id: str

    @property
    def has_options(self) -> bool:
        return self.options is not None

    @property
    def form(self) -> Form:
        """What requests of one test have in common."""
        args = tuple(sorted((name, str(value)) for name, value in self.model_args.items()))
        return self.roles, self.has_options, args, bool(self.id)


def requests_of(states: JsonValue) -> tuple[list[Request], Mapping[str, int]]:
    """Return the requests of a run, and reason -> number of those that are left out.

    Raises:
        NoCounterpartError: there are none, or too many.
    """
    if not isinstance(states, list) or len(states) > MAX_REQUESTS:
        raise NoCounterpartError(f"no list of at most {MAX_REQUESTS:,} request_states")
    requests, why = list[Request](), Counter[str]()
    for state in states:
        try:
            requests.append(_request(state if isinstance(state, dict) else {}))
        except NoCounterpartError as error:
            why[str(error)] += 1
    return requests, why


def _request(state: JsonObject) -> Request:
    instance, request = (as_object(state.get(name)) for name in ("instance", "request"))
    if instance.get("perturbation"):
        raise NoCounterpartError("with a perturbation")
    prompt = as_object(instance.get("input"))
    if request.get("multimodal_prompt") or prompt.get("multimodal_content"):
        raise NoCounterpartError("with images or sounds")
    references = instance.get("references")
    golds = [
        str(as_object(each.get("output")).get("text") or "").strip()
        for each in (references if isinstance(references, list) else ())
        if isinstance(each, dict) and "correct" in _texts(each.get("tags"))
    ]
    if not golds or not all(golds):
        raise NoCounterpartError("without right answers, or with an empty one")
    mapping = state.get("output_mapping")
    options = None
    if isinstance(mapping, dict):
        options = {letter: str(text) for letter, text in mapping.items()}
        if len(options) > MAX_OPTIONS:
            raise NoCounterpartError(f"with more than {MAX_OPTIONS} options")
    messages = _messages(request)
    args: dict[str, JsonValue] = {
        name: request[field]
        for field, name in _ARGS.items()
        if request.get(field) not in (None, [])
    }
    for name, usual in _UNUSUAL.items():
        if request.get(name, usual) != usual:
            args[name] = request[name]
    columns = [PROMPT] if len(messages) == 1 else [f"message_{n + 1}" for n in range(len(messages))]
    return Request(
        dict(zip(columns, (text for _, text in messages), strict=True)),
        tuple(role for role, _ in messages),
        tuple(dict.fromkeys(golds)),
        options,
        args,
        str(request.get("model") or "unknown"),
        _answer(as_object(state.get("result")).get("completions")),
        str(instance.get("split") or ""),
        str(instance.get("id") or ""),
    )


def _messages(request: JsonObject) -> list[tuple[str, str]]:
    """Return role and text of each message; a prompt is one of a user."""
    messages = request.get("messages")
    if not messages:
        return [("user", str(request.get("prompt") or ""))]
    pairs = list[tuple[str, str]]()
    for message in messages if isinstance(messages, list) else ():
        match message:
            case {"role": str(role), "content": str(text)} if role in ROLES:
                pairs.append((role, text))
            case _:
                raise NoCounterpartError("with messages that aren't texts")
    if not pairs or len(pairs) > MAX_MESSAGES or pairs[-1][0] != "user":
        raise NoCounterpartError(f"without 1 to {MAX_MESSAGES} messages, the last of a user")
    return pairs


def _answer(completions: JsonValue) -> str | None:
    """Return the likeliest completion, which HELM judges."""
    each = [c for c in completions if isinstance(c, dict)] if isinstance(completions, list) else []
    if not each:
        return None
    return str(max(each, key=_likelihood).get("text") or "")


def _likelihood(completion: JsonObject) -> float:
    value = completion.get("logprob")
    return value if isinstance(value, int | float) else 0.0


def _texts(value: JsonValue) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
