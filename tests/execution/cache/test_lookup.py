"""Which stored answers answer a request."""

from __future__ import annotations

from typing import Any, cast

import pytest

from lve.execution.cache.lookup import CachedAnswers, StoredAnswer
from lve.execution.stop import StopSignal
from lve.execution.traffic import Traffic
from lve.messages import Completion
from lve.models.chat_model import ChatRequest


class OneAnswer:
    """A cache with one answer, whatever is asked."""

    claims = None

    def __init__(self, stored: Completion | None) -> None:
        self._stored = stored
        self.asking: dict[str, None] = {}

    def get(self, key: str) -> Completion | None:
        return self._stored

    async def put(self, key: str, completion: Completion, *, model: str = "") -> None:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("fields", "by_default", "answers"),
    [
        ({}, (), True),
        ({"left_out": ("temperature",)}, ("temperature",), True),
        ({"left_out": ("temperature",)}, (), False),  # this request sets it on purpose
        ({"finish_reason": "length"}, (), True),
        ({"finish_reason": "error"}, (), False),  # the server gave it up
        (None, (), False),
    ],
)
def test_a_stored_answer_is_taken_at_once_or_the_model_is_asked(
    fields: dict[str, Any] | None, by_default: tuple[str, ...], answers: bool
) -> None:
    stored = None if fields is None else Completion("old", **fields)
    traffic = Traffic()
    cached = CachedAnswers(
        "m", OneAnswer(stored), lambda _: "key", StopSignal(), traffic, is_read=True, patience_s=1
    )
    request = ChatRequest(by_default=frozenset(by_default))
    answer: Any = cached.complete(request, cast(Any, None))
    assert isinstance(answer, StoredAnswer) is answers
    assert traffic.cached == answers
    if isinstance(answer, StoredAnswer):
        assert answer[0] is stored
        with pytest.raises(StopIteration) as ended:
            next(answer.__await__())
        assert ended.value.value is stored
    else:
        answer.close()
