"""Continues token sequences in one batch, each with its own sampling, seed, length and stops."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from lve.data_classes import dataclass, field
from lve.errors import PermanentModelError
from lve.extensions.hf.sampling import Sampling
from lve.extensions.hf.torch_types import Network, Tensor, Tokenizer, Warper

_NOT_A_NUMBER = (
    "the model's scores are NaN: its weights are damaged, or its numbers too coarse (try dtype: "
    "float32)"
)


@dataclass(slots=True)
class Continuation:
    """A text and its continuation so far."""

    prompt: Sequence[int]
    """The text's tokens, at least one."""
    sampling: Sampling
    abandoned: Callable[[], bool] = lambda: False
    """Returns whether the caller has stopped waiting."""
    tokens: list[int] = field(default_factory=list)
    """The tokens of the continuation."""
    finish_reason: str | None = None
    """`stop` or `length` once the continuation is finished."""
    first_token_at: float | None = None
    """Time of the first token, in seconds (`time.perf_counter`)."""
    started_at: float | None = None
    """When its first batch began, by the same clock."""
    generator: object = None
    """Its random numbers; None at temperature 0, and before its first token."""

    @property
    def so_far(self) -> list[int]:
        """The tokens of the text and of the continuation so far."""
        return [*self.prompt, *self.tokens]

    @property
    def length(self) -> int:
        """Maximum number of tokens of the text and its continuation together."""
        return len(self.prompt) + self.sampling.max_tokens


def continue_batch(
    network: Network,
    tokenizer: Tokenizer,
    rows: Sequence[Continuation],
    *,
    on_finished: Callable[[Continuation], object] = lambda _: None,
    others_wait: Callable[[], bool] = lambda: False,
) -> None:
    """Continue texts; sets `tokens` and `finish_reason` of each row.

    It ends when all are finished; if others wait, as soon as the places of finished rows have been
    empty for as many steps, added up, as the unfinished rows have tokens, which are read again when
    they are continued.

    Args:
        network: the model.
        tokenizer: its tokenizer.
        rows: the texts, which may have been continued before.
        on_finished: called with each row as it is finished.
        others_wait: returns whether other texts could take the places of finished ones.
    """
    import torch
    from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList

    texts = [row.so_far for row in rows]
    width = max(map(len, texts))
    pad = _pad_token(tokenizer)
    padded = [[pad] * (width - len(text)) + text for text in texts]
    mask = [[0] * (width - len(text)) + [1] * len(text) for text in texts]
    sampler = _Sampler(rows, network, tokenizer, width, pad, on_finished, others_wait)
    config = GenerationConfig(
        do_sample=False,  # `sampler` does: `generate` has one temperature and seed for all rows
        max_new_tokens=max(row.sampling.max_tokens - len(row.tokens) for row in rows),
        pad_token_id=pad,
        use_cache=True,
    )
    network.generate(
        input_ids=torch.tensor(padded, device=network.device),
        attention_mask=torch.tensor(mask, device=network.device),
        generation_config=config,
        logits_processor=LogitsProcessorList([sampler]),
        stopping_criteria=StoppingCriteriaList([sampler.finished]),
    )


