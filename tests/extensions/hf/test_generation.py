"""The next tokens of a batch: as if each row were alone, with one transfer for all."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from extensions.hf.tiny_model import make_tiny_model
from support.packages import needs

from lve.errors import PermanentModelError
from lve.extensions.hf.generation import (
    Continuation,
    _generator,
    _Sampler,
    _warpers,
    continue_batch,
)
from lve.extensions.hf.sampling import Sampling

pytestmark = needs("torch", "transformers")

ROWS = [
    Sampling(max_tokens=9, temperature=0.0),
    Sampling(max_tokens=9, temperature=0.0, repetition_penalty=1.8),
    Sampling(max_tokens=9, temperature=1.0, seed=5),
    Sampling(max_tokens=9, temperature=0.0),
    Sampling(max_tokens=9, temperature=0.7, seed=6, top_k=20, top_p=0.9),
    Sampling(max_tokens=9, temperature=2.0, seed=7, min_p=0.01),
]
WORDS = 50
WIDTH = 7


def sampler(rows: list[Sampling]) -> tuple[_Sampler, list[Continuation]]:
    plain: Any = SimpleNamespace(generation_config=None, config=None, eos_token_id=None)
    texts = [Continuation([*range(3 + n % 4)], sampling) for n, sampling in enumerate(rows)]
    return _Sampler(texts, plain, plain, WIDTH, 0), texts


def one_by_one(ids: Any, scores: Any, texts: list[Continuation]) -> list[int]:
    """Return the next token of each text, chosen by itself."""
    import torch

    tokens = []
    for n, text in enumerate(texts):
        row, sampling = scores[n : n + 1].float(), text.sampling
        for warper in _warpers(sampling):
            row = warper(ids[n : n + 1, WIDTH - len(text.prompt) :], row)
        generator: Any = _generator(sampling)
        if generator is None:
            tokens.append(int(row.argmax()))
        else:
            odds = torch.softmax(row[0], dim=-1)
            tokens.append(int(torch.multinomial(odds, 1, generator=generator)))
    return tokens


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], ROWS[2:3], [ROWS[0]] * 4, ROWS[1:2] * 3])
def test_each_row_gets_the_token_that_it_would_get_alone(rows: list[Sampling], seed: int) -> None:
    import torch

    maker = torch.Generator().manual_seed(seed)
    ids = torch.randint(WORDS, (len(rows), WIDTH), generator=maker)
    # Whole numbers: several words are the likeliest.
    scores = torch.randint(6, (len(rows), WORDS), generator=maker).to(torch.bfloat16)
    chooser, texts = sampler(rows)
    wanted = one_by_one(ids, scores, texts)
    chosen: Any = chooser(ids, scores)
    assert chosen.argmax(dim=-1).tolist() == wanted
    assert [text.tokens for text in texts] == [[token] for token in wanted]


def test_a_finished_row_gets_padding_and_nothing_is_added_to_it() -> None:
    import torch

    chooser, texts = sampler(ROWS[:4])
    texts[1].finish_reason = texts[2].finish_reason = "stop"
    scores = torch.eye(4, WORDS).roll(5, dims=1)
    chosen: Any = chooser(torch.zeros(4, WIDTH, dtype=torch.long), scores)
    assert chosen.argmax(dim=-1).tolist() == [5, 0, 0, 8]
    assert [text.tokens for text in texts] == [[5], [], [], [8]]


def test_the_device_is_waited_for_once_for_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    waits: list[str] = []
    for name in ("tolist", "item", "__int__", "__float__", "__bool__"):
        whole = getattr(torch.Tensor, name)

        def noted(self: Any, *args: Any, _name: str = name, _whole: Any = whole) -> Any:
            waits.append(_name)
            return _whole(self, *args)

        monkeypatch.setattr(torch.Tensor, name, noted)
    chooser, _ = sampler([ROWS[0]] * 64)
    chooser(torch.zeros(64, WIDTH, dtype=torch.long), torch.rand(64, WORDS))
    assert waits == ["tolist"]


def test_scores_that_are_no_numbers_are_an_error() -> None:
    import torch

    chooser, _ = sampler([ROWS[0]] * 2)
    scores = torch.zeros(2, WORDS)
    scores[1, 7] = float("nan")
    with pytest.raises(PermanentModelError, match="scores are NaN"):
        chooser(torch.zeros(2, WIDTH, dtype=torch.long), scores)


def test_rows_that_are_continued_later_get_the_same_tokens(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = make_tiny_model(tmp_path)
    network = AutoModelForCausalLM.from_pretrained(place)
    tokenizer = AutoTokenizer.from_pretrained(place)
    lengths = (2, 3, 40, 9, 30, 2)

    def texts() -> list[Continuation]:
        kinds = [replace(row, max_tokens=n) for row, n in zip(ROWS, lengths, strict=True)]
        return [Continuation([*range(3, 6 + n % 3)], kind) for n, kind in enumerate(kinds)]

    at_once, in_parts, ended = texts(), texts(), list[int]()
    continue_batch(network, tokenizer, at_once)
    batches = 0
    while left := [row for row in in_parts if row.finish_reason is None]:
        batches += 1
        continue_batch(
            network,
            tokenizer,
            left,
            on_finished=lambda row: ended.append(len(row.tokens)),
            others_wait=lambda: True,
        )
    assert 1 < batches < 6
    assert ended == sorted(lengths)
    assert [row.tokens for row in in_parts] == [row.tokens for row in at_once]


def test_a_batch_leaves_no_circle_of_objects(tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = make_tiny_model(tmp_path)
    network = AutoModelForCausalLM.from_pretrained(place)
    tokenizer = AutoTokenizer.from_pretrained(place)
    sampling = Sampling(max_tokens=9, temperature=0.0)
    with no_collector():
        for _ in range(2):  # the first one imports modules
            gc.collect()
            continue_batch(network, tokenizer, [Continuation([3, 4, 5], sampling)])
        assert gc.collect() == 0  # memory grew by 100 KB per token until a pass of the collector


@contextmanager
def no_collector() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
