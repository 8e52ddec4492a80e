"""Converts a data set of a configuration to a test: its templates as they are, its evaluator as a
check.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lve.checkers.arguments import ArgumentError, build
from lve.checkers.by_name import load_builtin
from lve.escape import head
from lve.extensions.importing.opencompass.data_sets import FUNCTIONS, PROMPT, DataSet
from lve.extensions.importing.opencompass.package import PACKAGES
from lve.extensions.importing.opencompass.rows import (
    EXAMPLES,
    ROWS,
    TEST,
    TRAIN,
    columns_of,
    needs_examples,
    split_names,
)
from lve.json_types import JsonObject, JsonValue, as_object
from lve.spec.check_names import CHECKS, SCORER

_LINES = Path(__file__).with_name("unboxed.txt").read_text(encoding="utf-8").split("\n")
UNBOXED = frozenset(
    line if "." in line else f"opencompass.{line}"
    for line in _LINES
    if line and not line.startswith("#")
)
"""Evaluators, `package.Name`, that can't run in a sandbox with what `--setup` installs."""
IN_PAIRS = frozenset(("AccDropEvaluator",))
"""Evaluators that can't judge a row alone; each row is as accurate as AccEvaluator says."""
IN_SHARES = frozenset(("BFCLSingleTurnEvaluator", "BFCLRelevanceEvaluator", "MMCustomEvaluator"))
"""Evaluators whose scores are of 1, not of 100."""


SCORE, JUDGE = "opencompass_score", "opencompass_judge"
PROGRAM = "opencompass_program"
PROGRAMS = frozenset(("HumanEvalEvaluator", "MBPPEvaluator", "MBPPPassKEvaluator"))
"""Evaluators that run answers."""
JUDGES = frozenset(("GenericLLMEvaluator", "LMEvaluator", "CascadeEvaluator"))
"""Evaluators that ask a model."""
NO_READING = (
    "without a dict_postprocessor, OpenCompass gives no score, only the replies of its judge, "
    "which the summarizer of another configuration reads"
)
_JUDGE_KEYS = frozenset(
    (
        *("type", "prompt_template", "dict_postprocessor", "pred_postprocessor"),
        *("judge_cfg", "dataset_cfg", "keep_predictions"),
    )
)
"""What they have; who judges and its rows aren't carried."""
TEMPLATES = frozenset(
    ("PromptTemplate", "RawPromptTemplate", "MultiTurnPromptTemplate", "MMPromptTemplate")
)
RETRIEVERS = frozenset(
    ("ZeroRetriever", "FixKRetriever", "RandomRetriever", "SlidingWindowRetriever", "BM25Retriever")
)
INFERENCERS = frozenset(
    (
        *("GenInferencer", "PPLInferencer", "LLInferencer", "CLPInferencer"),
        *("ChatInferencer", "MultiTurnGenInferencer"),
    )
)
CHOOSING = frozenset(("PPLInferencer", "LLInferencer", "CLPInferencer"))
"""Inferencers whose answer is one of the labels."""
PLAIN_ACCURACY = frozenset(("AccEvaluator", "AccwithDetailsEvaluator", "GPQAEvaluator"))
_PARTS = ("ice_template", "prompt_template", "retriever", "inferencer")
_JUDGED = ("evaluator", "pred_postprocessor", "dataset_postprocessor")


class NoCounterpartError(ValueError):
    """A data set can't become a test. The message says why."""


def short(value: object) -> str:
    """Return the name of a class without its module, of a text or of an object with `type`."""
    kind = value.get("type") if isinstance(value, Mapping) else value
    return str(kind or "").rpartition(".")[2]


