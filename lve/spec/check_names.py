"""The names of the checks that ship with lve, and the short form that names one of them.

`{contains: Paris, ignore_case: true}` is the checker `contains` with these two arguments: one key
is the name of a checker and has its main value, the other keys are its further arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lve.extension_table import extension_part
from lve.suggest import did_you_mean

CONTEXTS, METADATA, TOOL_CALLS = "contexts", "metadata", "tool_calls"
RETURNED = frozenset({CONTEXTS, METADATA, TOOL_CALLS})
"""Names by which checks look at what an application returned beside its answer."""
ON = "on"
"""Argument of every checker: which answers it judges."""
CHECK_KEYS = ("check", "checks", "checker_args", "checkers")
"""The keys of a test document that name checkers. A test has one of them."""
_LIBRARY: dict[str, tuple[str, ...]] = {
    "texts.text": (
        "equals", "contains", "contains_any", "contains_all", "not_contains", "starts_with",
        "ends_with",
    ),
    "number": ("number", "in_range"),
    "choice": ("option", "choice"),
    "texts.answer_text": ("text",),
    "formats.json_value": ("json",),
    "math_answer": ("math",),
    "refusing": ("refusal",),
    "leaks": ("no_pii", "no_secrets", "no_prompt_leak"),
    "texts.patterns": ("regex", "not_regex", "states"),
    "texts.lengths": (
        "max_characters", "min_characters", "max_words", "min_words", "max_lines", "min_lines",
        "max_sentences", "min_sentences", "language",
    ),
    "formats.json_shape": ("is_json", "json_schema", "json_path"),
    "formats.structured": ("is_yaml", "is_xml", "csv", "code_fence"),
    "texts.overlap": ("levenshtein", "exact_match", "f1", "rouge", "bleu", "chrf", "ter"),
    "measured": (
        "max_latency", "max_first_token", "max_output_tokens", "max_reasoning_tokens",
        "max_cost", "finish_reason", "most_likely", "rated_choice", "text_likelihood",
    ),
    "formats.sql": ("is_sql",),
    "texts.copied": ("not_copied",),
    "classified": ("max_toxicity", "max_bias"),
    "calls.tool_calls": ("called", "not_called"),
    "calls.call_lists": (
        "called_in_order", "calls_f1", "max_calls", "min_calls", "valid_calls", "max_turns",
    ),
    "computed": ("expression",),
    "combined.meta": ("all", "any", "not", "weighted"),
    "combined.across": ("consistency", "majority", "no_self_contradiction"),
    "combined.ordered": ("monotone", "pairwise_order"),
    "rubrics": ("judge", "closed_qa"),
    "grounded": ("factuality", "faithfulness", "answer_relevancy"),
    "retrieval": ("context_precision", "context_recall", "context_relevance"),
    "statements": ("noise_sensitivity", "answer_correctness"),
    "pairwise": ("pairwise",),
    "similar": ("similar",),
    "graded": ("evals_match", "opencompass_score", "opencompass_judge", "opencompass_program",
               "model_graded", "scorer", "promptfoo_judge", "promptfoo_script"),
}  # fmt: skip
"""Family -> its checks: a module below `lve.checkers.library`, or of an extension
(`lve.extension_table.CHECKERS`)."""
CHECKS = {name: module for module, names in _LIBRARY.items() for name in names}
"""Name of a check -> its family."""

JUDGE = "judge"
"""Role of a model that judges answers."""
USER = "user"
"""Role of a model that simulates the user of a conversation."""
ATTACKER = "attacker"
"""Role of a model that attacks the tested one."""
EMBEDDING = "embedding"
"""Role of a model that makes vectors of texts."""
_ROLES = dict.fromkeys(
    (
        *(*_LIBRARY["rubrics"], *_LIBRARY["grounded"], *_LIBRARY["retrieval"], "promptfoo_judge"),
        *(*_LIBRARY["statements"], *_LIBRARY["pairwise"], "opencompass_judge", "model_graded"),
    ),
    (JUDGE,),
) | {"similar": (EMBEDDING,), "answer_correctness": (JUDGE, EMBEDDING)}
"""Check -> roles of the models that it asks."""
SCORER = "scorer"
CODE = ("opencompass_program", SCORER, "promptfoo_script")
"""The checks that run programs: a test with one has to be trusted."""
COMBINING = (*_LIBRARY["combined.meta"], "consistency", "majority")
"""Checks whose main value is, or may be, another check or a list of checks."""


class ShortFormError(ValueError):
    """An object in the short form names no checker, or several.

    Attributes:
        hint: what to do about it.
    """

    def __init__(self, message: str, hint: str | None) -> None:
        super().__init__(message)
        self.hint = hint


def named_check(config: Mapping[str, object]) -> tuple[str, dict[str, Any]]:
    """Return the name and the arguments of the checker that an object in the short form names.

    An object with a single key may also name any other checker; its value is then an object of
    arguments: `{RegexChecker: {pattern: Paris, match_safe: true}}`. `on` may be in either object.

    Args:
        config: an object in the short form.

    Raises:
        ShortFormError: it names no checker, or several.
    """
    check_names = [key for key in config if key in CHECKS]
    if len(check_names) == 1:
        return check_names[0], dict(config)
    if check_names:
        lines = ", ".join(f"{{{name}: ...}}" for name in check_names)
        hint = f"list them: `checks: [{lines}]`"
        raise ShortFormError(f"names several checkers: {', '.join(check_names)}", hint)
    others = [key for key in config if key != ON]
    if len(others) == 1:
        (name,) = others
        args = config[name]
        on = {key: config[key] for key in config.keys() & {ON}}
        return name, {**(args if isinstance(args, Mapping) else {}), **on}
    hint = extension_part("meant form")(config) or "`lve list checkers` lists them"
    raise ShortFormError("names no checker", hint)


def hint_for_check(name: str, choices: Iterable[str] = CHECKS) -> str | None:
    """Return what a name was meant to be: another tool's word for a check, or a misspelt one."""
    meant: str | None = extension_part("meant check")(name)
    return meant or did_you_mean(name, choices)


def roles_of(name: str, args: Mapping[str, object]) -> tuple[str, ...]:
    """Return the roles of the models that a checker asks, including the checkers nested in it.

    Args:
        name: the name of the checker.
        args: its arguments, as written in the test.
    """
    if name in _ROLES:  # `answer_correctness` may leave similarity out
        return (JUDGE,) if args.get("similarity") == 0 else _ROLES[name]
    if name not in COMBINING:
        return ()
    inner = args.get(name)
    parts = inner if isinstance(inner, list) else [inner]
    roles: dict[str, None] = {}
    for part in parts:
        if isinstance(part, Mapping):
            for key in part:
                roles.update(dict.fromkeys(roles_of(str(key), part)))
    return tuple(roles)
