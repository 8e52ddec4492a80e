"""Converts model-graded evals: the judge's template with its choices, and the samples' columns."""

from __future__ import annotations

from collections.abc import Callable

from lve.extensions.importing.openai_evals.registry import Eval, NoCounterpartError, Registry
from lve.json_types import JsonObject, JsonValue
from lve.prompts.fill_texts import as_literal

OWN = frozenset(
    (
        *("modelgraded_spec", "modelgraded_spec_args", "sample_kwargs", "eval_kwargs"),
        *("eval_type", "match_fn", "multicomp_n", "metaeval"),
    )
)
"""Arguments of the class."""
FACT = "fact"
FACT_SCORES = {"A": 1.0, "B": 1.0, "C": 1.0, "D": 0.0, "E": 1.0}
"""The template `fact` of the package counts its choices, and scores none: D is a disagreement."""
SAMPLE_ARGS = frozenset({"temperature", "max_tokens", "top_p"})


def graded_check(
    registry: Registry, entry: Eval
) -> tuple[JsonObject, JsonObject, frozenset[str], Callable[[JsonObject], JsonObject]]:
    """Return the check, the model args, the names of the class' arguments, and what makes the
    columns of a sample.

    Raises:
        NoCounterpartError: the eval compares several answers or judges a judge, or its template has
            no counterpart.
    """
    args = entry.args
    if args.get("metaeval"):
        raise NoCounterpartError("it judges a judge by labels: use `lve calibrate`")
    if args.get("multicomp_n", 1) != 1:
        raise NoCounterpartError("its judge compares several answers: use `pairwise`")
    spec = registry.graded_spec(args.get("modelgraded_spec"))
    if spec.get("input_outputs") != {"input": "completion"}:
        raise NoCounterpartError("its judge compares several answers: use `pairwise`")
    check: dict[str, JsonValue] = {
        "model_graded": _template(registry, entry, spec),
        "choices": _choices(registry, entry, spec),
    }
    if not str(spec.get("eval_type") or args.get("eval_type")).startswith("cot_classify"):
        check["line"] = "first"
    if "match_fn" in args:
        check["match"] = args["match_fn"]
    return check, _model_args(args.get("sample_kwargs")), OWN, _columns


def _columns(sample: JsonObject) -> JsonObject:
    columns = {name: value for name, value in sample.items() if name != "input"}
    if "completion" in columns:
        raise NoCounterpartError("it has an answer of its own: nothing would be asked")
    return columns


def _template(registry: Registry, entry: Eval, spec: JsonObject) -> str:
    """Return what the judge is asked, with the sentence that asks for a choice."""
    prompt, kind = spec.get("prompt"), entry.args.get("eval_type")
    if not isinstance(prompt, str):
        raise NoCounterpartError("its judge gets a conversation, not a text")
    if "{completion}" not in prompt:
        raise NoCounterpartError("its template has no {completion}: its judge sees no answer")
    if not kind and not spec.get("eval_type"):
        raise NoCounterpartError("it has no eval_type: nothing says how a choice is read")
    prompt = _with_spec_args(prompt, entry.args.get("modelgraded_spec_args"))
    if not kind:
        return prompt
    texts = registry.answer_prompts()
    kind = str(kind)
    if kind not in texts:
        raise NoCounterpartError(
            f"the sentence for eval_type {kind} is in the package's file {CLASSIFY}, which is not "
            "beside the registry: import from a checkout of evals"
        )
    choices = " or ".join(f'"{choice}"' for choice in _choice_words(spec))
    return f"{prompt}\n\n{texts[kind].replace('{choices}', choices)}"


CLASSIFY = "elsuite/modelgraded/classify_utils.py"


def _choice_words(spec: JsonObject) -> list[str]:
    words = spec.get("choice_strings")
    if isinstance(words, str) and words.startswith("from_n"):
        raise NoCounterpartError("its judge compares several answers: use `pairwise`")
    if not isinstance(words, str | list):
        raise NoCounterpartError("its template has no choice_strings")
    return [str(word) for word in words]


def _choices(registry: Registry, entry: Eval, spec: JsonObject) -> dict[str, float]:
    """Return each choice and its score."""
    words, scores = _choice_words(spec), spec.get("choice_scores")
    if scores == "from_strings":
        return {word: _number(word) for word in words}
    if isinstance(scores, dict):
        by_word = {str(word): score for word, score in scores.items()}
        if set(words) <= set(by_word):
            return {word: _number(by_word[word]) for word in words}
    if entry.args.get("modelgraded_spec") == FACT and words == [*FACT_SCORES]:
        why = "counts of choices: `fact` has no choice_scores, so D fails, and the others pass"
        registry.leave_out(entry.position, why)
        return FACT_SCORES
    raise NoCounterpartError("its template has no choice_scores: nothing says which choice passes")


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        raise NoCounterpartError(f"the score {value!r} is no number") from None


def _with_spec_args(template: str, values: object) -> str:
    """Return a template with what is the same for all samples, such as `criteria`, filled in."""
    for name, value in (values if isinstance(values, dict) else {}).items():
        literal = as_literal(str(value))
        template = template.replace(f"{{{name}}}", literal)
    return template


def _model_args(value: object) -> JsonObject:
    own = value if isinstance(value, dict) else {}
    if unknown := sorted(set(own) - SAMPLE_ARGS):
        raise NoCounterpartError(f"its sample_kwargs have {unknown[0]}, without a counterpart")
    return {"temperature": 0.0, "max_tokens": 1024, **own}
