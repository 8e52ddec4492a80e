"""Metrics, filters and aggregations of lm-evaluation-harness as checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.extensions.importing.lm_eval.dump import LABELS, NUMBERS
from lve.extensions.importing.lm_eval.records import (
    Chain,
    Metric,
    NoCounterpartError,
    Step,
    Task,
)
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple
from lve.prompts.fill_texts import as_literal

PASS_RATE = "pass rate"
"""The mean of scores that are 0 or 1."""
LABELLED = ("f1", "mcc")
"""Metrics of choices whose scores are labels."""
OF_LABELS = {"f1": "f1_of_1", "matthews_corrcoef": "mcc"}
"""Registered aggregation of labels -> the score over all rows."""
WHOLE = {
    **{name: name for name in ("bleu", "chrf", "chrf++", "ter", "perplexity", "bits_per_byte")},
    "weighted_perplexity": "",
}
"""Registered aggregation -> the score over all rows; empty: the metric's own name."""


def score_name(metric: Metric) -> str:
    """Return what reports have of a metric: `pass rate`, or the name of a score over all rows.

    Raises:
        NoCounterpartError: they have nothing like it.
    """
    if metric.probe is not None:
        return _of_probe(metric)
    is_number = metric.name not in (*LABELLED, *WHOLE)
    if is_number and metric.aggregation in ("mean", "nanmean"):
        return PASS_RATE
    name = OF_LABELS.get(metric.aggregation) or WHOLE.get(metric.aggregation)
    if name is None:
        raise _unsupported(metric)
    return name or metric.name


def _of_probe(metric: Metric) -> str:
    values = metric.probe or {}
    if metric.name not in LABELLED:
        if _are_equal(values.get("numbers"), sum(NUMBERS) / len(NUMBERS)):
            return PASS_RATE
        raise _unsupported(metric)
    expected = {PASS_RATE: sum(own == chosen for own, chosen in LABELS) / len(LABELS)}
    pairs = Counter((str(own), str(chosen)) for own, chosen in LABELS)
    for name, function in extension_part("metrics of labels")(pairs).items():
        expected[name] = function(pairs)
    for name, value in expected.items():
        if _are_equal(values.get("labels"), value):
            return name
    raise _unsupported(metric)


def _are_equal(value: object, expected: float) -> bool:
    return isinstance(value, float) and abs(value - expected) < 1e-12


def _unsupported(metric: Metric) -> NoCounterpartError:
    return NoCounterpartError(f"lve has no aggregation {excerpt(metric.aggregation)} of all rows")


TARGET = "target"
"""The column of the right answers."""
RATED = {"acc": "total", "acc_norm": "character", "acc_bytes": "byte"}
"""Metrics of choices -> what the check `rated_choice` compares."""
OVERLAPS = ("bleu", "chrf", "chrf++", "ter")
OF_TEXTS = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte")
EXACT = frozenset({"regexes_to_ignore", "ignore_case", "ignore_punctuation", "ignore_numbers"})
UNUSED = frozenset({"weight_by_size", "average", "hf_evaluate", "multi_value"})
"""Options that the harness passes on, and that change nothing for these metrics."""
SELECTING = ("take_first", "take_first_k")
"""Steps that choose among the answers of a row, of which there is one."""


class Judged(NamedTuple):
    """A metric of a task after a filter."""

    name: str
    check: JsonObject
    score: str
    """What reports have of it: the pass rate, or a score over all rows."""


def checks_of(task: Task) -> Iterator[Judged | NoCounterpartError]:
    """Yield a check for each metric and filter of a task, or why there is none."""
    chains: Sequence[Chain] = task.chains or (Chain("", ()),)
    for chain in chains:
        for metric in task.metrics:
            name = "_".join(part for part in (metric.name, chain.name) if part)
            try:
                yield Judged(name, _check(task, metric, chain), score_name(metric))
            except NoCounterpartError as error:
                where = f"the metric {excerpt(metric.name)}"
                after = f" after the filter {excerpt(chain.name)}" if chain.name else ""
                yield NoCounterpartError(f"{where}{after}: {error}")


