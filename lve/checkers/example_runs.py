"""Makes transcripts from the answers in a test's `examples`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from lve.checkers.usable_names import answer_names
from lve.errors import LveError, Problem
from lve.escape import excerpt, listed
from lve.messages import Message, Role, Transcript
from lve.prompts.conversation import RESPONSE, Conversation
from lve.prompts.messages.plan import build_message_plan
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS, MAX_NAMES
from lve.spec.spec import Example, Instance, Spec
from lve.suggest import did_you_mean

Response = str | Mapping[str, str]


def unknown_answers(spec: Spec, example: Example) -> list[Problem]:
    """Return a problem for each variable in an example's answers that the test doesn't have."""
    variables = answer_names(spec)
    names = [n for response in example.responses if not isinstance(response, str) for n in response]
    return [
        example.position.problem(
            f"the test has no answer '{name}'",
            did_you_mean(name, variables.names) or f"there are {variables.listed()}",
            code="example",
        )
        for name in dict.fromkeys(names)
        if name not in variables
    ]


def unknown_args(spec: Spec, used: Collection[str]) -> Iterator[Problem]:
    """Yield a warning for each arg of an example that nothing uses: it is probably misspelt.

    Args:
        spec: the test. One with a data file yields nothing, as the file's columns are unknown.
        used: names of the args that its checkers use.
    """
    rows = spec.dataset or ()
    if not isinstance(rows, list | tuple) or spec.infer_cfg is not None:
        return
    args = [
        *dict.fromkeys([*spec.parameters, *sorted(used), *(name for row in rows for name in row)])
    ]
    for example in spec.examples:
        for name in islice(example.args, MAX_NAMES):
            if name not in args and name not in KNOWN_MODEL_ARGS and name not in spec.model_args:
                message = f"no parameter and no checker takes the arg `{excerpt(name)}`"
                hint = did_you_mean(name, args) or f"there are {listed(args)}"
                problem = example.position.problem(message, hint, code="example")
                yield replace(problem, severity="warning")


def example_runs(spec: Spec, example: Example) -> tuple[Transcript, ...]:
    """Return an example's answers as transcripts: in the test's conversation if the example has all
    values for it, otherwise the answers alone."""
    names = [source.name for source in spec.prompts for _ in range(source.repetitions)]
    if len(names) == len(example.responses):
        nothing: list[Conversation | None] = [None] * len(names)
        conversations = _conversations(spec, example) or nothing
        runs = tuple(
            _held(conversation, response) or _alone(response, name)
            for conversation, response, name in zip(
                conversations, example.responses, names, strict=True
            )
        )
    else:
        runs = tuple(_alone(response, None) for response in example.responses)
    return tuple(_with_calls(run, example) for run in runs) if example.tool_calls else runs


def _with_calls(run: Transcript, example: Example) -> Transcript:
    """Return `run` with the example's tool calls before its last answer."""
    *before, last = run.filled
    asks = Message("", Role.assistant, tool_calls=example.tool_calls)
    messages = (*run.messages[:last], asks, *run.messages[last:])
    return Transcript(messages, (), run.name, (*before, last, last + 1))


def _conversations(spec: Spec, example: Example) -> Sequence[Conversation]:
    try:
        plan = build_message_plan(spec)
        return plan.preview(Instance(example.args, example.args, {}, "", 1))
    except LveError:  # the example lacks values, or the prompt is invalid and reported elsewhere
        return ()


def _held(conversation: Conversation | None, response: Response) -> Transcript | None:
    """Return the conversation with its open turns filled; None if there is no conversation, or an
    answer is missing."""
    if conversation is None:
        return None
    turns = conversation.open_turns
    texts = {RESPONSE: response} if isinstance(response, str) else response
    messages = list(conversation.messages)
    for index in turns:
        name = messages[index].variable
        text = texts.get(name or RESPONSE)
        if text is None and index == turns[-1]:
            text = texts.get(RESPONSE)
        if text is None:
            return None
        messages[index] = replace(messages[index], content=text)
    return Transcript(tuple(messages), (), conversation.name, turns)


def _alone(response: Response, name: str | None) -> Transcript:
    texts = {RESPONSE: response} if isinstance(response, str) else response
    messages = [Message(text, Role.assistant, variable) for variable, text in texts.items()]
    return Transcript(tuple(messages), (), name, tuple(range(len(messages))))
