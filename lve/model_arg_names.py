"""The names of model args. Servers take others, too, so an unknown one is sent; but many servers
ignore what they don't know, so one that looks misspelt is worth a warning."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from lve.suggest import closest

KNOWN_MODEL_ARGS = frozenset(
    (
        *("temperature", "top_p", "top_k", "min_p", "seed", "stop", "do_sample"),
        *("max_tokens", "max_completion_tokens", "max_new_tokens"),
        *("presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias"),
        *("logprobs", "top_logprobs", "response_format", "reasoning_effort", "verbosity"),
    )
)
"""Columns of a data set that become model args unless they are parameters. Other columns, such as
`id` or `answer`, are not sent to the model."""
_OTHERS = frozenset(
    (
        *("audio", "modalities", "prediction", "web_search_options", "thinking"),
        *("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"),
        *("metadata", "store", "user", "safety_identifier", "prompt_cache_key", "service_tier"),
        *("best_of", "echo", "suffix", "ignore_eos", "min_tokens", "length_penalty", "num_beams"),
        *("stop_token_ids", "skip_special_tokens", "chat_template_kwargs", "prompt_logprobs"),
        *("guided_json", "guided_regex", "guided_choice", "guided_grammar", "grammar"),
        *("reasoning", "reasoning_summary", "max_output_tokens", "include", "truncation"),
        *("response", "num_ctx", "num_predict", "n_predict", "typical_p", "top_a"),
    )
)
"""Further names that servers know. They only keep each other from being called misspelt."""
_ALIKE = 0.85
MAX_LOOKED_AT = 100
"""Unknown names that are compared with the known ones. An instance may have any number of them."""


@lru_cache(maxsize=1000)
def misspelt(name: str) -> str | None:
    """Return "did you mean `temperature`?" for a model arg that looks misspelt, else None."""
    if name in KNOWN_MODEL_ARGS or name in _OTHERS:
        return None
    meant = closest(name, sorted(KNOWN_MODEL_ARGS | _OTHERS), cutoff=_ALIKE)
    return meant and f"did you mean `{meant}`?"


def misspelt_text(name: str) -> str | None:
    """Return a warning about a model arg that looks misspelt, else None."""
    hint = misspelt(name)
    return hint and f"the model arg `{name}` is sent as it is written ({hint})"


def are_alike(args: Mapping[str, object]) -> bool:
    """Whether answers with these model args hardly differ: temperature 0, or a fixed seed."""
    return args.get("temperature") == 0 or args.get("seed") is not None
