"""What lm-evaluation-harness makes of the scores of all rows, and what reports have of it here.

An aggregation in a task's own code is known by what it made of labels and numbers (`dump.LABELS`).
"""

from __future__ import annotations

from collections import Counter

from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.extensions.importing.lm_eval.dump import LABELS, NUMBERS
from lve.extensions.importing.lm_eval.records import Metric, NoCounterpartError

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