def document_of(data_set: DataSet) -> JsonObject:
    """Return the test document of a data set, without its check.

    Raises:
        NoCounterpartError: lve has not its template, retriever or inferencer.
    """
    parts = data_set.part("infer_cfg")
    parts = {**parts, **_written_out(data_set)} if data_set.calls_functions else parts
    infer = {key: value for key in _PARTS if (value := parts.get(key))}
    for part, names in (
        *(("ice_template", TEMPLATES), ("prompt_template", TEMPLATES)),
        *(("retriever", RETRIEVERS), ("inferencer", INFERENCERS)),
    ):
        if part in infer and short(infer[part]) not in names:
            raise NoCounterpartError(f"{short(infer[part]) or part} has no counterpart in lve")
    text = f"{data_set.abbr}, imported from {data_set.file.name} of OpenCompass."
    document: dict[str, JsonValue] = {"description": head(" ".join(text.split()), 500)}
    if data_set.package != PACKAGES[0]:
        document |= {"dialect": "aisbench"}
        document["description"] = str(document["description"]).replace("OpenCompass", "AISBench")
    return document | {
        "dataset": _dataset(data_set),
        "reader_cfg": _reader(data_set),
        "infer_cfg": infer,
    }


def _written_out(data_set: DataSet) -> JsonObject:
    """Return the parts that send the messages of a column.

    Raises:
        NoCounterpartError: functions run between the turns.
    """
    if "multi_turn" in str(data_set.config.get("category")):
        raise NoCounterpartError(f"{FUNCTIONS} with several turns has no counterpart in lve")
    return {
        "prompt_template": {"type": "RawPromptTemplate", "messages": [{"expand_column": PROMPT}]},
        "inferencer": {"type": "GenInferencer"},
    }


def _reader(data_set: DataSet) -> JsonObject:
    reader = {"input_columns": [], "output_column": None, **data_set.part("reader_cfg")}
    if data_set.calls_functions:
        reader["input_columns"] = columns_of(data_set)[:-1]
    kept = ("input_columns", "output_column")
    return {key: value for key, value in reader.items() if value is not None or key in kept}


def _dataset(data_set: DataSet) -> JsonValue:
    names = split_names(data_set)
    if names[TEST] == names[TRAIN]:
        return {names[TEST]: ROWS}
    if needs_examples(data_set):
        return {names[TRAIN]: EXAMPLES, names[TEST]: ROWS}
    is_usual = names == {TEST: TEST, TRAIN: TRAIN}
    return ROWS if is_usual else {names[TEST]: ROWS}


def check_of(data_set: DataSet) -> JsonObject | None:
    """Return the check of a data set, or an object with several `checks`; None if the test needs
    none, because its answer is one of the labels and must equal the right one.

    Raises:
        NoCounterpartError: lve has not its evaluator, or a function for its answers.
    """
    judged = data_set.part("eval_cfg")
    evaluator = judged.get("evaluator")
    if short(data_set.part("infer_cfg").get("inferencer")) in CHOOSING:
        if short(evaluator) in PLAIN_ACCURACY and not judged.get("dataset_postprocessor"):
            return None
        raise NoCounterpartError(f"{short(evaluator)} of a choice has no counterpart in lve")
    own = evaluator if isinstance(evaluator, dict) else {"type": evaluator}
    own = own | {"is_fc_model": False} if data_set.calls_functions else own
    outer = {name: value for name in _JUDGED[1:] if (value := judged.get(name))}
    if short(own) not in JUDGES:
        return _rule(own, outer, data_set.package)
    check = _judging(data_set, own, outer)
    if "checks" not in check:
        _try(check)
    return check


def _rule(evaluator: JsonObject, outer: JsonObject, package: str) -> JsonObject:
    """Return the check of an evaluator that asks no model: lve's own, or that of its class.

    Raises:
        NoCounterpartError: there is neither.
    """
    check = _scoring(evaluator, outer)
    try:
        _try(check)
    except NoCounterpartError as error:
        return _by_own_class(evaluator, outer, package, error)
    return check


def _by_own_class(
    evaluator: JsonObject, outer: JsonObject, package: str, why: NoCounterpartError
) -> JsonObject:
    """Return the check that runs the evaluator's own class in the sandbox.

    Raises:
        NoCounterpartError: it needs what a sandbox hasn't; `why` for what is no class of upstream.
    """
    path = str(evaluator.get("type") or "")
    parts = ("pred_postprocessor", "dataset_postprocessor")
    steps = [each for part in parts if (each := outer.get(part)) is not None]
    kinds = [each.get("type") if isinstance(each, dict) else each for each in steps]
    if not path or not all(_is_upstreams(str(kind)) for kind in (path, *kinds)):
        raise why
    if f"{package}.{short(path)}" in UNBOXED:
        raise NoCounterpartError(f"{short(path)} asks models or services, or needs other packages")
    check: dict[str, JsonValue] = {SCORER: path if "." in path else f"{package}.{path}"}
    if own := {name: value for name, value in evaluator.items() if name != "type"}:
        check["options"] = own
    check |= {"threshold": 0.5 if short(path) in IN_SHARES else 50, **outer}
    if short(path) in IN_PAIRS:
        check["row"] = {SCORE: "AccEvaluator", **outer}
    _try(check)
    return check


