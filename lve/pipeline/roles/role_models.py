"""Asks the models that have roles, and gets vectors from models, with the engine's cache, budget
and limits."""

from __future__ import annotations

import asyncio
import json
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lve.checkers.questions import Answer, Question
from lve.errors import ModelError, TemplateError
from lve.execution.budgets.cost import cost_of
from lve.execution.completer import Completer
from lve.execution.request_limits import BYTES_PER_TOKEN
from lve.messages import Completion, Message, Usage
from lve.models.chat_model import ChatModel, ChatRequest, EmbeddingModel
from lve.options.run_options import RunOptions
from lve.pipeline.model_args import role_args
from lve.secrets.redaction import redact
from lve.settings.model_settings import Price
from lve.settings.settings import Settings


class RoleModels:
    """The `Answering` of the engine: asks models that have roles.

    Secrets are removed from questions: a key that the tested model's server has echoed must not
    reach another server. Equal questions at the same time, such as those about equal answers of
    several repeats, are asked once.
    """

    def __init__(
        self,
        completer: Callable[[str], Completer],
        embedder: Callable[[str, str], Embedder],
        settings: Settings,
        options: RunOptions,
    ) -> None:
        """Args:
        completer: returns the completer of a role.
        embedder: returns an embedder, by the model's name and the role.
        settings: the workspace's settings.
        options: the run's options.
        """
        self._completer = completer
        self._embedder = embedder
        self._settings = settings
        self._timeout_s = options.timeout_s
        self._asking: dict[str, asyncio.Future[Answer | None]] = {}
        """Key of a question that is being asked -> its answer; None if nobody asks it any more."""

    async def answer(self, question: Question) -> Answer:
        """Return the answer to a question, or the reason why there is none; errors as
        `Answering.answer`."""
        while (asked := self._asking.get(question.key)) is not None:
            answer = await asyncio.shield(asked)
            if answer is not None:
                return _shared(answer)
        asked = self._asking[question.key] = asyncio.get_running_loop().create_future()
        answer = None
        try:
            answer = await self._asked(question)
        finally:  # whoever waits asks again after an error that isn't the question's
            del self._asking[question.key]
            asked.set_result(answer)
        return answer

    async def _asked(self, question: Question) -> Answer:
        if question.text is not None:
            return await self._vector(question, redact(question.text))
        completer = self._completer(question.role)
        answer = Answer(question.key, question.role, completer.model.name)
        args, by_default = role_args(self._settings, answer.model, question.args)
        request = ChatRequest(
            tuple(map(self._clean, question.messages)),
            args=args,
            repeat=question.vote,
            timeout_s=self._timeout_s,
            by_default=by_default,
        )
        try:
            answer.completion = await completer.complete(request)
        except ModelError as error:
            answer.problem, answer.problem_kind, answer.cause = str(error), error.kind, error.cause
            return answer
        answer.cost = _cost(answer.completion, completer.price)
        return answer

    async def _vector(self, question: Question, text: str) -> Answer:
        model = self._completer(question.role).model.name
        answer = Answer(question.key, question.role, model)
        try:
            embedder = self._embedder(model, question.role)
            (answer.vector,), completion = await embedder.embed_with_usage([text])
        except ModelError as error:
            answer.problem, answer.problem_kind, answer.cause = str(error), error.kind, error.cause
        except TemplateError as error:  # it is no model for vectors
            answer.problem, answer.problem_kind = str(error), "bad_request"
        else:
            answer.cost = _cost(completion, embedder.price)
        return answer

    @staticmethod
    def _clean(message: Message) -> Message:
        content = message.content
        if not isinstance(content, str):
            return message
        return replace(message, content=redact(content))


def _shared(answer: Answer) -> Answer:
    """Return an answer for another one who asks the same: it is paid for once."""
    completion = answer.completion
    return replace(answer, completion=completion and replace(completion, cached=True), cost=None)


def _cost(completion: Completion, price: Price | None) -> float | None:
    """Return the cost in US dollars; None from the cache, or without usage or price."""
    if completion.cached or completion.usage is None:
        return None
    return cost_of(completion.usage, price)


NO_ANSWER = {"max_tokens": 1}
"""Args of a request for vectors or scores, so that a budget reserves no tokens for an answer."""


def identity_of_vectors(model: ChatModel) -> Mapping[str, object] | None:
    """Return the identity of a model for the cache keys of its vectors; None if it has none.

    Raises:
        TemplateError: the model makes no vectors.
    """
    if not isinstance(model, EmbeddingModel):
        raise TemplateError(f"{model.name} makes no embeddings", stage="retriever")
    return None if model.identity is None else {**model.identity, "gives": "vectors"}


class Embedder(Completer):
    """Gets vectors from one model, as a completer gets completions.

    In the cache, the prompt of a request is a JSON list of texts, its answer a JSON list of
    vectors.
    """

    def __init__(self, model: ChatModel, **options: Any) -> None:
        """Args:
        model: a model that is also an `EmbeddingModel`.
        options: the other arguments of `Completer`.
        """
        super().__init__(model, **options)
        assert isinstance(model, EmbeddingModel)
        self._embed = model.embed
        self.caller.ask = self._vectors

    async def embed(self, texts: Sequence[str]) -> list[array[float]]:
        """Return one vector per text, in their order.

        Raises:
            ModelError, BudgetError, Stopped: as `complete`.
        """
        return (await self.embed_with_usage(texts))[0]

    async def embed_with_usage(self, texts: Sequence[str]) -> tuple[list[array[float]], Completion]:
        """Return one vector per text, and the completion with their usage; errors as `embed`."""
        request = ChatRequest(args=NO_ANSWER, prompt=json.dumps(list(texts)))
        completion = await self.complete(request)
        vectors = json.loads(completion.text)
        return [array("d", vector) for vector in vectors], completion

    async def _vectors(self, request: ChatRequest) -> Completion:
        texts: list[str] = json.loads(request.prompt or "[]")
        vectors = await self._embed(texts)
        # Servers count differently; an estimate is enough for the budget.
        usage = Usage(sum(len(text) // BYTES_PER_TOKEN + 1 for text in texts), 0)
        return Completion(json.dumps(vectors), usage=usage)

    async def close(self, warn: Callable[[str], None]) -> None:
        """Do nothing: the model's completer closes it."""