def _check(task: Task, metric: Metric, chain: Chain) -> JsonObject:
    if metric.is_own:
        raise NoCounterpartError("the task's own code computes it")
    if task.output_type == "multiple_choice":
        return _rated(task, metric)
    if task.output_type != "generate_until":
        return _of_text(task, metric)
    extract = [step for own in chain.steps for step in _extract(own)]
    check = _of_answer(metric)
    return {**check, "extract": extract} if extract else check


def _rated(task: Task, metric: Metric) -> JsonObject:
    if metric.name in RATED:
        check: dict[str, JsonValue] = {"rated_choice": RATED[metric.name]}
    elif metric.name in LABELLED:
        check = {"rated_choice": "total"}
    else:
        raise NoCounterpartError("lve has no such metric of choices")
    return {**check, "delimiter": task.delimiter} if task.delimiter else check


def _of_text(task: Task, metric: Metric) -> JsonObject:
    if metric.name not in OF_TEXTS:
        raise NoCounterpartError("lve has no such metric of the likelihood of a text")
    units = [row["units"] for row in task.rows]
    if not all(isinstance(each, dict) and metric.name in each for each in units):
        raise NoCounterpartError("it isn't the likelihood of a text, by its length")
    return {"text_likelihood": metric.name}


def _of_answer(metric: Metric) -> JsonObject:
    target = f"{{{TARGET}}}"
    if metric.name == "exact_match":
        return {"exact_match": target, "normalise": "none", **_exact_options(metric.options)}
    if metric.name in OVERLAPS and not set(metric.options) - UNUSED:
        options: dict[str, JsonValue] = {"words": True} if metric.name == "chrf++" else {}
        return {metric.name.rstrip("+"): target, "threshold": 0, **options}
    raise NoCounterpartError("lve has no such metric")


def _exact_options(options: JsonObject) -> JsonObject:
    if unknown := sorted(set(options) - EXACT - UNUSED):
        raise NoCounterpartError(f"its option {excerpt(unknown[0])} has no counterpart")
    kept: dict[str, JsonValue] = {}
    for name in sorted(EXACT & set(options)):
        value = options[name]
        if name == "regexes_to_ignore" and isinstance(value, list):
            kept[name] = [as_literal(str(pattern)) for pattern in value]
        elif value:  # as the harness: any value that isn't empty, a text, too
            kept[name] = True
    return kept


def _extract(step: Step) -> Iterator[JsonValue]:
    """Yield what a step is in `extract`."""
    options = step.options
    if step.is_own:
        raise NoCounterpartError(f"its step {excerpt(step.function)} is the task's own code")
    match step.function:
        case "regex":
            pattern = options.get("regex_pattern", r"#### (\-?[0-9\.\,]+)")
            group = options.get("group_select", 0)
            otherwise = options.get("fallback", "[invalid]")
            if not isinstance(group, int) or not isinstance(otherwise, str):
                raise NoCounterpartError("its step regex has other options than numbers and texts")
            yield {"type": "match", "pattern": pattern, "group": group, "otherwise": otherwise}
        case "map":
            yield _map(options)
        case "remove_whitespace":
            yield "trim"
        case "lowercase" | "uppercase":
            yield step.function
        case name if name not in SELECTING:
            raise NoCounterpartError(f"its step {excerpt(name)} has no counterpart")


def _map(options: Mapping[str, JsonValue]) -> JsonObject:
    mapping, otherwise = options.get("mapping_dict"), options.get("default_value")
    if not isinstance(mapping, dict) or not isinstance(otherwise, str | None):
        raise NoCounterpartError("its step map has other values than texts")
    texts = {str(key): str(value) for key, value in mapping.items()}
    return {"type": "map", "mapping": texts, **({"otherwise": otherwise} if otherwise else {})}
