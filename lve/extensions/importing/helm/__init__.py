"""Reads runs of HELM (`benchmark_output/runs/SUITE/RUN`) as data: what it asked, what would be
right, and what was answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from lve.documents.json_text import decode_json
from lve.errors import UsageError
from lve.escape import excerpt
from lve.extensions.importing.certificate import source_of, with_certificate
from lve.extensions.importing.folders import Names
from lve.extensions.importing.helm.checks import (
    REFERENCES,
    NoCounterpartError,
    check_of,
    right_letters,
)
from lve.extensions.importing.helm.states import Request, requests_of
from lve.extensions.importing.row_files import lines_of
from lve.files.inside import read_inside, reason_of
from lve.importers import Imported, ImportedTest
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.workspace import display_path

STATE, SPEC = "scenario_state.json", "run_spec.json"
MAX_RUNS = 1_000
MAX_BYTES = 400_000_000
MAX_METRICS = 50
ANSWERED = "instances/helm.jsonl"
_METHODS = frozenset(
    ("generation", "chat", "multiple_choice_joint", "multiple_choice_joint_chain_of_thought")
)
"""Ways to ask (`adapter_spec.method`) whose answers are texts."""
REPLAY = "`lve run FOLDER --model replay` judges HELM's answers again; other models are asked anew"


class _Run(NamedTuple):
    name: str
    file: Path
    adapter: JsonObject
    metrics: Sequence[str]
    requests: Sequence[Request]


def read_runs(path: Path) -> Imported:
    """Return the tests of the runs below a folder.

    Args:
        path: a folder with `scenario_state.json`, such as `benchmark_output/runs/SUITE/RUN`, or a
            folder above such ones.

    Raises:
        UsageError: there is none, or too many.
    """
    files = sorted(islice(path.rglob(STATE), MAX_RUNS + 1)) if path.is_dir() else []
    if not files or len(files) > MAX_RUNS:
        why = f"more than {MAX_RUNS:,}" if files else "no"
        raise UsageError(
            f"{display_path(path)} has {why} runs of HELM: name a folder with {STATE}",
            code="nothing_to_import",
        )
    names, left_out, tests = Names(), list[str](), list[ImportedTest]()
    for file in files:
        place = display_path(file.parent)
        try:
            run = _run_of(file, path, left_out)
            tests += _tests(run, names, left_out)
        except NoCounterpartError as error:
            left_out.append(f"{place}: {error}")
    return Imported(tests, left_out, (REPLAY,) if tests else ())


def _read(folder: Path, home: Path, name: str) -> JsonObject:
    inside = (folder / name).relative_to(home)
    try:
        value = decode_json(read_inside(home, inside, MAX_BYTES).decode())
    except OSError as error:
        raise NoCounterpartError(f"{name} can't be read: {reason_of(error)}") from None
    except ValueError as error:
        raise NoCounterpartError(f"{name} is no JSON: {excerpt(error, 200)}") from None
    if not isinstance(value, dict):
        raise NoCounterpartError(f"{name} is no object")
    return value


def _run_of(file: Path, home: Path, left_out: list[str]) -> _Run:
    """Return a run.

    Raises:
        NoCounterpartError: it can't be read, or has no answers that are texts.
    """
    state, spec = _read(file.parent, home, STATE), _read(file.parent, home, SPEC)
    adapter = state.get("adapter_spec")
    adapter = adapter if isinstance(adapter, dict) else {}
    if (method := adapter.get("method")) not in _METHODS:
        raise NoCounterpartError(f"requests of the method {excerpt(str(method))}")
    requests, why = requests_of(state.get("request_states"))
    place = display_path(file.parent)
    left_out += [f"{place}: {amount(number, 'request')} {reason}" for reason, number in why.items()]
    if not requests:
        raise NoCounterpartError("no request with a right answer")
    metrics = list[str]()
    specs = spec.get("metric_specs")
    for metric in specs if isinstance(specs, list) else ():
        own = metric if isinstance(metric, dict) else {}
        args = own.get("args")
        names = args.get("names") if isinstance(args, dict) else None
        if isinstance(names, list):
            metrics += [str(name) for name in names]
        else:
            kind = str(own.get("class_name")).rpartition(".")[2]
            left_out.append(f"{place}: the metrics of {excerpt(kind)}")
    name = str(spec.get("name") or file.parent.name)
    return _Run(name, file, adapter, [*islice(dict.fromkeys(metrics), MAX_METRICS)], requests)


def _tests(run: _Run, names: Names, left_out: list[str]) -> Iterator[ImportedTest]:
    """Yield a test for each metric."""
    place, home = display_path(run.file.parent), names.new(run.name, "run")
    first = run.requests[0]
    same = [request for request in run.requests if request.form == first.form]
    if others := len(run.requests) - len(same):
        left_out.append(
            f"{place}: {amount(others, 'request')} with other settings, roles or options"
        )
    own = Names()
    pattern = run.adapter.get("output_mapping_pattern")
    for metric in run.metrics:
        try:
            check = check_of(metric, str(pattern or "") or None, has_options=first.has_options)
        except NoCounterpartError as error:
            left_out.append(f"{place}: the metric {excerpt(metric)}: {error}")
            continue
        rows = [line for request in same if (line := _line(metric, request)) is not None]
        if lost := len(same) - len(rows):
            left_out.append(
                f"{place}: {amount(lost, 'request')} without a right option by {metric}"
            )
        if rows:
            document = _document(run, first, check, metric)
            folder = f"{home}/{own.new(metric, 'metric')}"
            test = ImportedTest(folder, document, {ANSWERED: lines_of(rows)})
            yield with_certificate(test, rows=len(rows))
    if not run.metrics:
        left_out.append(f"{place}: it names no metrics")


def _line(metric: str, request: Request) -> JsonObject | None:
    """Return the row of a request; None if no answer could be right."""
    golds: Sequence[str] = request.golds
    if request.options is not None:
        golds = right_letters(metric, request.golds, request.options)
    if not golds:
        return None
    args: dict[str, JsonValue] = {**request.texts, REFERENCES: [*golds], "split": request.split}
    if request.id:
        args["id"] = request.id
    if request.answer is None:
        return {"args": args}
    origin: JsonObject = {"source": "helm", "model": request.model}
    return {"args": args, "response": request.answer, "run_info": origin}


def _document(run: _Run, first: Request, check: JsonObject, metric: str) -> JsonObject:
    source = source_of("helm", run.file.resolve(), None, run.file.parent.resolve())
    scores: JsonObject = {metric: "mean score" if metric == "f1_score" else "pass rate"}
    roles = zip(first.roles, first.texts, strict=True)
    splits = {request.split for request in run.requests}
    return {
        "description": f"HELM's run {excerpt(run.name, 300)}, by {excerpt(metric)}.",
        "source": {**source, "task": excerpt(run.name, 300), "scores": scores},
        "prompt": [{"role": role, "content": f"{{{column}}}"} for role, column in roles],
        "prompt_parameters": [*first.texts, REFERENCES, "split", *(["id"] if first.id else [])],
        "default_model_args": dict(first.model_args),
        "check": check,
        **({"by": ["split"]} if len(splits) > 1 else {}),
    }
