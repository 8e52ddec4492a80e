"""Tokens per second of a local model: lve's batches against transformers' own `generate` and its
continuous batching (`generate_batch`).

    python benchmarks/local_models.py [--rows 128] [--tokens 64] [--repeat 5] [--threads 1]

All continue the same texts greedily, in one batch, with the tests' tiny random Llama: its network
takes next to nothing, so that what is around it shows. The answers of the first two must
be the same.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from transformers.generation.configuration_utils import ContinuousBatchingConfig

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from extensions.hf.tiny_model import make_tiny_model

from lve.extensions.hf.generation import Continuation, continue_batch
from lve.extensions.hf.sampling import Sampling


def by_lve(network: Any, tokenizer: Any, prompts: list[list[int]], tokens: int) -> list[list[int]]:
    """Return the continuations by lve."""
    rows = [Continuation(prompt, Sampling(0.0, max_tokens=tokens)) for prompt in prompts]
    continue_batch(network, tokenizer, rows)
    return [row.tokens for row in rows]


def by_generate(
    network: Any, tokenizer: Any, prompts: list[list[int]], tokens: int
) -> list[list[int]]:
    """Return the continuations by transformers alone."""
    ids = torch.tensor(prompts)
    mask = torch.ones_like(ids)
    whole = network.generate(
        ids, attention_mask=mask, do_sample=False, max_new_tokens=tokens, pad_token_id=0
    )
    return [row[len(prompts[0]) :] for row in whole.tolist()]


def by_continuous_batching(
    network: Any, tokenizer: Any, prompts: list[list[int]], tokens: int
) -> list[list[int]]:
    """Return the continuations by transformers' scheduler: room for all rows at once."""
    whole = network.generate_batch(
        inputs=prompts,
        generation_config=GenerationConfig(
            max_new_tokens=tokens, do_sample=False, eos_token_id=-1, pad_token_id=0
        ),
        continuous_batching_config=ContinuousBatchingConfig(
            page_size=32,
            num_blocks=8 + len(prompts) * (2 + tokens // 32),
            max_batch_tokens=1024,
            max_requests_per_batch=len(prompts),
            allow_block_sharing=False,
            use_async_batching=False,
        ),
        progress_bar=False,
    )
    return [answer.generated_tokens for answer in whole.values()]


def main() -> None:
    """Measure in turn and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=128)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        place = make_tiny_model(Path(folder))
        network = AutoModelForCausalLM.from_pretrained(place)
        tokenizer = AutoTokenizer.from_pretrained(place)
    network.generation_config.eos_token_id = network.config.eos_token_id = None
    tokenizer.eos_token_id = None  # all answers have the same length
    prompts = [[3 + n % 50, *range(3, 34)] for n in range(options.rows)]
    ways: list[Callable[..., list[list[int]]]] = [by_generate, by_lve, by_continuous_batching]
    seconds: dict[str, list[float]] = {way.__name__: [] for way in ways}
    for _ in range(options.repeat + 1):  # the first turn warms up
        answers = []
        for way in ways:
            began = time.process_time()
            answers.append(way(network, tokenizer, prompts, options.tokens))
            seconds[way.__name__].append(time.process_time() - began)
        assert answers[0] == answers[1], "they don't answer alike"
    for name, costs in seconds.items():
        rate = options.rows * options.tokens / statistics.median(costs[1:])
        print(f"{name}: {rate:,.0f} tokens per second of CPU time", flush=True)


if __name__ == "__main__":
    main()