def _scoring(evaluator: JsonObject, outer: JsonObject) -> JsonObject:
    """Return the check of an evaluator that compares.

    Args:
        evaluator: its object.
        outer: the functions that stand beside it, for all answers.
    """
    check: dict[str, JsonValue] = {SCORE: short(evaluator)}
    if short(evaluator) in PROGRAMS and not set(evaluator) - {"type"}:
        return {PROGRAM: short(evaluator), **outer}
    own = {name: value for name, value in evaluator.items() if name != "type"}
    if own.get("pred_postprocessor"):
        check["pred_postprocessor"] = own.pop("pred_postprocessor")
    if own:
        check["options"] = own
    return {**check, **outer}


def _is_upstreams(path: str) -> bool:
    return "." not in path or path.partition(".")[0] in PACKAGES


def _judging(data_set: DataSet, evaluator: JsonObject, outer: JsonObject) -> JsonObject:
    """Return the check of an evaluator that asks a model; of a cascade, which does so where a rule
    fails.

    Raises:
        NoCounterpartError: it has a part that lve hasn't.
    """
    own, rule = evaluator, None
    if short(evaluator) == "CascadeEvaluator":
        own, rule = (as_object(evaluator.get(f"{name}_evaluator")) for name in ("llm", "rule"))
        if evaluator.get("parallel") or not rule or short(own) not in JUDGES:
            raise NoCounterpartError("this CascadeEvaluator has no counterpart in lve")
    reading = own.get("dict_postprocessor")
    rows = own.get("dataset_cfg")
    if isinstance(rows, dict) and rule is None and _other_rows(rows, data_set):
        raise NoCounterpartError(f"{short(own)} over other rows has no counterpart in lve")
    more = [name for name in own if name not in _JUDGE_KEYS]
    if more:
        raise NoCounterpartError(f"{short(own)} with {', '.join(more)} has no counterpart in lve")
    if not reading:
        raise NoCounterpartError(NO_READING)
    check: dict[str, JsonValue] = {JUDGE: own.get("prompt_template"), "dict_postprocessor": reading}
    steps = [
        step for step in (outer.get("pred_postprocessor"), own.get("pred_postprocessor")) if step
    ]
    if steps:
        check["pred_postprocessor"] = steps[0] if len(steps) == 1 else steps
    if "dataset_postprocessor" in outer:
        check["dataset_postprocessor"] = outer["dataset_postprocessor"]
    if rule is None:
        return check
    if short(reading) != "generic_llmjudge_postprocess":
        raise NoCounterpartError(f"a cascade with {short(reading)} has no counterpart in lve")
    cascade = {**check, "dict_postprocessor": "cascade"}
    rule_check = _rule(rule, outer, data_set.package)
    if SCORER in rule_check:  # in the sandbox, so the judge can't wait for it: it is asked always
        _try(cascade)
        return {"checks": [rule_check, cascade], "pass_when": "any"}
    return {**cascade, "rule": rule_check}


def _other_rows(rows: JsonObject, data_set: DataSet) -> bool:
    """Return whether a judge sees other rows than the model."""
    return any(rows.get(name) != data_set.config.get(name) for name in ("path", "name"))


def _try(check: JsonObject) -> None:
    """Make the check, which says what it doesn't know.

    Raises:
        NoCounterpartError: it can't be made.
    """
    name = next(iter(check))
    kind = load_builtin(name) if name in CHECKS else None
    if kind is None:
        raise NoCounterpartError(f"{check[name]} has no counterpart in lve")
    try:
        build(kind, check)
    except ArgumentError as error:
        raise NoCounterpartError(str(error)) from None
