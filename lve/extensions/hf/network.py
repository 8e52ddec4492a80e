"""Answers batches of requests with a local model's tokenizer and weights, which take
only text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from lve.errors import PermanentModelError, PromptError
from lve.extensions.hf.generation import Continuation, continue_batch, cut_at_stop
from lve.extensions.hf.loading import load_network, load_tokenizer
from lve.extensions.hf.model_files.files import ModelFiles
from lve.extensions.hf.sampling import HFOptions, sampling
from lve.extensions.hf.scoring import PromptScorer
from lve.extensions.hf.templates import TemplateRenderer
from lve.extensions.hf.torch_types import Encoding, Network, Tokenizer
from lve.extensions.hf.worker import PendingAnswer
from lve.messages import Completion, Message, Usage
from lve.models.chat_model import ChatRequest
from lve.models.config import Write
from lve.models.text_only import text_of
from lve.models.token_scores import ScoredToken, is_logprob

_NO_LOGPROBS = (
    "the model rates the prompt with NaN or infinity: its weights are damaged, or its numbers too "
    "coarse (try dtype: float32)"
)


Request = PendingAnswer[Any]  # of a ChatRequest
"""A request, and the future of its answer. What was begun of it is a `Continuation`."""


class LocalNetwork:
    """A causal language model that is loaded on first use."""

    def __init__(
        self, name: str, files: ModelFiles, options: HFOptions, *, write: Write | None
    ) -> None:
        """Args:
        name: the model's name in completions.
        files: the files to load.
        options: the options in the settings.
        write: renders messages as one text; None: use the tokenizer's chat template.
        """
        self._name = name
        self._files = files
        self._options = options
        self._write = write
        self._renderer = TemplateRenderer()

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer."""
        return load_tokenizer(self._files)

    @cached_property
    def network(self) -> Network:
        """The model with its weights."""
        return load_network(self._files, self._options)

    @cached_property
    def scorer(self) -> PromptScorer:
        """Computes log-probabilities with the network."""
        return PromptScorer(self.network, batch_tokens=self._options.batch_tokens)

    def complete(
        self, batch: Sequence[Request], others_wait: Callable[[], bool] = lambda: False
    ) -> list[Request]:
        """Answer requests: all whose text is to be rated, and of the others a batch that the device
        holds. Each is answered as soon as its text is finished.

        Args:
            batch: the requests, the oldest one first.
            others_wait: returns whether further ones wait.

        Returns:
            Those that aren't answered yet.
        """
        import torch

        texts: list[Request] = []
        prompts: list[tuple[Request, str, Encoding]] = []
        for pending in batch:
            try:
                if pending.question.score:
                    prompts.append((pending, *self._encoded(pending.question)))
                else:
                    pending.begun = pending.begun or self._continuation(pending)
                    texts.append(pending)
            except PermanentModelError as error:
                pending.future.set_exception(error)
        with torch.inference_mode():
            self._rate(prompts)
            if texts:
                together = self._together(texts)
                is_all = len(together) == len(texts)
                self._continue(together, others_wait if is_all else lambda: True)
        return [pending for pending in texts if not pending.future.done()]

    def close(self) -> None:
        """End the child process that renders chat templates."""
        self._renderer.close()

    def _encoded(self, request: ChatRequest) -> tuple[str, Encoding]:
        """Return the prompt to rate, and its tokens with their offsets."""
        if request.prompt is None:
            raise PermanentModelError("only a text can be rated", kind="not_supported")
        encoded = self.tokenizer(
            request.prompt, return_offsets_mapping=True, return_attention_mask=False
        )
        self._check_length(len(encoded["input_ids"]))
        return request.prompt, encoded

    def _rate(self, prompts: Sequence[tuple[Request, str, Encoding]]) -> None:
        started = time.perf_counter()
        sequences = [encoded["input_ids"] for _, _, encoded in prompts]
        values = iter(self.scorer.logprobs([ids for ids in sequences if ids]))
        latency_s = time.perf_counter() - started
        for pending, prompt, encoded in prompts:
            ids = encoded["input_ids"]
            logprobs = [None, *next(values)] if ids else []
            if not all(map(is_logprob, logprobs[1:])):
                wrong = PermanentModelError(_NO_LOGPROBS, kind="malformed")
                pending.future.set_exception(wrong)
                continue
            tokens = self._tokens(prompt, ids, encoded["offset_mapping"], logprobs)
            pending.future.set_result(
                Completion(
                    text="",
                    finish_reason="stop",
                    usage=Usage(len(ids), 0),
                    latency_s=latency_s,
                    model=self._name,
                    logprobs=[token.to_json() for token in tokens],
                )
            )

    def _tokens(
        self,
        prompt: str,
        ids: Sequence[int],
        offsets: Sequence[tuple[int, int]],
        logprobs: Sequence[float | None],
    ) -> list[ScoredToken]:
        tokens: list[ScoredToken] = []
        for token, (start, end), value in zip(ids, offsets, logprobs, strict=True):
            if start == end:  # a start token that isn't in the text
                text = str(self.tokenizer.convert_ids_to_tokens(token))
                start = start if tokens else -len(text)
            else:
                text = prompt[start:end]
            tokens.append(ScoredToken(text, value, start))
        return tokens

    def _continuation(self, pending: Request) -> Continuation:
        request = pending.question
        how = sampling(request.args)
        ids = self._prompt_ids(request)
        longest = self._check_length(len(ids) + 1)
        if longest is not None:
            how = replace(how, max_tokens=min(how.max_tokens, longest - len(ids)))
        return Continuation(ids, how, partial(getattr, pending, "abandoned"))

    def _prompt_ids(self, request: ChatRequest) -> list[int]:
        tokenizer = self.tokenizer
        if request.prompt is not None:
            ids = tokenizer(request.prompt)["input_ids"]
        elif self._write is None and tokenizer.chat_template:
            text = self._by_chat_template(request.messages)
            # The template has already added the start token.
            ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        else:
            ids = tokenizer(self._written(request.messages))["input_ids"]
        if not ids:
            raise PermanentModelError("an empty prompt can't be continued", kind="bad_request")
        return list(ids)

    def _by_chat_template(self, messages: Sequence[Message]) -> str:
        tokenizer = self.tokenizer
        return self._renderer.render(
            tokenizer.get_chat_template(), chat_messages(messages), tokenizer.special_tokens_map
        )

    def _written(self, messages: Sequence[Message]) -> str:
        if self._write is not None:
            try:
                return self._write(messages)
            except PromptError as error:
                raise PermanentModelError(
                    f"the meta template can't write these messages: {error}", kind="bad_request"
                ) from error
        return "\n".join(message["content"] for message in chat_messages(messages))

    def _check_length(self, tokens: int) -> int | None:
        """Return the model's context length, None if it is unknown.

        Raises:
            PermanentModelError: `tokens` don't fit (kind `too_long`).
        """
        longest = getattr(self.network.config.get_text_config(), "max_position_embeddings", None)
        if not isinstance(longest, int):
            return None
        if tokens > longest:
            raise PermanentModelError(
                f"the prompt is too long: the model holds {longest} tokens, and this needs at "
                f"least {tokens}",
                kind="too_long",
            )
        return longest

    def _continue(self, batch: Sequence[Request], others_wait: Callable[[], bool]) -> None:
        now = time.perf_counter()
        asked = {id(pending.begun): pending for pending in batch}
        for pending in batch:
            pending.begun.started_at = pending.begun.started_at or now

        def answer(row: Continuation) -> None:
            pending = asked[id(row)]
            pending.begun = None  # it refers to what it was begun for
            pending.future.set_result(self._completion(row))

        rows = [pending.begun for pending in batch]
        continue_batch(
            self.network, self.tokenizer, rows, on_finished=answer, others_wait=others_wait
        )
        for row in rows:
            if row.finish_reason is None and row.abandoned():
                answer(row)

    def _together(self, texts: Sequence[Request]) -> list[Request]:
        """Return the first request and those whose texts are closest to its in length, as many as
        fit into a batch."""
        first, longest, together = texts[0].begun.length, 0, list[Request]()
        for pending in sorted(texts, key=lambda each: abs(each.begun.length - first)):
            longest = max(longest, pending.begun.length)
            is_too_large = (len(together) + 1) * longest > self._options.batch_tokens
            if together and (is_too_large or len(together) == self._options.batch_size):
                break
            together.append(pending)
        return together

    def _completion(self, row: Continuation) -> Completion:
        started = row.started_at or 0.0
        text = self.tokenizer.decode(row.tokens, skip_special_tokens=True)
        first = row.first_token_at
        return Completion(
            text=cut_at_stop(text, row.sampling.stop),
            finish_reason=row.finish_reason,
            usage=Usage(len(row.prompt), len(row.tokens)),
            latency_s=time.perf_counter() - started,
            first_token_s=None if first is None else first - started,
            model=self._name,
        )


def chat_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Return messages in the format of chat templates.

    Raises:
        PermanentModelError: they hold more than text, kind `not_supported`.
    """
    return [{"role": message.role.value, "content": text_of(message)} for message in messages]
