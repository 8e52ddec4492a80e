"""What a test's instances send to its model, and the conversations that this gives."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from lve.errors import BudgetError, ModelError
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.models.chat_model import ChatRequest
from lve.pipeline.rows.model_of_test import ModelOfTest
from lve.prompts.conversation import Conversation
from lve.settings.model_settings import Price
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Instance


class Model:
    """Answers with the question, or raises what it is given for it."""

    def __init__(self, **raises: BaseException) -> None:
        self.raises = raises
        self.requests: list[ChatRequest] = []

    async def __call__(self, request: ChatRequest) -> Completion:
        self.requests.append(request)
        await asyncio.sleep(0)
        text = str(request.messages[-1].content)
        if text in self.raises:
            raise self.raises[text]
        return Completion(text, usage=Usage(1, 1))


def conversation(text: str) -> Conversation:
    return Conversation((Message(text), Message(None, Role.assistant, "answer")))


def row(recorded: Recorded | None = None, **model_args: Any) -> Instance:
    return Instance({}, {}, model_args, "x", 1, recorded=recorded)


def of(model: Model, **fields: Any) -> ModelOfTest:
    return ModelOfTest("m", model, lambda instance: {"t": 0, **instance.model_args}, **fields)


def texts(transcripts: Sequence[Transcript]) -> list[str]:
    return [transcript.completions[0].text for transcript in transcripts]


def test_a_request_has_what_the_test_asks_for_with() -> None:
    model = Model()
    tested = of(model, by_default=frozenset({"t", "seed"}), timeout_s=7.0, stream=True)
    held = asyncio.run(tested.hold(conversation("hi"), row(seed=5), 4))
    assert texts([held]) == ["hi"]
    (request,) = model.requests
    assert dict(request.args) == {"t": 0, "seed": 5}
    assert request.by_default == {"t"}, "the row sets the seed on purpose"
    assert (request.repeat, request.timeout_s, request.stream) == (4, 7.0, True)
    assert request.recorded is None


def test_one_conversation_gets_the_first_recorded_answer() -> None:
    model = Model()
    asyncio.run(of(model).hold(conversation("hi"), row(Recorded(("one", "two"), passed=True)), 0))
    asyncio.run(of(model).hold(conversation("hi"), row(Recorded((), passed=True)), 0))
    assert [request.recorded for request in model.requests] == ["one", None]


def test_several_conversations_get_their_own_answers_and_numbers() -> None:
    model = Model()
    several = [conversation(text) for text in ("hi", "hi", "ho")]
    recorded = row(Recorded(("one", "two"), passed=True))
    assert texts(asyncio.run(of(model).hold_all(several, recorded, 2))) == ["hi", "hi", "ho"]
    assert [request.recorded for request in model.requests] == ["one", "two", None]
    assert [request.repeat for request in model.requests] == [6, 7, 6]


@pytest.mark.parametrize(
    ("first", "second", "raised"),
    [
        (ModelError("a", kind="x"), BudgetError("spent"), BudgetError),
        (ModelError("a", kind="x"), ZeroDivisionError(), ModelError),
    ],
)
def test_what_ends_more_is_raised_once_all_have_ended(
    first: Exception, second: Exception, raised: type[Exception]
) -> None:
    model = Model(hi=first, ho=second)
    several = [conversation(text) for text in ("hi", "ho", "he")]
    with pytest.raises(raised):
        asyncio.run(of(model).hold_all(several, row(), 0))
    assert len(model.requests) == 3


def test_only_a_model_with_a_price_costs_anything() -> None:
    held = asyncio.run(of(Model()).hold(conversation("hi"), row(), 0))
    assert of(Model()).cost([held]) is None
    assert of(Model(), price=Price(input=1e6, output=2e6)).cost([held]) == 3


def test_a_recorded_answer_reaches_the_only_turn_by_its_variable() -> None:
    model = Model()
    messages = (Message("hi"), Message(None, Role.assistant, "n"))
    single = Conversation(messages, has_one_turn=True)
    assert single.asks_once
    asyncio.run(of(model).hold(single, row(Recorded(({"n": "x", "0": "y"},), True)), 0))
    assert model.requests[0].recorded == "x"


@pytest.mark.parametrize("more", ["answer", "toolbox", "user"])
def test_what_may_take_more_requests_is_not_asked_once(more: str) -> None:
    fields: dict[str, Any] = {more: object()}
    assert not Conversation((), has_one_turn=True, **fields).asks_once
    assert not Conversation(()).asks_once
