"""What names and files of other tools are here: hints where lve refuses them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from lve.escape import excerpt
from lve.spec.check_names import CHECKS, hint_for_check

CONFIGS = tuple(
    f"promptfooconfig.{suffix}" for suffix in ("yaml", "yml", "json", "js", "mjs", "cjs", "ts")
)
"""File names of promptfoo's configurations."""
KIND = "type"
"""The key by which other tools name an assertion."""
MAX_NAMES = 10
"""Keys of an object that are compared with the names of checks."""
NOT = "not-"
_NAMES: dict[str, tuple[str, ...]] = {
    "all` or `any": ("assert-set",),
    "answer_relevancy": ("answer-relevance", "answerrelevancymetric"),
    "called": (
        *("tool-called", "tools-called", "tool-call", "function-call", "is-valid-function-call"),
        *("is-valid-openai-function-call", "is-valid-openai-tools-call"),
    ),
    "called_in_order": ("trajectory", "tool-sequence"),
    "calls_f1": ("tool-call-f1", "toolcorrectnessmetric"),
    "closed_qa": ("model-graded-closedqa", "closedqa"),
    "contains` with `ignore_case: true": ("icontains", "includes"),
    "contains_all` with `ignore_case: true": ("icontains-all",),
    "contains_any` with `ignore_case: true": ("icontains-any",),
    "equals": ("exact", "exactmatch", "match", "equal"),
    "expression": ("javascript", "python", "lambda"),
    "factuality": ("model-graded-factuality", "model-graded-fact"),
    "faithfulness": ("context-faithfulness", "faithfulnessmetric", "groundedness"),
    "is_sql": ("contains-sql", "sql"),
    "is_xml": ("contains-xml", "xml"),
    "json": ("contains-json", "jsonmatch"),
    "judge": ("llm-rubric", "g-eval", "geval", "model-graded-qa", "rubric"),
    "max_cost": ("cost",),
    "max_latency": ("latency", "duration"),
    "max_output_tokens": ("tokens", "max-tokens"),
    "max_toxicity": ("moderation", "toxicity"),
    "max_words` or `min_words": ("word-count", "words"),
    "most_likely": ("perplexity", "logprobs"),
    "no_pii": ("pii",),
    "pairwise": ("select-best", "battle"),
    "refusal": ("is-refusal", "refuses"),
    "regex": ("matches", "pattern", "regexp"),
    "similar": ("semantic-similarity", "embedding-similarity"),
}
CHECK_NAMES = {name: check for check, names in _NAMES.items() for name in names}
"""Name of an assertion, in promptfoo or another tool -> lve's name of it."""


def meant_check(name: str) -> str | None:
    """Return which check of lve an assertion of another tool is, as a hint; None for other names.

    Args:
        name: the assertion's name, such as `llm-rubric`.
    """
    spelled = name.lower().replace("_", "-")
    if check := CHECK_NAMES.get(spelled):
        return f"here it is `{check}`"
    if check := CHECK_NAMES.get(spelled.removeprefix(NOT)):
        return f"here it is `{check}` inside `not`"
    return None


def meant_form(config: Mapping[str, object]) -> str | None:
    """Return what an object was meant to be that names no check, as a hint; None if it is unclear.

    Args:
        config: the object, such as promptfoo's `{type: contains, value: Paris}`.
    """
    kind = config.get(KIND)
    if isinstance(kind, str) and kind in CHECKS:
        return f"write `{kind}: ...` instead of `{KIND}`"
    names = islice((*([kind] if isinstance(kind, str) else ()), *config), MAX_NAMES)
    return next(filter(None, map(hint_for_check, names)), None)


def other_tool(place: Path) -> str | None:
    """Return how a configuration of another tool becomes tests, as a hint; None if it is none.

    Args:
        place: a file, or a folder that may hold it.
    """
    named = [place] if place.name in CONFIGS else [place / name for name in CONFIGS]
    file = next((file for file in named if file.is_file()), None)
    if file is None:
        return None
    command = f"lve import promptfoo {excerpt(str(file))} -o FOLDER"
    return f"`{command}` converts promptfoo's configuration"