class _Sampler:
    """Chooses the next token of each row and tracks which rows are finished.

    It is called itself, because `generate` looks at the signature of what it calls in each step:
    that of a bound method's `__call__` is read from a text, and each reading leaves a copy of
    `sys.modules` (100 KB) in a circle of objects.
    """

    def __init__(
        self,
        rows: Sequence[Continuation],
        network: Network,
        tokenizer: Tokenizer,
        width: int,
        pad: int,
        on_finished: Callable[[Continuation], object] = lambda _: None,
        others_wait: Callable[[], bool] = lambda: False,
    ) -> None:
        self._rows = rows
        self._starts = [width - len(row.so_far) for row in rows]
        self._on_finished = on_finished
        self._others_wait = others_wait
        self._empty = 0
        """Steps of places whose row was finished while others waited."""
        self._tokenizer = tokenizer
        self._pad = pad
        self._ends = end_tokens(network, tokenizer)
        self._warpers = [_warpers(row.sampling) for row in rows]
        for row in rows:
            row.generator = row.generator or _generator(row.sampling)
        self._generators = [row.generator for row in rows]

    def __call__(self, input_ids: Tensor, scores: Tensor) -> object:
        """Return scores with which only the chosen tokens are possible."""
        import torch

        waiting = [n for n, row in enumerate(self._rows) if row.finish_reason is None]
        chosen = [self._pad] * len(self._rows)
        for n, token in self._tokens(input_ids, scores.float(), waiting):
            chosen[n] = token
            self._add(self._rows[n], token)
        result = torch.full_like(scores, float("-inf"))
        result[range(len(chosen)), chosen] = 0.0
        return result

    def finished(self, input_ids: Tensor, scores: Tensor) -> object:
        """Return for each row whether it is finished; of all, that they are, if others should take
        the places of those that are."""
        import torch

        done = [row.finish_reason is not None or row.abandoned() for row in self._rows]
        if self._others_wait():
            self._empty += sum(done)
            left = [row for row, is_done in zip(self._rows, done, strict=True) if not is_done]
            if self._empty >= sum(len(row.prompt) + len(row.tokens) for row in left):
                done = [True] * len(done)
        return torch.tensor(done, device=input_ids.device)

    def _tokens(
        self, input_ids: Tensor, scores: Tensor, waiting: Sequence[int]
    ) -> Iterator[tuple[int, int]]:
        """Yield the rows that aren't finished with their next tokens. The device is waited for once
        or twice, not once per row."""
        import torch

        likeliest = [n for n in waiting if self._generators[n] is None]
        if likeliest:
            warped = self._warped(input_ids, scores, likeliest)
            tokens = warped.argmax(dim=-1)
            # NaN is greater than any number, so nothing else is chosen.
            is_nan = warped.gather(1, tokens.unsqueeze(1)).squeeze(1).isnan().to(tokens.dtype)
            chosen, wrong = torch.stack((tokens, is_nan)).tolist()
            if any(wrong):
                raise PermanentModelError(_NOT_A_NUMBER, kind="malformed")
            yield from zip(likeliest, chosen, strict=True)
        if drawn := [n for n in waiting if self._generators[n] is not None]:
            # Drawn on the CPU, so that a seed gives the same answer on all devices.
            odds = torch.softmax(self._warped(input_ids, scores, drawn), dim=-1).cpu()
            for n, row in zip(drawn, odds, strict=True):
                yield n, int(torch.multinomial(row, 1, generator=self._generators[n]))

    def _warped(self, input_ids: Tensor, scores: Tensor, numbers: Sequence[int]) -> Tensor:
        """Return the modified scores of some rows."""
        import torch

        if not any(self._warpers[n] for n in numbers):
            return scores if len(numbers) == len(scores) else scores[list(numbers)]
        parts = []
        for n in numbers:
            start, part = self._starts[n], scores[n : n + 1]
            for warper in self._warpers[n]:
                part = warper(input_ids[n : n + 1, start:], part)
            parts.append(part)
        together: Tensor = torch.cat(parts)
        return together

    def _add(self, row: Continuation, token: int) -> None:
        if row.first_token_at is None:
            row.first_token_at = time.perf_counter()
        row.tokens.append(token)
        if token in self._ends or self._has_stop(row):
            row.finish_reason = "stop"
        elif len(row.tokens) >= row.sampling.max_tokens:
            row.finish_reason = "length"
        if row.finish_reason is not None:
            self._on_finished(row)

    def _has_stop(self, row: Continuation) -> bool:
        stops = row.sampling.stop
        if not stops:
            return False
        # A character has at most four bytes, so at most four tokens.
        tail = row.tokens[-4 * max(map(len, stops)) - 4 :]
        text = self._tokenizer.decode(tail, skip_special_tokens=True)
        return any(stop in text for stop in stops)


def end_tokens(network: Network, tokenizer: Tokenizer) -> frozenset[int]:
    """Return the ids of all tokens that end an answer."""
    ends: set[int] = set()
    for source in (network.generation_config, network.config, tokenizer):
        ids = getattr(source, "eos_token_id", None)
        id_list = ids if isinstance(ids, (list, tuple)) else (ids,)
        ends.update(end for end in id_list if isinstance(end, int))
    return frozenset(ends)


def cut_at_stop(text: str, stops: Sequence[str]) -> str:
    """Return the part of `text` before the first stop string."""
    places = [place for stop in stops if (place := text.find(stop)) >= 0]
    return text[: min(places)] if places else text


def _pad_token(tokenizer: Tokenizer) -> int:
    # Any token works, because padding is masked.
    for token in (tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.bos_token_id):
        if token is not None:
            return int(token)
    return 0


def _generator(sampling: Sampling) -> object:
    """Return a random generator; None at temperature 0."""
    import torch

    if sampling.temperature == 0:
        return None
    generator = torch.Generator()
    if sampling.seed is None:
        generator.seed()
    else:
        generator.manual_seed(sampling.seed)
    return generator


def _warpers(sampling: Sampling) -> list[Warper]:
    """Return the functions that modify the scores before sampling, in transformers' order."""
    from transformers import (
        MinPLogitsWarper,
        RepetitionPenaltyLogitsProcessor,
        TemperatureLogitsWarper,
        TopKLogitsWarper,
        TopPLogitsWarper,
    )

    warpers: list[Warper] = []
    if sampling.repetition_penalty is not None:
        warpers.append(RepetitionPenaltyLogitsProcessor(float(sampling.repetition_penalty)))
    if sampling.temperature == 0:
        return warpers
    warpers.append(TemperatureLogitsWarper(float(sampling.temperature)))
    if sampling.top_k is not None:
        warpers.append(TopKLogitsWarper(sampling.top_k))
    if sampling.top_p is not None and sampling.top_p < 1:
        warpers.append(TopPLogitsWarper(float(sampling.top_p)))
    if sampling.min_p is not None:
        warpers.append(MinPLogitsWarper(float(sampling.min_p)))
    return warpers
