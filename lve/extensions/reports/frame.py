"""The results of a run as a pandas data frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec

from lve.errors import MissingExtraError
from lve.reporting.files.plain_text import prompt_text, response_text
from lve.sessions.instance_result import InstanceResult


def to_pandas(results: Iterable[InstanceResult]) -> object:
    """Return a data frame with a row per instance and repeat, and a column `args.NAME` per arg.

    Args:
        results: those of a run.

    Raises:
        MissingExtraError: pandas isn't installed.
    """
    if find_spec("pandas") is None:
        raise MissingExtraError("to_pandas needs pandas: pip install 'lve[pandas]'")
    import pandas

    return pandas.DataFrame.from_records(list(map(_record, results)), columns=None)


def _record(result: InstanceResult) -> Mapping[str, object]:
    right, chosen = result.labels or (None, None)
    return {
        "test": result.test,
        "variant": result.variant,
        "model": result.model,
        "source": result.source,
        "line": result.line,
        "repeat": result.repeat,
        "verdict": result.verdict,
        "reason": result.reason,
        "error_kind": result.error_kind,
        "score": result.score,
        "prompt": prompt_text(result),
        "response": response_text(result),
        "prompt_tokens": result.usage.prompt_tokens,
        "completion_tokens": result.usage.completion_tokens,
        "cost": result.cost,
        "latency_s": result.latency_s,
        "right_label": right,
        "chosen_label": chosen,
        **{f"args.{name}": value for name, value in result.args.items()},
    }
