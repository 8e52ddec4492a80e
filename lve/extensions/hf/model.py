"""The model `hf/PATH-OR-NAME`, a language model on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from lve.errors import PermanentModelError, TransientModelError
from lve.escape import head
from lve.extensions.hf.embedding import LocalEncoder
from lve.extensions.hf.model_files.files import ModelFiles
from lve.extensions.hf.network import LocalNetwork, Request
from lve.extensions.hf.sampling import HFOptions
from lve.extensions.hf.worker import PendingAnswer, Worker
from lve.limits.timeouts import in_time
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.config import Write

Question = ChatRequest | tuple[str, ...]
"""What is asked: a completion, or the vectors of texts."""
Asked = PendingAnswer[Question]
BATCHES_GATHERED = 4
"""Number of batches that are gathered at once, so that texts can be sorted by length first."""


class HFModel:
    """A model that chats, continues, rates and embeds texts, in its own thread."""

    holds_timeout = True
    is_free = True

    def __init__(
        self,
        name: str,
        files: ModelFiles,
        options: HFOptions,
        *,
        write: Write | None = None,
        meta_template: object = None,
        timeout_s: float | None = None,
    ) -> None:
        """Args:
        name: the name that the user gave.
        files: the model's files.
        options: the options in the settings.
        write: renders messages as one text; None: use the tokenizer's chat template or, if it has
            none, one line per message.
        meta_template: the template that `write` follows, as JSON.
        timeout_s: time limit of an answer in seconds, for requests without a timeout.
        """
        self.name = name
        self.identity: Mapping[str, object] | None = _identity(files, options, meta_template)
        """The weights and their precision; None until the weights are on this machine."""
        self._timeout_s = timeout_s
        self._network = LocalNetwork(name, files, options, write=write)
        self._encoder = LocalEncoder(files, options)
        self._worker: Worker[Question] = Worker(
            self._answer, batch_size=BATCHES_GATHERED * options.batch_size, name=f"lve {name}"
        )

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the completion.

        Raises:
            TransientModelError: it took too long.
            PermanentModelError: the model can't be loaded or can't answer the request.
        """
        if request.tools:
            raise PermanentModelError(
                "a local model of lve calls no tools: serve it (vLLM, llama.cpp, Ollama, ...)",
                kind="not_supported",
            )
        answer = await self._ask(request, request.timeout_s or self._timeout_s)
        assert isinstance(answer, Completion)
        return answer

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector of length 1 per text, in the order of `texts`.

        Raises:
            PermanentModelError: the model can't be loaded.
        """
        vectors: list[list[float]] = await self._ask(tuple(texts), None)
        return vectors

    async def aclose(self) -> None:
        """End the thread after its last answer."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._worker.close)
        await loop.run_in_executor(None, self._network.close)

    async def _ask(self, question: Question, timeout_s: float | None) -> Any:
        pending = self._worker.submit(question)
        try:
            return await in_time(asyncio.wrap_future(pending.future), timeout_s)
        except TimeoutError as error:
            raise TransientModelError(
                f"no answer within {timeout_s:g} s", kind="timeout"
            ) from error
        finally:
            pending.abandoned = True

    def _answer(self, batch: Sequence[Asked]) -> Sequence[Asked]:
        """Answer requests, and return those that aren't answered yet. Called in the worker's
        thread."""
        requests: list[Request] = []
        for pending in batch:
            if isinstance(pending.question, ChatRequest):
                requests.append(pending)
            else:
                self._embed(pending.question, pending.future)
        return self._complete(requests) if requests else ()

    def _embed(self, texts: Sequence[str], future: Future[object]) -> None:
        try:
            future.set_result(self._encoder.embed(texts))
        # transformers and torch don't document their errors, and a panic of tokenizers (Rust) is no
        # Exception. This is a thread, so Ctrl-C doesn't come here.
        except BaseException as error:
            future.set_exception(_model_error(error))

    def _complete(self, requests: Sequence[Request]) -> list[Request]:
        try:
            return self._network.complete(requests, self._worker.has_waiting)
        except BaseException as error:
            left = [pending for pending in requests if not pending.future.done()]
            if len(left) > 1 and _is_out_of_memory(error):
                middle = len(left) // 2
                return [*self._complete(left[:middle]), *left[middle:]]
            for pending in left:
                pending.future.set_exception(_model_error(error))
            return []


def _identity(
    files: ModelFiles, options: HFOptions, meta_template: object
) -> Mapping[str, object] | None:
    if files.identity is None:
        return None
    return {
        "provider": "hf",
        "model": files.source,
        **files.identity,
        "device": options.device,
        "dtype": options.dtype,
        "meta_template": meta_template,
    }


def _is_out_of_memory(error: BaseException) -> bool:
    import torch

    return isinstance(error, torch.cuda.OutOfMemoryError)


def _model_error(error: BaseException) -> PermanentModelError:
    if isinstance(error, PermanentModelError):
        return error
    if _is_out_of_memory(error):
        return PermanentModelError(
            "the device has too little memory for this prompt and answer: lower max_tokens, or "
            "set dtype or device in the options of the model",
            kind="out_of_memory",
        )
    message = head(" ".join(str(error).split()), 300)
    return PermanentModelError(
        f"the local model failed: {type(error).__name__}: {message}", kind="model"
    )
