"""Writes a task as tests: the documents, and the rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from lve.escape import excerpt
from lve.extensions.importing.lm_eval.metrics import TARGET, Judged, checks_of
from lve.extensions.importing.lm_eval.records import NoCounterpartError, Task, texts_of
from lve.json_types import JsonObject, JsonValue
from lve.plurals import amount

ROWS = "rows.jsonl"
PROMPT, CHOICES = "prompt", "choices"
MAX_TOKENS = 256
"""What the harness takes if a task doesn't say how long answers may be."""
_LENGTHS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
_NEUTRAL = (("num_beams", 1), ("num_return_sequences", 1))
"""Options that say what happens anyway."""
_SENT = ("temperature", "top_p", "top_k", "min_p", "seed", "repetition_penalty")


def tests_of(
    task: Task, source: JsonObject
) -> Iterator[tuple[Mapping[str, str], JsonObject, str] | NoCounterpartError]:
    """Yield the metrics (name -> what reports have of it), the document and the rows of each test
    of a task, and what can't be carried.

    Args:
        task: the task with its rows.
        source: where it comes from, for the documents.

    Raises:
        NoCounterpartError: nothing of it can be imported.
    """
    checks = list(checks_of(task))
    yield from (check for check in checks if isinstance(check, NoCounterpartError))
    usable = [check for check in checks if not isinstance(check, NoCounterpartError)]
    if not usable:
        return
    if task.output_type == "generate_until":
        options, rows = _generated(task)
    else:
        options, rows = {}, list(_rated(task) if "choice" in task.output_type else _texts_of(task))
    if missing := len(task.rows) - len(rows):
        yield NoCounterpartError(f"{amount(missing, 'row')} without a choice that is right")
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    for scores, check in _once(usable):
        yield scores, _document(task, {**source, "scores": scores}, options, check), text
    if task.repeats > 1:
        yield NoCounterpartError(f"it asks {task.repeats} times for each row: `--repeats` does")


def _once(judged: Sequence[Judged]) -> Iterator[tuple[dict[str, str], JsonObject]]:
    """Yield each check once, with what reports have of its metrics: `acc` and `f1` of choices judge
    the same."""
    kept: list[tuple[dict[str, str], JsonObject]] = []
    for name, check, score in judged:
        scores = next((scores for scores, other in kept if other == check), None)
        if scores is None:
            scores = {}
            kept.append((scores, check))
        scores[name] = score
    yield from kept


def _document(task: Task, source: JsonObject, options: JsonObject, check: JsonObject) -> JsonObject:
    data = f", over {task.data}" if task.data else ""
    document: dict[str, JsonValue] = {
        "description": excerpt(f"Task {task.name} of lm-evaluation-harness{data}.", 500),
        "source": source,
    }
    if options:
        document["default_model_args"] = options
    inferencer: dict[str, JsonValue] = {"type": "GenInferencer"}
    if task.output_type != "generate_until":
        inferencer = {"type": "ChoicesInferencer"}
        if "delimiter" in check:
            inferencer["delimiter"] = check["delimiter"]
    return {
        **document,
        "dataset": ROWS,
        "reader_cfg": {"input_columns": [PROMPT], "output_column": TARGET},
        "infer_cfg": {
            "prompt_template": {"type": "PromptTemplate", "template": f"{{{PROMPT}}}"},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": inferencer,
        },
        "check": check,
    }


def _generated(task: Task) -> tuple[JsonObject, list[JsonObject]]:
    """Return the model args of a task that has answers written, and its rows.

    Raises:
        NoCounterpartError: rows have different options.
    """
    first = task.rows[0]["options"]
    if any(row["options"] != first for row in task.rows):
        raise NoCounterpartError("its rows have different options of generation")
    rows: list[JsonObject] = [
        {PROMPT: row["prompt"], TARGET: row["target"], "doc": row["doc"]} for row in task.rows
    ]
    return _model_args(first if isinstance(first, dict) else {}), rows


def _model_args(options: JsonObject) -> JsonObject:
    args: dict[str, JsonValue] = {"max_tokens": MAX_TOKENS}
    for name, value in options.items():
        if name in _LENGTHS:
            args["max_tokens"] = value
        elif name in _SENT:
            args[name] = value
        elif name == "until":
            texts = value if isinstance(value, list) else [value]
            if stop := [text for text in texts if isinstance(text, str) and text]:
                args["stop"] = stop
        elif name != "do_sample" and (name, value) not in _NEUTRAL:
            raise NoCounterpartError(f"its option of generation {excerpt(name)} isn't sent by lve")
    if options.get("do_sample") is False:
        args["temperature"] = 0
    return {"temperature": 0, **args}


def _rated(task: Task) -> Iterator[JsonObject]:
    """Yield the rows of a task that has choices rated, without those whose right answer is none of
    the choices.

    Raises:
        NoCounterpartError: no row is left, or its choices can't be written.
    """
    count = 0
    for row in task.rows:
        names = texts_of(row, "choices")
        target = _places(row["target"], names)
        if target is not None:
            count += 1
            yield {**_texts(task, row, names), TARGET: target, "doc": row["doc"]}
    if not count:
        raise NoCounterpartError("none of its rows has a right choice")


def _texts_of(task: Task) -> Iterator[JsonObject]:
    """Yield the rows of a task that has texts rated: as the only choice of each."""
    for row in task.rows:
        if "text" in row:
            before, text = "", str(row["text"])
        else:
            befores, texts = texts_of(row, "contexts"), texts_of(row, "continuations")
            before, text = befores[0], texts[0]
        if not text:
            raise NoCounterpartError("a row has an empty text")
        yield {PROMPT: before, CHOICES: [text], "units": row["units"], TARGET: 0, "doc": row["doc"]}


def _texts(task: Task, row: JsonObject, names: Sequence[str]) -> JsonObject:
    contexts, texts = texts_of(row, "contexts"), texts_of(row, "continuations")
    bare = [text.removeprefix(task.delimiter) for text in texts]
    if any(task.delimiter + rest != text for rest, text in zip(bare, texts, strict=True)):
        raise NoCounterpartError("its choices don't follow its delimiter")
    if len(contexts) == 1 and bare == list(names):
        return {PROMPT: contexts[0], CHOICES: list(bare)}
    befores = contexts if len(contexts) > 1 else [""] * len(bare)
    choices: list[JsonValue] = [
        {"text": text, **({"before": before} if before else {}), "name": name}
        for text, before, name in zip(bare, befores, names, strict=True)
    ]
    return {PROMPT: "" if len(contexts) > 1 else contexts[0], CHOICES: choices}


def _places(target: JsonValue, names: Sequence[str]) -> JsonValue:
    """Return the places of the right choices, as the harness finds them; None if there is none."""
    places: list[JsonValue] = []
    for right in target if isinstance(target, list) else [target]:
        place = names.index(right) if isinstance(right, str) and right in names else right
        if isinstance(place, int) and 0 <= place < len(names):
            places.append(int(place))  # true is the second one
    if not places:
        return None
    return places if isinstance(target, list) else places[0]
