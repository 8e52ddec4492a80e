"""Known names of model args, to warn of misspelt ones.

Servers may accept further args, so unknown ones are sent. But many servers silently ignore args
that they don't know, so a misspelt name would have no effect.
"""

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
"""Columns of a data set with these names become model args, unless they are parameters. Other
columns, such as `id` or `answer`, aren't sent to the model."""
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
"""Further names that some servers accept; used only to recognise misspelt names."""
_MIN_SIMILARITY = 0.85
MAX_NAMES = 100
"""How many names of one instance or test are compared. There may be any number of them."""


@lru_cache(maxsize=1000)
def misspelt(name: str) -> str | None:
    """Return "did you mean `temperature`?" for a model arg that looks misspelt, else None."""
    if name in KNOWN_MODEL_ARGS or name in _OTHERS:
        return None
    correction = closest(name, sorted(KNOWN_MODEL_ARGS | _OTHERS), cutoff=_MIN_SIMILARITY)
    return correction and f"did you mean `{correction}`?"


def misspelt_text(name: str) -> str | None:
    """Return a warning about a model arg that looks misspelt, else None."""
    hint = misspelt(name)
    return hint and f"the model arg `{name}` is sent as it is written ({hint})"


def are_alike(args: Mapping[str, object]) -> bool:
    """Return whether repeats with these model args give nearly equal answers: they have temperature
    0 or a fixed seed."""
    return args.get("temperature") == 0 or args.get("seed") is not None
